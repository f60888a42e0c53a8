import type { RequestHandler, Response } from "express";
import { type Chance, type Clock, systemClock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { LineBudget } from "./line-budget.ts";
import { visitOf } from "./visit.ts";

/** What the platform may call a request: anything else is replaced, so that no log line can be forged. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** Ids have 64 characters at most. */
const NOTED_LENGTH = 100;

/** What one request carries through its handlers, in `response.locals`. */
interface RequestContext {
  requestId: string;
  log: Log;
  proved: boolean;
  /** Values for the one line that the access log writes of this request. */
  noted: Record<string, unknown>;
}

/**
 * Names the request: by the platform's own header (of the profile) when it sends one, else anew. The
 * name goes into every log line of the request and back to the caller as `X-Request-Id`. Until the request
 * is proved its lines are bounded.
 */
export function requestContext(options: { requestIdHeader: string; chance: Chance; clock?: Clock; log: Log }): RequestHandler {
  const header = options.requestIdHeader.toLowerCase();
  const lines = new LineBudget({ clock: options.clock ?? systemClock, log: options.log });
  return (request, response, next) => {
    const given = request.headers[header];
    const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : options.chance.uuid();
    const log = boundedLog(logWith(options.log, { requestId }), (kind) => contextOf(response).proved || lines.take(kind));
    const context: RequestContext = { requestId, log, proved: false, noted: {} };
    Object.assign(response.locals, context);
    response.setHeader("X-Request-Id", requestId);
    next();
  };
}

/**
 * The caller has shown a key: by a signature, a token, or an address that nobody guesses. From now on the request is work, and
 * the bounds for callers without a key do not hold any more.
 */
export function noteProved(response: Response): void {
  contextOf(response).proved = true;
  visitOf(response)?.prove();
}

/** The log of this request: every line carries its id. */
export function logOf(response: Response): Log {
  return contextOf(response).log;
}

/**
 * Adds to the request's line in the access log: account, operation, outcome. Never a body, a token or
 * anything of a buyer's. Texts are cut: before the proof they may be whatever a caller has written.
 */
export function noteForLog(response: Response, values: Record<string, unknown>): void {
  const { noted } = contextOf(response);
  for (const [name, value] of Object.entries(values)) noted[name] = typeof value === "string" ? value.slice(0, NOTED_LENGTH) : value;
}

export function notedOf(response: Response): Record<string, unknown> {
  return contextOf(response).noted;
}

/** A log whose lines all carry the values. */
export function logWith(log: Log, values: Record<string, unknown>): Log {
  return {
    trace: (more, text) => log.trace({ ...values, ...more }, text),
    debug: (more, text) => log.debug({ ...values, ...more }, text),
    info: (more, text) => log.info({ ...values, ...more }, text),
    warn: (more, text) => log.warn({ ...values, ...more }, text),
    error: (more, text) => log.error({ ...values, ...more }, text),
  };
}

/** A log that writes only what is let through; lines of one text, route and status are of one kind. */
function boundedLog(log: Log, mayWrite: (kind: string) => boolean): Log {
  const bounded = (write: Log["info"]) => (values: Record<string, unknown>, text: string) => {
    const kind = [text, values.route, values.status].filter((part) => part !== undefined).join(" ");
    if (mayWrite(kind)) write(values, text);
  };
  return {
    trace: bounded(log.trace),
    debug: bounded(log.debug),
    info: bounded(log.info),
    warn: bounded(log.warn),
    error: bounded(log.error),
  };
}

function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}
