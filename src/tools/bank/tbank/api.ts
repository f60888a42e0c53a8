import { type BankApi, type Call, type Json, type Reply, type Trouble, WRONG_BY_KOPECKS, withWrongSum } from "../engine/bank-api.ts";
import { digitsOf, numberOf } from "../engine/made-values.ts";
import type { Payment } from "../engine/payment.ts";
import type { Payments } from "../engine/payments.ts";
import { callNamed } from "./calls.ts";
import { type Cause, refusalJson } from "./causes.ts";
import { readRootFields, signedJson, tokenOf } from "./token.ts";
import { errorCodeOf, statusOf } from "./view.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A notification is repeated hourly for 24 hours, then daily (qr-acquirers 4.5). This bank stops after another week. */
const REPEAT_AFTER_MS = [...Array.from({ length: 24 }, () => HOUR_MS), ...Array.from({ length: 7 }, () => DAY_MS)];
/** The statuses with a notification (qr-acquirers 4.5). An expiry has none. */
const NOTIFIED = ["CONFIRMED", "CANCELED", "PARTIAL_REFUNDED", "REFUNDED", "REJECTED"];
const MAX_TERMINAL_KEY = 20;

interface Terminal {
  readonly key: string;
  readonly password: string;
}

/** The API of T-Bank, EACQ v2 (qr-acquirers 4), with a demo terminal made from the seed. */
export function tbankApi(seed: number): BankApi {
  const terminal: Terminal = {
    key: `${1_600_000_000_000 + numberOf(100_000_000_000, seed, "terminal")}DEMO`,
    password: digitsOf(seed, "password").slice(0, 16),
  };
  return {
    root: "/v2",
    setting: `tbank?terminalKey=${terminal.key}&password=${terminal.password}`,
    repeatAfterMs: REPEAT_AFTER_MS,
    answer: (call, payments) => answer(call, payments, terminal),
    trouble: (trouble) => refusalJson(TROUBLES[trouble], trouble, terminal.key),
    keyOf,
    statusOf,
    announcement(payment, event, extra) {
      if (event.kind === "refund" && event.refund.state !== "done") return undefined;
      return NOTIFIED.includes(statusOf(payment)) ? signedJson({ ...noticeOf(payment, terminal), ...extra }, terminal.password) : undefined;
    },
    isReceived: (status, text) => status === 200 && text === "OK",
    withWrongAmount: (body) => throughPayments(body, raised),
    withStrangeStatus: (body) => throughPayments(body, (each) => ("Status" in each ? { ...each, Status: "ON_HOLD" } : each)),
  };
}

const TROUBLES: Readonly<Record<Trouble, Cause>> = {
  busy: "tooMany",
  broken: "internal",
  "too-large": "wrongForm",
  "wrong-type": "wrongForm",
};

/** Refusals also have HTTP status 200 (qr-acquirers 4.1), except for an unknown path or method. */
function answer(call: Call, payments: Payments, terminal: Terminal): Reply {
  const refused = (cause: Cause, details: string, status = 200): Reply => {
    return { status, body: refusalJson(cause, details, terminal.key), changedBank: false };
  };
  const work = callNamed(call.path);
  if (work === undefined) return refused("wrongForm", "Такого метода нет.", 404);
  if (call.method !== "POST") return refused("wrongForm", "Нужен POST.", 405);
  const fields = readRootFields(call.body.toString("utf8"));
  if (fields === undefined) return refused("wrongForm", "Тело запроса не JSON.");
  const { TerminalKey: key, Token: token } = fields.values;
  if (typeof key !== "string" || key.length === 0 || key.length > MAX_TERMINAL_KEY) return refused("noTerminal", "TerminalKey не указан.");
  if (key !== terminal.key) return refused("unknownTerminal", `TerminalKey ${key}`);
  if (token !== tokenOf(fields.signed, terminal.password)) return refused("wrongToken", "Token не сошёлся.");
  const result = work(fields.values, payments);
  if (result.kind === "refused") return refused(result.cause, result.details);
  const { changedBank, firstShownPayment } = result;
  const body = { Success: true, ErrorCode: "0", Message: "OK", TerminalKey: terminal.key, ...result.fields };
  return { status: 200, body, changedBank, ...(firstShownPayment === undefined ? {} : { firstShownPayment }) };
}

function noticeOf(payment: Payment, terminal: Terminal): Json {
  const errorCode = errorCodeOf(payment);
  return {
    TerminalKey: terminal.key,
    OrderId: payment.orderId,
    Success: errorCode === 0,
    Status: statusOf(payment),
    PaymentId: Number(payment.id),
    ErrorCode: String(errorCode),
    Amount: payment.amountKopecks,
  };
}

function keyOf({ body }: Call): string | null {
  const { OrderId, PaymentId } = readRootFields(body.toString("utf8"))?.values ?? {};
  const key = OrderId ?? PaymentId;
  return typeof key === "string" || typeof key === "number" ? String(key) : null;
}

function throughPayments(body: Json, change: (payment: Json) => Json): Json {
  return Array.isArray(body.Payments) ? { ...body, Payments: body.Payments.map(change) } : change(body);
}

function raised(fields: Json): Json {
  return {
    ...fields,
    ...(typeof fields.Amount === "number" ? { Amount: fields.Amount + WRONG_BY_KOPECKS } : {}),
    ...(fields.Data === undefined ? {} : { Data: withWrongSum(fields.Data) }),
  };
}
