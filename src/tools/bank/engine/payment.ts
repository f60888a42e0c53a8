/**
 * A payment at the bank.
 *
 * A payment waits until the buyer pays, the bank declines, the merchant cancels, or the time is over. A paid payment stays paid: refunds do
 * not change its state. A late payment makes a cancelled or expired payment paid.
 */
export interface Payment {
  readonly id: string;
  /** The merchant's number for this payment. Null: none. */
  readonly orderId: string | null;
  readonly amountKopecks: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly state: PaymentState;
  /** The time of the buyer's automatic payment. Absent: never. */
  readonly payAtMs?: number;
  /** Whether the merchant has got the code. T-Bank: by GetQr. YooKassa: with the answer that created the payment. */
  readonly codeShown: boolean;
  readonly order: Order;
  readonly refunds: readonly Refund[];
  /** The number of refund requests that named this payment, including refused requests. T-Bank counts them only for a paid payment. */
  readonly refundAttempts: number;
  readonly notices: readonly Notice[];
  readonly nextNotice: number;
}

type PaymentState =
  | { readonly kind: "waiting" }
  | { readonly kind: "paid"; readonly atMs: number }
  | { readonly kind: "declined"; readonly atMs: number; readonly reason: DeclineReason }
  | { readonly kind: "expired"; readonly atMs: number }
  | { readonly kind: "cancelled"; readonly atMs: number };

export const DECLINE_REASONS = ["insufficient-funds", "limit", "refused"] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];

export interface Order {
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** What the merchant shows to the buyer: a QR code, or an address to open. */
  readonly show: "code" | "address";
  /** The payment's notification address. Absent: the address from the bank's start, if any. */
  readonly notifyUrl?: string;
}

export interface Refund {
  readonly id: string;
  readonly amountKopecks: number;
  readonly description?: string;
  readonly askedAtMs: number;
  /** The moment when the refund ends by itself, with the result `willBe`. */
  readonly dueAtMs: number;
  readonly willBe: "done" | "refused";
  readonly state: "pending" | "done" | "refused";
}

/** A notification that has not arrived yet. `body` holds the state at the time of the event. */
export interface Notice {
  readonly number: number;
  readonly url: string;
  readonly body: string;
  readonly tries: number;
  readonly dueAtMs: number;
}

export function refundedKopecks({ refunds }: Payment): number {
  return sum(refunds.filter(({ state }) => state === "done"));
}

/** Returns the largest sum of a further refund. A pending refund counts as refunded. */
export function refundableKopecks(payment: Payment): number {
  if (payment.state.kind !== "paid") return 0;
  return payment.amountKopecks - sum(payment.refunds.filter(({ state }) => state !== "refused"));
}

export function pendingRefund({ refunds }: Payment): Refund | undefined {
  return refunds.find(({ state }) => state === "pending");
}

/** Returns the time of the payment's next change without a request. Infinite: never. */
export function dueAtMs(payment: Payment): number {
  const { state, refunds, notices, payAtMs = Number.POSITIVE_INFINITY } = payment;
  return Math.min(
    state.kind === "paid" ? Number.POSITIVE_INFINITY : payAtMs,
    state.kind === "waiting" ? payment.expiresAtMs : Number.POSITIVE_INFINITY,
    ...refunds.filter((refund) => refund.state === "pending").map((refund) => refund.dueAtMs),
    ...notices.map((notice) => notice.dueAtMs),
  );
}

function sum(refunds: readonly Refund[]): number {
  return refunds.reduce((total, { amountKopecks }) => total + amountKopecks, 0);
}
