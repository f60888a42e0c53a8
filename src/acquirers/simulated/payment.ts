import type { BankPayment, BankStatus } from "../acquirer.ts";
import { ruleOf } from "./rules.ts";
import type { SimulatedEvent } from "./schema.ts";

type Creation = Extract<SimulatedEvent, { kind: "created" }>;
type Cancellation = Extract<SimulatedEvent, { kind: "cancelled" }>;
type Refund = Extract<SimulatedEvent, { kind: "refunded" }>;

/** A payment of the simulated acquirer: the calls that created, cancelled and refunded it. They show its status at any time. */
export interface SimulatedPayment {
  created: Creation;
  cancelled?: Cancellation;
  refunds: readonly Refund[];
}

export function paymentAt(payment: SimulatedPayment, nowMs: number): BankPayment {
  const { created } = payment;
  const status = statusAt(payment, nowMs);
  const code = status === "declined" || status === "expired" || status === "cancelled" ? status : undefined;
  return {
    bankId: created.bankId,
    status,
    rawStatus: status,
    amountKopecks: created.amountKopecks,
    currency: "RUB",
    paymentId: created.paymentId,
    refundedKopecks: refundedKopecks(payment),
    qrText: created.qrText,
    ...(code === undefined ? {} : { reason: { code } }),
  };
}

export function statusAt(payment: SimulatedPayment, nowMs: number): BankStatus {
  const { created, cancelled } = payment;
  if (isPaidAt(payment, nowMs)) return statusOfPaid(payment);
  if (cancelled !== undefined) return "cancelled";
  if (created.declinedAtMs !== null && created.declinedAtMs <= Math.min(nowMs, created.expiresAtMs)) return "declined";
  return nowMs >= created.expiresAtMs ? "expired" : "waiting";
}

function isPaidAt({ created, cancelled }: SimulatedPayment, nowMs: number): boolean {
  if (cancelled?.paysFirst === true) return true;
  const { paysAtMs, expiresAtMs } = created;
  if (paysAtMs === null || paysAtMs > nowMs || cancelled !== undefined) return false;
  // After the code's end the buyer pays only if the amount means `paid-after-expiry`.
  return paysAtMs <= expiresAtMs || ruleOf(created.amountKopecks) === "paid-after-expiry";
}

function statusOfPaid(payment: SimulatedPayment): BankStatus {
  const refunded = refundedKopecks(payment);
  if (refunded === 0) return "paid";
  return refunded < payment.created.amountKopecks ? "partly refunded" : "refunded";
}

export function refundedKopecks({ refunds }: SimulatedPayment): number {
  return refunds.reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
}
