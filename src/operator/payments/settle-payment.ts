import { type Actor, OPERATOR, writeAudit } from "../../accounts/audit.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { present } from "../../kernel/present.ts";
import type { PaymentState } from "../../model/payment.ts";
import { applyEvent, endRefunds, locked, schedule } from "../../payments/moves.ts";
import { type Payment, type Refund, refundOf } from "../../payments/payment.ts";
import { insertPaymentMove, type Tx } from "../../payments/payment-queries.ts";
import { refundsOf, updateRefund } from "../../payments/refund-queries.ts";
import { isOpen } from "../../payments/states.ts";
import { OPERATOR_WAIT_MS, type OperatorPayments } from "./services.ts";

/**
 * A person's decision after asking the bank. For an open payment: whether the money has come. For a refund that waits for a person:
 * `paid` means not returned, `not-paid` means returned.
 */
export interface Settlement {
  decision: "paid" | "not-paid";
  /** A person's words, for the record of moves and the audit. */
  reason: string;
  /** Who decides. Absent: the person at the command line. */
  actor?: Actor;
  /**
   * What was open when the person saw the payment: the payment itself, or the refund with this number. If something else is open now, the
   * settlement is refused. Absent: no check.
   */
  shown?: "payment" | number;
}

type SettledPayment =
  | { kind: "payment-settled" }
  /** `waiting`: the number of this payment's refunds that still wait for a person. */
  | { kind: "refund-settled"; number: number; waiting: number }
  | { kind: "refused"; because: SettleObstacle };

export type SettleObstacle =
  /** The payment has ended, and no refund waits for a person. */
  | { code: "nothing-open"; state: PaymentState }
  /** What the person saw as open is settled already. A repeated click settles nothing else. */
  | { code: "settled-meanwhile" }
  /** The till has cancelled, so the money would be returned, but the payment's id at the bank is unknown. */
  | { code: "no-bank-id" };

/** Ends an open payment, or the oldest refund that waits for a person. One call ends only one of them. */
export async function settlePayment(tools: OperatorPayments, payment: Payment, settlement: Settlement): Promise<SettledPayment> {
  const { services, turns } = tools;
  const settled = await services.store.commit((tx) => settleIn(tx, payment.id, settlement, services.clock.nowMs()));
  // If the till has cancelled the payment, this turn returns the money.
  if (settled.kind !== "refused") await turns.takeSoon(payment.id, deadlineIn(services.clock, OPERATOR_WAIT_MS));
  return settled;
}

async function settleIn(tx: Tx, id: string, settlement: Settlement, nowMs: number): Promise<SettledPayment> {
  const payment = await locked(tx, id);
  const refunds = (await refundsOf(tx, id)).map(refundOf);
  const [refund, ...more] = refunds.filter(({ state }) => state === "person");
  const { shown } = settlement;
  const open = isOpen(payment.state) ? "payment" : refund?.number;
  if (shown !== undefined && shown !== open) return { kind: "refused", because: { code: "settled-meanwhile" } };
  if (isOpen(payment.state)) return settleOpen(tx, payment, refunds, settlement, nowMs);
  if (refund === undefined) return { kind: "refused", because: { code: "nothing-open", state: payment.state } };
  await settleRefund(tx, payment, refund, settlement, nowMs);
  const after = settlement.decision === "paid" ? "refused" : "done";
  await note(tx, payment, settlement, { before: `refund ${refund.number}: person`, after: `refund ${refund.number}: ${after}` }, nowMs);
  return { kind: "refund-settled", number: refund.number, waiting: more.length };
}

async function settleOpen(
  tx: Tx,
  payment: Payment,
  refunds: readonly Refund[],
  { decision, reason, actor }: Settlement,
  nowMs: number,
): Promise<SettledPayment> {
  if (decision === "paid" && payment.cancelled && payment.bankId === undefined) return { kind: "refused", because: { code: "no-bank-id" } };
  const context = { nowMs, refunds, lateMoney: "person" as const, note: reason };
  const moved = await applyEvent(tx, payment, { kind: "person", decision }, context);
  await schedule(tx, moved.payment, moved.refunds, nowMs, false);
  await note(tx, payment, { reason, ...present({ actor }) }, { before: payment.state, after: moved.payment.state }, nowMs);
  return { kind: "payment-settled" };
}

async function note(
  tx: Tx,
  { appId, accountId, storeId, id }: Payment,
  { actor = OPERATOR, reason }: Pick<Settlement, "actor" | "reason">,
  change: { before: string; after: string },
  atMs: number,
): Promise<void> {
  await writeAudit(tx, { atMs, key: { appId, accountId }, actor }, { storeId, act: "settle", subject: id, ...change, reason });
}

async function settleRefund(tx: Tx, payment: Payment, refund: Refund, { decision, reason }: Settlement, nowMs: number): Promise<void> {
  const hasGoneBack = decision === "not-paid";
  const why = `person: refund ${refund.number} ${hasGoneBack ? "has gone back" : "has not gone back"}; ${reason}`;
  const { id, state } = payment;
  await insertPaymentMove(tx, { payment_id: id, at_ms: nowMs, from_state: state, to_state: state, why });
  await updateRefund(tx, id, refund.number, { state: hasGoneBack ? "done" : "refused", next_try_at_ms: null });
  const refunds = (await refundsOf(tx, id)).map(refundOf);
  // `endRefunds` changes the payment's state only from `refunding`. A payment in another state is first moved to `refunding`.
  if (hasGoneBack) await applyEvent(tx, payment, { kind: "refund" }, { nowMs, refunds, lateMoney: "person" });
  await endRefunds(tx, id, nowMs);
  await schedule(tx, await locked(tx, id), refunds, nowMs, false);
}
