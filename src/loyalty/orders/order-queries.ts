import type { Insertable } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { LoyaltyOrderLinesTable, LoyaltyOrdersTable, OrderLineRow, OrderRow } from "../../store/loyalty-tables.ts";
import { type Placeholders, rowsStatement, statement } from "../../store/statement.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";
import type { QualifyingSum } from "../points/tiers.ts";

/** The largest number of purchases that are read for a member's tier, the newest first. */
const MAX_QUALIFYING = 20_000;

type NewOrder = Omit<Insertable<LoyaltyOrdersTable>, "id">;

/**
 * Stores an order and returns its id. Undefined: the document is already stored. Waits while another transaction stores the same document.
 */
export async function insertOrder(tx: Tx, row: NewOrder): Promise<number | undefined> {
  const { rows } = await orderInsert(tx, row);
  return rows[0]?.id;
}

const orderInsert = statement((db, row: Placeholders<NewOrder>) =>
  db
    .insertInto("loyalty_orders")
    .values(row)
    .onConflict((conflict) => conflict.columns(["account_id", "app_id", "type", "document_key"]).doNothing())
    .returning("id"),
);

export async function orderOf(
  db: Db,
  { appId, accountId }: InstallationKey,
  type: "sale" | "return",
  documentKey: string,
): Promise<OrderRow | undefined> {
  const { rows } = await orderSelect(db, { appId, accountId, type, documentKey });
  return rows[0];
}

const orderSelect = statement(
  (db, { appId, accountId, type, documentKey }: Placeholders<InstallationKey & { type: string; documentKey: string }>) =>
    db
      .selectFrom("loyalty_orders")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("app_id", "=", appId)
      .where("type", "=", type)
      .where("document_key", "=", documentKey),
);

/**
 * Returns the sale of a stored return. Undefined: the sale has not come.
 *
 * Another transaction may be storing the sale now, and neither transaction sees the other's rows. So this transaction stores a row under
 * the key of the sale and deletes it again. The database allows only one writer of this key at a time. So either this transaction waits
 * until the sale is stored, or the sale's transaction waits and then finds the return.
 */
export async function saleOfReturn(tx: Tx, key: InstallationKey, saleKey: string, returnKey: string): Promise<OrderRow | undefined> {
  const known = await orderOf(tx, key, "sale", saleKey);
  const own = known === undefined ? await orderOf(tx, key, "return", returnKey) : undefined;
  if (own === undefined) return known;
  const { id: _, ...row } = own;
  const id = await insertOrder(tx, { ...row, type: "sale", document_key: saleKey });
  if (id === undefined) return orderOf(tx, key, "sale", saleKey);
  await tx.deleteFrom("loyalty_orders").where("id", "=", id).execute();
  return undefined;
}

/** Reads an order and locks it until the end of the transaction. */
export function lockOrder(tx: Tx, id: number): Promise<OrderRow> {
  return tx
    .updateTable("loyalty_orders")
    .set((row) => ({ given_back: row.ref("given_back") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateOrder(tx: Tx, id: number, change: Partial<Omit<LoyaltyOrdersTable, "id">>): Promise<void> {
  await tx.updateTable("loyalty_orders").set(change).where("id", "=", id).execute();
}

type BookedOrder = Pick<OrderRow, "state" | "member_id" | "paid_kopecks" | "spent" | "earned" | "programme_version" | "anomalies">;

/** Does the work of `updateOrder` for the columns that every sale changes, with a statement that is built once. */
export async function updateBooked(tx: Tx, id: number, change: BookedOrder): Promise<void> {
  await bookedUpdate(tx, { id, ...change });
}

const bookedUpdate = statement((db, { id, ...change }: Placeholders<BookedOrder & { id: number }>) =>
  db.updateTable("loyalty_orders").set(change).where("id", "=", id),
);

/**
 * The largest number of rows in one insert. `rowsStatement` stores only statements with at most this many rows. A statement with more rows
 * is built each time, which takes longer than running it.
 */
const LINES_AT_ONCE = 50;

export async function insertLines(tx: Tx, lines: readonly LoyaltyOrderLinesTable[]): Promise<void> {
  for (let from = 0; from < lines.length; from += LINES_AT_ONCE) await linesInsert(tx, lines.slice(from, from + LINES_AT_ONCE));
}

const linesInsert = rowsStatement((db, lines: readonly Placeholders<LoyaltyOrderLinesTable>[]) =>
  db.insertInto("loyalty_order_lines").values(lines),
);

export function linesOf(db: Db, orderId: number): Promise<OrderLineRow[]> {
  return db.selectFrom("loyalty_order_lines").selectAll().where("order_id", "=", orderId).orderBy("number").execute();
}

/** Returns the earned points that the returns of a sale took back, by the ledger entries. */
export async function takenBackOf(db: Db, saleId: number): Promise<number> {
  const row = await db
    .selectFrom("loyalty_entries as e")
    .innerJoin("loyalty_orders as o", "o.id", "e.order_id")
    .select((select) => select.fn.sum<number | string | null>("e.points").as("points"))
    .where("o.sale_id", "=", saleId)
    .where("e.kind", "=", "EARN_REVERSAL")
    .executeTakeFirst();
  return -Number(row?.points ?? 0);
}

/** Returns the expired points of a lot, by the ledger entries. */
export async function expiredOf(db: Db, memberId: string, lotNumber: number): Promise<number> {
  const row = await db
    .selectFrom("loyalty_allocations as a")
    .innerJoin("loyalty_entries as e", (join) => join.onRef("e.member_id", "=", "a.member_id").onRef("e.number", "=", "a.entry_number"))
    .select((select) => select.fn.sum<number | string | null>("a.points").as("points"))
    .where("a.member_id", "=", memberId)
    .where("a.lot_number", "=", lotNumber)
    .where("e.kind", "=", "EXPIRE")
    .executeTakeFirst();
  return Number(row?.points ?? 0);
}

/**
 * Returns the sums that count towards a member's tier: each purchase less its returns, at least zero. Returns may exceed the purchase when
 * foreign goods, which the sale did not contain, came back too. A return counts for the buyer, even if it was booked in another member's
 * account before a merge was undone.
 */
export async function qualifyingSums(db: Db, memberIds: readonly string[]): Promise<QualifyingSum[]> {
  const rows = await db
    .selectFrom("loyalty_orders as o")
    .select((row) => [
      "o.moment_ms",
      "o.paid_kopecks",
      row
        .selectFrom("loyalty_orders as r")
        .select((of) => of.fn.sum<number | string | null>("r.paid_kopecks").as("kopecks"))
        .whereRef("r.sale_id", "=", "o.id")
        .where("r.state", "=", "booked")
        .as("returned"),
    ])
    .where("o.member_id", "in", memberIds)
    .where("o.state", "=", "booked")
    .where("o.type", "<>", "return")
    .orderBy("o.moment_ms", "desc")
    .limit(MAX_QUALIFYING)
    .execute();
  return rows.map((row) => ({ atMs: row.moment_ms, kopecks: Math.max(0, row.paid_kopecks - Number(row.returned ?? 0)) }));
}

/** Returns the document keys of orders, by order id. */
export async function documentKeysOf(db: Db, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom("loyalty_orders").select(["id", "document_key"]).where("id", "in", ids).execute();
  return new Map(rows.map((row) => [row.id, row.document_key]));
}
