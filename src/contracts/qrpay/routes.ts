import type { Request, Response, Router } from "express";
import type { OneTimeToken } from "../../accounts/one-time-tokens.ts";
import { answerJson } from "../../http/answer.ts";
import type { LongBodies } from "../../http/bodies/long-bodies.ts";
import { Numeral, parseJson } from "../../http/json-body.ts";
import { readBody } from "../../http/raw-body.ts";
import { logOf, noteForLog, noteProved } from "../../http/request-context.ts";
import { type ContractAnswers, type ContractSpec, contractRouter, type Handler } from "../../http/route.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { Payments } from "../../payments/payments.ts";
import type { CancelResult, CreateResult, StateResult, TillCall } from "../../payments/till/till-call.ts";
import type { KeySet } from "../../security/key-set.ts";
import { prove } from "./auth.ts";
import { QR_ENDPOINTS, type QrCallId } from "./endpoints.ts";
import {
  amountIsWrong,
  BROKEN_BODY,
  bodyOf,
  CROWDED,
  errorOf,
  FAULT,
  fieldIsWrong,
  NO_SUCH_PATH,
  NOT_PROVED,
  type QrError,
  TOO_LARGE,
  WRONG_METHOD,
  WRONG_TYPE,
} from "./failures.ts";
import { type OperationBody, readOperation } from "./schema.ts";
import { amountOf, callOf } from "./translate.ts";

interface QrServices {
  payments: Pick<Payments, "create" | "state" | "cancel">;
  /** Marks the token of a refused request as used. False: the token was used before, or had expired before the clock was set back. */
  useUp(token: OneTimeToken): Promise<boolean>;
  keys: KeySet;
  issuer: string;
  clock: Clock;
  /** One object for all contracts with long bodies, so that long bodies of different contracts are read one at a time too. */
  longBodies: Pick<LongBodies, "enter">;
}

/** The QR payment contract, for the documentation. */
export const QR_SPEC: ContractSpec = {
  title: "QR payment",
  base: "/qr",
  description:
    "A till shows the buyer a code, asks until the payment ends, and sells. Every request carries a token that is used once: RS256, by the keys of the platform's key address.",
  endpoints: QR_ENDPOINTS,
};

/** The QR payment router. Mount it at `/qr`, after the handler `requestContext`. */
export function qrRoutes(services: QrServices): Router {
  const handlerOf = (id: QrCallId): Handler => {
    return (request, response) => handle(services, id, request, response);
  };
  return contractRouter(
    QR_ENDPOINTS,
    { create: handlerOf("create"), state: handlerOf("state"), cancel: handlerOf("cancel") },
    CONTRACT_ANSWERS,
  );
}

/**
 * Checks in the order of payments surface 5: size and type, token, JSON, schema. Then `payments` checks account, point of sale and rules.
 */
async function handle(services: QrServices, id: QrCallId, request: Request, response: Response): Promise<void> {
  const startedMs = services.clock.monotonicMs();
  const refuse = (error: QrError, reason: string) => {
    logOf(response).warn({ call: id, status: error.status, code: error.code, reason }, "a QR payment request was refused");
    send(response, error);
  };

  const body = await readBody(request);
  if (body.kind === "aborted") return;
  if (body.kind === "too-large") return refuse(TOO_LARGE, body.kind);
  if (body.kind === "wrong-type") return refuse(WRONG_TYPE, body.kind);
  if (body.kind === "crowded") return refuse(CROWDED, body.kind);

  const proof = await prove(services.keys, services.issuer, request.headers.authorization);
  if (proof.kind === "refused") {
    response.setHeader("WWW-Authenticate", "Bearer");
    return refuse(NOT_PROVED, proof.reason);
  }
  noteProved(response);
  const { token } = proof;
  const read =
    body.kind === "body"
      ? await readCall(services, { token, receivedAtMs: startedMs }, body.bytes)
      : ({ kind: "wrong", error: BROKEN_BODY } as const);
  if (read.kind === "wrong") {
    const fresh = await services.useUp(token);
    return fresh ? refuse(read.error, "body") : refuse(errorOf({ kind: "token-used" }), "token-used");
  }
  const { call } = read;
  noteForLog(response, { accountId: call.accountId, storeId: call.storeId });
  const result = await services.payments[id](call);
  if (result.kind === "created" || result.kind === "state" || result.kind === "cancelled")
    answerJson(response, 200, answerOf(call, result));
  else refuse(errorOf(result), result.kind);
  report(response, id, call, result, Math.round(services.clock.monotonicMs() - startedMs));
}

