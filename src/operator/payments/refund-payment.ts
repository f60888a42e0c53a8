import { deadlineIn } from "../../kernel/deadline.ts";
import { present } from "../../kernel/present.ts";
import type { PaymentState } from "../../model/payment.ts";
import { applyEvent, locked, orderRefund, schedule } from "../../payments/moves.ts";
import { firstTryAtMs } from "../../payments/pace.ts";
import { type Payment, type Refund, refundOf, remainingKopecks } from "../../payments/payment.ts";
import { insertPaymentMove, type Tx, updatePayment } from "../../payments/payment-queries.ts";
import { refundsOf } from "../../payments/refund-queries.ts";
import { isRejected } from "../../payments/states.ts";
import { DESK_WAIT_MS, type PaymentDesk } from "./services.ts";

export interface RefundOrder {
  /** Absent: everything that is left. */
  amountKopecks?: number;
  /** A person's words, which stand in the record of moves. */
  reason: string;
}

type OrderedRefund = { kind: "ordered"; number: number } | { kind: "refused"; because: RefundObstacle };

/** Why nothing can go back. */
export type RefundObstacle =
  | { code: "not-paid"; state: PaymentState }
  /** Everything has gone back or is on its way. A refund that waits for a person counts until it is settled. */
  | { code: "nothing-left" }
  | { code: "above-remainder"; leftKopecks: number }
  | { code: "below-least"; leastKopecks: number }
  /** The acquirer returns whole payments only. */
  | { code: "whole-only"; leftKopecks: number }
  /** The till has not heard DONE yet: a part of the money would leave it without an answer that is true. */
  | { code: "till-not-told" }
  /** Nobody knows the payment's id at the bank. */
  | { code: "no-bank-id" }
  | { code: "acquirer-unusable"; problem: string };

/** What the acquirer allows. */
interface Rules {
  leastKopecks: number;
  partial: boolean;
  apartMs: number;
}

/**
 * Returns money as a person orders, also money that came after the end. The order is stored, then carried out by this process or by
 * the server that has the payment. How the refund stands is read from the store afterwards.
 */
export async function refundPayment(desk: PaymentDesk, payment: Payment, order: RefundOrder): Promise<OrderedRefund> {
  const { services, clients, turns } = desk;
  const open = await clients.ofPayment(payment);
  if ("problem" in open) return refused({ code: "acquirer-unusable", problem: open.problem });
  const { leastRefundKopecks, partialRefund, refundAttempts } = open.account.capabilities;
  const rules = { leastKopecks: leastRefundKopecks, partial: partialRefund, apartMs: refundAttempts?.apartMs ?? 0 };
  const ordered = await services.store.commit((tx) => orderIn(tx, payment.id, order, rules, services.clock.nowMs()));
  if (ordered.kind === "ordered") await turns.takeSoon(payment.id, deadlineIn(services.clock, DESK_WAIT_MS));
  return ordered;
}

async function orderIn(tx: Tx, id: string, order: RefundOrder, rules: Rules, nowMs: number): Promise<OrderedRefund> {
  const payment = await locked(tx, id);
  const refunds = (await refundsOf(tx, id)).map(refundOf);
  const leftKopecks = remainingKopecks(payment, refunds);
  const amountKopecks = order.amountKopecks ?? leftKopecks;
  const obstacle = obstacleTo(payment, refunds, amountKopecks, rules);
  if (obstacle !== undefined) return refused(obstacle);
  const next = present({ nextTryAtMs: firstTryAtMs(refunds, rules.apartMs, nowMs) });
  const after = await orderRefund(tx, payment, { amountKopecks, cause: "person", ...next }, { nowMs, refunds });
  const begun = await begin(tx, payment, after, { all: amountKopecks === leftKopecks, note: `person: ${order.reason}`, nowMs });
  await schedule(tx, begun, after, nowMs, false);
  return { kind: "ordered", number: after.at(-1)?.number ?? 1 };
}

/** Late money leaves the payment as it ended. Any other payment is refunding from now on. */
async function begin(
  tx: Tx,
  payment: Payment,
  refunds: readonly Refund[],
  { all, note, nowMs }: { all: boolean; note: string; nowMs: number },
): Promise<Payment> {
  if (!isRejected(payment.state)) {
    // What goes back before DONE was told is a cancel: the till hears REJECTED, whatever comes of the refund.
    const change = payment.told === undefined ? { cancelled: 1 as const } : {};
    const moved = await applyEvent(tx, payment, { kind: "refund" }, { nowMs, refunds, lateMoney: "person", change, note });
    return moved.payment;
  }
  const why = `refund of late money; ${note}`;
  await insertPaymentMove(tx, { payment_id: payment.id, at_ms: nowMs, from_state: payment.state, to_state: payment.state, why });
  if (all) await updatePayment(tx, payment.id, { late_state: "refund" });
  return locked(tx, payment.id);
}

const WITH_MONEY: readonly PaymentState[] = ["paid", "refunding", "partly refunded", "refunded"];

function obstacleTo(payment: Payment, refunds: readonly Refund[], amountKopecks: number, rules: Rules): RefundObstacle | undefined {
  const { state, late, told, bankId } = payment;
  const hasLateMoney = isRejected(state) && late !== undefined;
  if (!hasLateMoney && !WITH_MONEY.includes(state)) return { code: "not-paid", state };
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
