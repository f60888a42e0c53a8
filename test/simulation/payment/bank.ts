import type {
  Cancelled,
  Created,
  Found,
  PaymentOrder,
  PaymentReading,
  Refunded,
  RefundOrder,
  RefundReading,
} from "../../../src/acquirers/acquirer.ts";
import type { Clock } from "../../../src/kernel/clock.ts";
import { BrokenPromise } from "../broken-promise.ts";
import type { SeededChance } from "../seeded-chance.ts";
import { type BankRecord, type BankRefund, type Character, describe, leftKopecks } from "./bank-payment.ts";
import type { PaymentTroubles } from "./troubles.ts";

const HOUR_MS = 3_600_000;
/** How long a code lives at a bank where nobody can choose. At YooKassa it is an hour. Most runs use less, to wait less. */
export const FIXED_LIVES_MS = [HOUR_MS, HOUR_MS / 5, HOUR_MS / 5, HOUR_MS / 5] as const;
/** The limits of the bank without keys on the refunds of one payment. */
export const REFUND_ATTEMPTS = { minGapMs: HOUR_MS, most: 5 };
/** The longest time for which an accepted refund is under way. */
const LONGEST_REFUND_MS = 40_000;

export interface BankSurroundings {
  clock: Clock;
  chance: SeededChance;
  troubles(): PaymentTroubles;
  /** Called when a payment has changed. */
  changed(record: BankRecord, status: string): void;
  fail(error: BrokenPromise): void;
}

/** The bank's payments, and the work of the bank when a request arrives. The bank never forgets and never dies. */
export class Bank {
  readonly character: Character;
  readonly lifeMs: number;
  readonly records: BankRecord[] = [];
  readonly #around: BankSurroundings;
  /** What the buyer does at the moment at which a cancel arrives, by the bank's id of the payment. */
  readonly #atCancel = new Map<string, () => void>();
  #count = 0;

  constructor(character: Character, around: BankSurroundings) {
    this.character = character;
    this.#around = around;
    this.lifeMs = around.chance.pick(FIXED_LIVES_MS);
  }

  record(bankId: string): BankRecord {
    const record = this.records.find((each) => each.bankId === bankId);
    if (record === undefined) throw new Error(`the bank has no payment ${bankId}`);
    return record;
  }

  /** `late`: the server has given the request up long ago, and could not have found the payment in time. */
  create(order: PaymentOrder, late: boolean): Created {
    const known = this.records.filter(({ orderId }) => orderId === order.paymentId);
    if (order.bankId !== undefined) return this.#codeOf(this.record(order.bankId));
    const [first] = known;
    if (first !== undefined && this.character === "keyed") return this.#codeOf(first);
    if (first !== undefined && !late) this.#around.fail(new BrokenPromise(`order ${order.paymentId} was given to the bank a second time`));
    const { chance } = this.#around;
    const troubles = this.#around.troubles();
    if (chance.happens(troubles.createRefused)) return { kind: "refused", reason: { code: "refused" }, alert: false };
    const record = this.#insert(order);
    this.#around.changed(record, "waiting");
    if (chance.happens(troubles.otherAmount)) {
      record.shows.wrong = true;
      return { kind: "begun", bankId: record.bankId, problem: "another amount", mismatch: true };
    }
    if (this.character === "unkeyed" && chance.happens(troubles.lostAnswer))
      return { kind: "begun", bankId: record.bankId, problem: "no code" };
    return this.#codeOf(record);
  }

