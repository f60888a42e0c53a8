import { type Request, type Response, Router } from "express";
import type { ZodType } from "zod";
import { setRoute } from "./access-log.ts";
import { breakOffBegun } from "./answer.ts";

type Method = "GET" | "PUT" | "POST" | "DELETE";

/** One endpoint of a contract, for both the router and the documentation. */
export interface Endpoint {
  /** Stable name, unique in its contract: `openShift`. */
  id: string;
  method: Method;
  /** The path below the contract's base. Parameters have the form `:name`. */
  path: string;
  /** Other spellings of the path. They are served but not documented. */
  aliases?: readonly string[];
  summary: string;
  /** Markdown, a few sentences. */
  description?: string;
  headers?: readonly HeaderSpec[];
  body?: ZodType;
  answers: readonly AnswerSpec[];
}

export interface HeaderSpec {
  name: string;
  description: string;
  required: boolean;
}

export interface AnswerSpec {
  status: number;
  description: string;
  body?: ZodType;
}

export interface ContractSpec {
  /** Such as `Fiscalization`. */
  title: string;
  /** The path of the contract's mount: `/fiscal`. */
  base: string;
  description: string;
  endpoints: readonly Endpoint[];
  /** Schemas of values outside bodies, by their documented names. */
  schemas?: Readonly<Record<string, ZodType>>;
}

export type Handler = (request: Request, response: Response) => Promise<void> | void;

/** A contract's answers to requests that no handler answers. Each contract has its own, because the contracts' forms of errors differ. */
export interface ContractAnswers {
  unknownPath(request: Request, response: Response): void;
  /** The path exists, but only for other methods. `Allow` is already set. */
  wrongMethod(request: Request, response: Response): void;
  /** A handler threw: a fault of this server. The caller must learn nothing of the error. */
  fault(error: unknown, request: Request, response: Response): void;
}

/** Returns the router of one contract. `handlers` has one handler for each endpoint id. */
export function contractRouter<Id extends string>(
  endpoints: readonly (Endpoint & { id: Id })[],
  handlers: Record<Id, Handler>,
  answers: ContractAnswers,
): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, methods] of methodsByPath(endpoints)) {
    router.all(path, (request, response, next) => {
      const id = methods.get(request.method as Method);
      if (id === undefined) {
        response.setHeader("Allow", [...methods.keys()].join(", "));
        answers.wrongMethod(request, response);
        return;
      }
      setRoute(response, `${request.method} ${request.baseUrl}${path}`);
      Promise.resolve()
        .then(() => handlers[id](request, response))
        .catch(next);
    });
  }
  router.use((request, response) => answers.unknownPath(request, response));
  router.use((error: unknown, request: Request, response: Response, _next: unknown) => {
    // A parameter that is not valid UTF-8 cannot name anything that exists, so the path counts as unknown.
    if (error instanceof URIError) answers.unknownPath(request, response);
    else answers.fault(error, request, response);
    breakOffBegun(response);
  });
  return router;
}

function methodsByPath<Id extends string>(endpoints: readonly (Endpoint & { id: Id })[]): Map<string, Map<Method, Id>> {
  const paths = new Map<string, Map<Method, Id>>();
  for (const endpoint of endpoints) {
    for (const path of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      const methods = paths.get(path) ?? new Map<Method, Id>();
      methods.set(endpoint.method, endpoint.id);
      paths.set(path, methods);
    }
  }
  return paths;
}
