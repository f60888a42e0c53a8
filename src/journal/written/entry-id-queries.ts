import { type Kysely, SqliteAdapter, sql, type Transaction } from "kysely";
import type { Tables } from "../../store/tables.ts";

/**
 * The highest id of an entry that any table names: the highest id of the journal, and the ids in rows whose entry somebody deleted. A new
 * entry with such an id would seem to have the moves, answers and payments of the deleted entry. Each search is one step in an index.
 */
const highestNamed = sql<number | null>`(select max(id) from (
  select max(id) as id from entries
  union all select max(entry_id) from moves
  union all select max(entry_id) from answers
  union all select max(entry_id) from day_answers
  union all select max(entry_id) from device_exchanges
  union all select max(entry_id) from drive_readings
  union all select max(sale_entry_id) from payments
  union all select max(told_entry_id) from payments where sale_entry_id is null and paid_at_ms is not null) as named)`;

/**
 * Returns what is needed to keep new ids above all named ids. `from`: for SQLite, the first id to use. SQLite itself would take the id
 * after the table's highest id, although the table's last rows may have been deleted. `behind`: for PostgreSQL, whether the sequence of the
 * ids is behind, for example after a person loaded rows.
 */
export async function idsAbove(db: Kysely<Tables>): Promise<{ from: number | undefined; behind: boolean }> {
  if (!(db.getExecutor().adapter instanceof SqliteAdapter)) return { from: undefined, behind: await isSequenceBehind(db) };
  const { rows } = await sql<{ named: number | null }>`select ${highestNamed} as named`.execute(db);
  return { from: (rows[0]?.named ?? 0) + 1, behind: false };
}

/** PostgreSQL: sets the sequence of the ids above all named ids, if it is behind. */
export async function raiseSequence(tx: Transaction<Tables>): Promise<void> {
  // The lock keeps other processes from taking an id between the search and `setval`. Such an id would be given a second time.
  await sql`lock table entries in share row exclusive mode`.execute(tx);
  if (await isSequenceBehind(tx)) await sql`select setval(${SEQUENCE}, ${highestNamed})`.execute(tx);
}

const SEQUENCE = sql`pg_get_serial_sequence('entries', 'id')::regclass`;

async function isSequenceBehind(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ behind: boolean }>`
    select coalesce(pg_sequence_last_value(${SEQUENCE}), 0) < coalesce(${highestNamed}, 0) as behind`.execute(db);
  return rows[0]?.behind === true;
}
