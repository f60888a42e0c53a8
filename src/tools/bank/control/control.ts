import type { Json } from "../engine/bank-api.ts";
import type { Faults } from "../engine/faults.ts";
import { type Payment, pendingRefund, type Refund, refundedKopecks } from "../engine/payment.ts";
import type { Payments } from "../engine/payments.ts";
import type { ReceivedCall } from "../engine/received-calls.ts";
import { readControlBody } from "./control-schema.ts";

interface ControlParts {
  readonly payments: Payments;
  readonly faults: Faults;
  readonly statusOf: (payment: Payment) => string;
  readonly requests: () => readonly ReceivedCall[];
}

interface ControlAnswer {
  readonly status: number;
  readonly body: Json | readonly unknown[];
}

interface Order {
  readonly method: string;
  /** The path below the control address. It begins with a slash. */
  readonly path: string;
  readonly body: Buffer;
}

/**
 * Answers one request to the control address (payments surface 7). The request plays the buyer or the bank, reads what the bank has stored,
 * or sets its faults or its clock.
 */
export function answerControl(parts: ControlParts, { method, path, body }: Order): ControlAnswer {
  const [, collection = "", id, act, ...rest] = path.split("/");
  const name = [collection, ...(id === undefined ? [] : ["id"]), ...(act === undefined ? [] : [act]), ...rest].join("/");
  const methods = Object.hasOwn(ORDERS, name) ? ORDERS[name] : undefined;
  if (methods === undefined) return no(404, `there is no ${path}`);
  const order = methods[method];
  if (order === undefined) return no(405, `${path} takes ${Object.keys(methods).join(", ")}`);
  return order(parts, id ?? "", body);
}

type Obey = (parts: ControlParts, id: string, body: Buffer) => ControlAnswer;

const ORDERS: Readonly<Record<string, Readonly<Record<string, Obey>>>> = {
  payments: { GET: (parts) => ({ status: 200, body: [...parts.payments.all()].map((payment) => row(parts, payment)) }) },
  "payments/id/pay": { POST: pay },
  "payments/id/decline": { POST: decline },
  "payments/id/expire": { POST: expire },
  "payments/id/notify": { POST: notify },
  "refunds/id/finish": { POST: (parts, id, body) => endRefund(parts, id, body, "done") },
  "refunds/id/refuse": { POST: (parts, id, body) => endRefund(parts, id, body, "refused") },
  requests: { GET: (parts) => ({ status: 200, body: parts.requests() }) },
  faults: { PUT: setFaults },
  clock: { POST: advance },
};

/** Pays a waiting payment. Pays a cancelled or expired payment only if the order says `late`, or the fault late-payment is set. */
function pay(parts: ControlParts, id: string, body: Buffer): ControlAnswer {
  const read = readControlBody("pay", body);
  if (read.kind === "wrong") return no(400, read.why);
  const payment = parts.payments.payment(id);
  if (payment === undefined) return no(404, `there is no payment ${id}`);
  const { kind } = payment.state;
  const mayBeLate = read.value.late || parts.faults.isSet("late-payment");
  const isPayable = kind === "waiting" || ((kind === "cancelled" || kind === "expired") && mayBeLate);
  if (!isPayable) return impossible(payment, "is not paid", `; {"late": true} pays a cancelled or expired one`);
  return { status: 200, body: row(parts, parts.payments.pay(payment)) };
}

function decline(parts: ControlParts, id: string, body: Buffer): ControlAnswer {
  const read = readControlBody("decline", body);
  if (read.kind === "wrong") return no(400, read.why);
  return whileWaiting(parts, id, "is not declined", (payment) => parts.payments.decline(payment, read.value.reason));
}

function expire(parts: ControlParts, id: string, body: Buffer): ControlAnswer {
  const read = readControlBody("none", body);
  if (read.kind === "wrong") return no(400, read.why);
  return whileWaiting(parts, id, "does not expire", (payment) => parts.payments.expire(payment));
}

function notify(parts: ControlParts, id: string, body: Buffer): ControlAnswer {
  const read = readControlBody("none", body);
  if (read.kind === "wrong") return no(400, read.why);
  const payment = parts.payments.payment(id);
  if (payment === undefined) return no(404, `there is no payment ${id}`);
  if (!parts.payments.notify(payment)) return impossible(payment, "has no notification in this state, or nowhere to send it");
  return { status: 200, body: row(parts, payment) };
}

/** `id` names the refund or its payment, because T-Bank gives refunds no id. */
function endRefund(parts: ControlParts, id: string, body: Buffer, state: "done" | "refused"): ControlAnswer {
  const read = readControlBody("none", body);
  if (read.kind === "wrong") return no(400, read.why);
  const payment = parts.payments.byRefund(id) ?? parts.payments.payment(id);
  if (payment === undefined) return no(404, `there is no refund ${id}`);
  const refund: Refund | undefined = payment.refunds.find((each) => each.id === id) ?? pendingRefund(payment);
  if (refund?.state !== "pending") return impossible(payment, "has no refund under way with this id");
  return { status: 200, body: row(parts, parts.payments.endRefund(payment, refund, state)) };
}

function setFaults({ faults }: ControlParts, _: string, body: Buffer): ControlAnswer {
  const read = readControlBody("faults", body);
  if (read.kind === "wrong") return no(400, read.why);
  faults.replace(read.value);
  return { status: 200, body: Object.fromEntries(read.value.map(({ name, share }) => [name, share])) };
}

/**
 * Everything that is due at the new time happens before the answer. A notification is tried only once, however many of its tries were due
 * in the skipped time.
 */
function advance({ payments }: ControlParts, _: string, body: Buffer): ControlAnswer {
  const read = readControlBody("clock", body);
  if (read.kind === "wrong") return no(400, read.why);
  payments.advance(read.value.advanceMs);
  payments.settle();
  return { status: 200, body: { now: new Date(payments.nowMs()).toISOString() } };
}

function whileWaiting(parts: ControlParts, id: string, words: string, act: (payment: Payment) => Payment): ControlAnswer {
  const payment = parts.payments.payment(id);
  if (payment === undefined) return no(404, `there is no payment ${id}`);
  if (payment.state.kind !== "waiting") return impossible(payment, words);
  return { status: 200, body: row(parts, act(payment)) };
}

function row({ statusOf }: ControlParts, payment: Payment): Json {
  return {
    id: payment.id,
    orderId: payment.orderId,
    status: statusOf(payment),
    amount: payment.amountKopecks,
    refunded: refundedKopecks(payment),
    refundAttempts: payment.refundAttempts,
  };
}

function impossible({ id, state }: Payment, words: string, hint = ""): ControlAnswer {
  return no(409, `payment ${id} is ${state.kind} and ${words}${hint}`);
}

function no(status: number, why: string): ControlAnswer {
  return { status, body: { error: why } };
}