  find(order: PaymentOrder): Found {
    if (this.character === "keyed" && order.isOver !== true) return { kind: "repeat-create" };
    const known = this.records.filter(({ orderId }) => orderId === order.paymentId);
    const record = known.find(({ paid }) => paid) ?? known.findLast(({ status }) => status === "waiting") ?? known.at(-1);
    return record === undefined ? { kind: "none" } : { kind: "payment", payment: this.#shown(record) };
  }

  read(bankId: string): PaymentReading {
    const record = this.record(bankId);
    record.readAtMs = this.#around.clock.nowMs();
    return { kind: "payment", payment: this.#shown(record) };
  }

  /** Ends a payment that is not paid. Returns the money of a paid one, as an attempt at a refund. */
  cancel(bankId: string): Cancelled {
    if (this.character === "keyed") return { kind: "not-supported" };
    const record = this.record(bankId);
    this.#atCancel.get(bankId)?.();
    this.#atCancel.delete(bankId);
    if (record.paid) {
      const refunded = this.#refundOnce(record, "cancel", leftKopecks(record));
      return refunded.kind === "accepted" ? { kind: "accepted" } : { kind: "final" };
    }
    if (record.status !== "waiting") return { kind: "final" };
    record.status = "cancelled";
    this.#around.changed(record, "cancelled");
    return { kind: "accepted" };
  }

  refund({ bankId, number, amountKopecks }: RefundOrder): Refunded {
    const record = this.record(bankId);
    const key = this.character === "keyed" ? `${number}` : `attempt ${record.attempts + 1}`;
    const known = record.refunds.find((refund) => refund.key === key);
    return known === undefined ? this.#refundOnce(record, key, amountKopecks) : answerOf(known);
  }

  /** The bank without keys shows only the total of its refunds, and the state of the refund that it has named. */
  readRefund({ bankId, bankRefundId, amountKopecks, refundedBeforeKopecks }: RefundOrder & { bankRefundId?: string }): RefundReading {
    const record = this.record(bankId);
    const named = record.refunds.find(({ id }) => id === bankRefundId);
    if (named !== undefined) return readingOf(named);
    const doneKopecks = record.refunds.filter(({ state }) => state === "done").reduce((sum, each) => sum + each.amountKopecks, 0);
    if (record.refunds.some(({ state }) => state === "pending")) return { kind: "pending" };
    if (doneKopecks === refundedBeforeKopecks) return { kind: "none" };
    if (doneKopecks >= refundedBeforeKopecks + amountKopecks) return { kind: "done" };
    return { kind: "unknown", problem: "neither the sum before nor the one after" };
  }

  /** The buyer pays with the code. Returns false when the bank no longer accepts it. */
  pay(bankId: string, evenLate: boolean): boolean {
    const record = this.record(bankId);
    const isOpen = record.status === "waiting" || (evenLate && (record.status === "cancelled" || record.status === "expired"));
    if (record.paid || !isOpen) return false;
    record.paid = true;
    record.status = "paid";
    this.#around.changed(record, "paid");
    return true;
  }

  decline(bankId: string): void {
    const record = this.record(bankId);
    if (record.status !== "waiting") return;
    record.status = "declined";
    this.#around.changed(record, "declined");
  }

  /** Orders what the buyer does at the moment at which a cancel arrives. */
  atCancel(bankId: string, act: () => void): void {
    this.#atCancel.set(bankId, act);
  }

  #insert(order: PaymentOrder): BankRecord {
    const { clock, chance } = this.#around;
    const { strangeForever, wrongForever } = this.#around.troubles();
    this.#count += 1;
    const nowMs = clock.nowMs();
    const endsAtMs = this.character === "keyed" ? nowMs + this.lifeMs : order.expiresAtMs;
    const record: BankRecord = {
      bankId: `${this.character}-${this.#count}`,
      orderId: order.paymentId,
      orderedKopecks: order.amountKopecks,
      status: "waiting",
      endsAtMs,
      dueAtMs: order.expiresAtMs,
      readAtMs: Number.NEGATIVE_INFINITY,
      paid: false,
      refunds: [],
      triedAtMs: Number.NEGATIVE_INFINITY,
      attempts: 0,
      notificationUrl: order.notificationUrl,
      shows: { strange: chance.happens(strangeForever), wrong: chance.happens(wrongForever) },
    };
    this.records.push(record);
    clock.after(Math.max(0, endsAtMs - nowMs), () => this.#expire(record));
    return record;
  }

  /** Ends a code without a notification, because banks send none. */
  #expire(record: BankRecord): void {
    if (record.status === "waiting") record.status = "expired";
  }

  #codeOf(record: BankRecord): Created {
    const { chance } = this.#around;
    const { bankId, orderedKopecks, endsAtMs } = record;
    const sum = orderedKopecks + (chance.happens(this.#around.troubles().wrongSum) ? 1 : 0);
    return { kind: "created", bankId, qrText: `https://qr.example/${bankId}?sum=${sum}`, expiresAtMs: endsAtMs };
  }

  #refundOnce(record: BankRecord, key: string, amountKopecks: number): Refunded {
    const { clock, chance } = this.#around;
    const troubles = this.#around.troubles();
    const nowMs = clock.nowMs();
    if (!record.paid || leftKopecks(record) < amountKopecks || amountKopecks === 0)
      return { kind: "unknown", problem: "the payment's status does not allow it" };
    if (this.character === "unkeyed") {
      const isTooSoon = nowMs - record.triedAtMs < REFUND_ATTEMPTS.minGapMs || record.attempts >= REFUND_ATTEMPTS.most;
      if (isTooSoon) return { kind: "refused", reason: { code: "refused", bankCode: "3029" }, next: "later" };
      record.triedAtMs = nowMs;
      record.attempts += 1;
      if (chance.happens(troubles.refundLater)) return { kind: "refused", reason: { code: "merchant-funds" }, next: "later" };
    }
    const refund: BankRefund = { id: `${record.bankId}/${record.refunds.length + 1}`, key, amountKopecks, state: "pending" };
    record.refunds.push(refund);
    if (chance.happens(troubles.refundRefused)) refund.state = "refused";
    else if (chance.happens(0.5)) refund.state = "done";
    else clock.after(chance.below(LONGEST_REFUND_MS), () => this.#endRefund(record, refund, chance.happens(troubles.refundFails)));
    return answerOf(refund);
  }

  #endRefund(record: BankRecord, refund: BankRefund, fails: boolean): void {
    refund.state = fails ? "refused" : "done";
    this.#around.changed(record, fails ? "paid" : "refunded");
  }

  #shown(record: BankRecord) {
    const { chance } = this.#around;
    const { strangeStatus, wrongAmount } = this.#around.troubles();
    return describe(record, this.character, { strange: chance.happens(strangeStatus), wrong: chance.happens(wrongAmount) });
  }
}

function answerOf(refund: BankRefund): Refunded {
  switch (refund.state) {
    case "pending":
      return { kind: "accepted", bankRefundId: refund.id };
    case "done":
      return { kind: "done", bankRefundId: refund.id };
    case "refused":
      return { kind: "refused", reason: { code: "buyer-bank" }, next: "person" };
  }
}

function readingOf(refund: BankRefund): RefundReading {
  switch (refund.state) {
    case "pending":
      return { kind: "pending" };
    case "done":
      return { kind: "done" };
    case "refused":
      return { kind: "refused", reason: { code: "buyer-bank" }, next: "person" };
  }
}
