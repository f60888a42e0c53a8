import type { OrderRow } from "../../store/loyalty-tables.ts";
import type { Db } from "../ledger/ledger-queries.ts";

/**
 * Returns booked sales of all accounts that were received before `beforeMs`, the newest first, at most `limit`. Reads along the primary
 * key.
 */
export function newestSales(db: Db, { beforeMs, limit }: { beforeMs: number; limit: number }): Promise<OrderRow[]> {
  return db
    .selectFrom("loyalty_orders")
    .selectAll()
    .where("type", "=", "sale")
    .where("state", "=", "booked")
    .where("received_at_ms", "<", beforeMs)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
