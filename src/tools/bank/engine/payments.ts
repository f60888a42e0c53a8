import { type Announcer, NEW_FIELDS, type PaymentEvent } from "./announcer.ts";
import type { BankClock } from "./bank-clock.ts";
import type { Faults } from "./faults.ts";
import type { KeptAnswer } from "./kept-answer.ts";
import type { Ledger } from "./ledger.ts";
import { uuidOf } from "./made-values.ts";
import { type DeclineReason, dueAtMs, type Notice, type Order, type Payment, type Refund } from "./payment.ts";

/** The duration of a refund on the bank's clock. The control line can end a refund within this time. */
const REFUND_TAKES_MS = 2_000;
/**
 * Enough for each state and each refund, all sent twice, and for some notifications that the control line orders. A further notification is
 * never sent.
 */
const MAX_NOTICES = 100;
/** How long a notice stays after its last try, unless `received` removes it before. */
const LAST_TRY_MS = 60_000;

interface PaymentsParts {
  readonly ledger: Ledger;
  readonly clock: BankClock;
  readonly faults: Faults;
  readonly announcer: Announcer;
  /**
   * The time from the first display of the code to the buyer's payment, or from the end of a payment to its late payment. Undefined: only
   * the control line pays.
   */
  readonly payAfterMs: number | undefined;
  /** Receives the notifications of payments that name no address. */
  readonly notifyUrl: string | undefined;
  /** Sends a notification. Called only when the changes that the notification tells of are written. */
  readonly deliver: (paymentId: string, notice: Notice) => void;
}

/** Makes all changes of payments. `commit` writes them to the file. */
export class Payments {
  readonly #parts: PaymentsParts;
  /** Notifications whose changes are not written yet. */
  #undelivered: { paymentId: string; notice: Notice }[] = [];

  constructor(parts: PaymentsParts) {
    this.#parts = parts;
  }

  get seed(): number {
    return this.#parts.ledger.seed;
  }

  get count(): number {
    return this.#parts.ledger.count;
  }

  get isFull(): boolean {
    return this.#parts.ledger.isFull;
  }

  nowMs(): number {
    return this.#parts.clock.nowMs();
  }

  all(): Iterable<Payment> {
    return this.#parts.ledger.all();
  }

  payment(id: string): Payment | undefined {
    return this.#parts.ledger.payment(id);
  }

  byOrder(orderId: string): Payment | undefined {
    return this.#parts.ledger.byOrder(orderId);
  }

  byRefund(refundId: string): Payment | undefined {
    return this.#parts.ledger.byRefund(refundId);
  }

  answer(key: string): KeptAnswer | undefined {
    return this.#parts.ledger.answer(key);
  }

  keepAnswer(answer: KeptAnswer): void {
    this.#parts.ledger.keepAnswer(answer);
  }

  create(wanted: { id: string; orderId: string | null; amountKopecks: number; expiresAtMs: number; order: Order }): Payment {
    const fresh = { refunds: [], refundAttempts: 0, notices: [], nextNotice: 1, codeShown: false, state: { kind: "waiting" } } as const;
    return this.#put({ ...wanted, ...fresh, createdAtMs: this.nowMs() });
  }

  /** Call it when the merchant gets the code: the buyer sees the code from now on. */
  showCode(payment: Payment): Payment {
    const { payAfterMs } = this.#parts;
    return this.#put({ ...payment, codeShown: true, ...(payAfterMs === undefined ? {} : { payAtMs: this.nowMs() + payAfterMs }) });
  }

  pay(payment: Payment, atMs = this.nowMs()): Payment {
    return this.#announced({ ...withoutPayment(payment), state: { kind: "paid", atMs } });
  }

  decline(payment: Payment, reason: DeclineReason): Payment {
    return this.#announced({ ...withoutPayment(payment), state: { kind: "declined", atMs: this.nowMs(), reason } });
  }

  expire(payment: Payment, atMs = this.nowMs()): Payment {
    return this.#announced({ ...this.#maybePaidLater(payment, atMs), state: { kind: "expired", atMs } });
  }

  cancel(payment: Payment): Payment {
    const atMs = this.nowMs();
    return this.#announced({ ...this.#maybePaidLater(payment, atMs), state: { kind: "cancelled", atMs } });
  }

  /** Counts an attempt, even if the refund is then refused. */
  countRefundAttempt(payment: Payment): Payment {
    return this.#put({ ...payment, refundAttempts: payment.refundAttempts + 1 });
  }

