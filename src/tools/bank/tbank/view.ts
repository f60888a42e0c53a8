import { numberOf, qrText } from "../engine/made-values.ts";
import { type DeclineReason, type Payment, pendingRefund, type Refund, refundedKopecks } from "../engine/payment.ts";

export function statusOf(payment: Payment): string {
  switch (payment.state.kind) {
    case "waiting":
      return payment.codeShown ? "FORM_SHOWED" : "NEW";
    case "declined":
      return "REJECTED";
    case "expired":
      return "DEADLINE_EXPIRED";
    case "cancelled":
      return "CANCELED";
    case "paid": {
      if (pendingRefund(payment) !== undefined) return "ASYNC_REFUNDING";
      const refunded = refundedKopecks(payment);
      if (refunded === 0) return "CONFIRMED";
      return refunded < payment.amountKopecks ? "PARTIAL_REFUNDED" : "REFUNDED";
    }
  }
}

/** The error codes of declined payments (qr-acquirers 4.8). */
const DECLINES: Readonly<Record<DeclineReason, number>> = { "insufficient-funds": 5060, limit: 5061, refused: 5062 };

/** Returns the error code of the payment. 0: not declined. */
export function errorCodeOf({ state }: Payment): number {
  return state.kind === "declined" ? DECLINES[state.reason] : 0;
}

/** The bank's number among the members of SBP. */
const QR_BANK = "100000000004";

/** Returns the text of the payment's QR code. The same payment gives the same text. */
export function codeOf({ id, amountKopecks }: Payment, seed: number): string {
  return qrText({ bank: QR_BANK, amountKopecks, seed, payment: id });
}

/** Returns one payment of the answer to CheckOrder. In this answer Success is a text and ErrorCode a number. */
export function orderLine(payment: Payment, seed: number): Record<string, unknown> {
  const errorCode = errorCodeOf(payment);
  const { id, amountKopecks, state } = payment;
  return {
    PaymentId: id,
    Amount: amountKopecks,
    Status: statusOf(payment),
    Success: String(errorCode === 0),
    ErrorCode: errorCode,
    Message: errorCode === 0 ? "OK" : "Операция отклонена.",
    ...(state.kind === "paid" ? { RRN: rrnOf(payment, seed), SbpPaymentId: `A${rrnOf(payment, seed)}` } : {}),
  };
}

/** The fields of a refused refund (qr-acquirers 4.3). */
export const REFUND_REFUSED = { QrCancelCode: "I05043", QrCancelMessage: "Банк получателя отклонил возврат" };

export function lastRefund({ refunds }: Payment): Refund | undefined {
  return refunds.at(-1);
}

function rrnOf({ id }: Payment, seed: number): string {
  return String(numberOf(900_000_000_000, seed, "rrn", id) + 100_000_000_000);
}
