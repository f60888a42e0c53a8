import type { BankPayment } from "../../acquirers/acquirer.ts";
import { type Deadline, deadlineIn } from "../../kernel/deadline.ts";
import type { Lease } from "../../store/lease.ts";
import type { OpenAccount } from "../clients.ts";
import { isUnderWay, type LateState, type Payment, type Refund } from "../payment.ts";
import { EXPIRY_BOUND_MS, isPerhapsMade } from "../refresh-times.ts";
import { PAYMENT_LEASE_MS, type PaymentServices } from "../services.ts";
import { isOpen, isRejected } from "../states.ts";
import type { CallPace } from "./call-pace.ts";
import { differs } from "./differing-answer.ts";
import { Making, type MakingEnd } from "./making.ts";
import { RefundTurn } from "./refund-turn.ts";
import { TurnRecord } from "./turn-record.ts";

/** The longest time of a turn. The rest of the lease's time is for the commits of a slow database. */
const TURN_MS = PAYMENT_LEASE_MS * 0.6;
/** The time for the making of a payment: 5 s (qr-acquirers 6). The rest of the turn is for storing the result. */
const CREATE_MS = TURN_MS - 1_000;
const READ_MS = 2_500;
/** Money found this long after the expiry still counts as in time. Readings are at most 30 s apart, and one may fail. */
const EXPIRY_GRACE_MS = 60_000;

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
  /** The setting `lateMoney`: what happens to money that comes after the payment has ended. */
  lateMoney: LateState;
  notificationUrl: string | undefined;
  pace: CallPace;
  begun?: number;
  read?: boolean;
}

/**
 * The work of one process on one payment, under the payment's lease. A turn makes or finds the payment at the bank, cancels it, reads it,
 * ends it, and sends its refunds. Every call that changes something at the bank is stored before it is made, and its end afterwards. A
 * process that dies in between leaves an intent without an end. The next turn then looks for the payment at the bank before it repeats the
 * call.
 */
