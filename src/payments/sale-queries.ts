import { sql } from "kysely";
import type { PaymentRow } from "../store/payment-tables.ts";
import type { Db, Tx } from "./payment-queries.ts";

/**
 * Paid payments without a known sale, the first paid first. A payment whose money was returned in full needs no sale and is left out. Uses
 * the index `payments_unsold`.
 */
export function unsoldPayments(db: Db, limit: number, after: { paidAtMs: number; id: string }): Promise<PaymentRow[]> {
  return db
    .selectFrom("payments")
    .selectAll()
    .where("sale_entry_id", "is", null)
    .where("paid_at_ms", "is not", null)
    .where("state", "<>", "refunded")
    .where(sql<boolean>`(paid_at_ms, id) > (${after.paidAtMs}, ${after.id})`)
    .orderBy("paid_at_ms")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Returns the given entries that are already linked to a payment as its sale. */
export async function linkedSales(db: Db, entryIds: readonly number[]): Promise<ReadonlySet<number>> {
  if (entryIds.length === 0) return new Set();
  const rows = await db.selectFrom("payments").select("sale_entry_id").where("sale_entry_id", "in", entryIds).execute();
  return new Set(rows.map(({ sale_entry_id }) => sale_entry_id ?? 0));
}

/** Stores the sale of a payment. Returns false, and changes nothing, if the payment already has a sale, or the sale has a payment. */
export async function linkSale(tx: Tx, paymentId: string, entryId: number): Promise<boolean> {
  const taken = await tx.selectFrom("payments").select("id").where("sale_entry_id", "=", entryId).executeTakeFirst();
  if (taken !== undefined) return false;
  const result = await tx
    .updateTable("payments")
    .set({ sale_entry_id: entryId })
    .where("id", "=", paymentId)
    .where("sale_entry_id", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function noteUnsold(tx: Tx, paymentId: string): Promise<void> {
  await tx.updateTable("payments").set({ unsold_told: 1 }).where("id", "=", paymentId).execute();
}
