import { type Payment, paymentOf, type Refund, refundOf } from "./payment.ts";
import { type Db, paymentById } from "./payment-queries.ts";
import { refundsOf } from "./refund-queries.ts";

export interface StoredPayment {
  payment: Payment;
  refunds: readonly Refund[];
}

/** Reads a payment and its refunds, oldest refund first. Undefined: there is no such payment. */
export async function paymentWithRefunds(db: Db, id: string): Promise<StoredPayment | undefined> {
  const row = await paymentById(db, id);
  if (row === undefined) return undefined;
  return { payment: paymentOf(row), refunds: (await refundsOf(db, id)).map(refundOf) };
}
