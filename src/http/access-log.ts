import type { RequestHandler, Response } from "express";
import type { Clock } from "../kernel/clock.ts";
import { logOf, notedOf } from "./request-context.ts";

export interface SeenRequest {
  /** The template of the route (`PUT /fiscal/1/openshift`), never the called address. `none`: no route has taken the request. */
  route: string;
  /** 0: the connection closed before the answer was complete. */
  status: number;
  durationMs: number;
}

/**
 * Routes that machines and open pages call every few seconds. Their answers below 500 are logged at the level debug, because so many lines
 * would hide the rest of the log.
 */
const QUIET = new Set(["GET /health", "GET /ready", "GET /metrics", "GET /settings/stores/:storeId/state"]);

/**
 * Returns the middleware that logs each request: its route, status and duration, and the values that the route's handler noted (account,
 * operation, outcome). Leaves out addresses, headers and bodies, because they contain secrets and buyers' data.
 */
export function accessLog(options: { clock: Clock; observe(request: SeenRequest): void }): RequestHandler {
  return (_request, response, next) => {
    const startedMs = options.clock.monotonicMs();
    response.once("close", () => {
      const route = routeOf(response);
      const status = response.writableFinished ? response.statusCode : 0;
      const durationMs = Math.round((options.clock.monotonicMs() - startedMs) * 10) / 10;
      options.observe({ route, status, durationMs });
      const values = { ...notedOf(response), route, status, durationMs };
      const log = logOf(response);
      if (status >= 500) log.warn(values, "request failed");
      else if (status === 0) log.warn(values, "caller went away before the answer");
      else if (QUIET.has(route)) log.debug(values, "request");
      else log.info(values, "request");
    });
    next();
  };
}

/** Names a request's route for the log and the metrics. */
export function setRoute(response: Response, route: string): void {
  response.locals.route = route;
}

function routeOf(response: Response): string {
  const route: unknown = response.locals.route;
  return typeof route === "string" ? route : "none";
}
