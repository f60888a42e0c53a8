import type { IncomingMessage, ServerResponse } from "node:http";
import { type Clock, pause } from "../../kernel/clock.ts";
import { answerControl } from "./control/control.ts";
import { NEW_FIELDS } from "./engine/announcer.ts";
import { type Call, type Face, type Json, type Reply, TROUBLE_STATUS, type Trouble } from "./engine/face.ts";
import type { Faults } from "./engine/faults.ts";
import type { Notifier } from "./engine/notifier.ts";
import type { Payments } from "./engine/payments.ts";
import type { ReceivedCalls } from "./engine/received-calls.ts";
import { readBytes } from "./listener.ts";

/** The control line's first part of every path. */
export const CONTROL = "/control";
/** Longer than a merchant waits for any answer (reference 6). */
const SLOW_ANSWER_MS = 4_000;

interface DoorParts {
  readonly face: Face;
  readonly payments: Payments;
  readonly faults: Faults;
  readonly notifier: Pick<Notifier, "settled">;
  readonly calls: ReceivedCalls;
  readonly clock: Clock;
  /** After each change: what is due next may have changed. */
  readonly changed: () => void;
  readonly closed: AbortSignal;
}

/** Answers one request: an order of the control line, or a call of the merchant. Throws a `Failure` when nothing can be kept. */
export async function answerRequest(parts: DoorParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(`http://bank${request.url ?? "/"}`);
  const below = belowRoot(url.pathname, CONTROL);
  if (below === undefined) await answerMerchant(parts, url, request, response);
  else await answerOrder(parts, below, request, response);
}

async function answerOrder(parts: DoorParts, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBytes(request);
  if (body.kind === "gone") return;
  if (body.kind === "too-large") {
    send(response, 413, { error: "the body is too large" });
    return;
  }
  const { face, payments, faults, calls } = parts;
  payments.settle();
  const seen = { payments, faults, statusOf: face.statusOf, requests: () => calls.list() };
  const answer = answerControl(seen, { method: request.method ?? "", path, body: body.bytes });
  // What the order has caused is under way before it is answered.
  payments.settle();
  payments.commit();
  parts.changed();
  send(response, answer.status, answer.body);
}

/** A call of the merchant, and every fault that can strike it, in the order in which a call meets them. */
async function answerMerchant(parts: DoorParts, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { face, payments, faults, calls, clock, closed } = parts;
  const noted = calls.received({ at: new Date(payments.nowMs()).toISOString(), method: request.method ?? "", path: url.pathname });
  if (faults.strikes("down")) {
    request.socket.destroy();
    return;
  }
  const body = await readBytes(request);
  if (body.kind === "gone") return;
  const trouble = (kind: Trouble) => {
    noted.status = TROUBLE_STATUS[kind];
    send(response, TROUBLE_STATUS[kind], face.trouble(kind));
  };
  if (body.kind === "too-large") return trouble("too-large");
  const path = belowRoot(url.pathname, face.root) ?? url.pathname;
  const call: Call = { method: request.method ?? "", path, query: url.searchParams, headers: request.headers, body: body.bytes };
  noted.key = face.keyOf(call);
  if (faults.strikes("busy")) return trouble("busy");
  if (faults.strikes("error-before")) return trouble("broken");
  if (call.body.length > 0 && !isJson(request)) return trouble("wrong-type");

  const reply = await work(parts, call);
  if (faults.strikes("slow-answer")) await pause(clock, SLOW_ANSWER_MS, closed);
  if (reply.worked && faults.strikes("lost-answer")) {
    request.socket.destroy();
    return;
  }
  if (reply.worked && faults.strikes("error-after")) return trouble("broken");
  noted.status = reply.status;
  send(response, reply.status, distorted(parts, reply));
}

/** Does what the call wants. The early payment comes before the answer that hands over the code. */
async function work({ face, payments, faults, notifier, changed }: DoorParts, call: Call): Promise<Reply> {
  payments.settle();
  const reply = face.answer(call, payments);
  const created = reply.handsOver === undefined ? undefined : payments.payment(reply.handsOver);
  const isEarly = created !== undefined && faults.strikes("early-notifications");
  if (isEarly) payments.pay(created);
  payments.settle();
  payments.commit();
  changed();
  if (isEarly) await notifier.settled(created.id);
  return reply;
}

function distorted({ face, faults }: DoorParts, { status, body }: Reply): Json {
  if (status !== 200) return body;
  const counted = faults.strikes("wrong-amount") ? face.withWrongAmount(body) : body;
  const named = faults.strikes("strange-status") ? face.withStrangeStatus(counted) : counted;
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

/** The path below a root; undefined: the path is not below it. */
function belowRoot(path: string, root: string): string | undefined {
  return path.startsWith(`${root}/`) ? path.slice(root.length) : undefined;
}
