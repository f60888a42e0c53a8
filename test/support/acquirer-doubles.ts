import { createHash } from "node:crypto";
import type { BankReply, BankRequest } from "./bank-server.ts";

/** What happens to a payment, by the buyer or the bank. */
export type Happening = "paid" | "declined" | "expired";

/** A small bank in memory that behaves as its documentation says. */
export interface BankDouble {
  answer(request: BankRequest): BankReply;
  happen(bankId: string, what: Happening): void;
  /** Ends the refunds that were accepted. */
  finishRefunds(): void;
  refusesCreate: boolean;
  refusesRefunds: boolean;
}

interface DoubledPayment {
  id: string;
  orderId: string;
  amount: number;
  refunded: number;
  pending: number;
  status: string;
  reason?: string;
  createdAt: string;
  cancelCode?: string;
}

const roubles = (kopecks: number) => ({ value: (kopecks / 100).toFixed(2), currency: "RUB" });

export class YookassaDouble implements BankDouble {
  refusesCreate = false;
  refusesRefunds = false;
  readonly payments: DoubledPayment[] = [];
  readonly refunds: { id: string; payment: DoubledPayment; amount: number; status: string }[] = [];
  readonly #byKey = new Map<string, BankReply>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  answer(request: BankRequest): BankReply {
    const expected = `Basic ${Buffer.from("100500:test_key").toString("base64")}`;
    if (request.headers.authorization !== expected) return failure(401, "invalid_credentials");
    if (request.method === "POST") {
      const key = String(request.headers["idempotence-key"]);
      const kept = this.#byKey.get(key) ?? (request.path === "/payments" ? this.#create(request.body) : this.#refund(request.body));
      this.#byKey.set(key, kept);
      return kept;
    }
    const [, list, id] = request.path.split("/");
    if (list === "refunds") {
      const refund = this.refunds.find((one) => one.id === id);
      return refund === undefined ? failure(404, "not_found") : { status: 200, body: this.#refundBody(refund) };
    }
    if (id === undefined) return { status: 200, body: { type: "list", items: this.payments.map(paymentBody) } };
    const payment = this.payments.find((one) => one.id === id);
    return payment === undefined ? failure(404, "not_found") : { status: 200, body: paymentBody(payment) };
  }

  happen(bankId: string, what: Happening): void {
    const payment = this.payments.find((one) => one.id === bankId);
    if (payment === undefined) return;
    payment.status = what === "paid" ? "succeeded" : "canceled";
    if (what === "declined") payment.reason = "insufficient_funds";
    if (what === "expired") payment.reason = "expired_on_confirmation";
  }

  finishRefunds(): void {
    for (const refund of this.refunds.filter(({ status }) => status === "pending")) {
      refund.status = "succeeded";
      refund.payment.refunded += refund.amount;
    }
  }

  #create(body: Record<string, unknown>): BankReply {
    if (this.refusesCreate) return failure(400, "invalid_request");
    const metadata = body.metadata as { payment_id: string };
    const payment: DoubledPayment = {
      id: `2c5d737e-000f-5000-a000-${String(this.payments.length).padStart(12, "0")}`,
      orderId: metadata.payment_id,
      amount: Math.round(Number((body.amount as { value: string }).value) * 100),
      refunded: 0,
      pending: 0,
      status: "pending",
      createdAt: new Date(this.#nowMs()).toISOString(),
    };
    this.payments.push(payment);
    return { status: 200, body: paymentBody(payment) };
  }

  #refund(body: Record<string, unknown>): BankReply {
    const payment = this.payments.find(({ id }) => id === body.payment_id);
    const amount = Math.round(Number((body.amount as { value: string }).value) * 100);
    if (payment === undefined || payment.status !== "succeeded") return failure(400, "invalid_request");
    const refund = { id: `r-${this.refunds.length}`, payment, amount, status: this.refusesRefunds ? "canceled" : "pending" };
    this.refunds.push(refund);
    return { status: 200, body: this.#refundBody(refund) };
  }

  #refundBody({ id, payment, amount, status }: (typeof this.refunds)[number]) {
    const details = status === "canceled" ? { cancellation_details: { party: "payment_network", reason: "general_decline" } } : {};
    return { id, payment_id: payment.id, status, amount: roubles(amount), ...details };
  }
}

function paymentBody(payment: DoubledPayment) {
  return {
    id: payment.id,
    status: payment.status,
    amount: roubles(payment.amount),
    created_at: payment.createdAt,
    metadata: { payment_id: payment.orderId },
    ...(payment.refunded > 0 ? { refunded_amount: roubles(payment.refunded) } : {}),
    ...(payment.status === "pending"
      ? { confirmation: { type: "qr", confirmation_data: `https://qr.nspk.ru/AS1?type=02&sum=${payment.amount}&cur=RUB` } }
      : {}),
    ...(payment.reason === undefined ? {} : { cancellation_details: { party: "payment_network", reason: payment.reason } }),
  };
}

