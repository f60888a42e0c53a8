import { pause } from "../../kernel/clock.ts";
import type { Deadline } from "../../kernel/deadline.ts";
import { present } from "../../kernel/present.ts";
import type {
  Acquirer,
  AcquirerServices,
  Cancelled,
  Capabilities,
  Created,
  Found,
  PaymentOrder,
  PaymentReading,
  Refunded,
  RefundOrder,
  RefundReading,
  Unknown,
} from "../acquirer.ts";
import { type BankWire, openBankWire } from "../exchange.ts";
import { measuredCall } from "../measured-call.ts";
import { type Judged, judge } from "./failures.ts";
import { standingByQrState, standingByStatus } from "./refund-standing.ts";
import { cancelSchema, initSchema, orderSchema, qrSchema, qrStateSchema, stateSchema } from "./schema.ts";
import { tokenOf } from "./token.ts";
import { bankPayment, dueMsOf, initFields, LEAST_LIFE_MS, paymentOfOrder, statusOf } from "./translate.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;

/** SBP at T-Bank (qr-acquirers 4.3, 5, 8). */
export const CAPABILITIES: Capabilities = {
  leastKopecks: 1_000,
  mostKopecks: 100_000_000,
  expiry: { kind: "chosen", leastMs: LEAST_LIFE_MS, mostMs: 90 * DAY_MS },
  cancelBeforePayment: true,
  partialRefund: true,
  leastRefundKopecks: 1,
  refundIdempotent: false,
  refundAttempts: { minGapMs: HOUR_MS, most: 5 },
};

/** Longest time of each call (qr-acquirers 6). The caller's deadline counts too. */
const INIT_MS = 2_200;
const GET_QR_MS = 1_800;
const CANCEL_MS = 5_000;
const READ_MS = 2_000;
const REPEAT_PAUSE_MS = 500;

type Method = "Init" | "GetQr" | "GetState" | "CheckOrder" | "Cancel" | "GetQrState";

/** A terminal at T-Bank: SBP codes by the bank's API EACQ v2, in one stage. The terminal's password signs every request. */
export class TbankClient implements Acquirer {
  readonly #services: AcquirerServices;
  readonly #wire: BankWire;
  readonly #base: string;
  readonly #terminalKey: string;
  readonly #password: string;

  constructor(services: AcquirerServices, base: string, credentials: { terminalKey: string; password: string }) {
    this.#services = services;
    this.#wire = openBankWire(services.clock);
    this.#base = base;
    this.#terminalKey = credentials.terminalKey;
    this.#password = credentials.password;
  }

