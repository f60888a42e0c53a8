import type { Request, Response, Router } from "express";
import { answerEmpty, answerJson } from "../../http/answer.ts";
import type { LongBodies } from "../../http/bodies/long-bodies.ts";
import { Numeral, parseJson } from "../../http/json-body.ts";
import { readBody } from "../../http/raw-body.ts";
import { logOf, noteForLog, noteProved } from "../../http/request-context.ts";
import { type ContractAnswers, type ContractSpec, contractRouter, type Handler } from "../../http/route.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import { storableText } from "../../kernel/json/storable.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import type { LoyaltyKeys, TillAccount } from "../../loyalty/connection/keys.ts";
import type { Loyalty } from "../../loyalty/loyalty.ts";
import { prove } from "./auth.ts";
import { type Answer, answering, type CallHandlers } from "./calls.ts";
import { type LoyaltyCallId, loyaltyEndpoints } from "./endpoints.ts";
import {
  BROKEN_BODY,
  bodyOf,
  CROWDED,
  FAULT,
  fieldIsWrong,
  type LoyaltyError,
  NO_SUCH_PATH,
  NOT_PROVED,
  TOO_LARGE,
  WRONG_METHOD,
  WRONG_TYPE,
} from "./failures.ts";

interface LoyaltyServices {
  profile: PlatformProfile;
  loyalty: Loyalty;
  keys: Pick<LoyaltyKeys, "read">;
  clock: Clock;
  /** One object for all contracts with long bodies, so that long bodies of different contracts are read one at a time too. */
  longBodies: Pick<LongBodies, "enter">;
  /** For the metrics. Called after each call that did not throw. */
  observe(call: LoyaltyCallId, durationMs: number): void;
}

/** The loyalty contract, for the documentation. */
export function loyaltySpec(profile: PlatformProfile): ContractSpec {
  return {
    title: "Loyalty",
    base: "/loyalty",
    description:
      "A till asks what a sale costs a member, tells what was sold and returned, and finds members. Every request carries the key that the platform was given with the connection.",
    endpoints: loyaltyEndpoints(profile),
  };
}

/** The loyalty router. Mount it at `/loyalty`, after the handler `requestContext`. */
export function loyaltyRoutes(services: LoyaltyServices): Router {
  const parts = { ...services, calls: answering(services.loyalty) };
  const endpoints = loyaltyEndpoints(services.profile);
  const handlers = Object.fromEntries(
    endpoints.map(({ id, method }): [LoyaltyCallId, Handler] => [
      id,
      (request, response) =>
        timed(parts, id, () => (method === "GET" ? query(parts, id, request, response) : handle(parts, id, request, response))),
    ]),
  );
  return contractRouter(endpoints, handlers as Record<LoyaltyCallId, Handler>, CONTRACT_ANSWERS);
}

type Parts = LoyaltyServices & { calls: CallHandlers };

async function timed(services: Parts, id: LoyaltyCallId, work: () => Promise<void>): Promise<void> {
  const startedMs = services.clock.monotonicMs();
  await work();
  services.observe(id, services.clock.monotonicMs() - startedMs);
}

/** Checks the key before it reads the body, so that a caller without a valid key costs little. */
async function handle(services: Parts, id: LoyaltyCallId, request: Request, response: Response): Promise<void> {
  const account = await proved(services, request, response);
  if (account === undefined) return;
  const body = await readBody(request);
  if (body.kind === "aborted") return;
  if (body.kind === "too-large") return refuse(response, id, TOO_LARGE);
  if (body.kind === "wrong-type") return refuse(response, id, WRONG_TYPE);
  if (body.kind === "crowded") return refuse(response, id, CROWDED);
  if (body.kind !== "body") return refuse(response, id, BROKEN_BODY);
  const turn = await services.longBodies.enter(account.key.accountId, body.bytes.length);
  if (turn === undefined) return refuse(response, id, CROWDED);
  try {
    const json = parseJson(body.bytes, (text) => new Numeral(text));
    if (json.kind === "broken") return refuse(response, id, BROKEN_BODY);
    if (json.kind === "excess") return refuse(response, id, fieldIsWrong(String(json.path[0])));
    send(response, id, account, await services.calls[id](account, json.value));
  } finally {
    turn.end();
  }
}

async function query(services: Parts, id: LoyaltyCallId, request: Request, response: Response): Promise<void> {
  const account = await proved(services, request, response);
  if (account !== undefined) send(response, id, account, await services.calls[id](account, queryOf(request)));
}

/**
 * Returns the parameters of the query. Of a repeated parameter the last value counts. Characters that cannot be stored are replaced in the
 * values.
 */
function queryOf({ originalUrl }: Request): Record<string, string> {
  const start = originalUrl.indexOf("?");
  const query = new URLSearchParams(start === -1 ? "" : originalUrl.slice(start));
  return Object.fromEntries(Array.from(query, ([name, value]) => [name, storableText(value)]));
}

async function proved(services: Parts, request: Request, response: Response): Promise<TillAccount | undefined> {
  const proof = await prove(services.keys, services.profile.headers.loyaltyToken, request.headers);
  if (proof.kind === "unknown") {
    refuse(response, "key", NOT_PROVED);
    return undefined;
  }
  noteProved(response);
  noteForLog(response, { accountId: proof.account.key.accountId });
  return proof.account;
}

function send(response: Response, call: LoyaltyCallId, { key }: TillAccount, answer: Answer): void {
  noteForLog(response, { operation: call, outcome: answer.kind });
  switch (answer.kind) {
    case "json":
      answerJson(response, 200, answer.body);
      break;
    case "made":
      logOf(response).info({ accountId: key.accountId, call, ...answer.note }, "loyalty call answered");
      answerEmpty(response, 201);
      break;
    case "refused":
      refuse(response, call, answer.error);
      break;
  }
}

function refuse(response: Response, call: string, error: LoyaltyError): void {
  const { status, code, parameter } = error;
  logOf(response).warn({ call, status, code, parameter }, "a loyalty request was refused");
  answerJson(response, status, bodyOf(error));
}

const CONTRACT_ANSWERS: ContractAnswers = {
  unknownPath: (_request, response) => answerJson(response, NO_SUCH_PATH.status, bodyOf(NO_SUCH_PATH)),
  wrongMethod: (_request, response) => answerJson(response, WRONG_METHOD.status, bodyOf(WRONG_METHOD)),
  fault(error, _request, response) {
    logOf(response).error({ reason: messageOf(error), err: error }, "a loyalty request failed");
    answerJson(response, FAULT.status, bodyOf(FAULT));
  },
};
