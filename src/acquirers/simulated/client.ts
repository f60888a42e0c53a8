import { crc32 } from "node:zlib";
import type {
  Acquirer,
  AcquirerServices,
  Cancelled,
  Created,
  Found,
  PaymentOrder,
  PaymentReading,
  Refunded,
  RefundOrder,
  RefundReading,
} from "../acquirer.ts";
import { measuredCall } from "../measured-call.ts";
import { SimulatedMemory } from "./memory.ts";
import { paymentAt, refundedKopecks, type SimulatedPayment, statusAt } from "./payment.ts";
import { planOf, ruleOf } from "./rules.ts";

export const LEAST_KOPECKS = 1;
export const MOST_KOPECKS = 100_000_000;

interface SimulatedOptions {
  payAfterMs: number;
  /** How long after its order a code expires. Absent: the order states the time. */
  expireAfterMs?: number;
}

const UNREACHABLE = { kind: "unknown", problem: "the simulated bank cannot be reached" } as const;

/** An acquirer without a bank, which moves no money. A payment's amount decides what happens to the payment (`rules.ts`). */
export class SimulatedClient implements Acquirer {
  readonly #services: AcquirerServices;
  readonly #options: SimulatedOptions;
  readonly #memory: SimulatedMemory;

  constructor(services: AcquirerServices, options: SimulatedOptions) {
    this.#services = services;
    this.#options = options;
    this.#memory = new SimulatedMemory(services.dataDir);
  }

  create(order: PaymentOrder): Promise<Created> {
    return measuredCall(this.#services, "create", async () => this.#create(order));
  }

  find(order: PaymentOrder): Promise<Found> {
    return measuredCall(this.#services, "find", async () => this.#find(order));
  }

  read(bankId: string): Promise<PaymentReading> {
    return measuredCall(this.#services, "read", async () => this.#read(bankId));
  }

  cancel({ bankId }: { bankId: string; amountKopecks: number }): Promise<Cancelled> {
    return measuredCall(this.#services, "cancel", async () => this.#cancel(bankId));
  }

  refund(order: RefundOrder): Promise<Refunded> {
    return measuredCall(this.#services, "refund", async () => this.#refund(order));
  }

  readRefund(order: RefundOrder): Promise<RefundReading> {
    return measuredCall(this.#services, "read-refund", async () => this.#readRefund(order));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #create(order: PaymentOrder): Created {
    const { amountKopecks } = order;
    if (amountKopecks < LEAST_KOPECKS || amountKopecks > MOST_KOPECKS) {
      return { kind: "refused", reason: { code: "amount" }, alert: false };
    }
    const rule = ruleOf(amountKopecks);
    if (rule === "unreachable") return UNREACHABLE;
    if (rule === "create-refused") return { kind: "refused", reason: { code: "refused" }, alert: false };
    const earlier = this.#memory.byPaymentId(order.paymentId);
    if (earlier === undefined) this.#memory.append(this.#newPayment(order));
    const { created } = earlier ?? this.#stored(order.paymentId);
    const { bankId, qrText, expiresAtMs } = created;
    if (created.amountKopecks !== amountKopecks)
      return { kind: "begun", bankId, problem: "the payment has another amount", mismatch: true };
    return { kind: "created", bankId, qrText, expiresAtMs };
  }

  #newPayment(order: PaymentOrder) {
    const { clock, chance } = this.#services;
    const { payAfterMs, expireAfterMs } = this.#options;
    const atMs = Math.floor(clock.nowMs());
    const expiresAtMs = expireAfterMs === undefined ? Math.floor(order.expiresAtMs) : atMs + expireAfterMs;
    const bankId = chance.uuid();
    return {
      kind: "created",
      bankId,
      paymentId: order.paymentId,
      qrText: qrTextOf(bankId, order.amountKopecks),
      amountKopecks: order.amountKopecks,
      atMs,
      expiresAtMs,
      ...planOf(order.amountKopecks, { atMs, payAfterMs, expiresAtMs }),
    } as const;
  }

  #stored(paymentId: string): SimulatedPayment {
    const payment = this.#memory.byPaymentId(paymentId);
    if (payment === undefined) throw new Error("a payment that was just written is not in the memory of the simulated acquirer");
    return payment;
  }

  #find(order: PaymentOrder): Found {
    const nowMs = this.#services.clock.nowMs();
    // In `find` the rule `unreachable` ends when the order expires.
    if (ruleOf(order.amountKopecks) === "unreachable" && nowMs < order.expiresAtMs) return UNREACHABLE;
    const payment = this.#memory.byPaymentId(order.paymentId);
    return payment === undefined ? { kind: "none" } : { kind: "payment", payment: paymentAt(payment, nowMs) };
  }

  #read(bankId: string): PaymentReading {
    const payment = this.#memory.byBankId(bankId);
    if (payment === undefined) return { kind: "refused", reason: { code: "refused" } };
    return { kind: "payment", payment: paymentAt(payment, this.#services.clock.nowMs()) };
  }

  #cancel(bankId: string): Cancelled {
    const payment = this.#memory.byBankId(bankId);
    if (payment === undefined) return { kind: "refused", reason: { code: "refused" } };
    const atMs = Math.floor(this.#services.clock.nowMs());
    if (statusAt(payment, atMs) !== "waiting") return { kind: "final" };
    const paysFirst = ruleOf(payment.created.amountKopecks) === "paid-while-cancelling";
    this.#memory.append({ kind: "cancelled", bankId, atMs, paysFirst });
    return paysFirst ? { kind: "final" } : { kind: "accepted" };
  }

  #refund(order: RefundOrder): Refunded {
    const { bankId, number, amountKopecks } = order;
    const bankRefundId = `${bankId}-${number}`;
    const payment = this.#memory.byBankId(bankId);
    if (payment === undefined) return { kind: "refused", reason: { code: "refused" }, next: "person" };
    if (payment.refunds.some((refund) => refund.number === number)) return { kind: "done", bankRefundId };
    if (ruleOf(payment.created.amountKopecks) === "refund-refused") {
      return { kind: "refused", reason: { code: "buyer-bank" }, next: "person" };
    }
    const atMs = Math.floor(this.#services.clock.nowMs());
    const isPaid = ["paid", "partly refunded"].includes(statusAt(payment, atMs));
    if (!isPaid || amountKopecks <= 0 || refundedKopecks(payment) + amountKopecks > payment.created.amountKopecks) {
      return { kind: "refused", reason: { code: "amount" }, next: "person" };
    }
    this.#memory.append({ kind: "refunded", bankId, atMs, number, amountKopecks });
    return { kind: "done", bankRefundId };
  }

  #readRefund({ bankId, number }: RefundOrder): RefundReading {
    const payment = this.#memory.byBankId(bankId);
    return { kind: payment?.refunds.some((refund) => refund.number === number) === true ? "done" : "none" };
  }
}

/** A text in the form of an SBP code's address. Its bank number belongs to no bank. */
function qrTextOf(bankId: string, amountKopecks: number): string {
  const id = bankId.replaceAll("-", "").toUpperCase();
  const text = `https://qr.nspk.ru/${id}?type=02&bank=999999999999&sum=${amountKopecks}&cur=RUB`;
  const check = (crc32(text) & 0xffff).toString(16).toUpperCase().padStart(4, "0");
  return `${text}&crc=${check}`;
}
