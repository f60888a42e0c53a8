import type { BlockList } from "node:net";
import type { Request, Response, Router } from "express";
import { answerBytes } from "../../http/answer.ts";
import { readRaw } from "../../http/raw-body.ts";
import { logOf, noteForLog, noteProved } from "../../http/request-context.ts";
import { type ContractAnswers, type ContractSpec, contractRouter } from "../../http/route.ts";
import { callerOf } from "../../http/source.ts";
import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { BankNotifications } from "../../payments/notifications.ts";
import { HOOKS_ENDPOINTS } from "./endpoints.ts";
import { fault, type HooksAnswer, tooLarge, unknownAddress, wrongMethod } from "./failures.ts";

interface HooksServices {
  notifications: Pick<BankNotifications, "take">;
  /** Proxies of these networks may state the caller's address in a header. */
  trustedProxies: BlockList;
  clock: Clock;
}

/**
 * The longest time until the answer: a bank is answered within a second (payments surface 4). After the limit the server answers 503 but
 * goes on storing. The bank's repeat may then find the notification stored.
 */
const ANSWER_LIMIT_MS = 900;
/** The largest body of a notification (payments surface 4). */
const MAX_BODY_BYTES = 64 * 1024;
/** The secrets of this server have 32 characters of base64url. A text with other characters or a very different length is not looked up. */
const SECRET = /^[A-Za-z0-9_-]{16,64}$/;
const ACQUIRER = /^[a-z][a-z0-9-]{0,30}$/;

/** The notification addresses of banks, for the documentation. */
export const HOOKS_SPEC: ContractSpec = {
  title: "Notifications of banks",
  base: "/hooks",
  description: "A notification is a hint. The truth is always read at the bank.",
  endpoints: HOOKS_ENDPOINTS,
};

/** The router of the notification addresses. Mount it at `/hooks`, after the handler `requestContext`. */
export function hooksRoutes(services: HooksServices): Router {
  const notify = async (request: Request, response: Response) => {
    const { clock } = services;
    const receiving = receive(services, request, response);
    const waited = await waitUntil(clock, deadlineIn(clock, ANSWER_LIMIT_MS), receiving);
    if (waited.kind === "late") {
      logOf(response).warn({ limitMs: ANSWER_LIMIT_MS }, "a bank's notification could not be stored in time; the bank repeats it");
      receiving.catch((error: unknown) => logOf(response).error({ reason: messageOf(error) }, "a bank's notification could not be stored"));
      return send(response, fault);
    }
    if (waited.value !== undefined) send(response, waited.value);
  };
  return contractRouter(HOOKS_ENDPOINTS, { notify }, CONTRACT_ANSWERS);
}

/** Reads the body and passes the notification on. Returns undefined when the caller disconnected before the body was complete. */
async function receive(
  { notifications, trustedProxies }: HooksServices,
  request: Request,
  response: Response,
): Promise<HooksAnswer | undefined> {
  const acquirer = String(request.params.acquirer);
  const secret = String(request.params.secret);
  const body = await readRaw(request, { maxBytes: MAX_BODY_BYTES });
  if (body.kind === "aborted") return undefined;
  if (!SECRET.test(secret) || !ACQUIRER.test(acquirer)) return unknownAddress;
  if (body.kind === "too-large") return tooLarge;
  if (body.kind !== "body") return fault;
  const source = callerOf(request, trustedProxies);
  const end = await notifications.take({ acquirer, secret, headers: request.headers, body: body.bytes, source: source ?? "" });
  if (end.kind === "unknown-address") return unknownAddress;
  if (end.kind === "busy") {
    noteForLog(response, { acquirer, outcome: "busy" });
    return fault;
  }
  noteProved(response);
  noteForLog(response, { acquirer, outcome: end.outcome });
  return { status: end.status, body: end.body };
}

function send(response: Response, { status, body }: HooksAnswer): void {
  answerBytes(response, status, "text/plain; charset=utf-8", Buffer.from(body, "utf8"));
}

const CONTRACT_ANSWERS: ContractAnswers = {
  unknownPath: (_request, response) => send(response, unknownAddress),
  wrongMethod: (_request, response) => send(response, wrongMethod),
  fault(error, _request, response) {
    logOf(response).error({ reason: messageOf(error) }, "a bank's notification could not be stored");
    send(response, fault);
  },
};
