import { createHash } from "node:crypto";
import type { Request, Response, Router } from "express";
import type { Credentials } from "../../accounts/credentials.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { Installations } from "../../accounts/installations.ts";
import type { Once, OnceAnswer, SeenTokens } from "../../accounts/seen-tokens.ts";
import { answerEmpty, answerJson, JSON_TYPE } from "../../http/answer.ts";
import type { LongBodies } from "../../http/bodies/long-bodies.ts";
import { parseJson } from "../../http/json-body.ts";
import { readBody } from "../../http/raw-body.ts";
import { logOf, logWith, noteForLog, noteProved } from "../../http/request-context.ts";
import { type ContractAnswers, type ContractSpec, contractRouter, type Handler } from "../../http/route.ts";
import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import { storableText } from "../../kernel/json/storable.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import { PLATFORM_ID } from "../../model/operation.ts";
import { type Proof, prove } from "./auth.ts";
import { type VendorCallId, vendorEndpoints } from "./endpoints.ts";
import * as answers from "./failures.ts";
import { deleteInstallation, getInstallation, type ProvedCall, putEvent, putInstallation } from "./installation-calls.ts";

interface VendorServices {
  profile: PlatformProfile;
  credentials: Credentials;
  installations: Installations;
  seenTokens: SeenTokens;
  clock: Clock;
  /** One object for all contracts with long bodies, so that long bodies of different contracts are read one at a time too. */
  longBodies: Pick<LongBodies, "enter">;
  /** True when a default register exists, or a register is set for the account or a point of sale (interface 6, Complete set-up). */
  isComplete(key: InstallationKey): Promise<boolean>;
  /** Called after each Install or Resume that left the installation active. Starts the work that follows and does not wait for it. */
  activated(key: InstallationKey): void;
}

/**
 * How long the answer waits for the work. The platform gives up after 10 s and repeats the call. After this limit the server answers 503,
 * and the work goes on. The repeated call gets the answer of this work (`SeenTokens`).
 */
const ANSWER_LIMIT_MS = 8_000;

/** A longer request id is cut. The platform's request ids are UUIDs, which are shorter. */
const REQUEST_ID_LENGTH = 200;

/** The vendor contract, for the documentation. */
export function vendorSpec(profile: PlatformProfile): ContractSpec {
  return {
    title: "Vendor lifecycle",
    base: "/vendor",
    description: "The platform tells who installed the solution, and who no longer uses it.",
    endpoints: vendorEndpoints(profile),
  };
}

/** The vendor router. Mount it at `/vendor`, after the handler `requestContext`. */
export function vendorRoutes(services: VendorServices): Router {
  const handlers: Record<VendorCallId, Handler> = {
    putInstallation: handler(services, withJson, (call, value) => putInstallation(services, call, value)),
    deleteInstallation: handler(services, withOptionalJson, (call, value) => deleteInstallation(services, call, value)),
    getInstallation: handler(services, withoutBody, (call) => getInstallation(services, call)),
    putEvent: handler(services, withJson, (call, value) => putEvent(services, call, value)),
    pressButton: handler(services, withJson, async () => answers.noSuchButton),
    runScenario: handler(services, withJson, async () => answers.noSuchScenario),
  };
  return contractRouter(vendorEndpoints(services.profile), handlers, CONTRACT_ANSWERS);
}

function handler(services: VendorServices, read: BodyReader, work: (call: ProvedCall, value: unknown) => Promise<OnceAnswer>): Handler {
  return async (request, response) => {
    const { appId, accountId } = idsOf(request);
    noteForLog(response, { appId, accountId });
    const proof = await prove(services.credentials, appId, request.headers.authorization, services.clock.nowMs());
    if (proof.kind === "refused") return refuseProof(response, proof);
    noteProved(response);
    if (!PLATFORM_ID.test(accountId)) return send(response, answers.bodyIsWrong("accountId", "accountId is not valid"));
    const body = await read(request);
    if (body.kind === "aborted") return;
    if (body.kind === "wrong") return send(response, body.answer);
    const call: ProvedCall = { appId, accountId, set: proof.set, log: logWith(logOf(response), { appId, accountId }) };
    const requestId = requestIdOf(services, request, call);
    const token = { appId, tokenId: proof.tokenId, expiresAtMs: proof.expiresAtMs, ...requestId };
    const fingerprint = { method: request.method, path: request.baseUrl + request.path, bodyHash: hashOf(body.bytes) };
    const turn = await services.longBodies.enter(`${appId} ${accountId}`, body.bytes.length);
    if (turn === undefined) return send(response, answers.fault);
    const once = services.seenTokens
      .once({ ...token, ...fingerprint }, () => answerOf(body.bytes, (value) => work(call, value)))
      .finally(() => turn.end());
    const waited = await waitUntil(services.clock, deadlineIn(services.clock, ANSWER_LIMIT_MS), once);
    if (waited.kind === "late") {
      reportLate(once, call);
      return send(response, answers.fault);
    }
    sendOnce(response, waited.value);
  };
}

