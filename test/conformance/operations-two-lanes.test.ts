import { expect, it, onTestFinished } from "vitest";
import { withoutRival } from "../../src/journal/correction-queries.ts";
import { Journal } from "../../src/journal/journal.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { CorrectionOperation, Operation } from "../../src/model/operation.ts";
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

async function missed(till: Till): Promise<CorrectionOperation> {
  const entry = await till.journal.get(2);
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
          journal.begin(one, checkpoint(), withoutRival(one, other.key)),
          journal.begin(other, checkpoint(), withoutRival(other, one.key)),
        ]);
        expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      }
    });
  });
}
