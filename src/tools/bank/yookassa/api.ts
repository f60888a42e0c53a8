import { createHash } from "node:crypto";
import { type BankApi, type Call, type Json, type Reply, type Trouble, WRONG_BY_KOPECKS, withWrongSum } from "../engine/bank-api.ts";
import { digitsOf, uuidOf } from "../engine/made-values.ts";
import type { Payments } from "../engine/payments.ts";
import { amountJson, readAmount } from "./amount.ts";
import { cancelPayment, createPayment, createRefund, listPayments, type Result, readPayment, readRefund, shopIdOf } from "./calls.ts";
import { errorBody, errorReply, type Refusal } from "./refusal.ts";
import { paymentJson, refundJson, statusOf } from "./view.ts";

const MAX_KEY = 64;
/** An idempotency key keeps its result for 24 hours from the first request (qr-acquirers 3.1). */
const KEY_LIVES_MS = 86_400_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Notifications are repeated for up to 24 hours (qr-acquirers 3.6). */
const REPEAT_AFTER_MS = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS, 8 * HOUR_MS];

/** The API of YooKassa (qr-acquirers 3), with a test shop made from the seed. */
export function yookassaApi(seed: number): BankApi {
  const shopId = shopIdOf(seed);
  const secretKey = `test_${digitsOf(seed, "secret key").slice(0, 43)}`;
  const credentials = `Basic ${Buffer.from(`${shopId}:${secretKey}`).toString("base64")}`;
  const errorId = (call: Call) => uuidOf(seed, "error", call.method, call.path, call.body.toString("latin1"));
  return {
    root: "/v3",
    setting: `yookassa?shopId=${shopId}&secretKey=${secretKey}`,
    repeatAfterMs: REPEAT_AFTER_MS,
    answer(call, payments) {
      if (call.headers.authorization !== credentials) return errorReply(errorId(call), WRONG_CREDENTIALS);
      const route = routeOf(call);
      if (route.kind === "refused") return errorReply(errorId(call), route.refusal);
      const work = () => replyOf(errorId(call), route.run({ payments, shopId }));
      return call.method === "POST" ? once(call, payments, errorId(call), work) : work();
    },
    trouble: (trouble) => errorBody(uuidOf(seed, "trouble", trouble), ...TROUBLES[trouble]),
    keyOf: (call) => keyOf(call) ?? null,
    statusOf,
    announcement(payment, event, extra) {
      const { state } = payment;
      if (event.kind === "refund") {
        if (event.refund.state !== "done") return undefined;
        return JSON.stringify({ type: "notification", event: "refund.succeeded", object: refundJson(payment, event.refund), ...extra });
      }
      if (state.kind === "waiting") return undefined;
      return JSON.stringify({
        type: "notification",
        event: `payment.${statusOf(payment)}`,
        object: paymentJson(payment, seed, shopId),
        ...extra,
      });
    },
    isReceived: (status) => status === 200,
    withWrongAmount: (body) => throughItems(body, raised),
    withStrangeStatus: (body) => throughItems(body, (item) => ("payment_method" in item ? { ...item, status: "under_review" } : item)),
  };
}

const WRONG_CREDENTIALS: Refusal = { code: "invalid_credentials", description: "Shop id or secret key is wrong" };

const TROUBLES: Readonly<Record<Trouble, readonly [string, string]>> = {
  busy: ["too_many_requests", "Too many requests: try again later"],
  broken: ["internal_server_error", "The outcome of the request is unknown"],
  "too-large": ["invalid_request", "The body is too large"],
  "wrong-type": ["invalid_request", "The Content-Type must be application/json"],
};

type Work = (shop: { payments: Payments; shopId: string }) => Result;
type Route = { readonly kind: "found"; readonly run: Work } | { readonly kind: "refused"; readonly refusal: Refusal };

function routeOf({ method, path, query, body }: Call): Route {
  const [, collection = "", id, action, ...rest] = path.split("/");
  const known: Record<string, Record<string, Work>> = {
    payments: { GET: (shop) => listPayments(shop, query), POST: (shop) => createPayment(shop, body) },
    "payments/id": { GET: (shop) => readPayment(shop, id ?? "") },
    "payments/id/cancel": { POST: (shop) => cancelPayment(shop, id ?? "") },
    refunds: { POST: (shop) => createRefund(shop, body) },
    "refunds/id": { GET: (shop) => readRefund(shop, id ?? "") },
  };
  const name = [collection, ...(id === undefined ? [] : ["id"]), ...(action === undefined ? [] : [action]), ...rest].join("/");
  const methods = Object.hasOwn(known, name) ? known[name] : undefined;
  if (methods === undefined) return { kind: "refused", refusal: { code: "not_found", description: "There is no such address" } };
  const run = methods[method];
  if (run === undefined) return { kind: "refused", refusal: { code: "method_not_allowed", description: `${method} is not possible here` } };
  return { kind: "found", run };
}

/**
 * A repeat with the same key and content gets the first answer, even if it was a refusal, and changes nothing. The same key with other
 * content is refused. After KEY_LIVES_MS the key counts as new.
 */
function once(call: Call, payments: Payments, errorId: string, work: () => Reply): Reply {
  const key = keyOf(call);
  if (key === undefined || key === "" || key.length > MAX_KEY) return errorReply(errorId, keyRefusal(`1 to ${MAX_KEY} characters`));
  const content = createHash("sha256").update(`${call.method} ${call.path}\n`).update(call.body).digest("hex");
  const kept = payments.answer(key);
  const isAlive = kept !== undefined && payments.nowMs() - kept.atMs < KEY_LIVES_MS;
  if (isAlive && kept.content !== content) return errorReply(errorId, keyRefusal("a key of its own for each request"));
  if (isAlive) return { status: kept.status, body: kept.body, changedBank: false };
  const reply = work();
  payments.keepAnswer({ key, content, atMs: payments.nowMs(), status: reply.status, body: reply.body });
  return reply;
}

function keyRefusal(expected: string): Refusal {
  return { code: "invalid_request", description: `The header Idempotence-Key needs ${expected}`, parameter: "Idempotence-Key" };
}

function keyOf({ headers }: Call): string | undefined {
  const value = headers["idempotence-key"];
  return Array.isArray(value) ? value[0] : value;
}

function replyOf(errorId: string, result: Result): Reply {
  if (result.kind === "refused") return errorReply(errorId, result.refusal);
  const { body, changedBank, firstShownPayment } = result;
  return { status: 200, body, changedBank, ...(firstShownPayment === undefined ? {} : { firstShownPayment }) };
}

function throughItems(body: Json, change: (item: Json) => Json): Json {
  return Array.isArray(body.items) ? { ...body, items: body.items.map(change) } : change(body);
}

function raised(item: Json): Json {
  const { amount, confirmation } = item as { amount?: { value: string }; confirmation?: Json };
  if (amount === undefined) return item;
  const code = confirmation?.confirmation_data;
  return {
    ...item,
    amount: amountJson((readAmount(amount.value) ?? 0) + WRONG_BY_KOPECKS),
    ...(code === undefined ? {} : { confirmation: { ...confirmation, confirmation_data: withWrongSum(code) } }),
  };
}
