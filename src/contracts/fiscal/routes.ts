import type { Request, Response, Router } from "express";
import type { InstallationKey } from "../../accounts/installation.ts";
import { answerJson } from "../../http/answer.ts";
import type { BodyTurn, LongBodies } from "../../http/bodies/long-bodies.ts";
import { parseJson } from "../../http/json-body.ts";
import { readBody } from "../../http/raw-body.ts";
import { logOf, noteForLog, noteProved } from "../../http/request-context.ts";
import { type ContractAnswers, type ContractSpec, contractRouter, type Handler } from "../../http/route.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import type { Submission, Submitted } from "../../operations/submission.ts";
import { KeyCache } from "../../security/signature.ts";
import { answerOf } from "./answer.ts";
import { identify, type ProofServices, proveBody } from "./auth.ts";
import { type FiscalCallId, fiscalEndpoints } from "./endpoints.ts";
import {
  BROKEN_BODY,
  bodyOf,
  CONTENT_DIFFERS,
  CROWDED,
  DATABASE_AWAY,
  errorOf,
  FAULT,
  type FiscalError,
  inDoubt,
  KEY_UNUSABLE,
  NO_SUCH_PATH,
  NOT_CONNECTED,
  NOT_PROVED,
  NOTHING_WRITTEN,
  RUNNING,
  TOO_LARGE,
  WRONG_METHOD,
  WRONG_TYPE,
} from "./failures.ts";
import { withPrintableNames } from "./printable-names.ts";
import { readRequest, tooMuch } from "./read.ts";
import type { Scales } from "./translate.ts";

export interface FiscalServices extends ProofServices {
  profile: PlatformProfile;
  scales: Scales;
  clock: Clock;
  /** One object for all contracts with long bodies, so that long bodies of different contracts are read one at a time too. */
  longBodies: Pick<LongBodies, "enter">;
  /** Registers the operation or returns its earlier outcome. Answers within a time limit; the work may go on after it (`Operations`). */
  submit(submission: Submission): Promise<Submitted>;
}

/** The fiscal contract, for the documentation. */
export function fiscalSpec(profile: PlatformProfile): ContractSpec {
  return {
    title: "Fiscalization",
    base: "/fiscal",
    description:
      "The platform hands over operations of its tills; each is registered once, however often it comes. " +
      "Every request is signed: RSASSA-PKCS1-v1_5 with SHA-256 over the raw body, in Base64.",
    endpoints: fiscalEndpoints(profile),
  };
}

/** The fiscal router. Mount it at `/fiscal`, after the handler `requestContext`. */
export function fiscalRoutes(services: FiscalServices): Router {
  const keys = new KeyCache();
  const handlerOf = (call: FiscalCallId): Handler => {
    return (request, response) => handle(services, keys, call, request, response);
  };
  const handlers: Record<FiscalCallId, Handler> = {
    openShift: handlerOf("openShift"),
    sale: handlerOf("sale"),
    salesReturn: handlerOf("salesReturn"),
    cashIn: handlerOf("cashIn"),
    cashOut: handlerOf("cashOut"),
    closeShift: handlerOf("closeShift"),
  };
  return contractRouter(fiscalEndpoints(services.profile), handlers, CONTRACT_ANSWERS);
}

/** The steps have the order of interface 5: the body is parsed only after its signature is proved. */
async function handle(services: FiscalServices, keys: KeyCache, call: FiscalCallId, request: Request, response: Response): Promise<void> {
  const startedMs = services.clock.monotonicMs();
  const { headers } = services.profile;
  const refuse = (error: FiscalError, reason: string, more: object = {}) => {
    logOf(response).warn({ call, status: error.status, code: error.code, reason, ...more }, "a fiscal request was refused");
    send(response, error);
  };

  const caller = await identify(services, headerOf(request, headers.fiscalAccountId));
  if (caller.kind === "refused") return refuse(caller.answer === "key-unusable" ? KEY_UNUSABLE : NOT_CONNECTED, caller.reason);
  const { appId, accountId } = caller.party;
  noteForLog(response, { appId, accountId });

  const body = await readBody(request);
  if (body.kind === "aborted") return;
  if (body.kind !== "body") return refuse(BODY_ERRORS[body.kind], body.kind);

  const signature = headerOf(request, headers.fiscalSignature);
  const proof = await proveBody(services, keys, caller.party, body.bytes, signature);
  if (proof.kind === "refused") {
    const { reason, bodySha256 } = proof;
    return refuse(NOT_PROVED, reason, { accountId, bodySha256, given: signature?.slice(0, LOGGED_SIGNATURE_LENGTH) });
  }
  noteProved(response);
  if (proof.pinned) logOf(response).warn({ accountId, scheme: proof.scheme }, "paired: this signature scheme is pinned from now on");

  const turn = await services.longBodies.enter(accountId, body.bytes.length);
  const submitted = turn === undefined ? TOO_MANY : await carryOut(services, call, { appId, accountId }, body.bytes, turn);
  if (submitted.kind === "broken") return refuse(BROKEN_BODY, submitted.problem);
  if (submitted.kind === "done") answerJson(response, 200, submitted.answer);
  else send(response, errorFor(submitted));
  report(response, submitted, { accountId, call, durationMs: Math.round(services.clock.monotonicMs() - startedMs) });
}