/** Parses the body and does the work. Called after the token is recorded, so that a repeat of a broken body gets the stored answer. */
async function answerOf(bytes: Buffer, work: (value: unknown) => Promise<OnceAnswer>): Promise<OnceAnswer> {
  if (bytes.length === 0) return work({});
  const json = parseJson(bytes);
  switch (json.kind) {
    case "broken":
      return answers.errorIs(400, `The body is ${json.problem}`);
    case "excess":
      return answers.bodyIsWrong(json.path.join("."), `The field is ${json.problem}`);
    case "json":
      return work(json.value);
  }
}

type BodyReader = (request: Request) => Promise<BodyReading>;
type BodyReading = { kind: "bytes"; bytes: Buffer } | { kind: "wrong"; answer: OnceAnswer } | { kind: "aborted" };

async function withJson(request: Request): Promise<BodyReading> {
  const body = await readBody(request);
  switch (body.kind) {
    case "body":
      return body.bytes.length === 0 ? wrong(answers.errorIs(400, "The body is empty")) : { kind: "bytes", bytes: body.bytes };
    case "too-large":
      return wrong(answers.tooLarge);
    case "wrong-type":
      return wrong(answers.wrongType);
    case "bad-encoding":
      return wrong(answers.errorIs(400, "The body's gzip is broken"));
    case "crowded":
      return wrong(answers.fault);
    case "aborted":
      return body;
  }
}

/** A proxy may drop the body of a DELETE. Without a body the call still counts as Suspend. */
async function withOptionalJson(request: Request): Promise<BodyReading> {
  const announced = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
  return announced ? withJson(request) : { kind: "bytes", bytes: NOTHING };
}

async function withoutBody(): Promise<BodyReading> {
  return { kind: "bytes", bytes: NOTHING };
}

const NOTHING = Buffer.alloc(0);

function wrong(answer: OnceAnswer): BodyReading {
  return { kind: "wrong", answer };
}

function idsOf(request: Request): InstallationKey {
  const { appId, accountId } = request.params;
  return { appId: storableText(String(appId)), accountId: storableText(String(accountId)) };
}

/** The header's name has underscores, and common proxies drop such headers silently. So a missing id is only a warning. */
function requestIdOf({ profile }: VendorServices, request: Request, call: ProvedCall): { requestId?: string } {
  const header = request.headers[profile.headers.requestId.toLowerCase()];
  if (typeof header === "string" && header !== "") return { requestId: header.slice(0, REQUEST_ID_LENGTH) };
  call.log.warn(
    { header: profile.headers.requestId },
    "a vendor call came without its request id; a proxy may drop headers with underscores",
  );
  return {};
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function refuseProof(response: Response, proof: Proof & { kind: "refused" }): void {
  logOf(response).warn({ reason: proof.reason }, "a vendor call was not proved");
  response.setHeader("WWW-Authenticate", "Bearer");
  send(response, answers.errorIs(401, proof.words));
}

function sendOnce(response: Response, once: Once): void {
  if (once.kind === "used") {
    logOf(response).warn({}, "a token came a second time with another call");
    send(response, answers.tokenUsed);
    return;
  }
  if (once.kind === "expired") {
    logOf(response).warn({}, "a token came that had expired before the clock of this machine was set back");
    send(response, answers.tokenExpired);
    return;
  }
  noteForLog(response, { replayed: once.replayed });
  send(response, once.answer);
}

function send(response: Response, answer: OnceAnswer): void {
  if (answer.body !== undefined) {
    answerJson(response, answer.status, Buffer.from(answer.body));
    return;
  }
  // The platform's samples have a Content-Type on an empty 200 too.
  if (answer.status !== 204 && !response.headersSent) response.setHeader("Content-Type", JSON_TYPE);
  answerEmpty(response, answer.status);
}

function reportLate(once: Promise<Once>, call: ProvedCall): void {
  call.log.warn({ limitMs: ANSWER_LIMIT_MS }, "a vendor call takes too long; the platform was asked to repeat it");
  once.catch((error: unknown) => call.log.error({ reason: messageOf(error) }, "a vendor call failed after its answer"));
}

const CONTRACT_ANSWERS: ContractAnswers = {
  unknownPath: (_request, response) => send(response, answers.errorIs(404, "There is no such address")),
  wrongMethod: (_request, response) => send(response, answers.errorIs(405, "The address does not take this method")),
  fault(error, _request, response) {
    logOf(response).error({ reason: messageOf(error) }, "a vendor call failed");
    send(response, answers.fault);
  },
};
