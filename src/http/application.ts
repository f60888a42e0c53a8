import express, { type ErrorRequestHandler, type Express, type RequestHandler, type Router } from "express";
import helmet from "helmet";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { accessLog, type SeenRequest } from "./access-log.ts";
import { answerProblem } from "./answer.ts";
import { logOf, requestContext } from "./request-context.ts";

/** A contract or a page of ours, and where it answers. */
interface Mount {
  base: string;
  router: Router;
}

interface ApplicationOptions {
  /** Name of the header by which the platform names its requests (of the profile). */
  requestIdHeader: string;
  /** Looked through in this order. */
  mounts: readonly Mount[];
  log: Log;
  clock: Clock;
  chance: Chance;
  /** Told of each finished request, for the metrics. */
  observe(request: SeenRequest): void;
}

/** Everything a request passes on its way to a contract, and what becomes of the ones that no contract takes. */
export function application(options: ApplicationOptions): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.enable("case sensitive routing");
  // Contracts take nothing from a query string; a page that does reads it by itself.
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
 * A doubled slash in a path counts as one (platform-contracts 2.5: whether the platform joins our base
 * and its path with one slash or two is unproven). The query is left alone.
 */
const foldSlashes: RequestHandler = (request, _response, next) => {
  const [, origin = "", path = "", query = ""] = /^([a-z]+:\/\/[^/?]*)?([^?]*)(.*)$/is.exec(request.url) ?? [];
  request.url = origin + path.replace(/\/{2,}/g, "/") + query;
  next();
};

/** Nothing of ours may be framed, sniffed or run unless a page says otherwise itself. */
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

/** The last resort: contracts word their own faults. What happened goes to the log, never to the caller. */
const brokenInside: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof URIError) {
    answerProblem(response, 400, "Bad request", "Адрес запроса записан с ошибкой.");
    return;
  }
  logOf(response).error({ err: error }, "a request failed inside the server");
  answerProblem(response, 500, "Internal error", "Внутренняя ошибка сервера. Повторите запрос.");
};