interface ProvedRequest {
  token: OneTimeToken;
  /** On the monotonic clock. */
  receivedAtMs: number;
}

type ReadCall = { kind: "call"; call: TillCall } | { kind: "wrong"; error: QrError };

/** Reads a body. The body first waits for its turn (`LongBodies`), so that other requests run in between. */
async function readCall(services: QrServices, proved: ProvedRequest, bytes: Buffer): Promise<ReadCall> {
  const turn = await services.longBodies.enter(proved.token.issuer, bytes.length);
  if (turn === undefined) return { kind: "wrong", error: CROWDED };
  try {
    const json = parseJson(bytes, (text) => new Numeral(text));
    if (json.kind === "broken") return { kind: "wrong", error: BROKEN_BODY };
    if (json.kind === "excess") return { kind: "wrong", error: fieldIsWrong(String(json.path[0])) };
    const operation = readOperation(json.value);
    return operation.kind === "wrong" ? { kind: "wrong", error: fieldIsWrong(operation.parameter) } : priced(operation.body, proved);
  } finally {
    turn.end();
  }
}

function priced(body: OperationBody, { token, receivedAtMs }: ProvedRequest): ReadCall {
  const amount = amountOf(body.amount);
  switch (amount.kind) {
    case "no-number":
      return { kind: "wrong", error: fieldIsWrong("amount") };
    case "not-allowed":
      return { kind: "wrong", error: amountIsWrong({}) };
    case "kopecks":
      return { kind: "call", call: callOf(body, amount.kopecks, token, receivedAtMs) };
  }
}

type Success = Extract<CreateResult | StateResult | CancelResult, { kind: "created" | "state" | "cancelled" }>;

function answerOf({ operationId }: TillCall, result: Success): object {
  switch (result.kind) {
    case "created":
      return { operationId, data: result.qrText };
    case "state":
      return { operationId, status: result.status };
    case "cancelled":
      return {};
  }
}

/** Logs each call with its outcome. A payment in progress is not logged, because a till asks for its state each second. */
function report(
  response: Response,
  call: QrCallId,
  { accountId, storeId, operationId, amountKopecks }: TillCall,
  result: CreateResult | StateResult | CancelResult,
  durationMs: number,
): void {
  const outcome = result.kind === "state" ? result.status : result.kind;
  noteForLog(response, { operation: call, outcome });
  if (outcome === "IN_PROGRESS") return;
  const line = { accountId, storeId, operationId, call, outcome, durationMs, ...(call === "state" ? {} : { amountKopecks }) };
  if (result.kind === "refused") logOf(response).error({ ...line, reason: result.reason.code }, "the acquirer refused");
  else logOf(response).info(line, "payment call answered");
}

function send(response: Response, error: QrError): void {
  answerJson(response, error.status, bodyOf(error));
}

const CONTRACT_ANSWERS: ContractAnswers = {
  unknownPath: (_request, response) => send(response, NO_SUCH_PATH),
  wrongMethod: (_request, response) => send(response, WRONG_METHOD),
  fault(error, _request, response) {
    logOf(response).error({ reason: messageOf(error), err: error }, "a QR payment request failed");
    send(response, FAULT);
  },
};
