import type { Request, Response, Router } from "express";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { Notifications } from "../../accounts/shop/notifications.ts";
import { answerEmpty, answerJson } from "../../http/answer.ts";
import type { BodyTurn, LongBodies } from "../../http/bodies/long-bodies.ts";
import { parseJson } from "../../http/json-body.ts";
import { readBody } from "../../http/raw-body.ts";
import { logOf, noteForLog, noteProved } from "../../http/request-context.ts";
import { type ContractAnswers, type ContractSpec, contractRouter } from "../../http/route.ts";
import type { Chance, Clock } from "../../kernel/clock.ts";
import { deadlineIn, waitUntil } from "../../kernel/deadline.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { PlatformProfile } from "../../kernel/platform-profile.ts";
import { EVENTS_ENDPOINTS } from "./endpoints.ts";
import * as answers from "./failures.ts";
import { readNotification } from "./schema.ts";
import { changesOf, nameOf } from "./translate.ts";

interface EventsServices {
  notifications: Pick<Notifications, "holderOf" | "take">;
  clock: Clock;
  /** One object for all contracts with long bodies, so that long bodies of different contracts are read one at a time too. */
  longBodies: Pick<LongBodies, "enter">;
  chance: Pick<Chance, "uuid">;
}

/**
 * The longest time until the answer. The platform waits 1.5 s (json-api 9.2), so half a second is left for the network. After the limit the
 * server answers 503 but goes on storing. A repeat with the name of a stored notification (`nameOf`) is not stored again.
 */
const ANSWER_LIMIT_MS = 1_000;

/** The secrets of this server have 32 characters of base64url. A text with other characters or a very different length is not looked up. */
const SECRET = /^[A-Za-z0-9_-]{16,64}$/;

/** The webhook contract, for the documentation. */
export function eventsSpec(profile: PlatformProfile): ContractSpec {
  return {
    title: "Notifications",
    base: "/webhooks",
    description: `The JSON API at \`${profile.baseUrl}\` tells that something has changed. The path's last segment is each installation's own secret.`,
    endpoints: EVENTS_ENDPOINTS,
  };
}

/** The webhook router. Mount it at `/webhooks`, after the handler `requestContext`. */
export function eventsRoutes(services: EventsServices): Router {
  const notify = async (request: Request, response: Response) => {
    const { clock } = services;
    const receiving = receive(services, request, response);
    const waited = await waitUntil(clock, deadlineIn(clock, ANSWER_LIMIT_MS), receiving);
    if (waited.kind === "late") {
      reportLate(receiving, response);
      return send(response, answers.fault);
    }
    if (waited.value !== undefined) send(response, waited.value);
  };
  return contractRouter(EVENTS_ENDPOINTS, { notify }, CONTRACT_ANSWERS);
}

/**
 * Finds the installation by the secret in the address, reads the body, and stores which objects have changed. Returns undefined when the
 * caller disconnected before the body was complete.
 */
async function receive(services: EventsServices, request: Request, response: Response): Promise<answers.EventsAnswer | undefined> {
  const secret = String(request.params.secret);
  const holder = SECRET.test(secret) ? await services.notifications.holderOf(secret) : ({ kind: "unknown" } as const);
  if (holder.kind === "unknown") return answers.unknownAddress;
  // Only the secret in the address proves the call.
  noteProved(response);
  const { appId, accountId } = holder;
  noteForLog(response, { appId, accountId });
  if (holder.kind === "not-active") return note(response, "not-active");

  const body = await readBody(request);
  switch (body.kind) {
    case "aborted":
      return undefined;
    case "too-large":
      return answers.tooLarge;
    case "wrong-type":
      return answers.wrongType;
    case "bad-encoding":
      return answers.gzipIsBroken;
    case "crowded":
      return answers.fault;
    case "body":
      return body.bytes.length === 0 ? answers.bodyIsEmpty : store(services, { appId, accountId }, request, response, body.bytes);
  }
}

async function store(
  { notifications, chance, longBodies }: EventsServices,
  key: InstallationKey,
  request: Request,
  response: Response,
  bytes: Buffer,
): Promise<answers.EventsAnswer> {
  const turn = await longBodies.enter(`${key.appId} ${key.accountId}`, bytes.length);
  if (turn === undefined) return answers.fault;
  try {
    return await storeRead({ notifications, chance }, key, request, response, bytes, turn);
  } finally {
    turn.end();
  }
}

async function storeRead(
  { notifications, chance }: Pick<EventsServices, "notifications" | "chance">,
  key: InstallationKey,
  request: Request,
  response: Response,
  bytes: Buffer,
  turn: BodyTurn,
): Promise<answers.EventsAnswer> {
  const json = parseJson(bytes);
  if (json.kind === "broken") return answers.errorIs(400, `The body is ${json.problem}`);
  if (json.kind === "excess") return answers.bodyIsWrong(json.path.join("."), `The field is ${json.problem}`);
  await turn.rest();
  const read = readNotification(json.value);
  if (read.kind === "wrong") return answers.bodyIsWrong(read.parameter, read.problem);
  if (read.kind === "stock") {
    logOf(response).info({ ...key }, "a notification of stock came, which nobody has asked for; it was passed over");
    return note(response, "stock");
  }
  const { objects, ignored, foreign } = changesOf(read.body, key);
  if (foreign > 0) logOf(response).warn({ ...key, foreign }, "events of another account came to an installation's address");
  if (objects.length === 0) return note(response, "nothing", { ignored });
  const name = nameOf(request.url, bytes, read.body, () => chance.uuid());
  const taken = await notifications.take(key, name, objects);
  return note(response, taken.kind, { objects: objects.length, ignored });
}

function note(response: Response, outcome: string, more: Record<string, unknown> = {}): answers.EventsAnswer {
  noteForLog(response, { outcome, ...more });
  return answers.taken;
}

function send(response: Response, { status, body }: answers.EventsAnswer): void {
  if (body === undefined) answerEmpty(response, status);
  else answerJson(response, status, body);
}

function reportLate(receiving: Promise<unknown>, response: Response): void {
  const log = logOf(response);
  log.warn({ limitMs: ANSWER_LIMIT_MS }, "a notification could not be stored in time; the platform was asked to repeat it");
  receiving.catch((error: unknown) => log.error({ reason: messageOf(error) }, "a notification could not be stored"));
}

const CONTRACT_ANSWERS: ContractAnswers = {
  unknownPath: (_request, response) => send(response, answers.unknownAddress),
  wrongMethod: (_request, response) => send(response, answers.wrongMethod),
  fault(error, _request, response) {
    logOf(response).error({ reason: messageOf(error) }, "a notification could not be stored");
    send(response, answers.fault);
  },
};
