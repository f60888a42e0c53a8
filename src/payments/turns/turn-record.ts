import type { PaymentReason } from "../../model/payment.ts";
import type { Lease } from "../../store/lease.ts";
import { callsOf, endCall, insertCall } from "../call-queries.ts";
import { applyEvent, type EventContext, locked, type Moved, schedule } from "../moves.ts";
import { matchNotifications } from "../notification-queries.ts";
import { isUnderWay, type LateState, type Payment, type Refund, refundOf } from "../payment.ts";
import type { PaymentChange, Tx } from "../payment-queries.ts";
import type { StoredPayment } from "../payment-with-refunds.ts";
import { refundsOf } from "../refund-queries.ts";
import type { PaymentServices } from "../services.ts";
import { isOpen, type PaymentEvent } from "../states.ts";
import { hashOf } from "./order-hash.ts";

export interface Stored {
  call?: { number: number; outcome: string };
  change?: PaymentChange;
  /** The turn ends with this event unless more work must follow (`#mustGoOn`). */
  last?: boolean;
}

/**
 * The stored payment of one turn, and the turn's lease. Every change is one transaction, which changes nothing if another process holds the
 * lease.
 */
export class TurnRecord {
  readonly lease: Lease;
  readonly #services: PaymentServices;
  readonly #lateMoney: LateState;
  #payment: Payment;
  #refunds: readonly Refund[];
  #wasRead = false;
  #isEnded = false;
  #wasNotified = false;

  constructor(services: PaymentServices, lease: Lease, stored: StoredPayment, lateMoney: LateState) {
    this.#services = services;
    this.lease = lease;
    this.#payment = stored.payment;
    this.#refunds = stored.refunds;
    this.#lateMoney = lateMoney;
  }

  get payment(): Payment {
    return this.#payment;
  }

  get refunds(): readonly Refund[] {
    return this.#refunds;
  }

  /** True when the last event gave the lease back. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** True when a notification came before the bank's id of the payment was known. */
  get wasNotified(): boolean {
    return this.#wasNotified;
  }

  /** Notes that the bank has answered a reading. The end of the turn stores its time. */
  noteRead(): void {
    this.#wasRead = true;
  }

  take({ payment, refunds }: StoredPayment): void {
    this.#payment = payment;
    this.#refunds = refunds;
  }