  refund(payment: Payment, { amountKopecks, description }: { amountKopecks: number; description?: string }): [Payment, Refund] {
    const askedAtMs = this.nowMs();
    const refund: Refund = {
      id: uuidOf(this.seed, "refund", payment.id, payment.refunds.length),
      amountKopecks,
      ...(description === undefined ? {} : { description }),
      askedAtMs,
      dueAtMs: askedAtMs + REFUND_TAKES_MS,
      willBe: this.#parts.faults.strikes("refund-refused") ? "refused" : "done",
      state: "pending",
    };
    return [this.#put({ ...payment, refunds: [...payment.refunds, refund] }), refund];
  }

  endRefund(payment: Payment, refund: Refund, state: "done" | "refused"): Payment {
    const ended: Refund = { ...refund, state };
    const after = { ...payment, refunds: payment.refunds.map((each) => (each.id === refund.id ? ended : each)) };
    return this.#announced(after, { kind: "refund", refund: ended });
  }

  /**
   * Plans a notification of the last done refund or, if no refund is done, of the payment's state. The next `settle` and `commit` send it. Ignores the
   * faults no-notifications and double-notifications. False: there is nothing to send, nowhere to send it, or no room for it.
   */
  notify(payment: Payment): boolean {
    const refund = payment.refunds.findLast(({ state }) => state === "done");
    const event: PaymentEvent = refund === undefined ? { kind: "payment" } : { kind: "refund", refund };
    const noticed = this.#noticed(payment, event, 1);
    if (noticed === payment) return false;
    this.#put(noticed);
    return true;
  }

  /** Removes a received notification, so it is not sent again. */
  received(paymentId: string, notice: number): void {
    const payment = this.payment(paymentId);
    if (payment === undefined) return;
    this.#put({ ...payment, notices: payment.notices.filter(({ number }) => number !== notice) });
    this.commit();
  }

  advance(byMs: number): void {
    this.#parts.clock.advance(byMs);
    this.#parts.ledger.advanced(byMs);
  }

  /** Performs everything that is due now. The next `commit` writes it. */
  settle(): void {
    const nowMs = this.nowMs();
    for (const { id } of this.#parts.ledger.due(nowMs)) {
      let payment = this.payment(id);
      // The loop ends, because each step removes what was due: the payment ends, a refund ends, a notice is postponed or removed.
      while (payment !== undefined && dueAtMs(payment) <= nowMs) payment = this.#step(payment, nowMs);
    }
  }

  /** Writes all changes, and then sends the notifications that are due. Throws a `Failure` when nothing can be written. */
  commit(): void {
    const undelivered = this.#undelivered;
    this.#undelivered = [];
    this.#parts.ledger.commit();
    for (const { paymentId, notice } of undelivered) this.#parts.deliver(paymentId, notice);
  }

  /** Performs one due event: first the payment expires or is paid, then a refund ends, then notifications are sent. */
  #step(payment: Payment, nowMs: number): Payment {
    const { state, payAtMs = Number.POSITIVE_INFINITY, expiresAtMs } = payment;
    if (state.kind === "waiting" && expiresAtMs <= Math.min(nowMs, payAtMs)) return this.expire(payment, expiresAtMs);
    if (state.kind !== "paid" && payAtMs <= nowMs) return this.pay(payment, payAtMs);
    const refund = payment.refunds.find((each) => each.state === "pending" && each.dueAtMs <= nowMs);
    if (refund !== undefined) return this.endRefund(payment, refund, refund.willBe);
    return this.#sendDue(payment, nowMs);
  }

  /** The next `commit` sends the due notices. Immediately plans the next try of each. `received` later removes a delivered notice. */
  #sendDue(payment: Payment, nowMs: number): Payment {
    const { announcer } = this.#parts;
    const notices = payment.notices.flatMap((notice) => {
      if (notice.dueAtMs > nowMs) return [notice];
      if (notice.tries > announcer.repeatAfterMs.length) return [];
      this.#undelivered.push({ paymentId: payment.id, notice });
      return [{ ...notice, tries: notice.tries + 1, dueAtMs: nowMs + (announcer.repeatAfterMs[notice.tries] ?? LAST_TRY_MS) }];
    });
    return this.#put({ ...payment, notices });
  }

  /**
   * Sets when the buyer pays a cancelled or expired payment: `payAfterMs` after the end. Never without `payAfterMs`, or if the fault
   * late-payment does not strike.
   */
  #maybePaidLater(payment: Payment, endedAtMs: number): Payment {
    const { payAfterMs, faults } = this.#parts;
    const isLate = faults.strikes("late-payment") && payAfterMs !== undefined;
    return isLate ? { ...payment, payAtMs: endedAtMs + payAfterMs } : withoutPayment(payment);
  }

  #announced(payment: Payment, event: PaymentEvent = { kind: "payment" }): Payment {
    const { faults } = this.#parts;
    const times = faults.strikes("double-notifications") ? 2 : 1;
    return this.#put(faults.strikes("no-notifications") ? payment : this.#noticed(payment, event, times));
  }

  /**
   * Adds the event's notification to the payment, `times` times. Returns the same object when there is nothing to send, nowhere to send it,
   * or no room for it (MAX_NOTICES).
   */
  #noticed(payment: Payment, event: PaymentEvent, times: number): Payment {
    const { announcer, notifyUrl, faults } = this.#parts;
    const url = payment.order.notifyUrl ?? notifyUrl;
    if (url === undefined || payment.notices.length + times > MAX_NOTICES) return payment;
    const body = announcer.announcement(payment, event, faults.strikes("new-field") ? NEW_FIELDS : {});
    if (body === undefined) return payment;
    const first = payment.nextNotice;
    const notices = Array.from({ length: times }, (_, index) => ({ number: first + index, url, body, tries: 0, dueAtMs: this.nowMs() }));
    return { ...payment, nextNotice: first + times, notices: [...payment.notices, ...notices] };
  }

  #put(payment: Payment): Payment {
    return this.#parts.ledger.put(payment);
  }
}

function withoutPayment({ payAtMs: _, ...payment }: Payment): Payment {
  return payment;
}
