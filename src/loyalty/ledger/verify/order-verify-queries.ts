import { sql } from "kysely";
import type { InstallationKey } from "../../../accounts/installation.ts";
import type { OrderRow } from "../../../store/loyalty-tables.ts";
import type { Db, Tx } from "../ledger-queries.ts";

/** Returns the orders after an id, ordered by id. */
export function ordersAfter(db: Db, id: number, key: InstallationKey | undefined, limit: number): Promise<OrderRow[]> {
  let query = db.selectFrom("loyalty_orders").selectAll().where("id", ">", id);
  if (key !== undefined) query = query.where("account_id", "=", key.accountId).where("app_id", "=", key.appId);
  return query.orderBy("id").limit(limit).execute();
}

/** Reads an order and locks it until the end of the transaction. Undefined: the order no longer exists. */
export function lockOrderWithId(tx: Tx, id: number): Promise<OrderRow | undefined> {
  return tx
    .updateTable("loyalty_orders")
    .set((row) => ({ given_back: row.ref("given_back") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the points that orders moved, by order id and kind of entry. */
export async function movedByOrders(db: Db, from: number, to: number): Promise<{ orderId: number; kind: string; points: number }[]> {
  const rows = await db
    .selectFrom("loyalty_entries")
    .select((row) => ["order_id", "kind", row.fn.sum<number | string>("points").as("points")])
    .where("order_id", ">=", from)
    .where("order_id", "<=", to)
    .groupBy(["order_id", "kind"])
    .execute();
  return rows.map(({ order_id, kind, points }) => ({ orderId: order_id ?? 0, kind, points: Number(points) }));
}

/** Returns the points that booked returns gave back and took back, by the id of the sale. */
export async function returnedOfSales(db: Db, from: number, to: number): Promise<{ saleId: number; spent: number; earned: number }[]> {
  const rows = await db
    .selectFrom("loyalty_orders")
    .select((row) => ["sale_id", row.fn.sum<number | string>("spent").as("spent"), row.fn.sum<number | string>("earned").as("earned")])
    .where("sale_id", ">=", from)
    .where("sale_id", "<=", to)
    .where("state", "=", "booked")
    .groupBy("sale_id")
    .execute();
  return rows.map(({ sale_id, spent, earned }) => ({ saleId: sale_id ?? 0, spent: Number(spent), earned: Number(earned) }));
}

/** Returns the number of lines, the highest line number and the paid money of each order. */
export async function linesOfOrders(
  db: Db,
  from: number,
  to: number,
): Promise<{ orderId: number; lines: number; highest: number; paidKopecks: number }[]> {
  const rows = await db
    .selectFrom("loyalty_order_lines")
    .select((row) => [
      "order_id",
      row.fn.countAll<number | string>().as("lines"),
      row.fn.max<number | string>("number").as("highest"),
      row.fn.sum<number | string>("paid_kopecks").as("paid"),
    ])
    .where("order_id", ">=", from)
    .where("order_id", "<=", to)
    .groupBy("order_id")
    .execute();
  return rows.map(({ order_id: orderId, lines, highest, paid }) => {
    return { orderId, lines: Number(lines), highest: Number(highest), paidKopecks: Number(paid) };
  });
}

/** Returns documents that were stored more than once, at most `limit`. */
export async function repeatedDocuments(db: Db, limit: number): Promise<{ document: string; times: number }[]> {
  const rows = await db
    .selectFrom("loyalty_orders")
    .select((row) => ["account_id", "app_id", "type", "document_key", row.fn.countAll<number | string>().as("times")])
    .groupBy(["account_id", "app_id", "type", "document_key"])
    .having((row) => row.fn.countAll(), ">", 1)
    .limit(limit)
    .execute();
  return rows.map((row) => ({ document: `${row.app_id}/${row.account_id}/${row.type}/${row.document_key}`, times: Number(row.times) }));
}

/** Returns the ids of missing orders that entries of points or gift cards, lines or returns name, at most `limit`. */
export async function lostOrders(db: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number | string }>`
    select distinct e.order_id as id from loyalty_entries e left join loyalty_orders o on o.id = e.order_id
      where e.order_id is not null and o.id is null
    union select distinct g.order_id as id from loyalty_gift_entries g left join loyalty_orders o on o.id = g.order_id
      where g.order_id is not null and o.id is null
    union select distinct l.order_id as id from loyalty_order_lines l left join loyalty_orders o on o.id = l.order_id where o.id is null
    union select distinct r.sale_id as id from loyalty_orders r left join loyalty_orders o on o.id = r.sale_id
      where r.sale_id is not null and o.id is null
    limit ${limit}`.execute(db);
  return rows.map(({ id }) => Number(id));
}
