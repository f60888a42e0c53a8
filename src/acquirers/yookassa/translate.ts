import { formatKopecks } from "../../kernel/money.ts";
import { present } from "../../kernel/present.ts";
import type { BankPayment, BankStatus, Created, PaymentOrder, RefundOrder, RefundReading } from "../acquirer.ts";
import { entryOf } from "../own-entry.ts";
import { cutAtCharacter } from "../texts.ts";
import { cancellationReason, refundReason } from "./failures.ts";
import type { YookassaPayment, YookassaRefund } from "./schema.ts";

const CURRENCY = "RUB";
/** Longest description that the API takes (qr-acquirers 3.2). */
const MAX_DESCRIPTION = 128;
/** The fixed life of an SBP code (qr-acquirers 3.4). */
export const CODE_LIFE_MS = 60 * 60 * 1000;

/** Statuses of a payment (qr-acquirers 2). `succeeded` and `canceled` depend on other members too. */
const STATUSES: Readonly<Record<string, (payment: YookassaPayment) => { status: BankStatus; alert?: true }>> = {
  pending: () => ({ status: "waiting" }),
  // This server makes one-stage payments. Another system made a payment with this status, or the shop is configured wrongly.
  waiting_for_capture: () => ({ status: "waiting", alert: true }),
  succeeded: (payment) => ({ status: statusOfPaid(payment) }),
  canceled: (payment) => ({ status: statusOfCanceled(payment) }),
};

export function paymentBody(order: PaymentOrder): string {
  const description = cutAtCharacter(order.description, MAX_DESCRIPTION);
  return JSON.stringify({
    amount: amountOf(order.amountKopecks),
    capture: true,
    payment_method_data: { type: "sbp" },
    confirmation: { type: "qr" },
    ...(description === "" ? {} : { description }),
    // No `receipt`: the register makes the fiscal receipt (qr-acquirers 3.8).
    metadata: { payment_id: order.paymentId, store_id: order.storeId },
  });
}

export function refundBody(order: RefundOrder): string {
  return JSON.stringify({ payment_id: order.bankId, amount: amountOf(order.amountKopecks) });
}

/** The idempotency key of `create`. YooKassa allows 64 characters; a UUID has 36. */
export function createKey(paymentId: string): string {
  return `${paymentId}create`;
}

export function refundKey({ paymentId, number }: RefundOrder): string {
  return `${paymentId}refund${number}`;
}

/** The result of `create` for the API's payment. `nowMs` replaces a missing or unreadable time of creation. */
export function createdFrom(payment: YookassaPayment, order: PaymentOrder, nowMs: number): Created {
  const bankId = payment.id;
  const difference = differenceFrom(payment, order);
  if (difference !== undefined) return { kind: "begun", bankId, problem: `YooKassa names another ${difference}`, mismatch: true };
  const qrText = qrTextOf(payment);
  if (payment.status !== "pending") return { kind: "begun", bankId, problem: `the payment is ${payment.status} already` };
  if (qrText === undefined) return { kind: "begun", bankId, problem: "YooKassa gave no text of the code" };
  const createdMs = Date.parse(payment.created_at ?? "");
  return { kind: "created", bankId, qrText, expiresAtMs: (Number.isNaN(createdMs) ? nowMs : createdMs) + CODE_LIFE_MS };
}

function differenceFrom(payment: YookassaPayment, order: PaymentOrder): string | undefined {
  if (payment.amount.kopecks !== order.amountKopecks) return "amount";
  if (payment.amount.currency !== CURRENCY) return "currency";
  const paymentId = payment.metadata?.payment_id;
  if (paymentId !== undefined && paymentId !== order.paymentId) return "payment";
  if (order.bankId !== undefined && order.bankId !== payment.id) return "payment";
  return undefined;
}

export function bankPayment(payment: YookassaPayment): BankPayment {
  const { status, alert } = entryOf(STATUSES, payment.status)?.(payment) ?? { status: "unknown" as const };
  return {
    bankId: payment.id,
    status,
    rawStatus: payment.status,
    amountKopecks: payment.amount.kopecks,
    currency: payment.amount.currency,
    ...present({
      paymentId: payment.metadata?.payment_id,
      refundedKopecks: payment.refunded_amount?.kopecks,
      qrText: qrTextOf(payment),
      alert,
      reason: payment.status === "canceled" ? cancellationReason(payment.cancellation_details) : undefined,
    }),
  };
}

export function refundReading(refund: YookassaRefund): Exclude<RefundReading, { kind: "busy" | "none" }> {
  switch (refund.status) {
    case "succeeded":
      return { kind: "done" };
    case "pending":
      return { kind: "pending" };
    case "canceled":
      return { kind: "refused", reason: refundReason(refund.cancellation_details), next: "person" };
    default:
      return { kind: "unknown", problem: `unknown status ${refund.status} of a refund` };
  }
}

/** True when the refund in the API's answer is not the ordered refund. */
export function isOtherRefund(refund: YookassaRefund, order: RefundOrder): boolean {
  return refund.payment_id !== order.bankId || refund.amount.kopecks !== order.amountKopecks || refund.amount.currency !== CURRENCY;
}

function statusOfPaid({ amount, refunded_amount: refunded }: YookassaPayment): BankStatus {
  if (refunded === undefined || refunded.kopecks === 0) return "paid";
  return refunded.kopecks < amount.kopecks ? "partly refunded" : "refunded";
}

function statusOfCanceled(payment: YookassaPayment): BankStatus {
  const { code } = cancellationReason(payment.cancellation_details);
  return code === "expired" || code === "cancelled" ? code : "declined";
}

/** A `qr` confirmation contains the text of the code. In a `redirect` confirmation the address is the text (qr-acquirers 3.2). */
function qrTextOf({ confirmation }: YookassaPayment): string | undefined {
  return confirmation?.confirmation_data ?? confirmation?.confirmation_url;
}

function amountOf(kopecks: number): { value: string; currency: string } {
  return { value: formatKopecks(kopecks), currency: CURRENCY };
}
