import type { Deadline } from "../../kernel/deadline.ts";
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
import { openBankWire } from "../exchange.ts";
import { measuredCall } from "../measured-call.ts";
import { unsettled, YookassaApi, type YookassaCredentials } from "./api.ts";
import { PAGE_SIZE, paymentListSchema, paymentSchema, refundSchema } from "./schema.ts";
import {
  bankPayment,
  CODE_LIFE_MS,
  createdFrom,
  createKey,
  isOtherRefund,
  paymentBody,
  refundBody,
  refundKey,
  refundReading,
} from "./translate.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long YooKassa keeps an idempotency key's result, less an hour for clock differences (qr-acquirers 3.1). */
const KEY_LIFE_MS = 23 * HOUR_MS;

/** SBP at YooKassa (qr-acquirers 3.4, 5). */
export const CAPABILITIES: Capabilities = {
  leastKopecks: 100,
  mostKopecks: 70_000_000,
  expiry: { kind: "fixed", lifeMs: CODE_LIFE_MS },
  cancelBeforePayment: false,
  partialRefund: true,
  leastRefundKopecks: 100,
  refundIdempotent: true,
  refundKeyLifeMs: KEY_LIFE_MS,
};
/** Longest time from an order to its expiry: the maximum of `qrExpiryMinutes` is 60. */
const LONGEST_ORDER_MS = HOUR_MS;
/** The largest expected difference between YooKassa's clock and this machine's. */
const CLOCK_MARGIN_MS = 5 * MINUTE_MS;
/** The maximum number of pages of a search by time. A busy shop has about a thousand payments a day. */
const MAX_PAGES = 50;

/** A shop at YooKassa: SBP codes by the API of payments, in one stage. */
export class YookassaClient implements Acquirer {
  readonly #services: AcquirerServices;
  readonly #api: YookassaApi;

  constructor(services: AcquirerServices, base: string, credentials: YookassaCredentials) {
    this.#services = services;
    this.#api = new YookassaApi(openBankWire(services.clock), services.clock, base, credentials);
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

  /** Sends nothing: a pending SBP payment lives until it is paid or expires (qr-acquirers 3.3). */
  cancel(): Promise<Cancelled> {
    return Promise.resolve({ kind: "not-supported" });
  }

  refund(order: RefundOrder, deadline: Deadline): Promise<Refunded> {
    return measuredCall(this.#services, "refund", () => this.#refund(order, deadline));
  }

  readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading> {
    return measuredCall(this.#services, "read-refund", () => this.#readRefund(order, deadline));
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  async #create(order: PaymentOrder, deadline: Deadline): Promise<Created> {
    const { leastKopecks, mostKopecks } = CAPABILITIES;
    if (order.amountKopecks < leastKopecks || order.amountKopecks > mostKopecks) {
      return { kind: "refused", reason: { code: "amount" }, alert: false };
    }
    const { bankId } = order;
    const judged =
      bankId === undefined
        ? await this.#api.post("/payments", paymentBody(order), createKey(order.paymentId), deadline)
        : await this.#api.get(`/payments/${encodeURIComponent(bankId)}`, deadline);
    if (judged.kind === "done") {
      const payment = paymentSchema.safeParse(judged.members);
      if (payment.success) return createdFrom(payment.data, order, this.#services.clock.nowMs());
      return bankId === undefined ? strange("a payment") : { ...strange("a payment"), kind: "begun", bankId };
    }
    // The payment exists, so a failed reading is no refusal.
    if (bankId !== undefined) return { kind: "begun", bankId, problem: "its code could not be read" };
    if (judged.kind === "refused") return { kind: "refused", reason: judged.reason, alert: judged.reason.code === "settings" };
    return unsettled(judged);
  }

  async #find(order: PaymentOrder, deadline: Deadline): Promise<Found> {
    const keyEndsMs = order.expiresAtMs - LONGEST_ORDER_MS + KEY_LIFE_MS;
    // If the earlier call never arrived, a repeat with its key makes the payment now. An order that is over must make no payment, so its
    // payment is only searched for.
    if (order.isOver !== true && this.#services.clock.nowMs() < keyEndsMs) return { kind: "repeat-create" };
    return this.#search(order, keyEndsMs, deadline);
  }

  /** Looks for the payment with this server's id among the payments of the hours in which `create` may have been called. */
  async #search(order: PaymentOrder, keyEndsMs: number, deadline: Deadline): Promise<Found> {
    const fromMs = order.expiresAtMs - LONGEST_ORDER_MS - CLOCK_MARGIN_MS;
    const query = new URLSearchParams({
      "created_at.gte": new Date(fromMs).toISOString(),
      "created_at.lte": new Date(keyEndsMs + CLOCK_MARGIN_MS).toISOString(),
      limit: String(PAGE_SIZE),
    });
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const judged = await this.#api.get(`/payments?${query}`, deadline);
      if (judged.kind === "refused") return { kind: "unknown", problem: `the list of payments was refused: ${judged.reason.bankCode}` };
      if (judged.kind !== "done") return unsettled(judged);
      const list = paymentListSchema.safeParse(judged.members);
      if (!list.success) return strange("a list of payments");
      const payment = list.data.items.find(({ metadata }) => metadata?.payment_id === order.paymentId);
      if (payment !== undefined) return { kind: "payment", payment: bankPayment(payment) };
      if (list.data.next_cursor === undefined) return { kind: "none" };
      query.set("cursor", list.data.next_cursor);
    }
    return { kind: "unknown", problem: `not among the first ${MAX_PAGES * PAGE_SIZE} payments of its day` };
  }

  async #read(bankId: string, deadline: Deadline): Promise<PaymentReading> {
    const judged = await this.#api.get(`/payments/${encodeURIComponent(bankId)}`, deadline);
    if (judged.kind === "refused") return judged;
    if (judged.kind !== "done") return unsettled(judged);
    const payment = paymentSchema.safeParse(judged.members);
    if (!payment.success) return strange("a payment");
    if (payment.data.id !== bankId) return { kind: "unknown", problem: "YooKassa answered with another payment" };
    return { kind: "payment", payment: bankPayment(payment.data) };
  }

  async #refund(order: RefundOrder, deadline: Deadline): Promise<Refunded> {
    const judged = await this.#api.post("/refunds", refundBody(order), refundKey(order), deadline);
    if (judged.kind === "refused") return { kind: "refused", reason: judged.reason, next: "person" };
    if (judged.kind !== "done") return unsettled(judged);
    const refund = refundSchema.safeParse(judged.members);
    if (!refund.success) return strange("a refund");
    if (isOtherRefund(refund.data, order)) return { kind: "unknown", problem: "YooKassa answered with another refund" };
    const reading = refundReading(refund.data);
    if (reading.kind === "pending") return { kind: "accepted", bankRefundId: refund.data.id };
    return reading.kind === "done" ? { kind: "done", bankRefundId: refund.data.id } : reading;
  }

