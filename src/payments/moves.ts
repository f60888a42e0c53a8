import type { PaymentReason } from "../model/payment.ts";
import {
  isUnderWay,
  type LateState,
  type Payment,
  paymentOf,
  type Refund,
  type RefundCause,
  refundOf,
  remainingKopecks,
} from "./payment.ts";
import { insertPaymentMove, lockPayment, type PaymentChange, type Tx, updatePayment } from "./payment-queries.ts";
import { nextReadAtMs } from "./refresh-times.ts";
import { insertRefund, refundsOf, updateRefund } from "./refund-queries.ts";
import { type Effect, next, type PaymentEvent, type Step } from "./states.ts";

export interface EventContext {
  nowMs: number;
  refunds: readonly Refund[];
  change?: PaymentChange;
  reason?: PaymentReason;
  /** What happens to money that comes after the payment has ended. */
  lateMoney: LateState;
  /** A person's words. The record of moves keeps them, even if the state does not change. */
  note?: string;
}

export interface Moved {
  payment: Payment;
  refunds: readonly Refund[];
  /** Why a person must be alerted. */
  alert?: "unknown" | "late-money" | "mismatch";
}

/** Applies an event with all its effects. Call it in the transaction that has locked the payment. */
export async function applyEvent(tx: Tx, payment: Payment, event: PaymentEvent, context: EventContext): Promise<Moved> {
  const step = next(payment, event);
  const moved = await move(tx, payment, step, why(event, context.reason), context);
  const effect: Effect | undefined = step.effect;
  switch (effect) {
    case undefined:
      return { payment: moved, refunds: context.refunds };
    case "return":
      return returnAll(tx, moved, "cancel", context);
    case "returned-by-bank":
      return { payment: moved, refunds: await noteBankReturn(tx, moved, context) };
    case "late-money":
      return takeLateMoney(tx, moved, context);
    case "alert":
      return { payment: moved, refunds: context.refunds, alert: event.kind === "mismatch" ? "mismatch" : "unknown" };
  }
}

async function move(tx: Tx, payment: Payment, step: Step, text: string, context: EventContext): Promise<Payment> {
  const { nowMs, change, reason, note } = context;
  const moves = step.state !== payment.state;
  const columns: PaymentChange = {
    ...change,
    ...(reason === undefined ? {} : { reason: JSON.stringify(reason) }),
    ...(moves ? { state: step.state, moved_at_ms: nowMs } : {}),
    ...(moves && step.state === "paid" && payment.paidAtMs === undefined ? { paid_at_ms: nowMs } : {}),
    doubt: step.state === "unknown" ? (step.doubt ?? payment.doubt ?? null) : null,
  };
  await updatePayment(tx, payment.id, columns);
  const words = note === undefined ? text : `${text}; ${note}`;
  if (moves || note !== undefined)
    await insertPaymentMove(tx, { payment_id: payment.id, at_ms: nowMs, from_state: payment.state, to_state: step.state, why: words });
  return await locked(tx, payment.id);
}

/** Orders a refund of all the remaining money. The state of the payment must be `paid`. */
async function returnAll(tx: Tx, payment: Payment, cause: RefundCause, context: EventContext): Promise<Moved> {
  const refunds = await orderRefund(tx, payment, { amountKopecks: remainingKopecks(payment, context.refunds), cause }, context);
  return { payment: await move(tx, payment, next(payment, { kind: "refund" }), `refund: ${cause}`, { ...context, change: {} }), refunds };
}

/** The bank has turned a cancel into a refund. Stores it as an accepted refund. The next reading shows the refund's state. */
async function noteBankReturn(tx: Tx, payment: Payment, context: EventContext): Promise<readonly Refund[]> {
  const refunds = await orderRefund(tx, payment, { amountKopecks: payment.amountKopecks, cause: "cancel" }, context);
  const added = refunds.at(-1);
  if (added === undefined) return refunds;
  await updateRefund(tx, payment.id, added.number, { state: "accepted", attempts: 1, tried_at_ms: context.nowMs, before_kopecks: 0 });
  return [...refunds.slice(0, -1), { ...added, state: "accepted", attempts: 1, triedAtMs: context.nowMs, beforeKopecks: 0 }];
}

