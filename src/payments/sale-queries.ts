import type { PaymentRow } from "../store/payment-tables.ts";
import type { Db, Tx } from "./payment-queries.ts";

/** Paid payments of which no sale was seen, the oldest first. Served by the index `payments_unsold`. */
export function unsoldPayments(db: Db, limit: number, after: { paidAtMs: number; id: string }): Promise<PaymentRow[]> {
  return db
    .selectFrom("payments")
    .selectAll()
    .where("sale_entry_id", "is", null)
    .where("paid_at_ms", "is not", null)
    .where((row) =>
      row.or([row("paid_at_ms", ">", after.paidAtMs), row.and([row("paid_at_ms", "=", after.paidAtMs), row("id", ">", after.id)])]),
    )
    .orderBy("paid_at_ms")
    .orderBy("id")
    .limit(limit)
    .execute();
}

interface WantedSale {
  appId: string;
  accountId: string;
  storeId: string;
  qrKopecks: number;
  notBeforeMs: number;
}

/** The oldest done sale with this QR sum that no payment has yet. Served by the index `entries_qr`. */
export async function saleFor(db: Db, { appId, accountId, storeId, qrKopecks, notBeforeMs }: WantedSale): Promise<number | undefined> {
  const row = await db
    .selectFrom("entries")
    .select("id")
    .where("account_id", "=", accountId)
    .where("store_id", "=", storeId)
    .where("qr_kopecks", "=", qrKopecks)
    .where("app_id", "=", appId)
    .where("operation", "=", "sale")
    .where("state", "=", "done")
    .where("accepted_at_ms", ">=", notBeforeMs)
    .where((entry) =>
      entry.not(entry.exists(entry.selectFrom("payments").select("payments.id").whereRef("payments.sale_entry_id", "=", "entries.id"))),
    )
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  return row?.id;
}

/** False when the payment has a sale already, or the sale a payment. */
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

/** Paid payments that were reported because no sale was seen, for the metrics. */
export async function countUnsold(db: Db): Promise<number> {
  const row = await db
    .selectFrom("payments")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("sale_entry_id", "is", null)
    .where("paid_at_ms", "is not", null)
    .where("unsold_told", "=", 1)
    .where("state", "in", ["paid", "partly refunded", "refunding"])
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
