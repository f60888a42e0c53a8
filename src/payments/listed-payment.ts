import { Failure } from "../kernel/failure.ts";
import type { PaymentRow } from "../store/payment-tables.ts";
import { type Payment, paymentOf } from "./payment.ts";

/**
 * A payment whose row, or a refund of which, cannot be read. A list shows it in its place, and background work leaves it as it is. `problem`: the column and what
 * is wrong, without the column's value.
 */
export interface UnreadablePayment
  extends Pick<Payment, "id" | "appId" | "accountId" | "storeId" | "operationId" | "attempt" | "amountKopecks" | "createdAtMs"> {
  problem: string;
}

/** A row of a list. Tell them apart by `isReadable`. */
export type ListedPayment = Payment | UnreadablePayment;

export function isReadable(payment: ListedPayment): payment is Payment {
  return !("problem" in payment);
}

/** Returns the payment of a row. Never throws `payment-unreadable`, so one row stops no list. */
export function listedPaymentOf(row: PaymentRow): ListedPayment {
  try {
    return paymentOf(row);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return unreadablePaymentOf(row, error.message);
  }
}

/** Returns the plain columns of a row, with the reason why the payment or one of its refunds cannot be read. */
export function unreadablePaymentOf(row: PaymentRow, problem: string): UnreadablePayment {
  return {
    id: row.id,
    appId: row.app_id,
    accountId: row.account_id,
    storeId: row.store_id,
    operationId: row.operation_id,
    attempt: row.attempt,
    amountKopecks: row.amount_kopecks,
    createdAtMs: row.created_at_ms,
    problem,
  };
}
