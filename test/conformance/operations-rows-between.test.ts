import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { receiptDocument } from "../support/register-documents.ts";
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

  it("has documents of others only among the newest, so that its table stays small", async () => {
    const { store, journal } = await Till.open();
    const reading = await journal.drives.of("9999078900001234", 1);
    for (const number of [2, 3, 2_002]) await reading.keep(number, [{ number, kind: "others" }]);
    const { rows } = await sql<{ document_number: number }>`select document_number from lost_documents order by 1`.execute(store.db);
    expect(rows.map(({ document_number }) => document_number)).toEqual([3, 2_002]);
  });
});
