import { sql } from "kysely";
import type { Store } from "../../src/store/database.ts";

/** What a journal and what it knows of drives is made of, in an order in which rows may be put in. */
const TABLES = ["entries", "moves", "answers", "day_answers", "shift_links", "drive_readings", "lost_documents"] as const;

export type Copy = ReadonlyMap<(typeof TABLES)[number], readonly object[]>;

/** The rows of a moment: those of them that the database has tables for. */
export async function copyOf(store: Store): Promise<Copy> {
  const copied = new Map<(typeof TABLES)[number], object[]>();
  for (const table of TABLES) {
    const there = await sql`select 1 from sqlite_master where name = ${table}`.execute(store.db);
    if (there.rows.length > 0) copied.set(table, (await sql<object>`select * from ${sql.table(table)}`.execute(store.db)).rows);
  }
  return copied;
}

/** Puts a copy in the place of what is there, whoever uses it: nobody is told. */
export async function restore(store: Store, copy: Copy): Promise<void> {
  for (const table of [...copy.keys()].reverse()) await sql`delete from ${sql.table(table)}`.execute(store.db);
  for (const [table, rows] of copy) {
    for (const row of rows) {
      const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
      await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(row))})`.execute(store.db);
    }
  }
}
