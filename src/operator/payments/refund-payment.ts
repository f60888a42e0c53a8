import { type Actor, OPERATOR, writeAudit } from "../../accounts/audit.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { present } from "../../kernel/present.ts";
import type { PaymentState } from "../../model/payment.ts";
import { applyEvent, locked, orderRefund, schedule } from "../../payments/moves.ts";
import { type Payment, type Refund, refundOf, remainingKopecks } from "../../payments/payment.ts";
import { insertPaymentMove, type Tx, updatePayment } from "../../payments/payment-queries.ts";
import { firstTryAtMs } from "../../payments/refresh-times.ts";
import { refundsOf } from "../../payments/refund-queries.ts";
import { isRejected } from "../../payments/states.ts";
import { OPERATOR_WAIT_MS, type OperatorPayments, STATES_WITH_MONEY } from "./services.ts";

export interface RefundOrder {
  /** Absent: all the remaining money. */
  amountKopecks?: number;
  /** A person's words, for the record of moves and the audit. */
  reason: string;
  /** Who orders the refund. Absent: the person at the command line. */
  actor?: Actor;
  /** The number of refunds that the person saw. Any other number is refused. Absent: no check. */
  seenRefunds?: number;
}

type OrderedRefund = { kind: "ordered"; number: number } | { kind: "refused"; because: RefundObstacle };

export type RefundObstacle =
  | { code: "not-paid"; state: PaymentState }
  /** All the money is returned or on its way back. A refund that waits for a person counts until it is settled. */
  | { code: "nothing-left" }
  /** A refund was ordered after the person saw the payment. A repeated click orders no second refund. */
  | { code: "refunded-meanwhile" }
  | { code: "above-remainder"; leftKopecks: number }
  | { code: "below-least"; leastKopecks: number }
  | { code: "whole-only"; leftKopecks: number }
  /** The till has not received DONE yet. After a partial refund neither DONE nor REJECTED would be a true answer. */
  | { code: "till-not-told" }
  | { code: "no-bank-id" }
  | { code: "acquirer-unusable"; problem: string };

interface Rules {
  leastKopecks: number;
  partial: boolean;
  minGapMs: number;
}

/**
 * Orders a refund for a person, also of money that arrived after the payment's end. The order is stored, and then carried out by this
 * process or by the server with the payment's lease. The store shows the state of the refund.
 */
export async function refundPayment(tools: OperatorPayments, payment: Payment, order: RefundOrder): Promise<OrderedRefund> {
  const { services, clients, turns } = tools;
  const open = await clients.ofPayment(payment);
  if ("problem" in open) return refused({ code: "acquirer-unusable", problem: open.problem });
  const { leastRefundKopecks, partialRefund, refundAttempts } = open.account.capabilities;
  const rules = { leastKopecks: leastRefundKopecks, partial: partialRefund, minGapMs: refundAttempts?.minGapMs ?? 0 };
  const ordered = await services.store.commit((tx) => orderIn(tx, payment.id, order, rules, services.clock.nowMs()));
  if (ordered.kind === "ordered") await turns.takeSoon(payment.id, deadlineIn(services.clock, OPERATOR_WAIT_MS));
  return ordered;
}

async function orderIn(tx: Tx, id: string, order: RefundOrder, rules: Rules, nowMs: number): Promise<OrderedRefund> {
  const payment = await locked(tx, id);
  const refunds = (await refundsOf(tx, id)).map(refundOf);
  if (order.seenRefunds !== undefined && order.seenRefunds !== refunds.length) return refused({ code: "refunded-meanwhile" });
  const leftKopecks = remainingKopecks(payment, refunds);
  const amountKopecks = order.amountKopecks ?? leftKopecks;
  const obstacle = obstacleTo(payment, refunds, amountKopecks, rules);
  if (obstacle !== undefined) return refused(obstacle);
  const next = present({ nextTryAtMs: firstTryAtMs(refunds, rules.minGapMs, nowMs) });
  const after = await orderRefund(tx, payment, { amountKopecks, cause: "person", ...next }, { nowMs, refunds });
  const begun = await begin(tx, payment, after, { all: amountKopecks === leftKopecks, note: `person: ${order.reason}`, nowMs });
  await schedule(tx, begun, after, nowMs, false);
  await noteRefund(tx, payment, order, { leftKopecks, amountKopecks }, nowMs);
  return { kind: "ordered", number: after.at(-1)?.number ?? 1 };
}

/** Writes the audit line of a refund. `before` and `after`: the money not yet returned. */
async function noteRefund(
  tx: Tx,
  payment: Payment,
  order: RefundOrder,
  { leftKopecks, amountKopecks }: { leftKopecks: number; amountKopecks: number },
  atMs: number,
): Promise<void> {
  const { appId, accountId, storeId, id } = payment;
  const change = { before: formatKopecks(leftKopecks), after: formatKopecks(leftKopecks - amountKopecks) };
  const line = { storeId, act: "refund", subject: id, ...change, reason: order.reason } as const;
  await writeAudit(tx, { atMs, key: { appId, accountId }, actor: order.actor ?? OPERATOR }, line);
}

/** A refund of late money keeps the payment's state. Any other refund changes the state to `refunding`. */
async function begin(
  tx: Tx,
  payment: Payment,
  refunds: readonly Refund[],
  { all, note, nowMs }: { all: boolean; note: string; nowMs: number },
): Promise<Payment> {
  if (!isRejected(payment.state)) {
    // A refund before DONE counts as a cancel: the till gets REJECTED, even if the refund fails.
    const change = payment.told === undefined ? { cancelled: 1 as const } : {};
    const moved = await applyEvent(tx, payment, { kind: "refund" }, { nowMs, refunds, lateMoney: "person", change, note });
    return moved.payment;
  }
  const why = `refund of late money; ${note}`;
  await insertPaymentMove(tx, { payment_id: payment.id, at_ms: nowMs, from_state: payment.state, to_state: payment.state, why });
  if (all) await updatePayment(tx, payment.id, { late_state: "refund" });
  return locked(tx, payment.id);
}

function obstacleTo(payment: Payment, refunds: readonly Refund[], amountKopecks: number, rules: Rules): RefundObstacle | undefined {
  const { state, late, told, bankId } = payment;
  const hasLateMoney = isRejected(state) && late !== undefined;
  if (!hasLateMoney && !STATES_WITH_MONEY.includes(state)) return { code: "not-paid", state };
  if (bankId === undefined) return { code: "no-bank-id" };
  const leftKopecks = remainingKopecks(payment, refunds);
  if (leftKopecks <= 0) return { code: "nothing-left" };
  if (amountKopecks > leftKopecks) return { code: "above-remainder", leftKopecks };
  if (amountKopecks < rules.leastKopecks) return { code: "below-least", leastKopecks: rules.leastKopecks };
  const isPart = amountKopecks < payment.amountKopecks;
  if (isPart && !rules.partial) return { code: "whole-only", leftKopecks };
  if (isPart && !hasLateMoney && told === undefined && !payment.cancelled) return { code: "till-not-told" };
  return undefined;
}

function refused(because: RefundObstacle): OrderedRefund {
  return { kind: "refused", because };
}
