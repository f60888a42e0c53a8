import { MAX_BODY_WORDS } from "../../http/raw-body.ts";
import { present } from "../../kernel/present.ts";

/**
 * Answers of the webhook address (json-api 9.2). The platform accepts 200 and 204. After any other status it repeats the call three times
 * immediately and then gives up. A repeat may succeed after 503. After 4xx the repeats are in vain: the same request gets the same answer.
 */
export interface EventsAnswer {
  status: number;
  /** Absent when the status is 204. */
  body?: { errors: { error: string; code: number; parameter?: string }[] };
}

export const taken: EventsAnswer = { status: 204 };

export function errorIs(status: number, error: string, parameter?: string): EventsAnswer {
  return { status, body: { errors: [{ error, code: status, ...present({ parameter }) }] } };
}

export function bodyIsWrong(parameter: string, problem: string): EventsAnswer {
  return parameter === "" ? errorIs(400, problem) : errorIs(400, problem, parameter);
}

/** The same answer for an unknown secret, a malformed secret and an unknown path. */
export const unknownAddress = errorIs(404, "Nobody is notified at this address");
export const wrongMethod = errorIs(405, "Notifications come by POST");
export const bodyIsEmpty = errorIs(400, "The body is empty");
export const gzipIsBroken = errorIs(400, "The body's gzip is broken");
export const tooLarge = errorIs(413, `The body is larger than ${MAX_BODY_WORDS}`);
export const wrongType = errorIs(415, "Content-Type must be application/json, the encoding identity or gzip");
export const fault = errorIs(503, "The notification could not be stored now; repeat it");
