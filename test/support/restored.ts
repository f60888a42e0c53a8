import { sql } from "kysely";
import type { Store } from "../../src/store/database.ts";

/** The tables of a journal and of its knowledge about drives, in an order in which rows can be inserted. */
const TABLES = ["entries", "moves", "answers", "day_answers", "shift_links", "drive_readings", "lost_documents"] as const;

export type Copy = ReadonlyMap<(typeof TABLES)[number], readonly object[]>;

/** Reads all rows of these tables. A table that the database does not have is left out. */
export async function copyOf(store: Store): Promise<Copy> {
  const copied = new Map<(typeof TABLES)[number], object[]>();
  for (const table of TABLES) {
    const there = await sql`select 1 from sqlite_master where name = ${table}`.execute(store.db);
    if (there.rows.length > 0) copied.set(table, (await sql<object>`select * from ${sql.table(table)}`.execute(store.db)).rows);
  }
  return copied;
}

/** Replaces the present rows by the copy. Processes that use the database are not told. */
export async function restore(store: Store, copy: Copy): Promise<void> {
  for (const table of [...copy.keys()].reverse()) await sql`delete from ${sql.table(table)}`.execute(store.db);
  for (const [table, rows] of copy) {
    for (const row of rows) {
      const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
      await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(row))})`.execute(store.db);
    }
  }
}
