import type { Refunded, RefundOrder, RefundReading } from "../../acquirers/acquirer.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import type { PaymentReason, RefundState } from "../../model/payment.ts";
import type { Lease } from "../../store/lease.ts";
import { endCall, insertCall } from "../call-queries.ts";
import type { OpenAccount } from "../clients.ts";
import { applyEvent, endRefunds, locked } from "../moves.ts";
import { isUnderWay, type Payment, type Refund } from "../payment.ts";
import { paymentWithRefunds } from "../payment-with-refunds.ts";
import { firstTryAtMs, REFUND_BOUND_MS } from "../refresh-times.ts";
import { updateRefund } from "../refund-queries.ts";
import type { PaymentServices } from "../services.ts";
import type { CallPace } from "./call-pace.ts";
import { hashOf } from "./order-hash.ts";

interface RefundTurnParts {
  services: PaymentServices;
  lease: Lease;
  open: OpenAccount;
  pace: CallPace;
  payment: Payment;
  refunds: readonly Refund[];
  deadline: Deadline;
}

interface RefundChange {
  state: RefundState;
  reason?: PaymentReason;
  nextTryAtMs?: number;
  bankRefundId?: string;
  call?: { number: number; outcome: string };
}

/**
 * Sends and follows the refunds of one payment, one at a time in the order of their numbers (qr-acquirers 8).
 *
 * After a lost answer there are two ways. A bank that recognizes a repeat by its number gets the same number again. At any other bank the
 * payment is read. If the bank shows no trace of the refund, another attempt follows when the bank's rules allow it.
 */
export class RefundTurn {
  readonly #parts: RefundTurnParts;
  #payment: Payment;
  #refunds: readonly Refund[];

  constructor(parts: RefundTurnParts) {
    this.#parts = parts;
    this.#payment = parts.payment;
    this.#refunds = parts.refunds;
  }

