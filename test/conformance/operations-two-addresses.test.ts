import { describe, expect, it, onTestFinished } from "vitest";
import { withoutOtherAddress } from "../../src/journal/drives/drive-use-queries.ts";
import { Journal } from "../../src/journal/journal.ts";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import type { Register } from "../../src/registers/register.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { sample } from "../support/extent.ts";
import { checkpoint, entryContent, entryKey } from "../support/journal-entries.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { cashOperation, saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const SUM_KOPECKS = 10_000;

/** A line whose first state arrives late, and whose first document does not arrive while `cut.next` is true. */
function lateAndCut(clock: Trial["clock"], lateMs: () => number, cut: { next: boolean }): (register: Register) => Register {
  return (register) => ({
    identity: (deadline) => register.identity(deadline),
    async inspect(deadline) {
      const seen = await register.inspect(deadline);
      const forMs = lateMs();
      if (forMs > 0) await pause(clock, forMs);
      return seen;
    },
    async perform(document, deadline) {
      if (!cut.next) return register.perform(document, deadline);
      cut.next = false;
      return { kind: "in-doubt", doubt: { code: "answer-late" } };
    },
    lookUp: (number, deadline) => register.lookUp(number, deadline),
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  });
}

describe.each(sample(SCHEMES.slice(0, 2), 1))("a device with two addresses, each with its own lane, %s", (scheme) => {
  /** `lateMs`: how long the state that the second lane has read is on its way. */
  async function open(lateMs: number) {
    const trial = await Trial.begin(scheme);
    const one = await Till.open({ trial });
    const [cut, late] = [{ next: false }, { ms: 0 }];
    const line = lateAndCut(trial.clock, () => late.ms, cut);
    const other = await Till.open({ trial, store: one.store, rules: { register: "emulator:second" }, line });
    await one.openShift();
    late.ms = lateMs;
    return { trial, one, other, cut, late };
  }

  it.each([0, 3_000])("never takes the cash of one lane for the lost cash of the other, whose state came %i ms late", async (lateMs) => {
    const { trial, one, other, cut, late } = await open(lateMs);
    cut.next = true;
    const [first, second] = [cashOperation("cash-in", "cash-1", SUM_KOPECKS), cashOperation("cash-in", "cash-2", SUM_KOPECKS)];
    const both = [other.submit(second), one.submit(first)];
    await one.settled();
    await Promise.all(both);
    late.ms = 0;
    const answers: string[] = [];
    // A till repeats what was refused, until it is done.
    for (let nth = 1; nth <= 3; nth += 1) {
      answers.splice(0, answers.length, textOf(await one.submitAndWait(first)), textOf(await other.submitAndWait(second)));
    }
    expect(answers).toEqual([expect.stringMatching(/^cash-in/), expect.stringMatching(/^cash-in/)]);
    expect((await trial.state()).drawerKopecks).toBe(2 * SUM_KOPECKS);
  });

  it.each([0, 3_000])("ends the lost sale of one lane beside a sale of the other, whose state came %i ms late", async (lateMs) => {
    const { one, other, cut, late } = await open(lateMs);
    cut.next = true;
    const both = [other.submit(saleOperation("sale-2")), one.submit(saleOperation("sale-1"))];
    await one.settled();
    await Promise.all(both);
    late.ms = 0;
    for (let nth = 1; nth <= 3; nth += 1) {
      await one.submitAndWait(saleOperation("sale-1"));
      await other.submitAndWait(saleOperation("sale-2"));
    }
    expect(await one.states()).toEqual(["open-shift done", "sale done", "sale done"]);
    expect(await one.documents()).toBe(4);
  });
});

it("sales that come through several addresses at the same moment open the shift once where the server opens it", async () => {
  const till = await Till.open({ rules: { shiftOpening: "automatic" } });
  const sales = ["store", "second", "third"].map((storeId) => saleOperation(`sale at ${storeId}`, { storeId }));
  const first = sales.map((sale) => till.submit(sale));
  await till.settled();
  await Promise.all(first);
  const answers: string[] = [];
  for (const sale of sales) answers.push(textOf(await till.submitAndWait(sale)));
  expect(answers).toEqual(sales.map(() => expect.stringMatching(/^receipt/)));
  expect(await till.documents()).toBe(5);
});

describe("two openings that come through two addresses at the same moment", () => {
  const SHIFTS = ["store", "second"].map((storeId) => ({ storeId, shift: { id: `shift of ${storeId}`, idType: "native" as const } }));

  /** Submits both openings at once, and repeats what was refused. Returns the answers, and those to a sale in each of the shifts. */
  async function openBoth(till: Till) {
    const openings = SHIFTS.map((where) => shiftOperation("open-shift", where));
    const first = openings.map((opening) => till.submit(opening));
    await till.settled();
    await Promise.all(first);
    const answers: string[] = [];
    for (const opening of openings) answers.push(textOf(await till.submitAndWait(opening)));
    const sales: string[] = [];
    for (const where of SHIFTS) sales.push(textOf(await till.submitAndWait(saleOperation(`sale of ${where.storeId}`, where))));
    return { answers: answers.sort(), sales: sales.sort() };
  }

  const ONE_HAS_IT = {
    answers: [expect.stringMatching(/^open-shift 2/), "shift-already-open"],
    sales: [expect.stringMatching(/^receipt 3/), "shift-conflict"],
  };

  it("do not both adopt the shift that was opened at the register", async () => {
    const till = await Till.open();
    await till.trial.settled(till.trial.register.perform({ kind: "open-shift", reference: "by hand" }, till.trial.deadline));
    expect(await openBoth(till)).toEqual(ONE_HAS_IT);
  });

  it("do not both take the report that a restored copy lacks", async () => {
    const till = await Till.open();
    const copy = await copyOf(till.store);
    await till.openShift();
    await till.trial.later(600_000);
    await till.submitAndWait(shiftOperation("close-shift"));
    await restore(till.store, copy);
    await till.killAndRestart();
    const { answers } = await openBoth(till);
    expect(answers).toEqual([expect.stringMatching(/^open-shift 2/), expect.stringMatching(/^open-shift 4/)]);
  });
});

