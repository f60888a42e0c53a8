import { expect, it, onTestFinished } from "vitest";
import { withoutRival } from "../../src/journal/correction-queries.ts";
import type { EntryContent, EntryKey } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { CorrectionOperation, Operation } from "../../src/model/operation.ts";
import { missedKey } from "../../src/operations/corrections.ts";
import { planCorrections } from "../../src/operator/corrections/correction-steps.ts";
import { EmulatorRegister } from "../../src/registers/emulator/register.ts";
import { VirtualDevice } from "../../src/registers/virtual/device.ts";
import { MemoryDrive } from "../../src/registers/virtual/drive.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey } from "../support/journal-entries.ts";
import { type Bench, once, sameChance, Trial, ZONE } from "../support/registers.ts";
import { saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const SALE = saleOperation("sale-1");
const OTHER_SHIFT = { id: "shift-2", idType: "native" as const };
const UNDER_OTHER_ID = saleOperation("sale-1", { document: { id: "of-the-till", idType: "sync" }, shift: OTHER_SHIFT });

/** A till with an open shift, whose sale was refused for want of paper. */
async function refused(): Promise<Till> {
  const till = await Till.open();
  await till.openShift();
  till.trial.device.setPaper(false);
  expect(textOf(await till.submitAndWait(SALE))).toBe("no-paper");
  till.trial.device.setPaper(true);
  return till;
}

async function missed(till: Till, id = 2): Promise<CorrectionOperation> {
  const entry = await till.journal.get(id);
  const planned = entry && planCorrections(entry, { today: "2026-11-13" });
  const [first] = planned?.kind === "plan" ? planned.corrections : [];
  if (first === undefined) throw new Error("nothing is planned");
  return first.operation;
}

/** The point of sale after another register was set for it. */
async function atOtherRegister(till: Till): Promise<Till> {
  const bench = async (clock: Trial["clock"]): Promise<Bench> => {
    const { device } = await VirtualDevice.open({ name: "other", storage: new MemoryDrive(), clock, chance: sameChance, zone: ZONE });
    const register = new EmulatorRegister(clock, () => Promise.resolve({ device, close: () => device.close() }));
    return { register, device, seconds: true, restart: () => bench(clock) };
  };
  const trial = await Trial.on((clock) => bench(clock as Trial["clock"]), till.trial.clock);
  const other = await Till.open({ trial, store: till.store, rules: { register: "emulator:other" } });
  await other.submitAndWait(shiftOperation("open-shift", { shift: OTHER_SHIFT, document: OTHER_SHIFT, name: "00002" }));
  return other;
}

it.each<[string, (till: Till) => Promise<Operation>, string, RegExp]>([
  ["its correction", missed, "already-corrected", /^correction 3/],
  ["the same sale under the other id type", async () => UNDER_OTHER_ID, "other-id-type", /^receipt 3/],
])("a sale is not sent when %s was sent at another register since its turn began", async (_what, rival, refusal, answer) => {
  const till = await refused();
  const other = await atOtherRegister(till);
  till.trial.inject({ before: once("state", { kind: "wait", forMs: 1_500 }) });
  const both = [till.submit(SALE), other.submit(await rival(till))];
  await till.settled();
  expect((await Promise.all(both)).map(textOf)).toEqual([refusal, expect.stringMatching(answer)]);
  expect(await till.documents()).toBe(2);
  expect(textOf(await till.submitAndWait(SALE))).toBe(refusal);
});

it("a correction is not sent when its sale was sent at another register since its turn began", async () => {
  const till = await refused();
  const other = await atOtherRegister(till);
  other.trial.inject({ before: once("state", { kind: "wait", forMs: 1_500 }) });
  const both = [other.submit(await missed(till)), till.submit(SALE)];
  await till.settled();
  expect((await Promise.all(both)).map(textOf)).toEqual(["not-correctable", expect.stringMatching(/^receipt 3/)]);
  expect(await other.documents()).toBe(2);
});

it("a sale that a correction has registered is not registered under the other id type", async () => {
  const till = await refused();
  expect(textOf(await till.submitAndWait(await missed(till)))).toMatch(/^correction 3/);
  expect(textOf(await till.submitAndWait({ ...UNDER_OTHER_ID, shift: SALE.shift }))).toBe("already-corrected");
  expect(await till.documents()).toBe(3);
});

it("a sale under the other id type is not sent when the correction of the first was sent at another register meanwhile", async () => {
  const till = await refused();
  const other = await atOtherRegister(till);
  till.trial.inject({ before: once("state", { kind: "wait", forMs: 1_500 }) });
  const both = [till.submit({ ...UNDER_OTHER_ID, shift: SALE.shift }), other.submit(await missed(till))];
  await till.settled();
  expect((await Promise.all(both)).map(textOf)).toEqual(["already-corrected", expect.stringMatching(/^correction 3/)]);
  expect(await till.documents()).toBe(2);
});

it("a refused sale is not corrected as missed when the sale under the other id type was", async () => {
  const till = await refused();
  till.trial.device.setPaper(false);
  expect(textOf(await till.submitAndWait({ ...UNDER_OTHER_ID, shift: SALE.shift }))).toBe("no-paper");
  till.trial.device.setPaper(true);
  expect(textOf(await till.submitAndWait(await missed(till, 3)))).toMatch(/^correction 3/);
  expect(textOf(await till.submitAndWait(await missed(till)))).toBe("not-correctable");
  expect(await till.documents()).toBe(3);
});

for (const kind of DATABASE_KINDS) {
  describeDatabase("two operations that register the same", kind, () => {
    it(`are sent once when their transactions run at the same time (${kind.title})`, async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const journal = new Journal({ store, clock: systemClock });
      for (let round = 1; round <= 10; round += 1) {
        const [one, other] = [`one-${round}`, `other-${round}`].map((documentId) =>
          entryContent({ key: entryKey({ documentId }), twinHash: documentId, register: `emulator:${documentId}` }),
        );
        if (one === undefined || other === undefined) throw new Error("no contents");
        const waiting = await journal.accept(one);
        await journal.finish(waiting, { kind: "refused", refusal: { code: "no-paper" } }, "register");
        const begun = await Promise.allSettled([
          journal.begin(one, checkpoint(), withoutRival(one, other.key, nothingMissed)),
          journal.begin(other, checkpoint(), withoutRival(other, one.key, nothingMissed)),
        ]);
        expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      }
    });

    it(`are sent once when they are new, and one is the twin of the other (${kind.title})`, async () => {
      const journal = await journalOn(kind);
      for (let round = 1; round <= ROUNDS; round += 1) {
        const begun = await Promise.allSettled(
          twins(round).map((content) => journal.begin(content, checkpoint(), withoutRival(content, undefined, missedKey))),
        );
        expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      }
    });

    it.each([
      ["a twin and the correction of the other", 0],
      ["the corrections of both twins", 1],
    ])(`are sent once when they are %s (${kind.title})`, async (_what, count) => {
      const journal = await journalOn(kind);
      for (let round = 1; round <= ROUNDS; round += 1) {
        const sales = twins(round);
        for (const sale of sales) {
          await journal.finish(await journal.accept(sale), { kind: "refused", refusal: { code: "no-paper" } }, "register");
        }
        const sent = sales.map((sale, at) => (at <= count ? correctionOfMissed(sale) : sale));
        const begun = await Promise.allSettled(
          sent.map((content) => journal.begin(content, checkpoint(), withoutRival(content, saleOf(content), missedKey))),
        );
        expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      }
    });
  });
}

const ROUNDS = 10;

async function journalOn(kind: (typeof DATABASE_KINDS)[number]): Promise<Journal> {
  const database = await kind.make();
  onTestFinished(() => database.drop());
  const store = await database.open();
  await store.migrate();
  return new Journal({ store, clock: systemClock });
}

/** A sale under both id types, each in a lane of its own. */
function twins(round: number): EntryContent[] {
  return (["native", "sync"] as const).map((idType) =>
    entryContent({
      key: entryKey({ documentId: `${idType}-${round}` }),
      twinHash: `twin-${round}`,
      idType,
      register: `emulator:${idType}-${round}`,
    }),
  );
}

/** The correction that registers the sale as missed, with a row as a correction has it. */
function correctionOfMissed(sale: EntryContent): EntryContent {
  const key = missedKey(sale.key) ?? expect.unreachable();
  return { ...sale, key, twinHash: key.documentId };
}

function saleOf({ key }: EntryContent): EntryKey | undefined {
  if (key.operation !== "correction") return missedKey(key);
  return { ...key, operation: "sale", documentId: key.documentId.split(":")[1] ?? "" };
}

const nothingMissed = () => undefined;
