import type { RequestHandler, Response } from "express";
import { type Chance, type Clock, systemClock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { LineBudget } from "./line-budget.ts";
import { unprovedRequestOf } from "./unproved-request.ts";

/** The form of the platform's request ids. Any other id is replaced, so that a caller cannot forge a log line. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** The longest text that a handler adds to a log line. Ids have at most 64 characters. */
const NOTED_LENGTH = 100;

/** The values that the handlers of one request share, in `response.locals`. */
interface RequestContext {
  requestId: string;
  log: Log;
  proved: boolean;
  noted: Record<string, unknown>;
}

/**
 * Returns the handler that gives the request an id: the id in the platform's own header (named in the profile), or a new id. Every log line
 * of the request contains it, and the caller gets it as `X-Request-Id`. Until the request is proved, the number of log lines is bounded.
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
 * Marks the request as proved: the caller has shown a signature, a token or a secret address. The limits on unproved requests no longer
 * apply to it.
 */
export function noteProved(response: Response): void {
  contextOf(response).proved = true;
  unprovedRequestOf(response)?.prove();
}

/** Returns the log of this request. Every line contains the request id. */
export function logOf(response: Response): Log {
  return contextOf(response).log;
}

/**
 * Adds values to the request's line in the access log: account, operation, outcome. Never add a body, a token or data of a buyer. Long
 * texts are cut, because an unproved caller may have sent any text.
 */
export function noteForLog(response: Response, values: Record<string, unknown>): void {
  const { noted } = contextOf(response);
  for (const [name, value] of Object.entries(values)) noted[name] = typeof value === "string" ? value.slice(0, NOTED_LENGTH) : value;
}

export function notedOf(response: Response): Record<string, unknown> {
  return contextOf(response).noted;
}

/** Returns a log that adds the values to every line. */
export function logWith(log: Log, values: Record<string, unknown>): Log {
  return {
    trace: (more, text) => log.trace({ ...values, ...more }, text),
    debug: (more, text) => log.debug({ ...values, ...more }, text),
    info: (more, text) => log.info({ ...values, ...more }, text),
    warn: (more, text) => log.warn({ ...values, ...more }, text),
    error: (more, text) => log.error({ ...values, ...more }, text),
  };
}

/** Returns a log that writes a line only when `mayWrite` allows its kind. Lines with the same text, route and status are of one kind. */
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
