import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import type { StrayDocument } from "../../src/journal/written/strays.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";
import { saleOperation, shiftOperation, Till, textOf } from "../support/till.ts";

const [SQLITE] = DATABASE_KINDS.filter(({ kind }) => kind === "sqlite");
const [POSTGRES] = DATABASE_KINDS.filter(({ kind }) => kind === "postgres");
if (SQLITE === undefined || POSTGRES === undefined) throw new Error("a database is missing in the list");

/** Deletes rows of entries alone, as a program does that enforces no foreign keys. */
async function deleteEntries(store: Store, ...documentIds: string[]): Promise<void> {
  const isSqlite = store.kind === "sqlite";
  if (isSqlite) await sql`pragma foreign_keys = off`.execute(store.db);
  await store.db.connection().execute(async (db) => {
    if (!isSqlite) await sql`set session_replication_role = replica`.execute(db);
    await db.deleteFrom("entries").where("document_id", "in", documentIds).execute();
    if (!isSqlite) await sql`set session_replication_role to default`.execute(db);
  });
  if (isSqlite) await sql`pragma foreign_keys = on`.execute(store.db);
}

for (const kind of DATABASE_KINDS) {
  describeDatabase("entries that were deleted alone while no server ran", kind, () => {
    async function opened(): Promise<Till> {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      return await Till.open({ place: database.options });
    }

    async function sell(till: Till, id: string): Promise<string> {
      const answer = kind.kind === "sqlite" ? till.submitAndWait(saleOperation(id)) : till.submit(saleOperation(id));
      return textOf(await answer)
        .split(" ")
        .slice(0, 2)
        .join(" ");
    }

    async function sellAll(till: Till, ...ids: string[]): Promise<string[]> {
      const answers: string[] = [];
      for (const id of ids) answers.push(await sell(till, id));
      return answers;
    }

    it("are found in the drive, the newest document with an older row than another too", async () => {
      const till = await opened();
      expect(await sell(till, "sale-1")).toBe("shift-closed");
      await till.submit(shiftOperation("open-shift"));
      expect(await sellAll(till, "sale-2", "sale-1")).toEqual(["receipt 3", "receipt 4"]);
      await deleteEntries(till.store, "sale-1");
      await till.killAndRestart({ recovers: false });
      expect(await sellAll(till, "sale-1", "sale-2", "sale-1")).toEqual(["receipt 4", "receipt 3", "receipt 4"]);
      expect(await till.documents()).toBe(4);
    });

    it.each([
      { gone: ["s-1"], repeats: ["s-1", "next", "s-1"], answers: ["receipt 4", "receipt 6", "receipt 4"] },
      { gone: ["s-1"], repeats: ["next", "s-1"], answers: ["receipt 6", "receipt 4"] },
      { gone: ["s-2"], repeats: ["next", "s-2", "s-1"], answers: ["receipt 6", "receipt 5", "receipt 4"] },
      { gone: ["s-0", "s-2"], repeats: ["s-2", "next", "s-0"], answers: ["receipt 5", "receipt 6", "receipt 3"] },
      {
        gone: ["shift-1", "s-0", "s-1", "s-2"],
        repeats: ["s-2", "s-0", "next", "s-1"],
        answers: ["receipt 5", "receipt 3", "receipt 6", "receipt 4"],
      },
    ])("get their documents when they are repeated: $gone, then $repeats", async ({ gone, repeats, answers }) => {
      const till = await opened();
      await till.submit(shiftOperation("open-shift"));
      expect(await sellAll(till, "s-0", "s-1", "s-2")).toEqual(["receipt 3", "receipt 4", "receipt 5"]);
      await deleteEntries(till.store, ...gone);
      await till.killAndRestart({ recovers: false });
      expect(await sellAll(till, ...repeats)).toEqual(answers);
      await till.killAndRestart({ recovers: false });
      expect(await sellAll(till, "last", "s-0", "s-1", "s-2")).toEqual(["receipt 7", "receipt 3", "receipt 4", "receipt 5"]);
      expect(await till.documents()).toBe(7);
    });

    it("are told once at the start", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const told: StrayDocument[][] = [];
      const begun = async () => {
        const journal = new Journal({ store, clock: systemClock, strays: (documents) => void told.push([...documents]) });
        await journal.rememberNewest();
        return journal;
      };
      const journal = await begun();
      const { driveNumber } = checkpoint();
      const entry = await journal.begin(entryContent({ key: entryKey({ documentId: "gone" }) }), checkpoint());
      await journal.finish(entry, { kind: "done", facts: saleFacts({ documentNumber: 42, fiscalSign: "42" }) }, "register");
      await deleteEntries(store, "gone");
      for (let start = 1; start <= 2; start += 1) await begun();
      expect(told).toEqual([[{ entryId: entry.id, driveNumber, documentNumber: 42 }]]);
    });
  });
}

