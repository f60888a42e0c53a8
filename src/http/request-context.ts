import type { RequestHandler, Response } from "express";
import type { Chance } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";

/** What the platform may call a request: anything else is replaced, so that no log line can be forged. */
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,64}$/;

/** What one request carries through its handlers, in `response.locals`. */
interface RequestContext {
  requestId: string;
  log: Log;
  /** Values for the one line that the access log writes of this request. */
  noted: Record<string, unknown>;
}

/**
 * Names the request: by the platform's own header (of the profile) when it sends one, else anew. The
 * name goes into every log line of the request and back to the caller as `X-Request-Id`.
 */
export function requestContext(options: { requestIdHeader: string; chance: Chance; log: Log }): RequestHandler {
  const header = options.requestIdHeader.toLowerCase();
  return (request, response, next) => {
    const given = request.headers[header];
    const requestId = typeof given === "string" && REQUEST_ID.test(given) ? given : options.chance.uuid();
    const context: RequestContext = { requestId, log: logWith(options.log, { requestId }), noted: {} };
    Object.assign(response.locals, context);
    response.setHeader("X-Request-Id", requestId);
    next();
  };
}

export function requestIdOf(response: Response): string {
  return contextOf(response).requestId;
}

/** The log of this request: every line carries its id. */
export function logOf(response: Response): Log {
  return contextOf(response).log;
}

/**
 * Adds to the request's line in the access log: account, operation, outcome. Never a body, a token or
 * anything of a buyer's.
 */
export function noteForLog(response: Response, values: Record<string, unknown>): void {
  Object.assign(contextOf(response).noted, values);
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

function contextOf(response: Response): RequestContext {
  return response.locals as RequestContext;
}