  /**
   * Stores a call before the bank is asked, and returns its number. Undefined: the lease is lost or nearly over, so the bank must not be
   * asked.
   */
  async intend(call: string, order: object): Promise<number | undefined> {
    const { store, leases, clock } = this.#services;
    const number = await store.commit(async (tx) => {
      if (!(await leases.holds(tx, this.lease))) return undefined;
      const row = { payment_id: this.#payment.id, call, refund_number: null, order_hash: hashOf(order), at_ms: clock.nowMs() };
      return insertCall(tx, row);
    });
    return this.lease.isSafe() ? number : undefined;
  }

  /**
   * `asked`: a call to create the payment was stored before the call with this number, so the bank may have got it. `inDoubt`: one of these
   * earlier calls has no certain answer.
   */
  async earlierMaking(beforeNumber = Number.POSITIVE_INFINITY): Promise<{ asked: boolean; inDoubt: boolean }> {
    const calls = await this.#services.store.read((db) => callsOf(db, this.#payment.id));
    const earlier = calls.filter(({ call, number }) => call === "create" && number < beforeNumber);
    return { asked: earlier.length > 0, inDoubt: earlier.some(({ outcome }) => outcome === null || outcome === "unknown") };
  }

  /** Stores the end of a call, the event and its effects in one transaction. Changes nothing if the lease is lost. */
  async apply(event: PaymentEvent | undefined, { call, change = {}, last = false }: Stored, reason?: PaymentReason): Promise<void> {
    const { store, leases, clock } = this.#services;
    const nowMs = clock.nowMs();
    const moved = await store.commit(async (tx): Promise<Moved | undefined> => {
      if (!(await leases.holds(tx, this.lease))) return undefined;
      const payment = await locked(tx, this.#payment.id);
      const refunds = (await refundsOf(tx, payment.id)).map(refundOf);
      if (call !== undefined) await endCall(tx, payment.id, call.number, call.outcome, nowMs);
      const context: EventContext = { nowMs, refunds, lateMoney: this.#lateMoney, change, ...(reason === undefined ? {} : { reason }) };
      const standing = change.cancelled === 1 ? { ...payment, cancelled: true } : payment;
      const after = event === undefined ? { payment, refunds } : await applyEvent(tx, standing, event, context);
      if (change.bank_id !== undefined) await this.#matchEarly(tx, after.payment);
      return last && !this.#mustGoOn(after, nowMs) ? { ...after, payment: await this.#giveBack(tx, after, nowMs) } : after;
    }, "outcome");
    if (moved === undefined) return;
    this.#isEnded = last && !this.#mustGoOn(moved, nowMs);
    this.#tell(moved);
    this.take(moved);
  }

  /** Ends a turn that its last event did not end. */
  async finish(): Promise<void> {
    const { store, leases, clock } = this.#services;
    const nowMs = clock.nowMs();
    const after = await store.commit(async (tx) => {
      const payment = await locked(tx, this.#payment.id);
      const refunds = (await refundsOf(tx, payment.id)).map(refundOf);
      const held = await leases.holds(tx, this.lease);
      return { payment: held ? await this.#giveBack(tx, { payment, refunds }, nowMs) : payment, refunds };
    }, "outcome");
    this.take(after);
  }

  /** Writes a log line for a person. Only the codes of a reason are written: the bank's words may name the buyer. */
  alert(text: string, values: { reason?: PaymentReason } & Record<string, unknown> = {}): void {
    const { reason, ...more } = values;
    const { id, operationId, accountId, storeId, acquirer } = this.#payment;
    const why = reason === undefined ? {} : { reason: reason.code, bankCode: reason.bankCode };
    this.#services.log.error({ payment: id, operationId, accountId, storeId, acquirer, ...why, ...more }, text);
  }

  /** True when a cancel, a reading, the expiry or a refund must follow in this turn. */
  #mustGoOn({ payment, refunds }: StoredPayment, nowMs: number): boolean {
    if (payment.state === "cancelling" || this.#wasNotified) return true;
    return refunds.some(isUnderWay) || (isOpen(payment.state) && nowMs >= payment.expiresAtMs);
  }

  async #giveBack(tx: Tx, { payment, refunds }: StoredPayment, nowMs: number): Promise<Payment> {
    await schedule(tx, payment, refunds, nowMs, this.#wasRead);
    const after = await locked(tx, payment.id);
    const { leases } = this.#services;
    // A payment that is not read any more needs no lease. The lease is deleted, because otherwise it would stay in the table for ever.
    await (after.nextReadAtMs === undefined ? leases.forgetIn(tx, this.lease.name) : leases.releaseIn(tx, this.lease));
    return after;
  }

  async #matchEarly(tx: Tx, payment: Payment): Promise<void> {
    const { bankId, id, acquirer } = payment;
    if (bankId === undefined) return;
    if (!(await matchNotifications(tx, payment, { acquirer, bankId, paymentId: id }))) return;
    // Later changes of this turn may store the bank's id again. They find no notification then.
    this.#wasNotified = true;
    this.#services.log.info({ payment: id }, "a bank's notification had come before its answer");
  }

  #tell({ payment, alert }: Moved): void {
    const { observe } = this.#services;
    if (payment.state !== this.#payment.state && !isOpen(payment.state)) observe.ended(payment.acquirer, payment.state);
    if (alert === "late-money") {
      observe.lateMoney();
      this.alert("money came after the end of a payment", { lateMoney: payment.late?.state });
    } else if (alert !== undefined) this.alert("a person must look at a payment", { why: alert, status: payment.rawStatus });
  }
}
