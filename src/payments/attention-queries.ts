import { sql } from "kysely";
import type { PaymentRow } from "../store/payment-tables.ts";
import type { Db } from "./payment-queries.ts";

/** Payments whose late money was not returned in full, newest first. Uses the index `payments_late`. */
export function lateMoney(db: Db, limit: number): Promise<PaymentRow[]> {
  // The condition must be exactly the condition of the index. Otherwise the database would not use the index.
  return newest(db, limit).where(sql<boolean>`late_kopecks > refunded_kopecks`).execute();
}

/**
 * Payments in the state `unknown`, newest first. A payment whose creation got no answer counts only if it became unknown at `lostAfterMs`
 * or earlier. Uses the index `payments_unknown`.
 */
export function unclearPayments(db: Db, limit: number, { lostAfterMs }: { lostAfterMs: number }): Promise<PaymentRow[]> {
  return newest(db, limit)
    .where(sql<boolean>`state = 'unknown'`)
    .where((row) => row.not(row.and([row("doubt", "is not", null), row("doubt", "=", "lost"), row("moved_at_ms", ">", lostAfterMs)])))
    .execute();
}

/** Paid payments that were reported because they have no sale, the last paid first. */
export function toldUnsold(db: Db, limit: number): Promise<PaymentRow[]> {
  return reportedUnsold(db).selectAll().orderBy("paid_at_ms", "desc").orderBy("id", "desc").limit(limit).execute();
}

/** Counts the payments that `toldUnsold` lists, for the metrics. */
export async function countToldUnsold(db: Db): Promise<number> {
  const row = await reportedUnsold(db)
    .select((select) => select.fn.countAll<number>().as("count"))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** The conditions must be exactly those of the index `payments_told_unsold`. Otherwise the database would not use the index. */
function reportedUnsold(db: Db) {
  return db
    .selectFrom("payments")
    .where(sql<boolean>`sale_entry_id is null`)
    .where(sql<boolean>`unsold_told = 1`)
    .where(sql<boolean>`state in ('paid', 'partly refunded', 'refunding')`);
}

function newest(db: Db, limit: number) {
  return db.selectFrom("payments").selectAll().orderBy("created_at_ms", "desc").orderBy("id", "desc").limit(limit);
}