function failure(status: number, code: string): BankReply {
  return { status, body: { type: "error", code, description: "said by the double" } };
}

export class TbankDouble implements BankDouble {
  refusesCreate = false;
  refusesRefunds = false;
  /** When set, every Cancel is refused with this error code. */
  cancelCode: string | undefined;
  readonly payments: DoubledPayment[] = [];

  answer({ path, body }: BankRequest): BankReply {
    if (body.Token !== tbankToken(body, "s3cret-demo")) return refusal("204");
    const payment = this.payments.find(({ id, orderId }) => id === body.PaymentId || orderId === body.OrderId);
    if (path === "/Init") return this.#init(body);
    if (path === "/CheckOrder") return this.#checkOrder(String(body.OrderId));
    if (payment === undefined) return refusal("255");
    if (path === "/GetQr") return done({ PaymentId: payment.id, Data: `https://qr.nspk.ru/AD1?type=02&sum=${payment.amount}&cur=RUB` });
    if (path === "/GetState") return done(stateBody(payment));
    if (path === "/Cancel") return this.#cancel(payment, Number(body.Amount));
    const { cancelCode: QrCancelCode, refunded: Amount } = payment;
    return done({ ...stateBody(payment), Amount, ...(QrCancelCode === undefined ? {} : { QrCancelCode, QrCancelMessage: "Отказ банка" }) });
  }

  happen(bankId: string, what: Happening): void {
    const payment = this.payments.find(({ id }) => id === bankId);
    if (payment !== undefined) payment.status = { paid: "CONFIRMED", declined: "REJECTED", expired: "DEADLINE_EXPIRED" }[what];
  }

  finishRefunds(): void {
    for (const payment of this.payments.filter(({ status }) => status === "ASYNC_REFUNDING")) {
      if (this.refusesRefunds) payment.cancelCode = "I05043";
      else payment.refunded += payment.pending;
      payment.pending = 0;
      if (payment.refunded === 0) payment.status = "CONFIRMED";
      else payment.status = payment.refunded < payment.amount ? "PARTIAL_REFUNDED" : "REFUNDED";
    }
  }

  #init(body: Record<string, unknown>): BankReply {
    if (this.refusesCreate) return refusal("7");
    const payment: DoubledPayment = {
      id: String(4417000123 + this.payments.length),
      orderId: String(body.OrderId),
      amount: Number(body.Amount),
      refunded: 0,
      pending: 0,
      status: "NEW",
      createdAt: "",
    };
    this.payments.push(payment);
    return done(stateBody(payment));
  }

  #checkOrder(orderId: string): BankReply {
    const payments = this.payments.filter((payment) => payment.orderId === orderId);
    const Payments = payments.map((payment) => ({
      PaymentId: Number(payment.id),
      Amount: payment.amount,
      Status: payment.status,
      Success: "true",
      ErrorCode: 0,
    }));
    return done({ OrderId: orderId, Payments });
  }

  #cancel(payment: DoubledPayment, amount: number): BankReply {
    if (this.cancelCode !== undefined) return refusal(this.cancelCode);
    if (payment.status === "NEW") payment.status = "CANCELED";
    else if (["CONFIRMED", "PARTIAL_REFUNDED"].includes(payment.status)) {
      payment.status = "ASYNC_REFUNDING";
      payment.pending = amount;
    } else return refusal("8");
    return done({ ...stateBody(payment), OriginalAmount: payment.amount, NewAmount: payment.amount - payment.pending });
  }
}

function stateBody({ id, orderId, amount, status }: DoubledPayment) {
  return { PaymentId: id, OrderId: orderId, Amount: amount, Status: status };
}

function done(fields: Record<string, unknown>): BankReply {
  return { status: 200, body: { Success: true, ErrorCode: "0", ...fields } };
}

function refusal(errorCode: string): BankReply {
  return { status: 200, body: { Success: false, ErrorCode: errorCode, Message: "Отказ", Details: "said by the double" } };
}

/** The token of a request (qr-acquirers 4.2), made without the client's code. */
export function tbankToken(body: Record<string, unknown>, password: string): string {
  const pairs = Object.entries({ ...body, Password: password }).filter(([name, value]) => name !== "Token" && typeof value !== "object");
  pairs.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(pairs.map(([, value]) => `${value}`).join(""))
    .digest("hex");
}
