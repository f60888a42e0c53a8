import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, pause } from "../../kernel/clock.ts";
import { answerControl } from "./control/control.ts";
import { NEW_FIELDS } from "./engine/announcer.ts";
import { type BankApi, type Call, type Json, type Reply, TROUBLE_STATUS, type Trouble } from "./engine/bank-api.ts";
import type { Faults } from "./engine/faults.ts";
import type { Notifier } from "./engine/notifier.ts";
import type { Payments } from "./engine/payments.ts";
import type { ReceivedCalls } from "./engine/received-calls.ts";
import { readBytes } from "./listener.ts";

/** The prefix of every path of the control line, through which a tester plays the buyer and the bank. */
export const CONTROL = "/control";
/** The delay that the fault slow-answer adds. It is longer than a merchant waits for an answer (qr-acquirers 6). */
const SLOW_ANSWER_MS = 4_000;

interface RequestParts {
  readonly bankApi: BankApi;
  readonly payments: Payments;
  readonly faults: Faults;
  readonly notifier: Pick<Notifier, "settled">;
  readonly calls: ReceivedCalls;
  readonly clock: Clock;
  /** Call it after each change, because the time of the next due event may have changed. */
  readonly changed: () => void;
  readonly closed: AbortSignal;
}

/** Answers one request: a control order or a merchant's call. Throws a `Failure` when changes cannot be stored. */
export async function answerRequest(parts: RequestParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(`http://bank${request.url ?? "/"}`);
  const below = belowRoot(url.pathname, CONTROL);
  if (below === undefined) await answerMerchant(parts, url, request, response);
  else await answerOrder(parts, below, request, response);
}

async function answerOrder(parts: RequestParts, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBytes(request);
  if (body.kind === "gone") return;
  if (body.kind === "too-large") {
    send(response, 413, { error: "the body is too large" });
    return;
  }
  const { bankApi, payments, faults, calls } = parts;
  payments.settle();
  const seen = { payments, faults, statusOf: bankApi.statusOf, requests: () => calls.list() };
  const answer = answerControl(seen, { method: request.method ?? "", path, body: body.bytes });
  // Starts the notifications that the order caused, before the order is answered.
  payments.settle();
  payments.commit();
  parts.changed();
  send(response, answer.status, answer.body);
}

/** Answers a call of the merchant. The faults are tried in the order of the steps: connection, body, call, answer. */
async function answerMerchant(parts: RequestParts, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { bankApi, payments, faults, calls, clock, closed } = parts;
  const noted = calls.received({ at: new Date(payments.nowMs()).toISOString(), method: request.method ?? "", path: url.pathname });
  if (faults.strikes("down")) {
    request.socket.destroy();
    return;
  }
  const body = await readBytes(request);
  if (body.kind === "gone") return;
  const trouble = (kind: Trouble) => {
    noted.status = TROUBLE_STATUS[kind];
    send(response, TROUBLE_STATUS[kind], bankApi.trouble(kind));
  };
  if (body.kind === "too-large") return trouble("too-large");
  const path = belowRoot(url.pathname, bankApi.root) ?? url.pathname;
  const call: Call = { method: request.method ?? "", path, query: url.searchParams, headers: request.headers, body: body.bytes };
  noted.key = bankApi.keyOf(call);
  if (faults.strikes("busy")) return trouble("busy");
  if (faults.strikes("error-before")) return trouble("broken");
  if (call.body.length > 0 && !isJson(request)) return trouble("wrong-type");

  const reply = await work(parts, call);
  if (faults.strikes("slow-answer")) await pause(clock, SLOW_ANSWER_MS, closed);
  if (reply.changedBank && faults.strikes("lost-answer")) {
    request.socket.destroy();
    return;
  }
  if (reply.changedBank && faults.strikes("error-after")) return trouble("broken");
  noted.status = reply.status;
  send(response, reply.status, distorted(parts, reply));
}

/**
 * Performs a call. When `early-notifications` strikes a call that shows a code, the buyer pays at once, and the notification is tried once
 * before the answer is sent.
 */
async function work({ bankApi, payments, faults, notifier, changed }: RequestParts, call: Call): Promise<Reply> {
  payments.settle();
  const reply = bankApi.answer(call, payments);
  const created = reply.firstShownPayment === undefined ? undefined : payments.payment(reply.firstShownPayment);
  const isEarly = created !== undefined && faults.strikes("early-notifications");
  if (isEarly) payments.pay(created);
  payments.settle();
  payments.commit();
  changed();
  if (isEarly) await notifier.settled(created.id);
  return reply;
}

function distorted({ bankApi, faults }: RequestParts, { status, body }: Reply): Json {
  if (status !== 200) return body;
  const counted = faults.strikes("wrong-amount") ? bankApi.withWrongAmount(body) : body;
  const named = faults.strikes("strange-status") ? bankApi.withStrangeStatus(counted) : counted;
  return faults.strikes("new-field") ? { ...named, ...NEW_FIELDS } : named;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(text) });
  response.end(text);
}

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(headers["content-type"] ?? "");
}

/** Returns the path below the root. Undefined: the path is the root itself, or is not below the root. */
function belowRoot(path: string, root: string): string | undefined {
  return path.startsWith(`${root}/`) ? path.slice(root.length) : undefined;
}
