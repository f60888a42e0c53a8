import { type Insertable, type Kysely, sql, type Transaction } from "kysely";
import type {
  AccountRow,
  EntryRow,
  LotRow,
  LoyaltyAccountsTable,
  LoyaltyAllocationsTable,
  LoyaltyTierEventsTable,
} from "../../store/loyalty-tables.ts";
import { type Placeholders, rowsStatement, statement } from "../../store/statement.ts";
import type { Tables } from "../../store/tables.ts";

export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** Stores an empty account for a new member. */
export async function insertAccount(tx: Tx, memberId: string): Promise<void> {
  const row: Insertable<LoyaltyAccountsTable> = {
    member_id: memberId,
    points: 0,
    debt_points: 0,
    entry_number: 0,
    entry_hash: "",
    tier: null,
    tier_since_ms: null,
    tier_review_at_ms: null,
    visited_at_ms: null,
    has_bought: 0,
  };
  await tx.insertInto("loyalty_accounts").values(row).execute();
}

export async function accountOf(db: Db, memberId: string): Promise<AccountRow | undefined> {
  const { rows } = await accountSelect(db, { memberId });
  return rows[0];
}

const accountSelect = statement((db, { memberId }: Placeholders<{ memberId: string }>) =>
  db.selectFrom("loyalty_accounts").selectAll().where("member_id", "=", memberId),
);

/** Reads the account and locks it until the end of the transaction. */
export async function lockAccount(tx: Tx, memberId: string): Promise<AccountRow | undefined> {
  const { rows } = await accountLock(tx, { memberId });
  return rows[0];
}

const accountLock = statement((db, { memberId }: Placeholders<{ memberId: string }>) =>
  db
    .updateTable("loyalty_accounts")
    .set((row) => ({ entry_number: row.ref("entry_number") }))
    .where("member_id", "=", memberId)
    .returningAll(),
);

/** Call it after `lockAccount`. */
export async function updateAccount(tx: Tx, memberId: string, change: Partial<Omit<AccountRow, "member_id">>): Promise<void> {
  await accountUpdate(tx, { memberId, ...change });
}

const accountUpdate = statement(
  (db, { memberId, ...change }: Placeholders<{ memberId: string } & Partial<Omit<AccountRow, "member_id">>>) =>
    db.updateTable("loyalty_accounts").set(change).where("member_id", "=", memberId),
);

/** Returns the lots that still hold points, in the order of creation. */
export async function lotsLeft(db: Db, memberId: string): Promise<LotRow[]> {
  const { rows } = await lotsSelect(db, { memberId });
  return rows;
}

const lotsSelect = statement((db, { memberId }: Placeholders<{ memberId: string }>) =>
  db.selectFrom("loyalty_lots").selectAll().where("member_id", "=", memberId).where("remaining", ">", 0).orderBy("number"),
);

/** Returns the lots with these numbers, including used-up lots. */
export async function lotsNumbered(db: Db, memberId: string, numbers: readonly number[]): Promise<LotRow[]> {
  if (numbers.length === 0) return [];
  return db
    .selectFrom("loyalty_lots")
    .selectAll()
    .where("member_id", "=", memberId)
    .where("number", "in", numbers)
    .orderBy("number")
    .execute();
}

export function allLots(db: Db, memberId: string): Promise<LotRow[]> {
  return db.selectFrom("loyalty_lots").selectAll().where("member_id", "=", memberId).orderBy("number").execute();
}

/**
 * The largest number of rows in one statement. `rowsStatement` stores only statements with at most this many rows. A statement with more
 * rows is built each time, which takes longer than running it.
 */
const ROWS_AT_ONCE = 50;

export async function insertLots(tx: Tx, lots: readonly LotRow[]): Promise<void> {
  for (const some of inParts(lots)) await lotsInsert(tx, some);
}

const lotsInsert = rowsStatement((db, lots: readonly Placeholders<LotRow>[]) => db.insertInto("loyalty_lots").values(lots));

/** Sets the points that a lot still holds. */
export async function setRemaining(tx: Tx, memberId: string, number: number, remaining: number): Promise<void> {
  await remainingUpdate(tx, { memberId, number, remaining });
}