  async #readRefund(order: RefundOrder & { bankRefundId?: string }, deadline: Deadline): Promise<RefundReading> {
    if (order.bankRefundId === undefined) return this.#refundFromSum(order, deadline);
    const judged = await this.#api.get(`/refunds/${encodeURIComponent(order.bankRefundId)}`, deadline);
    if (judged.kind === "refused") return { kind: "unknown", problem: `the refund cannot be read: ${judged.reason.bankCode}` };
    if (judged.kind !== "done") return unsettled(judged);
    const refund = refundSchema.safeParse(judged.members);
    if (!refund.success) return strange("a refund");
    if (isOtherRefund(refund.data, order)) return { kind: "unknown", problem: "YooKassa answered with another refund" };
    return refundReading(refund.data);
  }

  /**
   * Returns the state of a refund whose id is unknown. The bank's sum of all refunds of the payment shows the state. When the state is
   * `none`, the caller may repeat `refund` with the same idempotency key, and the bank's answer has the id.
   */
  async #refundFromSum(order: RefundOrder, deadline: Deadline): Promise<RefundReading> {
    const reading = await this.#read(order.bankId, deadline);
    if (reading.kind === "refused") return { kind: "unknown", problem: `the payment cannot be read: ${reading.reason.bankCode}` };
    if (reading.kind !== "payment") return reading;
    const { refundedKopecks = 0 } = reading.payment;
    if (refundedKopecks === order.refundedBeforeKopecks) return { kind: "none" };
    if (refundedKopecks === order.refundedBeforeKopecks + order.amountKopecks) return { kind: "done" };
    return { kind: "unknown", problem: `${refundedKopecks} kopecks are refunded, which is neither the sum before nor after` };
  }
}

function strange(what: string): Unknown {
  return { kind: "unknown", problem: `YooKassa's answer is not ${what} as documented`, unreadable: true };
}
