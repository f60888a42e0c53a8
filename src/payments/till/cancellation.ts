import type { InstallationKey } from "../../accounts/installation.ts";
import { useUp } from "../../accounts/one-time-tokens.ts";
import { waitUntil } from "../../kernel/deadline.ts";
import { present } from "../../kernel/present.ts";
import type { Clients } from "../clients.ts";
import { applyEvent, orderRefund, schedule } from "../moves.ts";
import { type Payment, paymentOf, type Refund, refundOf, remainingKopecks } from "../payment.ts";
import { newestAttempt, type Tx, updatePayment } from "../payment-queries.ts";
import { firstTryAtMs } from "../refresh-times.ts";
import { refundsOf } from "../refund-queries.ts";
import type { PaymentServices } from "../services.ts";
import { isRejected } from "../states.ts";
import type { TurnResult, Turns } from "../turns/turns.ts";
import { lockedNewest } from "./newest-attempt.ts";
import { type CallRefusal, type CancelResult, deadlineOf, refuseUnrecorded, type TillCall } from "./till-call.ts";

/** The longest time of a cancel, chosen by this project (qr-acquirers 6). */
const CANCEL_LIMIT_MS = 8_000;
/** A till's second refund of the same sum for the same payment within this time counts as a repeat. */
const SAME_REFUND_MS = 60_000;

export class PaymentCancellation {
  readonly #services: PaymentServices;
  readonly #clients: Clients;
  readonly #turns: Turns;

  constructor(services: PaymentServices, clients: Clients, turns: Turns) {
    this.#services = services;
    this.#clients = clients;
    this.#turns = turns;
  }

  /** Ends the payment if the till was not told DONE. Otherwise returns money (platform-contracts 5.3). */
  async cancel(call: TillCall): Promise<CancelResult> {
    const { clock, store } = this.#services;
    const deadline = deadlineOf(call, clock, CANCEL_LIMIT_MS);
    const key = await this.#services.activeInstallation(call.accountId);
    if (key === undefined) return refuseUnrecorded(this.#services.store, call, { kind: "no-account" });
    const { leastKopecks, minGapMs } = await this.#refundRules(key, call);
    const ordered = await store.commit((tx) => this.#orderCancel(tx, key, call, { leastKopecks, minGapMs }));
    if (ordered.kind !== "ordered") return ordered;
    if (ordered.known !== undefined) return ordered.known;
    const waited = await waitUntil(clock, deadline, this.#turns.takeSoon(ordered.paymentId, deadline));
    return waited.kind === "late" ? { kind: "unreachable" } : endOfCancel(waited.value, ordered.refund);
  }

  async #orderCancel(
    tx: Tx,
    key: InstallationKey,
    call: TillCall,
    rules: RefundRules,
  ): Promise<Ordered | CallRefusal | { kind: "cancelled" }> {
    if (!(await useUp(tx, call.token))) return { kind: "token-used" };
    const payment = await lockedNewest(tx, key, call.operationId);
    if (payment === undefined || payment.freed || payment.storeId !== call.storeId) return { kind: "no-operation" };
    const refunds = (await refundsOf(tx, payment.id)).map(refundOf);
    if (isRejected(payment.state)) {
      // Without this mark, the operation of a payment that ended before it had a code could be created again.
      await updatePayment(tx, payment.id, { cancelled: 1 });
      return { kind: "cancelled" };
    }
    if (payment.told === "DONE") return this.#orderRefund(tx, payment, refunds, call.amountKopecks, rules);
    if (call.amountKopecks !== payment.amountKopecks)
      return { kind: "amount", of: "cancellation", leastKopecks: payment.amountKopecks, mostKopecks: payment.amountKopecks };
    const nowMs = this.#services.clock.nowMs();
    const returned = refunds.findLast(({ cause }) => cause === "cancel");
    if (payment.cancelled) return { kind: "ordered", paymentId: payment.id, ...knownEnd(returned, nowMs) };
    const context = { nowMs, refunds, lateMoney: "refund" as const, change: { cancelled: 1 as const } };
    const moved = await applyEvent(tx, { ...payment, cancelled: true }, { kind: "cancel" }, context);
    await schedule(tx, moved.payment, moved.refunds, nowMs, false);
    return { kind: "ordered", paymentId: payment.id };
  }

  async #orderRefund(
    tx: Tx,
    payment: Payment,
    refunds: readonly Refund[],
    amountKopecks: number,
    { leastKopecks, minGapMs }: RefundRules,
  ): Promise<Ordered | CallRefusal> {
    const nowMs = this.#services.clock.nowMs();
    const same = refunds.findLast(
      (each) => each.cause === "till" && each.amountKopecks === amountKopecks && nowMs - each.askedAtMs <= SAME_REFUND_MS,
    );
    if (same !== undefined) return { kind: "ordered", paymentId: payment.id, refund: same.number, ...knownEnd(same, nowMs) };
    const mostKopecks = remainingKopecks(payment, refunds);
    if (amountKopecks > mostKopecks || amountKopecks < leastKopecks) return { kind: "amount", of: "refund", leastKopecks, mostKopecks };
    const next = present({ nextTryAtMs: firstTryAtMs(refunds, minGapMs, nowMs) });
    const after = await orderRefund(tx, payment, { amountKopecks, cause: "till", ...next }, { nowMs, refunds });
    const moved = await applyEvent(tx, payment, { kind: "refund" }, { nowMs, refunds: after, lateMoney: "refund" });
    await schedule(tx, moved.payment, after, nowMs, false);
    const number = after.at(-1)?.number;
    return { kind: "ordered", paymentId: payment.id, ...(number === undefined ? {} : { refund: number }) };
  }

  async #refundRules(key: InstallationKey, call: TillCall): Promise<RefundRules> {
    const row = await this.#services.store.read((db) => newestAttempt(db, key, call.operationId));
    const open = row === undefined ? undefined : await this.#clients.ofPayment(paymentOf(row));
    if (open === undefined || "problem" in open) return { leastKopecks: 1, minGapMs: 0 };
    const { leastRefundKopecks, refundAttempts } = open.account.capabilities;
    return { leastKopecks: leastRefundKopecks, minGapMs: refundAttempts?.minGapMs ?? 0 };
  }
}

