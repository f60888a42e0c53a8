import type { Reading } from "../../types/entity-type.ts";
import type { Answer } from "../answers/answer.ts";
import type { HeaderNames } from "../requests/header-names.ts";

/** One request behind the door: what it asks for and what it carries. */
export interface ApiRequest {
  readonly reading: Reading;
  /** The path's places by name. */
  readonly params: Readonly<Record<string, string>>;
  /** The path below `{api}`, without slashes at its ends. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** How the platform's own headers are called here. */
  readonly names: HeaderNames;
  /** The body, read as JSON when the route is asked to; throws a `Refusal` for what is none (2001, 1027). */
  readonly json: () => unknown;
  /** Whether there is a body at all: a template needs none (7.1). */
  readonly bodied: boolean;
}

export interface ApiRoute {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `{api}`: `entity/:type/:id`; the first route that fits wins. */
  readonly pattern: string;
  readonly handle: (request: ApiRequest) => Answer | Promise<Answer>;
}

type Match = { readonly route: ApiRoute; readonly params: Readonly<Record<string, string>> } | "other-method" | "no-path";

/** Routes looked through in order. */
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
