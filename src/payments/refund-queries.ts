import type { PaymentRefundsTable, RefundRow } from "../store/payment-tables.ts";
import { type Placeholders, statement } from "../store/statement.ts";
import type { Db, Tx } from "./payment-queries.ts";

export async function insertRefund(tx: Tx, row: PaymentRefundsTable): Promise<void> {
  await tx.insertInto("payment_refunds").values(row).execute();
}

/** All refunds of a payment, oldest first. */
export async function refundsOf(db: Db, paymentId: string): Promise<RefundRow[]> {
  const { rows } = await refundsSelect(db, { paymentId });
  return rows;
}

const refundsSelect = statement((db, { paymentId }: Placeholders<{ paymentId: string }>) =>
  db.selectFrom("payment_refunds").selectAll().where("payment_id", "=", paymentId).orderBy("number"),
);

export async function updateRefund(
  tx: Tx,
  paymentId: string,
  number: number,
  change: Partial<Omit<PaymentRefundsTable, "payment_id" | "number">>,
): Promise<void> {
  await tx.updateTable("payment_refunds").set(change).where("payment_id", "=", paymentId).where("number", "=", number).execute();
}
