import type { Reading } from "../../types/entity-type.ts";
import type { Answer } from "../answers/answer.ts";
import type { HeaderNames } from "../requests/header-names.ts";

/** One request after the checks. */
export interface ApiRequest {
  readonly reading: Reading;
  readonly params: Readonly<Record<string, string>>;
  /** The path below `{api}`, without leading and trailing slashes. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly names: HeaderNames;
  /** Returns the body as JSON. Throws 1027 for an empty body, 2001 for invalid JSON. */
  readonly json: () => unknown;
  /** Whether the request has a body. A template request may have none (json-api 7.1). */
  readonly bodied: boolean;
}

export interface ApiRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** The path below `{api}`, like `entity/:type/:id`. The first matching route wins. */
  readonly pattern: string;
  readonly handle: (request: ApiRequest) => Answer | Promise<Answer>;
}

type Match = { readonly route: ApiRoute; readonly params: Readonly<Record<string, string>> } | "other-method" | "no-path";

/** Returns the first matching route. `other-method`: the path has routes, but none for this method. */
export function matchRoute(routes: readonly ApiRoute[], method: string, path: string): Match {
  const segments = path.split("/");
  let known = false;
  for (const route of routes) {
    const params = paramsOf(route.pattern.split("/"), segments);
    if (params === undefined) continue;
    if (route.method === method) return { route, params };
    known = true;
  }
  return known ? "other-method" : "no-path";
}

function paramsOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = segment;
    else if (part !== segment) return undefined;
  }
  return params;
}
