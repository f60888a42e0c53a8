import type { PaymentRefundsTable, RefundRow } from "../store/payment-tables.ts";
import type { Db, Tx } from "./payment-queries.ts";

export async function insertRefund(tx: Tx, row: PaymentRefundsTable): Promise<void> {
  await tx.insertInto("payment_refunds").values(row).execute();
}

export function refundsOf(db: Db, paymentId: string): Promise<RefundRow[]> {
  return db.selectFrom("payment_refunds").selectAll().where("payment_id", "=", paymentId).orderBy("number").execute();
}

export async function updateRefund(
  tx: Tx,
  paymentId: string,
  number: number,
  change: Partial<Omit<PaymentRefundsTable, "payment_id" | "number">>,
): Promise<void> {
  await tx.updateTable("payment_refunds").set(change).where("payment_id", "=", paymentId).where("number", "=", number).execute();
}
