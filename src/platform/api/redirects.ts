import type { PlatformCall } from "./answer.ts";
import type { Exchanged } from "./exchange.ts";

/** The maximum number of redirections of a call. The platform needs one to lead to a file. */
export const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** After these statuses the same request is sent to the new address, because nothing was carried out. */
const MOVED = [307, 308];

interface Hop {
  readonly url: string;
  /**
   * True: the request goes to the platform and has the authorization. A call that was led to another address never gets the authorization
   * again, even if it is led back to the platform.
   */
  readonly own: boolean;
}

/** A forbidden target: another host, port or scheme, or an address with a login. */
export interface Elsewhere {
  readonly kind: "elsewhere";
  readonly origin: string;
}

type Led = { readonly kind: "hop"; readonly hop: Hop } | Elsewhere;

/** The answer is no redirection, or its redirection must not be followed. Then the answer is the result. */
interface Stay {
  readonly kind: "stay";
}

/** The first request of a call. An href from an answer may name another host only for a file (json-api 15). */
export function firstHop(call: PlatformCall, url: string, platform: string): Led {
  return hopTo(call, new URL(url), platform, true);
}

/**
 * The target of a redirection (json-api 4, 17). A read may go to any address at the platform's host. A write follows only the `MOVED`
 * statuses. Only reads of files may go to another host: images, and results of asynchronous readings.
 */
export function nextHop(call: PlatformCall, from: Hop, exchanged: Exchanged, platform: string): Led | Stay {
  const { location } = exchanged.headers;
  const leads = location !== undefined && REDIRECTS.includes(exchanged.status) && URL.canParse(location, from.url);
  if (!leads || call.redirects?.kind === "answer") return { kind: "stay" };
  if (call.method !== "GET" && !MOVED.includes(exchanged.status)) return { kind: "stay" };
  return hopTo(call, new URL(location, from.url), platform, from.own);
}

/** Headers of a request that is not `own`: neither a token nor the name of this server. */
export const FOREIGN_HEADERS = { "accept-encoding": "gzip" } as const;

function hopTo(call: PlatformCall, url: URL, platform: string, own: boolean): Led {
  if (own && isAt(url, platform) && hasNoLogin(url)) return { kind: "hop", hop: { url: url.toString(), own: true } };
  const file = call.method === "GET" && (call.form === "bytes" || call.redirects !== undefined);
  // A call to a platform with https never goes to http, and no call goes to an address with a login.
  const safe = url.protocol === "https:" || (url.protocol === "http:" && platform.startsWith("http:"));
  if (!file || !safe || !hasNoLogin(url)) return { kind: "elsewhere", origin: url.origin };
  return { kind: "hop", hop: { url: url.toString(), own: false } };
}

/** `blob:https://HOST/` has the origin of its host but cannot be requested. So the scheme is compared too. */
function isAt(url: URL, platform: string): boolean {
  return url.origin === platform && platform.startsWith(`${url.protocol}//`);
}

function hasNoLogin({ username, password }: URL): boolean {
  return username === "" && password === "";
}
