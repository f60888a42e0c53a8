import type { BankPayment, Created, PaymentOrder, PaymentReading } from "../acquirers/acquirer.ts";
import { type Deadline, deadlineIn } from "../kernel/deadline.ts";
import type { PaymentReason } from "../model/payment.ts";
import type { Lease } from "../store/lease.ts";
import { callsOf, endCall, insertCall, refundsOf } from "./call-queries.ts";
import type { OpenAccount } from "./clients.ts";
import { applyEvent, type EventContext, locked, type Moved, schedule } from "./moves.ts";
import { matchNotifications } from "./notification-queries.ts";
import { hashOf } from "./order-hash.ts";
import { EXPIRY_BOUND_MS } from "./pace.ts";
import { isUnderWay, type LateState, type Payment, type Refund, refundOf } from "./payment.ts";
import type { PaymentChange, Tx } from "./payment-queries.ts";
import { asksForAnotherSum } from "./qr-text.ts";
import { RefundTurn } from "./refund-turn.ts";
import type { PaymentServices } from "./services.ts";
import { isOpen, type PaymentEvent } from "./states.ts";

/** A turn ends by then. It is shorter than the safe part of a lease. */
const TURN_MS = 6_000;
/** Of the turn, for the making of a payment (qr-acquirers 6). */
const CREATE_MS = 5_000;
const READ_MS = 2_500;

/** How the making of the payment ended in this turn, for the till that waits for it. */
type MakingEnd = { kind: "made" } | { kind: "refused"; reason: PaymentReason } | { kind: "busy" } | { kind: "unknown"; problem: string };

/** What a turn has found, for callers that wait for it. */
export interface TurnEnd {
  payment: Payment;
  refunds: readonly Refund[];
  making?: MakingEnd;
}

interface TurnParts {
  services: PaymentServices;
  lease: Lease;
  open: OpenAccount;
  payment: Payment;
  refunds: readonly Refund[];
  /** What happens to money after the end, by the setting. */
  lateMoney: LateState;
  notificationUrl: string | undefined;
  /** The number of the intent to create that the caller has stored already. */
  begun?: number;
  /** A reading is wanted although none is due. */
  read?: boolean;
}

/**
 * The work of one process on one payment, under its lease: makes it or finds it, cancels it, reads it, ends it, and sends its refunds.
 * Everything that changes something at the bank is stored before it is asked and completed afterwards. A process that dies in between
 * leaves an intent without an end. The next turn then looks at the bank before it asks again.
 */