describe("the id of a new entry", () => {
  it.each(["moves", "answers", "day_answers", "device_exchanges", "drive_readings", "payments.sale_entry_id", "payments.told_entry_id"])(
    "is above the ids that rows of missing entries have: %s",
    async (table) => {
      const database = await SQLITE.make();
      onTestFinished(() => database.drop());
      const store = await database.open();
      await store.migrate();
      const accept = async (documentId: string) => {
        const journal = new Journal({ store, clock: systemClock });
        await journal.rememberNewest();
        return (await journal.accept(entryContent({ key: entryKey({ documentId }), twinHash: documentId }))).id;
      };
      expect(await accept("one")).toBe(1);
      await sql`pragma foreign_keys = off`.execute(store.db);
      await sql.raw(ROWS[table] ?? "").execute(store.db);
      await sql`pragma foreign_keys = on`.execute(store.db);
      expect([await accept("two"), await accept("three")]).toEqual([10, 11]);
    },
  );
});

it("the id of an entry that was deleted while the server runs is not given again, at a register whose newest entry stands", async () => {
  const database = await SQLITE.make();
  onTestFinished(() => database.drop());
  const store = await database.open();
  await store.migrate();
  const journal = new Journal({ store, clock: systemClock });
  await journal.rememberNewest();
  const accepted = (documentId: string, register: string) =>
    journal.accept(entryContent({ key: entryKey({ documentId }), twinHash: documentId, register }));
  const standing = await accepted("standing", "emulator:one");
  const gone = await accepted("gone", "emulator:two");
  await sql`delete from moves where entry_id = ${gone.id}`.execute(store.db);
  await deleteEntries(store, "gone");
  expect([standing.id, gone.id, (await accepted("next", "emulator:one")).id]).toEqual([1, 2, 3]);
});

function payment(more: Record<string, string>): string {
  const texts = ["id", "app_id", "account_id", "operation_id", "store_id", "acquirer", "merchant", "state", "description"];
  const numbers = ["attempt", "amount_kopecks", "cancelled", "freed", "refunded_kopecks", "created_at_ms", "moved_at_ms", "expires_at_ms"];
  const row = {
    ...Object.fromEntries([...texts.map((name) => [name, "''"]), ...numbers.map((name) => [name, "0"])]),
    unsold_told: "0",
    ...more,
  };
  return `insert into payments (${Object.keys(row).join()}) values (${Object.values(row).join()})`;
}

/** A row of each table that names entry 9, which is missing. */
const ROWS: Record<string, string> = {
  moves: "insert into moves (entry_id, attempt, to_state, at_ms, by) values (9, 1, 'queued', 0, 'caller')",
  answers: "insert into answers (entry_id, stored_at_ms, body) values (9, 0, x'00')",
  day_answers: "insert into day_answers (entry_id, done_at_ms, body) values (9, 0, x'00')",
  device_exchanges: "insert into device_exchanges (entry_id, attempt, at_ms, steps) values (9, 1, 0, '[]')",
  drive_readings: "insert into drive_readings (drive_number, read_to, entry_id) values ('9999', 1, 9)",
  "payments.sale_entry_id": payment({ sale_entry_id: "9" }),
  "payments.told_entry_id": payment({ told_entry_id: "9", paid_at_ms: "0" }),
};

describeDatabase("a sequence of ids behind the rows, as after rows were loaded by hand", POSTGRES, () => {
  const begun = async () => {
    const database = await POSTGRES.make();
    onTestFinished(() => database.drop());
    const store = await database.open();
    await store.migrate();
    const journal = new Journal({ store, clock: systemClock });
    const accept = (documentId: string) => journal.accept(entryContent({ key: entryKey({ documentId }), twinHash: documentId }));
    for (const documentId of ["one", "two", "three"]) await accept(documentId);
    await sql`select setval(pg_get_serial_sequence('entries', 'id'), 1)`.execute(store.db);
    return { journal, accept };
  };

  it("is set above them at the start", async () => {
    const { journal, accept } = await begun();
    await journal.rememberNewest();
    expect(await accept("four")).toMatchObject({ id: 4, state: "queued" });
  });

  it("is set above them by the first operation after somebody has put it back under the running server", async () => {
    const { accept } = await begun();
    expect(await accept("four")).toMatchObject({ id: 4, state: "queued" });
    expect(await accept("five")).toMatchObject({ id: 5, state: "queued" });
  });
});