  create(order: PaymentOrder, deadline: Deadline): Promise<Created> {
    return measuredCall(this.#services, "create", () => this.#create(order, deadline));
  }

  find(order: PaymentOrder, deadline: Deadline): Promise<Found> {
    return measuredCall(this.#services, "find", () => this.#find(order, deadline));
  }

  read(bankId: string, deadline: Deadline): Promise<PaymentReading> {
    return measuredCall(this.#services, "read", () => this.#read(bankId, deadline));
  }

  cancel(payment: { bankId: string; amountKopecks: number }, deadline: Deadline): Promise<Cancelled> {
    return measuredCall(this.#services, "cancel", () => this.#cancel(payment, deadline));
  }

  refund(order: RefundOrder, deadline: Deadline): Promise<Refunded> {
    return measuredCall(this.#services, "refund", () => this.#refund(order, deadline));
  }

  readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading> {
    return measuredCall(this.#services, "read-refund", () => this.#readRefund(order, deadline));
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  async #create(order: PaymentOrder, deadline: Deadline): Promise<Created> {
    const { leastKopecks, mostKopecks } = CAPABILITIES;
    if (order.amountKopecks < leastKopecks || order.amountKopecks > mostKopecks) {
      return { kind: "refused", reason: { code: "amount" }, alert: false };
    }
    const dueMs = dueMsOf(order, this.#services.clock.nowMs());
    if (order.bankId !== undefined) return this.#code(order.bankId, order, dueMs, deadline);
    const judged = await this.#init(initFields(order, dueMs), deadline);
    if (judged.kind === "failed") return this.#afterRefusedInit(judged, order, deadline);
    if (judged.kind !== "done") return judged;
    const made = initSchema.safeParse(judged.members);
    if (!made.success) return strange("Init");
    const { PaymentId: bankId, OrderId: orderId, Amount: amountKopecks } = made.data;
    if (orderId !== order.paymentId || amountKopecks !== order.amountKopecks) {
      return { kind: "begun", bankId, problem: "T-Bank names another order or amount", mismatch: true };
    }
    return this.#code(bankId, order, dueMs, deadline);
  }

  /**
   * Sends Init. Sends it once more if time is left and the bank has not carried it out, because the limit of calls was reached or no
   * connection was made.
   */
  async #init(fields: Record<string, string | number>, deadline: Deadline): Promise<Judged> {
    const first = await this.#ask("Init", fields, INIT_MS, deadline);
    const isUndone = first.kind === "busy" || (first.kind === "unknown" && first.neverLeft === true);
    if (!isUndone || deadline.remainingMs() < REPEAT_PAUSE_MS + INIT_MS) return first;
    await pause(this.#services.clock, REPEAT_PAUSE_MS);
    return this.#ask("Init", fields, INIT_MS, deadline);
  }

  async #afterRefusedInit(judged: Extract<Judged, { kind: "failed" }>, order: PaymentOrder, deadline: Deadline): Promise<Created> {
    const { cause, reason } = judged;
    if (cause.kind === "refused") return { kind: "refused", reason, alert: cause.alert };
    if (cause.kind === "paid-already") {
      const found = await this.#find(order, deadline);
      if (found.kind === "payment") return { kind: "begun", bankId: found.payment.bankId, problem: "the order is paid already" };
    }
    return unclear(judged);
  }

  async #code(bankId: string, order: PaymentOrder, dueMs: number, deadline: Deadline): Promise<Created> {
    const begun = (problem: string) => ({ kind: "begun", bankId, problem }) as const;
    const judged = await this.#ask("GetQr", { PaymentId: bankId, DataType: "PAYLOAD" }, GET_QR_MS, deadline);
    if (judged.kind === "busy") return begun("the bank's limit of calls");
    if (judged.kind === "unknown") return begun(judged.problem);
    if (judged.kind === "failed") {
      const { cause, reason } = judged;
      if (cause.kind !== "refused") return begun(`GetQr answered ${reason.bankCode}`);
      // Nobody has seen the payment's code or address, so the payment stays unpaid even if the Cancel is lost.
      await this.#cancel({ bankId, amountKopecks: order.amountKopecks }, deadline);
      return { kind: "refused", reason, alert: cause.alert };
    }
    const code = qrSchema.safeParse(judged.members);
    if (!code.success) return begun(strange("GetQr").problem);
    if ((code.data.PaymentId ?? bankId) !== bankId) return { ...begun("T-Bank answered with another payment"), mismatch: true };
    return { kind: "created", bankId, qrText: code.data.Data, expiresAtMs: dueMs };
  }

  async #find(order: PaymentOrder, deadline: Deadline): Promise<Found> {
    const judged = await this.#ask("CheckOrder", { OrderId: order.paymentId }, READ_MS, deadline);
    if (judged.kind === "failed") {
      // A definite refusal with an unlisted code (failures.ts) proves that the bank has no such order. A listed code proves nothing.
      const { cause } = judged;
      return cause.kind === "refused" && cause.code === "refused" && cause.next === "person" ? { kind: "none" } : unclear(judged);
    }
    if (judged.kind !== "done") return judged;
    const read = orderSchema.safeParse(judged.members);
    if (!read.success) return strange("CheckOrder");
    if (read.data.OrderId !== order.paymentId) return { kind: "unknown", problem: "T-Bank answered with another order" };
    const payment = paymentOfOrder(read.data);
    return payment === undefined ? { kind: "none" } : { kind: "payment", payment };
  }

  async #read(bankId: string, deadline: Deadline): Promise<PaymentReading> {
    const judged = await this.#ask("GetState", { PaymentId: bankId }, READ_MS, deadline);
    if (judged.kind === "busy" || judged.kind === "unknown") return judged;
    const state = stateSchema.safeParse(judged.members);
    if (state.success && state.data.PaymentId !== bankId) return { kind: "unknown", problem: "T-Bank answered with another payment" };
    // The status of a declined payment may come with Success false and the code of the buyer's bank.
    if (state.success && (judged.kind === "done" || statusOf(state.data.Status) === "declined")) {
      return { kind: "payment", payment: bankPayment(state.data) };
    }
    if (judged.kind === "done") return strange("GetState");
    return judged.cause.kind === "refused" ? { kind: "refused", reason: judged.reason } : unclear(judged);
  }

  async #cancel({ bankId, amountKopecks }: { bankId: string; amountKopecks: number }, deadline: Deadline): Promise<Cancelled> {
    const judged = await this.#ask("Cancel", { PaymentId: bankId, Amount: amountKopecks }, CANCEL_MS, deadline);
    if (judged.kind === "failed") {
      if (judged.cause.kind === "refused") return { kind: "refused", reason: judged.reason };
      return judged.cause.kind === "read" ? { kind: "final" } : unclear(judged);
    }
    if (judged.kind !== "done") return judged;
    const made = cancelSchema.safeParse(judged.members);
    return made.success && made.data.PaymentId === bankId ? { kind: "accepted" } : strange("Cancel");
  }

  /** Sends Cancel once: for SBP, Cancel is not idempotent (qr-acquirers 8). */
  async #refund({ bankId, amountKopecks, number }: RefundOrder, deadline: Deadline): Promise<Refunded> {
    const judged = await this.#ask("Cancel", { PaymentId: bankId, Amount: amountKopecks }, CANCEL_MS, deadline);
    if (judged.kind === "failed") {
      const { cause, reason } = judged;
      return cause.kind === "refused" ? { kind: "refused", reason, next: cause.next } : unclear(judged);
    }
    if (judged.kind !== "done") return judged;
    const made = cancelSchema.safeParse(judged.members);
    if (!made.success || made.data.PaymentId !== bankId) return strange("Cancel");
    // The bank gives refunds no ids. `bankRefundId` only records that the bank accepted the refund.
    const bankRefundId = `${bankId}-${number}`;
    switch (statusOf(made.data.Status)) {
      case "refunding":
        return { kind: "accepted", bankRefundId };
      case "partly refunded":
      case "refunded":
      case "cancelled":
        return { kind: "done", bankRefundId };
      default:
        return { kind: "unknown", problem: `Cancel answered with status ${made.data.Status}` };
    }
  }

  async #readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading> {
    const reading = await this.#read(order.bankId, deadline);
    if (reading.kind === "refused") return { kind: "unknown", problem: `the payment cannot be read: ${reading.reason.bankCode}` };
    if (reading.kind !== "payment") return reading;
    const standing = standingByStatus(reading.payment.rawStatus, order);
    if (standing !== undefined) return standing;
    const judged = await this.#ask("GetQrState", { PaymentId: order.bankId }, READ_MS, deadline);
    if (judged.kind === "failed") return unclear(judged);
    if (judged.kind !== "done") return judged;
    const qr = qrStateSchema.safeParse(judged.members);
    return qr.success ? standingByQrState(qr.data, order) : strange("GetQrState");
  }

  async #ask(method: Method, fields: Record<string, string | number>, limitMs: number, deadline: Deadline): Promise<Judged> {
    const signed = { TerminalKey: this.#terminalKey, ...fields };
    const body = JSON.stringify({ ...signed, Token: tokenOf(signed, this.#password) });
    const headers = { "content-type": "application/json", accept: "application/json" };
    return judge(await this.#wire.ask({ method: "POST", url: `${this.#base}/${method}`, headers, body, limitMs }, deadline));
  }
}

function unclear({ reason }: { reason: { bankCode?: string; words?: string } }): Unknown {
  return { kind: "unknown", problem: Object.values(present({ code: reason.bankCode, words: reason.words })).join(" ") };
}

function strange(method: Method): Unknown {
  return { kind: "unknown", problem: `T-Bank's answer to ${method} is not as documented`, unreadable: true };
}