export class PaymentTurn {
  readonly #parts: TurnParts;
  readonly #deadline: Deadline;
  #payment: Payment;
  #refunds: readonly Refund[];
  #making: MakingEnd | undefined;
  #wasRead = false;
  /** The lease was given back with the last event. */
  #isEnded = false;
  /** A notification had come before the bank's answer made the payment known. */
  #wasNotified = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#payment = parts.payment;
    this.#refunds = parts.refunds;
    this.#deadline = deadlineIn(parts.services.clock, TURN_MS);
  }

  async run(): Promise<TurnEnd> {
    if (this.#mustBeMade()) await this.#make();
    if (this.#isEnded) return this.#end();
    if (this.#payment.state === "cancelling" && this.#payment.bankId !== undefined) await this.#cancel();
    else if (this.#mayRead() || this.#wasNotified) await this.#read({ last: true });
    if (!this.#isEnded) {
      await this.#expire();
      await this.#sendRefunds();
      await this.#finish();
    }
    return this.#end();
  }

  #end(): TurnEnd {
    return { payment: this.#payment, refunds: this.#refunds, ...(this.#making === undefined ? {} : { making: this.#making }) };
  }

  #mustBeMade(): boolean {
    const { state, doubt, bankId, qrText } = this.#payment;
    const unmade = state === "creating" || (state === "unknown" && doubt === "lost") || (state === "cancelling" && bankId === undefined);
    return unmade && (bankId === undefined || qrText === undefined);
  }

  /** A payment whose making was begun before is looked for at the bank first. */
  async #make(): Promise<void> {
    const { services, open, begun } = this.#parts;
    const deadline = deadlineIn(services.clock, Math.min(CREATE_MS, this.#deadline.remainingMs()));
    if (begun !== undefined) return this.#create(begun, deadline);
    if (this.#payment.bankId === undefined && (await this.#wasAsked("create"))) {
      const found = await open.client.find(this.#order(), deadline);
      switch (found.kind) {
        case "payment":
          return this.#takeOver(found.payment, deadline);
        case "busy":
        case "unknown":
          this.#making = { kind: "unknown", problem: found.kind === "busy" ? "the acquirer is busy" : found.problem };
          return this.#apply({ kind: "lost" }, {});
        case "none":
          // Nobody waits for a code that the till has cancelled, or whose time is over.
          if (this.#payment.cancelled || this.#isOver()) return this.#apply({ kind: "refused" }, {}, { code: "no-answer" });
          break;
        case "repeat-create":
          break;
      }
    }
    const number = await this.#intend("create", this.#order());
    return number === undefined ? undefined : this.#create(number, deadline);
  }

  async #create(number: number, deadline: Deadline): Promise<void> {
    const created = await this.#parts.open.client.create(this.#order(), deadline);
    await this.#takeCreated(number, created);
  }

  async #takeCreated(number: number, created: Created): Promise<void> {
    const end = { call: { number, outcome: created.kind } };
    switch (created.kind) {
      case "created": {
        const { amountKopecks } = this.#payment;
        const change = { bank_id: created.bankId, qr_text: created.qrText, bank_expires_at_ms: this.#bankExpiry(created.expiresAtMs) };
        if (asksForAnotherSum(created.qrText, amountKopecks)) return this.#refuseCode(end, { ...change, qr_text: null });
        this.#making = { kind: "made" };
        return this.#apply({ kind: "created" }, { ...end, change, last: true });
      }
      case "begun":
        this.#making = { kind: "unknown", problem: created.problem };
        if (created.mismatch === true)
          return this.#apply({ kind: "mismatch" }, { ...end, change: { bank_id: created.bankId } }, { code: "mismatch" });
        return this.#apply({ kind: "lost" }, { ...end, change: { bank_id: created.bankId } });
      case "refused":
        this.#making = { kind: "refused", reason: created.reason };
        if (created.alert) this.#alert("the acquirer refuses because of its settings", { reason: created.reason });
        return this.#endUnmade(number, end, created.reason);
      case "busy":
        this.#making = { kind: "busy" };
        return this.#endUnmade(number, end, { code: "no-answer" });
      case "unknown":
        this.#making = { kind: "unknown", problem: created.problem };
        return this.#apply({ kind: "lost" }, end);
    }
  }

  /**
   * This call has certainly made no payment. That says nothing about an earlier call whose answer was lost: the payment then waits
   * for what the bank shows.
   */
  async #endUnmade(number: number, end: CallEnd, reason: PaymentReason): Promise<void> {
    const calls = await this.#parts.services.store.read((db) => callsOf(db, this.#payment.id));
    const inDoubt = calls.some(
      (each) => each.call === "create" && each.number < number && (each.outcome === null || each.outcome === "unknown"),
    );
    if (!inDoubt) return this.#apply({ kind: "refused" }, end, reason);
    this.#making = { kind: "unknown", problem: "an earlier call got no answer" };
    return this.#apply({ kind: "lost" }, end);
  }

  /** A payment that the bank had made after all. */
  async #takeOver(found: BankPayment, deadline: Deadline): Promise<void> {
    const change = {
      bank_id: found.bankId,
      bank_expires_at_ms: this.#bankExpiry(undefined),
      ...(found.qrText === undefined ? {} : { qr_text: found.qrText }),
    };
    if (this.#differs(found)) return this.#apply({ kind: "mismatch" }, { change }, { code: "mismatch" });
    if (found.status !== "waiting" || found.qrText !== undefined || this.#payment.cancelled) {
      if (found.status === "waiting") await this.#apply({ kind: "created" }, { change });
      else await this.#takeReading(found, change);
      if (found.qrText !== undefined) this.#making = { kind: "made" };
      return;
    }
    await this.#apply({ kind: "lost" }, { change });
    const number = await this.#intend("create", this.#order());
    if (number !== undefined) await this.#create(number, deadline);
  }

  /** The code asks the buyer for another sum: it must not be shown, and the bank's payment must end. */
  async #refuseCode(end: CallEnd, change: PaymentChange): Promise<void> {
    this.#making = { kind: "refused", reason: { code: "wrong-code" } };
    this.#alert("a QR code asks for another sum than ordered; the payment is cancelled", {});
    await this.#apply({ kind: "created" }, { ...end, change });
    await this.#apply({ kind: "cancel" }, { change: { cancelled: 1 } }, { code: "wrong-code" });
  }

  async #cancel(): Promise<void> {
    const { client } = this.#parts.open;
    const { bankId, amountKopecks } = this.#payment;
    if (bankId === undefined) return;
    // The buyer may have paid already: a cancel would then be a refund that nobody has numbered.
    await this.#read();
    if (this.#payment.state !== "cancelling") return;
    const number = await this.#intend("cancel", { bankId });
    if (number === undefined) return;
    const cancelled = await client.cancel({ bankId, amountKopecks }, this.#deadline);
    const end = { call: { number, outcome: cancelled.kind } };
    if (cancelled.kind === "not-supported") return this.#apply({ kind: "cancel-ended" }, end);
    await this.#apply(undefined, end);
    // Whatever the bank has answered, only a reading tells what has become of the payment.
    if (cancelled.kind !== "busy") await this.#read();
  }

  #mayRead(): boolean {
    const { bankId, nextReadAtMs, state } = this.#payment;
    if (bankId === undefined || this.#making?.kind === "made") return false;
    const due = nextReadAtMs !== undefined && nextReadAtMs <= this.#parts.services.clock.nowMs();
    return this.#parts.read === true || (due && (isOpen(state) || !this.#refunds.some(isUnderWay)));
  }

  /** `last`: the turn ends with this reading, unless something has to follow. */
  async #read({ last = false } = {}): Promise<void> {
    const { client } = this.#parts.open;
    const { bankId } = this.#payment;
    if (bankId === undefined) return;
    const { clock } = this.#parts.services;
    const reading = await client.read(bankId, deadlineIn(clock, Math.min(READ_MS, this.#deadline.remainingMs())));
    await this.#takeAnswer(reading, last);
  }

  async #takeAnswer(reading: PaymentReading, last: boolean): Promise<void> {
    switch (reading.kind) {
      case "payment":
        this.#wasRead = true;
        return this.#takeReading(reading.payment, {}, last);
      case "refused":
        // A bank that knows nothing of a payment which it has made, or does not take our credentials: nothing is certain.
        this.#alert("the acquirer does not let a payment be read", { reason: reading.reason });
        return;
      case "busy":
      case "unknown":
        return;
    }
  }

  async #takeReading(found: BankPayment, more: PaymentChange, last = false): Promise<void> {
    const change = { ...more, raw_status: found.rawStatus };
    if (this.#differs(found)) return this.#apply({ kind: "mismatch" }, { change }, { code: "mismatch" });
    if (found.alert === true) this.#alert("the acquirer shows a status that cannot occur", { status: found.rawStatus });
    await this.#apply({ kind: "bank", status: found.status }, { change, last }, found.reason);
  }

  /** Our expiry counts once the bank was read after it, or could not be read for too long. */
  async #expire(): Promise<void> {
    const { expiresAtMs, bankId, state } = this.#payment;
    const lateMs = this.#parts.services.clock.nowMs() - expiresAtMs;
    if (lateMs < 0 || !isOpen(state)) return;
    if (this.#wasRead || lateMs >= EXPIRY_BOUND_MS || (bankId === undefined && state !== "unknown" && this.#making === undefined))
      await this.#apply({ kind: "expired" }, {}, { code: "expired" });
  }

  async #sendRefunds(): Promise<void> {
    if (!this.#refunds.some(isUnderWay)) return;
    const { services, lease, open } = this.#parts;
    const turn = new RefundTurn({ services, lease, open, payment: this.#payment, refunds: this.#refunds, deadline: this.#deadline });
    const end = await turn.run();
    this.#payment = end.payment;
    this.#refunds = end.refunds;
  }

  /** The end of a turn that did more than read. */
  async #finish(): Promise<void> {
    const { services, lease } = this.#parts;
    const nowMs = services.clock.nowMs();
    await services.store.commit(async (tx) => {
      const payment = await locked(tx, this.#payment.id);
      const refunds = (await refundsOf(tx, payment.id)).map(refundOf);
      this.#payment = (await services.leases.holds(tx, lease)) ? await this.#giveBack(tx, { payment, refunds }, nowMs) : payment;
      this.#refunds = refunds;
    }, "outcome");
  }

  /** Stores what is about to be asked of the bank. Undefined: the lease is lost or nearly over, and nothing may be asked. */
  async #intend(call: string, order: object): Promise<number | undefined> {
    const { services, lease } = this.#parts;
    const number = await services.store.commit(async (tx) => {
      if (!(await services.leases.holds(tx, lease))) return undefined;
      return insertCall(tx, {
        payment_id: this.#payment.id,
        call,
        refund_number: null,
        order_hash: hashOf(order),
        at_ms: services.clock.nowMs(),
      });
    });
    return lease.isSafe() ? number : undefined;
  }

  /** One transaction: the end of a call, the event, and what follows. Nothing changes when another process holds the payment. */
  async #apply(event: PaymentEvent | undefined, { call, change = {}, last = false }: CallEnd, reason?: PaymentReason): Promise<void> {
    const { services, lease, lateMoney } = this.#parts;
    const nowMs = services.clock.nowMs();
    const moved = await services.store.commit(async (tx): Promise<Moved | undefined> => {
      if (!(await services.leases.holds(tx, lease))) return undefined;
      const payment = await locked(tx, this.#payment.id);
      const refunds = (await refundsOf(tx, payment.id)).map(refundOf);
      if (call !== undefined) await endCall(tx, payment.id, call.number, call.outcome, nowMs);
      const context: EventContext = { nowMs, refunds, lateMoney, change, ...(reason === undefined ? {} : { reason }) };
      const standing = change.cancelled === 1 ? { ...payment, cancelled: true } : payment;
      const after = event === undefined ? { payment, refunds } : await applyEvent(tx, standing, event, context);
      if (change.bank_id !== undefined) await this.#hurryFor(tx, after.payment);
      return last && !this.#mustGoOn(after, nowMs) ? { ...after, payment: await this.#giveBack(tx, after, nowMs) } : after;
    }, "outcome");
    if (moved === undefined) return;
    this.#isEnded = last && !this.#mustGoOn(moved, nowMs);
    this.#tell(moved);
    this.#payment = moved.payment;
    this.#refunds = moved.refunds;
  }

  /** Something has to follow in this turn: a cancel, a reading, the end by our expiry, or a refund. */
  #mustGoOn({ payment, refunds }: Moved, nowMs: number): boolean {
    if (payment.state === "cancelling" || this.#wasNotified) return true;
    return refunds.some(isUnderWay) || (isOpen(payment.state) && nowMs >= payment.expiresAtMs);
  }

  /** Stores when the bank is asked next, and gives the lease back. */
  async #giveBack(tx: Tx, { payment, refunds }: Pick<Moved, "payment" | "refunds">, nowMs: number): Promise<Payment> {
    const { leases } = this.#parts.services;
    await schedule(tx, payment, refunds, nowMs, this.#wasRead);
    await leases.releaseIn(tx, this.#parts.lease);
    return locked(tx, payment.id);
  }

  /** A notification may have come before the answer that made the payment known. */
  async #hurryFor(tx: Tx, payment: Payment): Promise<void> {
    const { bankId, id, acquirer } = payment;
    if (bankId === undefined) return;
    const early = await matchNotifications(tx, payment, { acquirer, bankId, paymentId: id });
    this.#wasNotified = early;
    if (early) this.#parts.services.log.info({ payment: id }, "a bank's notification had come before its answer");
  }

  #tell({ payment, alert }: Moved): void {
    const { services } = this.#parts;
    if (payment.state !== this.#payment.state && !isOpen(payment.state)) services.observe.ended(payment.acquirer, payment.state);
    if (alert === "late-money") {
      services.observe.lateMoney();
      this.#alert("money came after the end of a payment", { lateMoney: payment.late?.state });
    } else if (alert !== undefined) this.#alert("a person must look at a payment", { why: alert, status: payment.rawStatus });
  }

  /** A line for a person. The reason's words are the bank's and may name the buyer, so that only its codes are written. */
  #alert(text: string, values: { reason?: PaymentReason } & Record<string, unknown>): void {
    const { reason, ...more } = values;
    const { id, operationId, accountId, storeId, acquirer } = this.#payment;
    const why = reason === undefined ? {} : { reason: reason.code, bankCode: reason.bankCode };
    this.#parts.services.log.error({ payment: id, operationId, accountId, storeId, acquirer, ...why, ...more }, text);
  }

  #order(): PaymentOrder {
    const { id, amountKopecks, expiresAtMs, description, storeId, bankId } = this.#payment;
    const { notificationUrl } = this.#parts;
    return {
      paymentId: id,
      amountKopecks,
      expiresAtMs,
      description,
      storeId,
      ...(notificationUrl === undefined ? {} : { notificationUrl }),
      ...(bankId === undefined ? {} : { bankId }),
    };
  }

  #differs({ amountKopecks, currency, paymentId }: BankPayment): boolean {
    const { id, amountKopecks: ordered } = this.#payment;
    return amountKopecks !== ordered || (currency !== undefined && currency !== "RUB") || (paymentId !== undefined && paymentId !== id);
  }

  #bankExpiry(stated: number | undefined): number | null {
    const { expiry } = this.#parts.open.account.capabilities;
    return stated ?? (expiry.kind === "fixed" ? this.#payment.createdAtMs + expiry.lifeMs : null);
  }

  #isOver(): boolean {
    return this.#parts.services.clock.nowMs() >= this.#payment.expiresAtMs;
  }

  async #wasAsked(call: string): Promise<boolean> {
    const calls = await this.#parts.services.store.read((db) => callsOf(db, this.#payment.id));
    return calls.some((each) => each.call === call);
  }
}

interface CallEnd {
  call?: { number: number; outcome: string };
  change?: PaymentChange;
  /** Nothing has to follow, unless the event makes it. */
  last?: boolean;
}