export class PaymentTurn {
  readonly #parts: TurnParts;
  readonly #record: TurnRecord;
  readonly #deadline: Deadline;
  #making: MakingEnd | undefined;
  /** When the last answered reading began, in ms since the epoch. Changes at the bank after this moment are unknown. */
  #readFromMs = Number.NEGATIVE_INFINITY;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#record = new TurnRecord(parts.services, parts.lease, parts, parts.lateMoney);
    this.#deadline = deadlineIn(parts.services.clock, TURN_MS);
  }

  async run(): Promise<TurnEnd> {
    const record = this.#record;
    if (this.#mustBeMade()) await this.#make();
    if (!record.isEnded) {
      if (record.payment.state === "cancelling") await this.#cancel();
      else if (this.#mayRead()) await this.#read({ last: true });
    }
    if (!record.isEnded) {
      await this.#expire();
      await this.#sendRefunds();
      await record.finish();
    }
    const { payment, refunds } = record;
    return { payment, refunds, ...(this.#making === undefined ? {} : { making: this.#making }) };
  }

  #mustBeMade(): boolean {
    const { state, doubt, bankId, qrText, cancelled, nextReadAtMs } = this.#record.payment;
    if (state === "cancelling") return bankId === undefined;
    // An ended payment that may exist at the bank is not made. It is only searched for, and money for it counts as late.
    if (isPerhapsMade(this.#record.payment)) return this.#parts.read === true || (nextReadAtMs ?? 0) <= this.#parts.services.clock.nowMs();
    // A payment in the state `waiting` may still need its code: a reading may have set the state before the code came.
    const isUnmade = state === "creating" || (state === "unknown" && doubt === "lost") || (state === "waiting" && !cancelled);
    return isUnmade && (bankId === undefined || qrText === undefined);
  }

  async #make(): Promise<void> {
    const { services, open, notificationUrl, pace, begun } = this.#parts;
    const deadline = deadlineIn(services.clock, Math.min(CREATE_MS, this.#deadline.remainingMs()));
    const making = new Making({ record: this.#record, open, clock: services.clock, notificationUrl, pace, deadline });
    this.#making = await making.run(begun);
  }

  async #cancel(): Promise<void> {
    const record = this.#record;
    const { bankId, amountKopecks } = record.payment;
    if (bankId === undefined) return;
    // The buyer may have paid already. Then a cancel would be a refund without a number.
    await this.#read();
    if (record.payment.state !== "cancelling") return;
    if (!(await this.#parts.pace.mayAsk(this.#deadline))) return;
    const number = await record.intend("cancel", { bankId });
    if (number === undefined) return;
    const cancelled = await this.#parts.open.client.cancel({ bankId, amountKopecks }, this.#deadline);
    const end = { call: { number, outcome: cancelled.kind } };
    if (cancelled.kind === "not-supported") return record.apply({ kind: "cancel-ended" }, end);
    await record.apply(undefined, end);
    // Whatever the bank answered, only a reading shows the payment's new state.
    if (cancelled.kind !== "busy") await this.#read();
  }

  #mayRead(): boolean {
    const { bankId, nextReadAtMs, state } = this.#record.payment;
    if (this.#record.wasNotified) return true;
    if (bankId === undefined || this.#making?.kind === "made") return false;
    const due = nextReadAtMs !== undefined && nextReadAtMs <= this.#parts.services.clock.nowMs();
    return this.#parts.read === true || (due && (isOpen(state) || !this.#record.refunds.some(isUnderWay)));
  }

  /** `last`: the turn ends with this reading unless more must follow. */
  async #read({ last = false } = {}): Promise<void> {
    const { services, open, pace } = this.#parts;
    const { bankId } = this.#record.payment;
    if (bankId === undefined || !(await pace.mayAsk(this.#deadline))) return;
    const fromMs = services.clock.nowMs();
    const reading = await open.client.read(bankId, deadlineIn(services.clock, Math.min(READ_MS, this.#deadline.remainingMs())));
    switch (reading.kind) {
      case "payment":
        this.#readFromMs = fromMs;
        this.#record.noteRead();
        return this.#takeReading(reading.payment, last);
      case "refused":
        // The bank cannot find its own payment, or rejects the credentials. Nothing is certain.
        return this.#record.alert("the acquirer does not let a payment be read", { reason: reading.reason });
      case "busy":
      case "unknown":
        return;
    }
  }

  async #takeReading(found: BankPayment, last: boolean): Promise<void> {
    const record = this.#record;
    const change = { raw_status: found.rawStatus };
    if (differs(record.payment, found)) {
      const isKnown = record.payment.reason?.code === "mismatch";
      return record.apply(isKnown && !isOpen(record.payment.state) ? undefined : { kind: "mismatch" }, { change }, { code: "mismatch" });
    }
    const isStrange = found.alert === true || isUnexplained(record.payment, found);
    if (isStrange && found.rawStatus !== record.payment.rawStatus)
      record.alert("the acquirer shows a status that cannot occur", { status: found.rawStatus });
    if (found.status === "paid" && this.#isLongOver()) await record.apply({ kind: "expired" }, {}, { code: "expired" });
    await record.apply({ kind: "bank", status: found.status }, { change, last }, found.reason);
  }

  /**
   * True when the expiry passed while the bank was not read. The time of the money is unknown, so the expiry decides (surface 5). A reading
   * shortly after the expiry still counts for the buyer.
   */
  #isLongOver(): boolean {
    const { state, told, expiresAtMs } = this.#record.payment;
    return isOpen(state) && told === undefined && this.#parts.services.clock.nowMs() >= expiresAtMs + EXPIRY_GRACE_MS;
  }

  /**
   * Ends an expired payment if a reading after the expiry found no money, if the bank was never asked for the payment, or if no reading was
   * answered for too long.
   */
  async #expire(): Promise<void> {
    const record = this.#record;
    const { expiresAtMs, bankId } = record.payment;
    const lateMs = this.#parts.services.clock.nowMs() - expiresAtMs;
    if (lateMs < 0 || !isOpen(record.payment.state)) return;
    // The buyer may have paid between a reading and the end.
    if (bankId !== undefined && this.#readFromMs < expiresAtMs) await this.#read();
    if (!isOpen(record.payment.state)) return;
    const wasRead = this.#readFromMs >= expiresAtMs;
    const isUnasked = bankId === undefined && record.payment.state !== "unknown" && this.#making === undefined;
    if (!wasRead && !isUnasked && lateMs < EXPIRY_BOUND_MS) return;
    const isInDoubt = bankId === undefined && !isUnasked;
    if (isInDoubt) record.alert("a payment has expired, and it is unknown whether the bank has made it; it is looked for");
    await record.apply({ kind: "expired" }, {}, { code: isInDoubt ? "no-answer" : "expired" });
  }

  async #sendRefunds(): Promise<void> {
    const { payment, refunds } = this.#record;
    if (!refunds.some(isUnderWay)) return;
    const { services, lease, open, pace } = this.#parts;
    this.#record.take(await new RefundTurn({ services, lease, open, pace, payment, refunds, deadline: this.#deadline }).run());
  }
}

/**
 * For a payment that is not open: true when the bank shows an unlisted status. Also true when the payment ended without money, no late
 * money was handled, and the bank shows a return of money.
 */
function isUnexplained({ state, late }: Payment, { status }: BankPayment): boolean {
  if (isOpen(state)) return false;
  const moneyMoves = status === "refunding" || status === "partly refunded" || status === "refunded";
  return status === "unknown" || (isRejected(state) && late === undefined && moneyMoves);
}