interface Ordered {
  kind: "ordered";
  paymentId: string;
  /** The number of the ordered refund. Absent: a cancel was ordered. */
  refund?: number;
  /** The result of an earlier call. A repeat gets it without a turn, because the process of an earlier turn may still hold the payment. */
  known?: CancelResult;
}

interface RefundRules {
  leastKopecks: number;
  /** The least time between two attempts at the payment's refunds. */
  minGapMs: number;
}

function endOfCancel(turn: TurnResult, refundNumber: number | undefined): CancelResult {
  if (!("payment" in turn)) return { kind: "unreachable" };
  const { payment, refunds } = turn;
  const refund =
    refundNumber === undefined
      ? refunds.findLast(({ cause }) => cause === "cancel")
      : refunds.find(({ number }) => number === refundNumber);
  if (refund === undefined) return isRejected(payment.state) ? { kind: "cancelled" } : { kind: "unreachable" };
  return endOfRefund(refund);
}

function endOfRefund({ state, reason }: Refund): CancelResult {
  switch (state) {
    case "accepted":
    case "done":
      return { kind: "cancelled" };
    case "queued":
      // The bank is busy, or demands time between attempts. The refund is sent later.
      return { kind: "cancelled" };
    case "refused":
    case "person":
      return { kind: "refused", reason: reason ?? { code: "refused" } };
    case "sent":
      return { kind: "unreachable" };
  }
}

/** Empty for a refund that is due to be sent, or whose answer of the bank is unknown: only a turn can end it. */
function knownEnd(refund: Refund | undefined, nowMs: number): { known?: CancelResult } {
  if (refund === undefined || refund.state === "sent") return {};
  if (refund.state === "queued" && (refund.nextTryAtMs ?? 0) <= nowMs) return {};
  return { known: endOfRefund(refund) };
}
