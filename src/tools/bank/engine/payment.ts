/**
 * A payment at the bank.
 *
 * It waits until the buyer pays or is refused, the merchant cancels, or its time is over. A paid payment stays paid; its
 * refunds stand beside. Only a late payment leads back: a cancelled or expired payment becomes paid.
 */
export interface Payment {
  readonly id: string;
  /** The merchant's number for it; null: the merchant has sent none. */
  readonly orderId: string | null;
  readonly amountKopecks: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly state: PaymentState;
  /** When the buyer pays without an order of the control line; absent: never. */
  readonly payAtMs?: number;
  /** The merchant has asked for the code (T-Bank: GetQr). */
  readonly codeShown: boolean;
  readonly order: Order;
  readonly refunds: readonly Refund[];
  /** All refunds that were asked for, those over the limit of attempts included. */
  readonly refundAttempts: number;
  readonly notices: readonly Notice[];
  /** The number of the next notice. */
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

/** What the merchant sent with the payment and the bank repeats. */
export interface Order {
  readonly description?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** How the merchant shows the payment: a text for a code, or an address to open. */
  readonly show: "code" | "address";
  /** Where notifications of this payment go; absent: to the address of the bank's start, or nowhere. */
  readonly notifyUrl?: string;
}

export interface Refund {
  readonly id: string;
  readonly amountKopecks: number;
  readonly description?: string;
  readonly askedAtMs: number;
  /** When the refund ends by itself, and how. */
  readonly dueAtMs: number;
  readonly willBe: "done" | "refused";
  readonly state: "pending" | "done" | "refused";
}

/** A notification that still has to arrive. The body stays as it was at the moment of the event. */
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

/** What a further refund may take at most: refunds on their way count as taken. */
export function refundableKopecks(payment: Payment): number {
  if (payment.state.kind !== "paid") return 0;
  return payment.amountKopecks - sum(payment.refunds.filter(({ state }) => state !== "refused"));
}

export function pendingRefund({ refunds }: Payment): Refund | undefined {
  return refunds.find(({ state }) => state === "pending");
}

/** The earliest moment at which something happens by itself; infinite: never. */
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
