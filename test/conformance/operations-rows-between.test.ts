import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { pause } from "../../src/kernel/clock.ts";
import { READ_IN_A_TURN, READ_IN_A_TURN_MS } from "../../src/operations/reading-bounds.ts";
import type { Register } from "../../src/registers/register.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { receiptDocument } from "../support/register-documents.ts";
import { SCHEMES, Trial } from "../support/registers.ts";
import { copyOf, restore } from "../support/restored.ts";
import { saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

async function sell(till: Till, ...ids: string[]): Promise<string[]> {
  const answers: string[] = [];
  for (const id of ids) {
    const answer = till.store.kind === "sqlite" ? till.submitAndWait(saleOperation(id)) : till.submit(saleOperation(id));
    answers.push(
      textOf(await answer)
        .split(" ")
        .slice(0, 2)
        .join(" "),
    );
  }
  return answers;
}

/** Deletes entries with everything that belongs to them, as a program does that enforces foreign keys. */
async function deleteWhole({ store }: Till, ...documentIds: string[]): Promise<void> {
  for (const id of documentIds) {
    const entry = sql`(select id from entries where document_id = ${id})`;
    for (const table of ["answers", "day_answers", "moves"]) {
      await sql`delete from ${sql.table(table)} where entry_id in ${entry}`.execute(store.db);
    }
    await sql`delete from entries where document_id = ${id}`.execute(store.db);
  }
}

for (const kind of DATABASE_KINDS) {
  describeDatabase("documents that the journal lost while no server ran", kind, () => {
    async function opened(): Promise<Till> {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const till = await Till.open({ place: database.options });
      await till.submit(shiftOperation("open-shift"));
      return till;
    }

    it("are found below the newest one too, where the drive had been read before", async () => {
      const till = await opened();
      // A document of somebody else makes the next turn store how far it has read.
      await till.trial.perform(receiptDocument());
      expect(await sell(till, "s-4", "s-5", "s-6", "s-7")).toEqual(["receipt 4", "receipt 5", "receipt 6", "receipt 7"]);
      await till.trial.perform(receiptDocument());
      expect(await sell(till, "s-9")).toEqual(["receipt 9"]);
      await deleteWhole(till, "s-5");
      await till.killAndRestart({ recovers: false });
      expect(await sell(till, "s-10", "s-5", "s-4", "s-6")).toEqual([10, 5, 4, 6].map((number) => `receipt ${number}`));
      expect(await till.documents()).toBe(10);
    });

    it("are all found where more are missing than one turn reads", async () => {
      const till = await opened();
      await sell(till, "s-3", "s-4");
      for (let number = 0; number < READ_IN_A_TURN + 20; number += 1) await till.trial.perform(receiptDocument());
      const last = READ_IN_A_TURN + 25;
      expect(await sell(till, `s-${last}`, `s-${last}`)).toEqual(["register-unreachable", `receipt ${last}`]);
      await deleteWhole(till, "s-4");
      await sql`delete from lost_documents`.execute(till.store.db);
      await till.killAndRestart({ recovers: false });
      expect(await sell(till, "s-4")).toEqual(["receipt 4"]);
      expect(await till.documents()).toBe(last);
    });

    it("are read once where somebody else made them", async () => {
      const till = await opened();
      await sell(till, "s-3");
      await till.trial.perform(receiptDocument());
      expect(await sell(till, "s-5", "s-6")).toEqual(["receipt 5", "receipt 6"]);
      let asked = 0;
      till.trial.inject({
        before: (command) => {
          if (command === "stored") asked += 1;
          return { kind: "go-on" };
        },
      });
      for (const id of ["s-7", "s-8"]) {
        await till.killAndRestart({ recovers: false });
        asked = 0;
        expect(await sell(till, id)).toEqual([`receipt ${id.slice(2)}`]);
        // Only the number after the last one is asked for.
        expect(asked).toBe(1);
      }
    });
  });
}

describe("a document that the journal lost while no server ran", () => {
  it("is waited for in five turns of its own, after all the turns in which others are read", async () => {
    const trial = await Trial.begin(SCHEMES[0] ?? "");
    let takesMs = 0;
    let busy = 0;
    const line = (register: Register): Register => ({
      identity: (deadline) => register.identity(deadline),
      inspect: (deadline) => register.inspect(deadline),
      perform: (document, deadline) => register.perform(document, deadline),
      async lookUp(number) {
        await pause(trial.clock, takesMs);
        if (number !== 9 || busy === 0) return register.lookUp(number, trial.deadline);
        busy -= 1;
        return { kind: "unreachable", reason: "занята" };
      },
      abandon: (deadline) => register.abandon(deadline),
      close: () => register.close(),
    });
    const till = await Till.open({ trial, line });
    await till.openShift();
    await till.trial.perform(receiptDocument());
    const lost = [5, 6, 7, 8, 9, 10, 11].map((number) => `s-${number}`);
    await sell(till, "s-4", ...lost, "s-12");
    await deleteWhole(till, ...lost);
    await till.killAndRestart({ recovers: false });
    // One document in each turn. The one in question is requested in the fifth, and again when all others are read.
    takesMs = READ_IN_A_TURN_MS;
    busy = 4;
    for (let turn = 0; turn < lost.length + 4; turn += 1) {
      void till.submit(saleOperation("s-9"));
      await trial.later(4 * READ_IN_A_TURN_MS);
    }
    takesMs = 0;
    expect(busy).toBe(0);
    expect(await sell(till, "s-9")).toEqual(["receipt 9"]);
    expect(await till.documents()).toBe(12);
  });
});

describe("what was read in a drive", () => {
  it("is found in the drive again after its rows were deleted while no server ran", async () => {
    const till = await Till.open();
    await till.openShift();
    await sell(till, "s-3");
    const copy = await copyOf(till.store);
    await sell(till, "s-4", "s-5");
    await restore(till.store, copy);
    await till.killAndRestart({ recovers: false });
    expect(await sell(till, "s-6", "s-5")).toEqual(["receipt 6", "receipt 5"]);
    await sql`delete from lost_documents`.execute(till.store.db);
    await till.killAndRestart({ recovers: false });
    expect(await sell(till, "s-7", "s-4")).toEqual(["receipt 7", "receipt 4"]);
    expect(await till.documents()).toBe(7);
  });

  it("is not read again where others have made many documents since the journal's newest", async () => {
    const till = await Till.open();
    await till.openShift();
    await sell(till, "s-3");
    const { driveNumber } = await till.trial.state();
    const others = Array.from({ length: 2_600 - 3 }, (_, at) => ({ number: 4 + at, kind: "others" as const }));
    await (await till.journal.drives.of(driveNumber, 3)).keep(2_600, others);
    const again = await till.journal.drives.of(driveNumber, 2_000);
    expect(again.readTo).toBe(2_000);
    expect(await again.markGaps(2_000)).toEqual([]);
  });

  it("has documents of others only among the newest, so that its table stays small", async () => {
    const { store, journal } = await Till.open();
    const reading = await journal.drives.of("9999078900001234", 1);
    for (const number of [2, 3, 2_002]) await reading.keep(number, [{ number, kind: "others" }]);
    const { rows } = await sql<{ document_number: number }>`select document_number from lost_documents order by 1`.execute(store.db);
    expect(rows.map(({ document_number }) => document_number)).toEqual([3, 2_002]);
  });
});
