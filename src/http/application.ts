import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from "express";
import helmet from "helmet";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { accessLog, type SeenRequest } from "./access-log.ts";
import { answerProblem, breakOffBegun } from "./answer.ts";
import { logOf, requestContext } from "./request-context.ts";

/** A contract or a page, and the path below which it answers. */
interface Mount {
  base: string;
  router: Router;
}

interface ApplicationOptions {
  /** The platform's header with the request id (from the profile). */
  requestIdHeader: string;
  /** The mounts, tried in this order. */
  mounts: readonly Mount[];
  log: Log;
  clock: Clock;
  chance: Chance;
  observe(request: SeenRequest): void;
}

/** Builds the application: handlers for every request, the mounts, and answers to unknown paths and unanswered errors. */
export function application(options: ApplicationOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  // A handler that needs the query reads it from the address.
  app.set("query parser", false);

  app.use(foldSlashes);
  app.use(requestContext(options));
  app.use(accessLog(options));
  app.use(protectiveHeaders());
  for (const { base, router } of options.mounts) app.use(base, router);
  app.use(nowhere);
  app.use(brokenInside);
  return app;
}

/**
 * Replaces several slashes in a row by one slash, because the platform may join the server's base and a path with two slashes
 * (platform-contracts 2.5). Keeps the query.
 */
const foldSlashes: RequestHandler = (request, _response, next) => {
  const [, origin = "", path = "", query = ""] = /^([a-z]+:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(request.url) ?? [];
  request.url = origin + path.replace(/\/{2,}/g, "/") + query;
  next();
};

/**
 * Sets headers that forbid browsers to show an answer in a frame, to guess its type, or to run scripts in it. A page may override them.
 */
function protectiveHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], styleSrc: ["'self'"], imgSrc: ["'self'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
  });
}

const nowhere: RequestHandler = (_request, response) => {
  answerProblem(response, 404, "Not found", "Такого адреса нет.");
};

/** Answers errors that no contract has answered. The caller learns only whether its address is malformed, no other cause. */
const brokenInside: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof URIError) {
    answerProblem(response, 400, "Bad request", "Адрес запроса записан с ошибкой.");
    return;
  }
  logOf(response).error({ err: error }, "a request failed inside the server");
  answerProblem(response, 500, "Internal error", "Внутренняя ошибка сервера. Повторите запрос.");
  breakOffBegun(response);
};