/** Handles money that came after the payment's end. Does nothing if the payment's late money was handled before. */
async function takeLateMoney(tx: Tx, payment: Payment, context: EventContext): Promise<Moved> {
  if (payment.late !== undefined) return { payment, refunds: context.refunds };
  await updatePayment(tx, payment.id, { late_kopecks: payment.amountKopecks, late_state: context.lateMoney });
  const refunds =
    context.lateMoney === "refund"
      ? await orderRefund(tx, payment, { amountKopecks: payment.amountKopecks, cause: "late" }, context)
      : context.refunds;
  return { payment: await locked(tx, payment.id), refunds, alert: "late-money" };
}

/** Stores a refund to be sent later. Returns all refunds. */
export async function orderRefund(
  tx: Tx,
  payment: Pick<Payment, "id">,
  order: { amountKopecks: number; cause: RefundCause; nextTryAtMs?: number },
  { nowMs, refunds }: Pick<EventContext, "nowMs" | "refunds">,
): Promise<readonly Refund[]> {
  const number = (refunds.at(-1)?.number ?? 0) + 1;
  await insertRefund(tx, {
    payment_id: payment.id,
    number,
    amount_kopecks: order.amountKopecks,
    state: "queued",
    cause: order.cause,
    asked_at_ms: nowMs,
    attempts: 0,
    tried_at_ms: null,
    next_try_at_ms: order.nextTryAtMs ?? null,
    before_kopecks: null,
    bank_refund_id: null,
    reason: null,
  });
  const { amountKopecks, cause } = order;
  return [...refunds, { number, amountKopecks, cause, state: "queued", askedAtMs: nowMs, attempts: 0 }];
}

/** Stores how much money was returned. When no refund is under way, ends the payment's state `refunding`. */
export async function endRefunds(tx: Tx, paymentId: string, nowMs: number): Promise<void> {
  const payment = await locked(tx, paymentId);
  const refunds = (await refundsOf(tx, paymentId)).map(refundOf);
  const doneKopecks = refunds.filter(({ state }) => state === "done").reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
  await updatePayment(tx, paymentId, { refunded_kopecks: doneKopecks });
  if (refunds.some(isUnderWay)) return;
  const refunded = doneKopecks >= payment.amountKopecks ? "all" : doneKopecks > 0 ? "part" : "nothing";
  const standing = { ...payment, refundedKopecks: doneKopecks };
  await applyEvent(tx, standing, { kind: "refunds-ended", refunded }, { nowMs, refunds, lateMoney: "person" });
}

/**
 * Stores when the bank is asked next. Call it after the last change of a till's call or of a turn. `read`: the bank has answered
 * a reading in this turn.
 */
export async function schedule(tx: Tx, payment: Payment, refunds: readonly Refund[], nowMs: number, read: boolean): Promise<void> {
  await updatePayment(tx, payment.id, {
    next_read_at_ms: nextReadAtMs(payment, refunds, nowMs) ?? null,
    ...(read ? { read_at_ms: nowMs } : {}),
  });
}

/** Reads and locks a payment. Throws when it does not exist. */
export async function locked(tx: Tx, id: string): Promise<Payment> {
  const row = await lockPayment(tx, id);
  if (row === undefined) throw new Error(`payment ${id} is gone, and payments are never deleted`);
  return paymentOf(row);
}

function why(event: PaymentEvent, reason: PaymentReason | undefined): string {
  const detail = event.kind === "bank" ? event.status : event.kind === "person" ? event.decision : reason?.code;
  return detail === undefined ? event.kind : `${event.kind}: ${detail}`;
}