  async run(): Promise<{ payment: Payment; refunds: readonly Refund[] }> {
    for (let refund = this.#next(); refund !== undefined; ) {
      await this.#step(refund);
      const after = this.#next();
      refund = after !== undefined && after.number !== refund.number ? after : undefined;
    }
    return { payment: this.#payment, refunds: this.#refunds };
  }

  #next(): Refund | undefined {
    const nowMs = this.#parts.services.clock.nowMs();
    const first = this.#refunds.find(isUnderWay);
    if (first === undefined || this.#parts.deadline.remainingMs() === 0) return undefined;
    return first.state === "queued" && (first.nextTryAtMs ?? 0) > nowMs ? undefined : first;
  }

  async #step(refund: Refund): Promise<void> {
    const { open, services } = this.#parts;
    const { refundAttempts } = open.account.capabilities;
    // The bank counts the attempts at all refunds of a payment together.
    const tried = this.#refunds.filter(({ state }) => state !== "queued");
    const nextTryAtMs = refundAttempts === undefined ? undefined : firstTryAtMs(tried, refundAttempts.minGapMs, services.clock.nowMs());
    if (refund.state === "queued" && nextTryAtMs !== undefined) return this.#change(refund, { state: "queued", nextTryAtMs });
    const isOverdue = refund.state !== "queued" && this.#ageMs(refund.triedAtMs ?? refund.askedAtMs) > REFUND_BOUND_MS;
    if (!isOverdue && this.#maySend(refund)) return this.#send(refund);
    if (!(await this.#parts.pace.mayAsk(this.#parts.deadline))) return;
    const reading = await open.client.readRefund(this.#orderOf(refund), this.#parts.deadline);
    // The server may have been off for days, and the bank may have finished the refund meanwhile. So an overdue refund is read once more
    // before it is left to a person.
    if (isOverdue && reading.kind !== "done" && reading.kind !== "refused")
      return this.#change(refund, { state: "person", reason: { code: "no-answer" } });
    const isRepeatable = refund.state === "queued" || (refund.state === "sent" && open.account.capabilities.refundIdempotent);
    if (reading.kind === "none" && isRepeatable) return this.#send(refund);
    await this.#takeReading(refund, reading);
  }

  /**
   * True when the refund may be sent without a reading first: the bank has received no attempt, has certainly carried out none, or
   * recognizes a repeat by the refund's number.
   */
  #maySend(refund: Refund): boolean {
    if (refund.state === "accepted") return false;
    if (refund.attempts === 0) return true;
    const { refundIdempotent, refundKeyLifeMs = Number.POSITIVE_INFINITY } = this.#parts.open.account.capabilities;
    // The bank remembers the number for a time that begins with the first attempt. The age of the order is a safe measure of this time,
    // because the order is older than the first attempt.
    if (refundIdempotent) return this.#ageMs(refund.askedAtMs) < refundKeyLifeMs;
    // A request without an answer may reach the bank after a reading. At some banks a repeat makes a second refund. So the bank is read
    // once more before a repeat.
    return refund.state !== "sent" && refund.reason?.code !== "no-answer";
  }

  #ageMs(sinceMs: number): number {
    return this.#parts.services.clock.nowMs() - sinceMs;
  }

  async #send(refund: Refund): Promise<void> {
    if (!(await this.#parts.pace.mayAsk(this.#parts.deadline))) return;
    const number = await this.#intend(refund);
    if (number === undefined) return;
    const order = this.#orderOf({ ...refund, beforeKopecks: refund.beforeKopecks ?? this.#payment.refundedKopecks });
    const refunded = await this.#parts.open.client.refund(order, this.#parts.deadline);
    await this.#takeAnswer(refund, refunded, { number, outcome: refunded.kind });
  }

  async #takeAnswer(refund: Refund, refunded: Refunded, call: { number: number; outcome: string }): Promise<void> {
    const id = "bankRefundId" in refunded && refunded.bankRefundId !== undefined ? { bankRefundId: refunded.bankRefundId } : {};
    switch (refunded.kind) {
      case "accepted":
        return this.#change(refund, { state: "accepted", call, ...id });
      case "done":
        return this.#change(refund, { state: "done", call, ...id });
      case "refused":
        return this.#change(refund, { ...this.#afterRefusal(refund, refunded), call });
      case "busy":
        return this.#change(refund, { state: "queued", nextTryAtMs: this.#parts.services.clock.nowMs() + BUSY_PAUSE_MS, call });
      case "unknown":
        return this.#change(refund, { state: "sent", call });
    }
  }

  async #takeReading(refund: Refund, reading: RefundReading): Promise<void> {
    switch (reading.kind) {
      case "pending":
        return refund.state === "accepted" ? undefined : this.#change(refund, { state: "accepted" });
      case "done":
        return this.#change(refund, { state: "done" });
      case "refused":
        return this.#change(refund, this.#afterRefusal(refund, reading));
      case "none":
        // The bank has accepted the refund and no longer shows it. A person decides: another attempt could be a second refund.
        if (refund.state === "accepted") return this.#change(refund, { state: "person", reason: { code: "no-answer" } });
        return this.#change(refund, this.#afterRefusal(refund, { reason: { code: "no-answer" }, next: "later" }));
      case "busy":
      case "unknown":
        return;
    }
  }

  /** Plans the next attempt if the bank allows one. Otherwise the refund ends, or a person must look. */
  #afterRefusal({ cause }: Refund, { reason, next }: { reason: PaymentReason; next: "later" | "person" }): RefundChange {
    const { refundAttempts } = this.#parts.open.account.capabilities;
    const attempts = this.#refunds.reduce((sum, each) => sum + each.attempts, 0);
    const isOver = next === "person" || (refundAttempts !== undefined && attempts >= refundAttempts.most);
    // If the bank finally refuses a refund that the till ordered, the till is told. For any other refund, or when the attempts are used up,
    // a person decides.
    if (isOver) return { state: next === "person" && cause === "till" ? "refused" : "person", reason };
    const minGapMs = refundAttempts?.minGapMs ?? RETRY_PAUSE_MS;
    return { state: "queued", reason, nextTryAtMs: this.#parts.services.clock.nowMs() + minGapMs };
  }

  /** Stores the attempt before it is made. Undefined: the lease is lost or nearly over, so nothing may be sent. */
  async #intend(refund: Refund): Promise<number | undefined> {
    const { services, lease } = this.#parts;
    const nowMs = services.clock.nowMs();
    const number = await services.store.commit(async (tx) => {
      if (!(await services.leases.holds(tx, lease))) return undefined;
      const payment = await locked(tx, this.#payment.id);
      const before = refund.beforeKopecks ?? payment.refundedKopecks;
      const attempt = { state: "sent", attempts: refund.attempts + 1, tried_at_ms: nowMs, before_kopecks: before };
      await updateRefund(tx, payment.id, refund.number, attempt);
      await applyEvent(tx, payment, { kind: "refund" }, { nowMs, refunds: this.#refunds, lateMoney: "person" });
      return insertCall(tx, {
        payment_id: payment.id,
        call: "refund",
        refund_number: refund.number,
        order_hash: hashOf(this.#orderOf({ ...refund, beforeKopecks: before })),
        at_ms: nowMs,
      });
    });
    await this.#reload();
    return lease.isSafe() ? number : undefined;
  }

  async #change(refund: Refund, { state, reason, nextTryAtMs, bankRefundId, call }: RefundChange): Promise<void> {
    const { services, lease } = this.#parts;
    const nowMs = services.clock.nowMs();
    const held = await services.store.commit(async (tx) => {
      if (!(await services.leases.holds(tx, lease))) return false;
      if (call !== undefined) await endCall(tx, this.#payment.id, call.number, call.outcome, nowMs);
      await updateRefund(tx, this.#payment.id, refund.number, {
        state,
        next_try_at_ms: nextTryAtMs ?? null,
        ...(reason === undefined ? {} : { reason: JSON.stringify(reason) }),
        ...(bankRefundId === undefined ? {} : { bank_refund_id: bankRefundId }),
      });
      await endRefunds(tx, this.#payment.id, nowMs);
      return true;
    }, "outcome");
    await this.#reload();
    if (held && (state === "person" || state === "refused")) this.#alert(refund, reason);
  }

  async #reload(): Promise<void> {
    const { id } = this.#payment;
    const found = await this.#parts.services.store.read((db) => paymentWithRefunds(db, id));
    if (found === undefined) return;
    this.#payment = found.payment;
    this.#refunds = found.refunds;
  }

  #orderOf(refund: Refund): RefundOrder & { bankRefundId?: string } {
    const { id, bankId, amountKopecks, refundedKopecks } = this.#payment;
    return {
      paymentId: id,
      bankId: bankId ?? "",
      number: refund.number,
      amountKopecks: refund.amountKopecks,
      paidKopecks: amountKopecks,
      refundedBeforeKopecks: refund.beforeKopecks ?? refundedKopecks,
      ...(refund.bankRefundId === undefined ? {} : { bankRefundId: refund.bankRefundId }),
    };
  }

  #alert({ number, cause }: Refund, reason: PaymentReason | undefined): void {
    const { id, operationId, accountId, storeId, acquirer } = this.#payment;
    const why = reason === undefined ? {} : { reason: reason.code, bankCode: reason.bankCode };
    this.#parts.services.log.error(
      { payment: id, operationId, accountId, storeId, acquirer, refund: number, cause, ...why },
      "a refund failed; a person must look at it",
    );
  }
}

const BUSY_PAUSE_MS = 5_000;
/** The pause between two attempts where the bank has no rule. */
const RETRY_PAUSE_MS = 60_000;