const remainingUpdate = statement(
  (db, { memberId, number, remaining }: Placeholders<{ memberId: string; number: number; remaining: number }>) =>
    db.updateTable("loyalty_lots").set({ remaining }).where("member_id", "=", memberId).where("number", "=", number),
);

export async function insertEntries(tx: Tx, entries: readonly EntryRow[]): Promise<void> {
  for (const some of inParts(entries)) await entriesInsert(tx, some);
}

/** Sets the lots with these numbers to no points. */
export async function emptyLots(tx: Tx, memberId: string, numbers: readonly number[]): Promise<void> {
  for (const some of inParts(numbers)) {
    const named: Record<`number${number}`, number> = Object.fromEntries(some.map((number, index) => [`number${index}`, number]));
    await emptyUpdate(tx, { memberId, ...named });
  }
}

const emptyUpdate = statement((db, { memberId, ...numbers }: Placeholders<{ memberId: string } & Record<`number${number}`, number>>) =>
  db
    .updateTable("loyalty_lots")
    .set({ remaining: sql.lit(0) })
    .where("member_id", "=", memberId)
    .where("number", "in", Object.values(numbers)),
);

const entriesInsert = rowsStatement((db, entries: readonly Placeholders<EntryRow>[]) => db.insertInto("loyalty_entries").values(entries));

export async function insertAllocations(tx: Tx, allocations: readonly LoyaltyAllocationsTable[]): Promise<void> {
  for (const some of inParts(allocations)) await allocationsInsert(tx, some);
}

const allocationsInsert = rowsStatement((db, rows: readonly Placeholders<LoyaltyAllocationsTable>[]) =>
  db.insertInto("loyalty_allocations").values(rows),
);

function inParts<Row>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = [];
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) parts.push(rows.slice(from, from + ROWS_AT_ONCE));
  return parts;
}

/** Returns the member's entries after a number, in order. */
export function entriesAfter(db: Db, memberId: string, number: number, limit: number): Promise<EntryRow[]> {
  return db
    .selectFrom("loyalty_entries")
    .selectAll()
    .where("member_id", "=", memberId)
    .where("number", ">", number)
    .orderBy("number")
    .limit(limit)
    .execute();
}

/** Returns the entries of one order on an account, sorted by number. */
export function entriesOfOrder(db: Db, memberId: string, orderId: number): Promise<EntryRow[]> {
  return db
    .selectFrom("loyalty_entries")
    .selectAll()
    .where("order_id", "=", orderId)
    .where("member_id", "=", memberId)
    .orderBy("number")
    .execute();
}

/** Whether a sale or return added an entry after this number. */
export async function hasOrderAfter(db: Db, memberId: string, number: number): Promise<boolean> {
  const { rows } = await laterOrderSelect(db, { memberId, number });
  return rows.length > 0;
}

const laterOrderSelect = statement((db, { memberId, number }: Placeholders<{ memberId: string; number: number }>) =>
  db
    .selectFrom("loyalty_entries")
    .select("number")
    .where("member_id", "=", memberId)
    .where("number", ">", number)
    .where("order_id", "is not", null)
    .limit(1),
);

/** Returns the allocations of the entries from `fromNumber` to `toNumber`, in the order of creation. */
export function allocationsOf(db: Db, memberId: string, fromNumber: number, toNumber: number): Promise<LoyaltyAllocationsTable[]> {
  return db
    .selectFrom("loyalty_allocations")
    .selectAll()
    .where("member_id", "=", memberId)
    .where("entry_number", ">=", fromNumber)
    .where("entry_number", "<=", toNumber)
    .orderBy("entry_number")
    .orderBy("place")
    .execute();
}

/** Stores a tier event under the next number of its member. */
export async function insertTierEvent(tx: Tx, event: Omit<LoyaltyTierEventsTable, "number">): Promise<void> {
  const newest = await tx
    .selectFrom("loyalty_tier_events")
    .select("number")
    .where("member_id", "=", event.member_id)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
  await tx
    .insertInto("loyalty_tier_events")
    .values({ ...event, number: (newest?.number ?? 0) + 1 })
    .execute();
}