const TOO_MANY: Submitted = { kind: "refused", refusal: { code: "lane-full" } };

/** Turns a proved body into an operation and submits it. Reads a long body in steps, so that other requests run in between. */
async function carryOut(
  services: FiscalServices,
  call: FiscalCallId,
  key: InstallationKey,
  bytes: Buffer,
  turn: BodyTurn,
): Promise<Submitted | { kind: "broken"; problem: string }> {
  try {
    const json = parseJson(bytes);
    if (json.kind === "broken") return json;
    await turn.rest();
    const read = json.kind === "excess" ? tooMuch(json) : readRequest(call, json.value, services.scales);
    if (read.kind === "refused") return read;
    await turn.rest();
    const operation = await withPrintableNames(read.operation, turn);
    await turn.rest();
    return await services.submit({ ...key, ...read, operation, answer: answerOf });
  } finally {
    turn.end();
  }
}

const BODY_ERRORS = { "too-large": TOO_LARGE, "wrong-type": WRONG_TYPE, "bad-encoding": BROKEN_BODY, crowded: CROWDED } as const;

const LOGGED_PATH_LENGTH = 200;

/** The maximum number of logged characters of a signature: enough to show how the caller signs. */
const LOGGED_SIGNATURE_LENGTH = 1_024;

function errorFor(submitted: Exclude<Submitted, { kind: "done" }>): FiscalError {
  switch (submitted.kind) {
    case "refused":
      return errorOf(submitted.refusal);
    case "content-differs":
      return CONTENT_DIFFERS;
    case "running":
      return RUNNING;
    case "in-doubt":
      return inDoubt(submitted.doubt);
  }
}

/** Logs one line for each submitted operation. The line contains no body, no contact of the buyer and no marks. */
function report(response: Response, submitted: Submitted, values: { accountId: string; call: FiscalCallId; durationMs: number }): void {
  noteForLog(response, { operation: values.call, outcome: submitted.kind });
  const log = logOf(response);
  const line = { ...values, outcome: submitted.kind };
  switch (submitted.kind) {
    case "done":
      log.info({ ...line, replayed: submitted.replayed }, "operation finished");
      break;
    case "refused": {
      const { code, parameter, details, device } = submitted.refusal;
      log.warn({ ...line, refusal: code, parameter, details, device }, "operation refused");
      break;
    }
    case "in-doubt":
      log.error(line, "a person must look at an operation");
      break;
    case "content-differs":
    case "running":
      log.warn(line, "operation answered without an outcome");
      break;
  }
}

function headerOf(request: Request, name: string): string | undefined {
  const value = request.headers[name.toLowerCase()];
  return typeof value === "string" ? value : undefined;
}

function send(response: Response, error: FiscalError): void {
  answerJson(response, error.status, bodyOf(error));
}

const CONTRACT_ANSWERS: ContractAnswers = {
  unknownPath(request, response) {
    logOf(response).warn(
      { method: request.method, path: request.path.slice(0, LOGGED_PATH_LENGTH) },
      "an unknown fiscal operation was called",
    );
    send(response, NO_SUCH_PATH);
  },
  wrongMethod: (_request, response) => send(response, WRONG_METHOD),
  fault(error, _request, response) {
    logOf(response).error({ reason: messageOf(error), err: error }, "a fiscal request failed");
    send(response, faultOf(error));
  },
};

const TAKES_NO_CHANGE = ["database-full", "database-read-only", "database-unwritable"];

/**
 * The answer to a failed request. `submit` throws a `Failure` only when this call has sent nothing to a register. An earlier call may have
 * sent the document. The codes come from `store/failures.ts`.
 */
function faultOf(error: unknown): FiscalError {
  const code = error instanceof Failure ? error.code : undefined;
  if (code !== undefined && TAKES_NO_CHANGE.includes(code)) return NOTHING_WRITTEN;
  return code === "database-failed" ? DATABASE_AWAY : FAULT;
}
