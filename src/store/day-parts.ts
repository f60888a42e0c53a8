import { type Kysely, sql, type Transaction } from "kysely";
import type { Store } from "./database.ts";
import { restOf } from "./migrations/dialects.ts";
import type { Tables } from "./tables.ts";

const DAY_MS = 86_400_000;
/**
 * Parts are made for today and this many further days. A row then finds its part even when the server failed to make parts for a day, or
 * when its clock runs ahead.
 */
const DAYS_AHEAD = 2;
/**
 * How long making or dropping a part waits for the table's lock. Meanwhile all other users of the table wait too. The wait is short,
 * because another program may hold the lock for hours, for example a backup. The next round tries again.
 */
const LOCK_MS = 200;

/** Tables with a part for each day. `moment`: the column with a row's day. `needed`: rows that keep their day from being dropped. */
const DAY_TABLES = {
  day_answers: { moment: "done_at_ms", needed: undefined },
  day_notifications: { moment: "day_ms", needed: sql`done_at_ms is null` },
} as const;

export type DayTable = keyof typeof DAY_TABLES;

type PartStore = Pick<Store, "kind" | "commit" | "read">;

/** Returns the beginning of the moment's day, in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/**
 * The daily parts of tables. PostgreSQL only: dropping a part always takes a short time and leaves no dead rows. Rows of a day without a
 * part go to the rest part, so no row is ever refused. In SQLite `prepare` and `dropBefore` do nothing.
 */
export class DayParts {
  readonly #store: PartStore;

  constructor(store: PartStore) {
    this.#store = store;
  }

  /** Makes the missing parts for today and the following days. Safe to repeat. */
  async prepare(table: DayTable, nowMs: number): Promise<void> {
    if (this.#store.kind !== "postgres") return;
    const known = await this.#store.read((db) => partsOf(db, table));
    for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
      const dayMs = dayOf(nowMs) + ahead * DAY_MS;
      if (!known.includes(nameOf(table, dayMs))) await this.#store.commit((tx) => makePart(tx, table, dayMs));
    }
  }

  /**
   * Returns the moment before which single rows are deleted, when no row from before `beforeMs` is needed. In SQLite: `beforeMs` itself.
   * In PostgreSQL: the beginning of the day of `beforeMs`, because that whole day is dropped later.
   */
  rowsBefore(beforeMs: number): number {
    return this.#store.kind === "postgres" ? dayOf(beforeMs) : beforeMs;
  }

  /** Drops the parts of days that ended before or at the moment. A day with needed rows stays. Returns the number of dropped parts. */
  async dropBefore(table: DayTable, beforeMs: number): Promise<number> {
    if (this.#store.kind !== "postgres") return 0;
    const names = await this.#store.read((db) => partsOf(db, table));
    const old = names.filter((name) => name < nameOf(table, dayOf(beforeMs)) && name !== restOf(table));
    let dropped = 0;
    for (const name of old) if (await this.#store.commit((tx) => dropPart(tx, table, name))) dropped += 1;
    return dropped;
  }
}

/** Returns the name of a part. A table's part names sort in the order of days. */
function nameOf(table: DayTable, dayMs: number): string {
  return `${table}_${new Date(dayMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

async function partsOf(db: Kysely<Tables>, table: DayTable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = ${table}::regclass`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Makes the part as a separate table and attaches it. This needs a weaker lock on the whole table than `create table … partition of`.
 * Rows of the day in the rest part move to the new part.
 */
async function makePart(tx: Transaction<Tables>, table: DayTable, dayMs: number): Promise<void> {
  await begin(tx, table);
  const name = nameOf(table, dayMs);
  if ((await partsOf(tx, table)).includes(name)) return;
  const [part, rest] = [sql.table(name), sql.table(restOf(table))];
  const [from, to] = [sql.lit(dayMs), sql.lit(dayMs + DAY_MS)];
  const moment = sql.ref(DAY_TABLES[table].moment);
  await sql`create table ${part} (like ${sql.table(table)} including defaults including constraints including indexes)`.execute(tx);
  await sql`lock table ${rest} in access exclusive mode`.execute(tx);
  await sql`with moved as (delete from ${rest} where ${moment} >= ${from} and ${moment} < ${to} returning *)
    insert into ${part} select * from moved`.execute(tx);
  await sql`alter table ${sql.table(table)} attach partition ${part} for values from (${from}) to (${to})`.execute(tx);
}

/** Returns false when the part has needed rows or is gone already. */
async function dropPart(tx: Transaction<Tables>, table: DayTable, name: string): Promise<boolean> {
  await begin(tx, table);
  if (!(await partsOf(tx, table)).includes(name)) return false;
  const part = sql.table(name);
  const { needed } = DAY_TABLES[table];
  if (needed !== undefined) {
    await sql`lock table ${part} in share mode`.execute(tx);
    const { rows } = await sql`select 1 from ${part} where ${needed} limit 1`.execute(tx);
    if (rows.length > 0) return false;
  }
  await sql`drop table ${part}`.execute(tx);
  return true;
}

/** Begins a change of the table's parts. Several processes may change one table, so they take turns. */
async function begin(tx: Transaction<Tables>, table: DayTable): Promise<void> {
  await sql`set local lock_timeout = ${sql.lit(LOCK_MS)}`.execute(tx);
  await sql`select pg_advisory_xact_lock(hashtextextended(${`fiscal-solution ${table} `} || current_schema(), 0))`.execute(tx);
}