/** The register falls silent over document 4 for the second lane that reads it, and returns document 5 late, after it has refused it. */
function failing(clock: Trial["clock"], fails: () => boolean): (register: Register) => Register {
  const requests = new Map<number, number>();
  let isSilent = false;
  const unreachable = async (forMs: number) => {
    await pause(clock, forMs);
    return { kind: "unreachable", reason: "касса не отдаёт документ" } as const;
  };
  return (register) => ({
    identity: (deadline) => register.identity(deadline),
    async inspect(deadline) {
      if (!isSilent) return register.inspect(deadline);
      isSilent = false;
      return unreachable(0);
    },
    perform: (document, deadline) => register.perform(document, deadline),
    async lookUp(number, deadline) {
      const request = (requests.get(number) ?? 0) + (fails() ? 1 : 0);
      requests.set(number, request);
      if (number === 5 && request >= 1 && request <= 4) return unreachable(900);
      if (number !== 4 || request !== 2) return register.lookUp(number, deadline);
      const silent = await unreachable(3_000);
      isSilent = true;
      return silent;
    },
    abandon: (deadline) => register.abandon(deadline),
    close: () => register.close(),
  });
}

it("a sale that a restored copy lacks is waited for by one lane while the lane of another address is behind in reading the drive", async () => {
  const trial = await Trial.begin(SCHEMES[0] ?? "");
  let fails = false;
  const till = await Till.open({ trial, line: failing(trial.clock, () => fails) });
  await till.openShift();
  const copy = await copyOf(till.store);
  for (const id of ["sale-3", "sale-4", "sale-5", "sale-6"]) await till.submitAndWait(saleOperation(id));
  await restore(till.store, copy);
  await till.killAndRestart();
  fails = true;
  const both = [till.submit(saleOperation("sale-5")), till.submit(saleOperation("new", { storeId: "second" }))];
  await till.settled();
  await Promise.all(both);
  expect(textOf(await till.submitAndWait(saleOperation("sale-5")))).toMatch(/^receipt 5/);
  expect(await till.documents()).toBe(6);
});

const DRIVE = "9999078900001234";
const READ = { number: 5, kind: "own", reference: "0123456789abcdef" } as const;

it("a document that one lane has read stays read where the register does not return it to the lane of another address", async () => {
  const { journal } = await Till.open();
  const reading = await journal.drives.of(DRIVE, 4);
  await reading.keep(5, [READ]);
  await reading.keep(5, [{ number: 5, kind: "unread", asked: true }]);
  expect([reading.lostNumber(READ.reference), [...reading.unread()]]).toEqual([5, []]);
  expect(await journal.drives.lostWithId(READ.reference)).toEqual([{ driveNumber: DRIVE, documentNumber: 5, reference: READ.reference }]);
});

it("a document that one lane has marked as unread stays so where the lane of another address has asked the database before", async () => {
  const { store } = await Till.open();
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let reads = 0;
  // The second answer of the second lane is late: it holds the rows of the drive's documents.
  const read: typeof store.read = async (work) => {
    const rows = await store.read(work);
    reads += 1;
    if (reads === 2) {
      asked.resolve();
      await answered.promise;
    }
    return rows;
  };
  const drives = new Journal({ store: { commit: (work, what) => store.commit(work, what), read }, clock: systemClock }).drives;
  const reading = await drives.of(DRIVE, 6);
  await reading.keep(6, [{ number: 4, kind: "unread", asked: true }]);
  const elsewhere = await new Journal({ store, clock: systemClock }).drives.of(DRIVE, 6);
  await elsewhere.keep(6, [{ number: 4, kind: "journalled" }]);
  reads = 0;
  const following = reading.followOthers();
  await asked.promise;
  await reading.markMissed([5]);
  answered.resolve();
  await following;
  expect([[...reading.unread().keys()], reading.isMissed(5)]).toEqual([[5], true]);
});

for (const kind of DATABASE_KINDS) {
  describeDatabase("two addresses of one device", kind, () => {
    it(`never begin to send to its drive at the same moment (${kind.title})`, async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const journal = new Journal({ store, clock: systemClock });
      for (let round = 1; round <= 10; round += 1) {
        const drive = checkpoint({ driveNumber: `99990000000000${round + 10}` });
        const begun = await Promise.allSettled(
          ["one", "other"].map(async (name) => {
            const content = entryContent({ key: entryKey({ documentId: `${name}-${round}` }), register: `emulator:${name}` });
            const seen = { driveNumber: drive.driveNumber, register: content.register, lastMove: await journal.heads.lastMove() };
            return journal.begin(content, drive, withoutOtherAddress(seen));
          }),
        );
        expect(begun.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      }
    });
  });
}
