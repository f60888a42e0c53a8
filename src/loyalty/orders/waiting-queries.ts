import type { ExpressionBuilder } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { OrderRow } from "../../store/loyalty-tables.ts";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Tables } from "../../store/tables.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

/** Returns the returns that wait for this sale, the oldest first, at most `limit`. */
export async function waitingReturns(db: Db, { appId, accountId }: InstallationKey, saleKey: string, limit: number): Promise<OrderRow[]> {
  const { rows } = await waitingSelect(db, { appId, accountId, saleKey, limit });
  return rows;
}

const waitingSelect = statement(
  (db, { appId, accountId, saleKey, limit }: Placeholders<InstallationKey & { saleKey: string; limit: number }>) =>
    db
      .selectFrom("loyalty_orders")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("app_id", "=", appId)
      .where("sale_key", "=", saleKey)
      .where("state", "=", "waiting")
      .orderBy("id")
      .limit(limit),
);

/** Returns the id of the oldest return after `afterId` that waits for this sale. */
export async function oldestWaiting(
  db: Db,
  { appId, accountId }: InstallationKey,
  saleKey: string,
  afterId: number,
): Promise<number | undefined> {
  const { rows } = await oldestSelect(db, { appId, accountId, saleKey, afterId });
  return rows[0]?.id;
}

const oldestSelect = statement(
  (db, { appId, accountId, saleKey, afterId }: Placeholders<InstallationKey & { saleKey: string; afterId: number }>) =>
    db
      .selectFrom("loyalty_orders")
      .select("id")
      .where("account_id", "=", accountId)
      .where("app_id", "=", appId)
      .where("sale_key", "=", saleKey)
      .where("state", "=", "waiting")
      .where("id", ">", afterId)
      .orderBy("id")
      .limit(1),
);

/** A place in the order of arrival. */
export interface WaitingCursor {
  atMs: number;
  id: number;
}

/**
 * Looks at the next `limit` waiting returns of all accounts after the cursor, and returns their sales that are stored, each once. `next` is
 * absent after the last waiting return.
 */
export async function salesWithWaiting(
  db: Db,
  { atMs, id }: WaitingCursor,
  limit: number,
): Promise<{ sales: { key: InstallationKey; saleKey: string }[]; next?: WaitingCursor }> {
  const rows = await db
    .selectFrom("loyalty_orders as r")
    .select(["r.id", "r.received_at_ms", "r.app_id", "r.account_id", "r.sale_key"])
    .select((row) => saleOf(row).as("stored"))
    .where("r.state", "=", "waiting")
    .where((row) => row.or([row("r.received_at_ms", ">", atMs), row.and([row("r.received_at_ms", "=", atMs), row("r.id", ">", id)])]))
    .where("r.received_at_ms", ">=", atMs)
    .orderBy("r.received_at_ms")
    .orderBy("r.id")
    .limit(limit)
    .execute();
  const sales = rows.flatMap((row) => {
    if (row.stored === null || row.sale_key === null) return [];
    return [{ key: { appId: row.app_id, accountId: row.account_id }, saleKey: row.sale_key }];
  });
  const once = new Map(sales.map((sale) => [JSON.stringify(sale), sale]));
  const last = rows.length < limit ? undefined : rows.at(-1);
  return { sales: [...once.values()], ...(last === undefined ? {} : { next: { atMs: last.received_at_ms, id: last.id } }) };
}

/** Returns the returns received before `beforeMs` that still wait and have no stored sale, the oldest first, at most `limit`. */
export function returnsWaitingSince(db: Db, beforeMs: number, limit: number): Promise<OrderRow[]> {
  return db
    .selectFrom("loyalty_orders as r")
    .selectAll("r")
    .where("r.state", "=", "waiting")
    .where("r.received_at_ms", "<", beforeMs)
    .where((row) => row.not(row.exists(saleOf(row))))
    .orderBy("r.received_at_ms")
    .limit(limit)
    .execute();
}

/** Ends the wait of a return for its sale. False: the return no longer waits, or its sale has come. */
export async function endWaiting(tx: Tx, id: number, anomalies: readonly object[]): Promise<boolean> {
  const result = await tx
    .updateTable("loyalty_orders as r")
    .set({ state: "nothing", anomalies: JSON.stringify(anomalies) })
    .where("r.id", "=", id)
    .where("r.state", "=", "waiting")
    .where((row) => row.not(row.exists(saleOf(row))))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The id of the sale for which a return `r` waits. */
function saleOf(row: ExpressionBuilder<Tables & { r: Tables["loyalty_orders"] }, "r">) {
  return row
    .selectFrom("loyalty_orders as s")
    .select("s.id")
    .whereRef("s.account_id", "=", "r.account_id")
    .whereRef("s.app_id", "=", "r.app_id")
    .where("s.type", "=", "sale")
    .whereRef("s.document_key", "=", "r.sale_key");
}
