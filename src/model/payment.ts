/** States of a QR payment (qr-acquirers 2). */
export const PAYMENT_STATES = [
  "creating",
  "waiting",
  "cancelling",
  "paid",
  "refunding",
  "partly refunded",
  "refunded",
  "declined",
  "expired",
  "cancelled",
  "failed",
  "unknown",
] as const;

export type PaymentState = (typeof PAYMENT_STATES)[number];

/** The answer to the call `state` (platform-contracts 5.3). */
export type PaymentStatus = "IN_PROGRESS" | "DONE" | "REJECTED";

/** The final status that the point of sale received. It never changes. */
export type Told = Exclude<PaymentStatus, "IN_PROGRESS">;

export const REFUND_STATES = [
  /** To be sent: for the first time, perhaps after an earlier refund, or again at the time of its next attempt. */
  "queued",
  /** Sent, without a known answer. */
  "sent",
  /** The bank has accepted the refund, and the money is on its way. */
  "accepted",
  "done",
  "refused",
  /** No attempts are left or the outcome stays unknown: a person decides. */
  "person",
] as const;

export type RefundState = (typeof REFUND_STATES)[number];

/** Why no money came, or why none is returned. `words`: the bank's own words, shown to the merchant. */
export interface PaymentReason {
  code: PaymentReasonCode;
  /** The bank's unchanged code or status. */
  bankCode?: string;
  words?: string;
}

export const PAYMENT_REASON_CODES = [
  "insufficient-funds",
  /** A limit of the buyer's bank. */
  "limit-exceeded",
  "declined",
  "expired",
  "cancelled",
  /** The acquirer's credentials or contract do not allow the payment: the merchant's settings must change. */
  "settings",
  /** The sum is below or above the acquirer's limits. */
  "amount",
  /** The merchant's account has too little money for the refund. */
  "merchant-funds",
  /** The buyer's bank refuses the refund. */
  "buyer-bank",
  "refused",
  /** An answer names another amount, currency or payment. */
  "mismatch",
  /** The QR code asks for another sum. */
  "wrong-code",
  /** The acquirer did not answer, or its answer is unreadable. */
  "no-answer",
] as const;

export type PaymentReasonCode = (typeof PAYMENT_REASON_CODES)[number];
