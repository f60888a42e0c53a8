import type { BankPayment, Created, PaymentOrder } from "../../acquirers/acquirer.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import type { PaymentReason } from "../../model/payment.ts";
import type { OpenAccount } from "../clients.ts";
import type { PaymentChange } from "../payment-queries.ts";
import { isOpen } from "../states.ts";
import type { CallPace } from "./call-pace.ts";
import { differs } from "./differing-answer.ts";
import { asksForAnotherSum } from "./qr-text.ts";
import type { Stored, TurnRecord } from "./turn-record.ts";

/** How the making of a payment ended in this turn, for the waiting till. */
export type MakingEnd =
  | { kind: "made" }
  | { kind: "refused"; reason: PaymentReason }
  | { kind: "busy" }
  | { kind: "unknown"; problem: string };

interface MakingParts {
  record: TurnRecord;
  open: OpenAccount;
  clock: Clock;
  notificationUrl: string | undefined;
  pace: CallPace;
  /** All calls to the bank end by this time. */
  deadline: Deadline;
}

/**
 * Makes a payment at the bank, or finds the payment of an earlier call whose answer was lost or whose process has ended (qr-acquirers 7.1).
 */
export class Making {
  readonly #parts: MakingParts;

  constructor(parts: MakingParts) {
    this.#parts = parts;
  }

  /**
   * `begun`: the number of the intent that the caller has stored. Returns undefined when the lease was lost, or when the payment needs no
   * code.
   */
  async run(begun: number | undefined): Promise<MakingEnd | undefined> {
    const { record, open, pace, deadline } = this.#parts;
    // After a slow commit the lease may have ended, or the till may have cancelled. Then the next turn first looks for the payment at the
    // bank.
    if (begun !== undefined && record.lease.isSafe() && record.payment.state === "creating") return this.#create(begun);
    if (begun !== undefined) return { kind: "unknown", problem: "the bank was not asked in time" };
    if (record.payment.bankId === undefined && (await record.earlierMaking()).asked) {
      if (!(await pace.mayAsk(deadline))) return this.#lost("the account may not be asked now");
      const isOver = !isOpen(record.payment.state);
      const found = await open.client.find({ ...this.#order(), isOver }, deadline);
      switch (found.kind) {
        case "payment":
          return this.#takeOver(found.payment);
        case "busy":
          return this.#lost("the acquirer is busy");
        case "unknown":
          return this.#lost(found.problem);
        case "none":
          // Nobody waits for the code of a cancelled or expired payment.
          if (record.payment.cancelled || this.#isOver()) {
            if (isOver) record.noteRead();
            await record.apply({ kind: "refused" }, {}, { code: "no-answer" });
            return { kind: "refused", reason: { code: "no-answer" } };
          }
          break;
        case "repeat-create":
          if (isOver) return this.#lost("a payment that has ended is not made again");
          break;
      }
    }
    return this.#ask();
  }

  async #ask(): Promise<MakingEnd | undefined> {
    const number = await this.#parts.record.intend("create", this.#order());
    return number === undefined ? undefined : this.#create(number);
  }

  async #create(number: number): Promise<MakingEnd> {
    const { open, pace, deadline } = this.#parts;
    pace.noteAsked();
    return this.#takeCreated(number, await open.client.create(this.#order(), deadline));
  }

  async #takeCreated(number: number, created: Created): Promise<MakingEnd> {
    const { record } = this.#parts;
    const end = { call: { number, outcome: created.kind } };
    switch (created.kind) {
      case "created": {
        const change = { bank_id: created.bankId, qr_text: created.qrText, bank_expires_at_ms: this.#bankExpiry(created.expiresAtMs) };
        if (asksForAnotherSum(created.qrText, record.payment.amountKopecks)) return this.#refuseCode(end, { ...change, qr_text: null });
        await record.apply({ kind: "created" }, { ...end, change, last: true });
        return { kind: "made" };
      }
      case "begun": {
        const more = { ...end, change: { bank_id: created.bankId } };
        if (created.mismatch !== true) return this.#lost(created.problem, more);
        await record.apply({ kind: "mismatch" }, more, { code: "mismatch" });
        return { kind: "unknown", problem: created.problem };
      }
      case "refused":
        if (created.alert) record.alert("the acquirer refuses because of its settings", { reason: created.reason });
        return this.#endUnmade(number, end, { kind: "refused", reason: created.reason });
      case "busy":
        return this.#endUnmade(number, end, { kind: "busy" });
      case "unknown":
        return this.#lost(created.problem, end);
    }
  }

  /**
   * The call `number` has certainly made no payment. If an earlier call without an answer may have made the payment, the payment stays open
   * until the bank shows it.
   */
  async #endUnmade(number: number, end: Stored, making: MakingEnd & { kind: "refused" | "busy" }): Promise<MakingEnd> {
    const { record } = this.#parts;
    if ((await record.earlierMaking(number)).inDoubt) return this.#lost("an earlier call got no answer", end);
    await record.apply({ kind: "refused" }, end, making.kind === "refused" ? making.reason : { code: "no-answer" });
    return making;
  }

  async #lost(problem: string, stored: Stored = {}): Promise<MakingEnd> {
    await this.#parts.record.apply({ kind: "lost" }, stored);
    return { kind: "unknown", problem };
  }

  /** Takes over a payment that the bank has made. Asks for its code if a buyer can still use it. */
  async #takeOver(found: BankPayment): Promise<MakingEnd | undefined> {
    const { record } = this.#parts;
    const code = found.qrText === undefined ? {} : { qr_text: found.qrText };
    const change = { bank_id: found.bankId, bank_expires_at_ms: this.#bankExpiry(undefined), ...code };
    if (differs(record.payment, found)) {
      await record.apply({ kind: "mismatch" }, { change }, { code: "mismatch" });
      return { kind: "unknown", problem: "the bank names another payment" };
    }
    if (found.status !== "waiting") {
      await record.apply({ kind: "bank", status: found.status }, { change: { ...change, raw_status: found.rawStatus } }, found.reason);
      return undefined;
    }
    if (found.qrText !== undefined || record.payment.cancelled || !isOpen(record.payment.state)) {
      await record.apply({ kind: "created" }, { change });
      return found.qrText === undefined ? undefined : { kind: "made" };
    }
    await record.apply({ kind: "lost" }, { change });
    return this.#ask();
  }

  /** The code asks for another sum. It must not be shown, and the payment at the bank must end. */
  async #refuseCode(end: Stored, change: PaymentChange): Promise<MakingEnd> {
    const { record } = this.#parts;
    record.alert("a QR code asks for another sum than ordered; the payment is cancelled");
    await record.apply({ kind: "created" }, { ...end, change });
    await record.apply({ kind: "cancel" }, { change: { cancelled: 1 } }, { code: "wrong-code" });
    return { kind: "refused", reason: { code: "wrong-code" } };
  }

  #order(): PaymentOrder {
    const { notificationUrl, record } = this.#parts;
    const { id, amountKopecks, expiresAtMs, description, storeId, bankId } = record.payment;
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

  #bankExpiry(stated: number | undefined): number | null {
    const { open, record } = this.#parts;
    const { expiry } = open.account.capabilities;
    return stated ?? (expiry.kind === "fixed" ? record.payment.createdAtMs + expiry.lifeMs : null);
  }

  #isOver(): boolean {
    return this.#parts.clock.nowMs() >= this.#parts.record.payment.expiresAtMs;
  }
}
