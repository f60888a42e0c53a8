import type { PlatformCall } from "./answer.ts";
import type { Exchanged } from "./exchange.ts";

/** The largest number of redirections that are followed. The platform needs one to lead to a file. */
export const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Statuses after which the same request is sent to the new address, because nothing has been carried out. */
const MOVED = [307, 308];

/** The address of one request of a call. */
interface Hop {
  readonly url: string;
  /**
   * True for the platform's own address. Such a request has the authorization. A call that was once led to another address has no
   * authorization any more, even when it is led back to the platform.
   */
  readonly own: boolean;
}

/** A host, port or scheme to which a call must not go. */
export interface Elsewhere {
  readonly kind: "elsewhere";
  readonly origin: string;
}

type Led = { readonly kind: "hop"; readonly hop: Hop } | Elsewhere;

/** There is no redirection, or no redirection that may be followed. The answer itself is the result. */
interface Stay {
  readonly kind: "stay";
}

/** The first request of a call. An href of an answer may be at another host only for files (json-api 15). */
export function firstHop(call: PlatformCall, url: string, platform: string): Led {
  return hopTo(call, new URL(url), platform, true);
}

/**
 * Where a redirection leads (reference 4, 17). A read may go to any address at the platform's own host. A write follows only the statuses
 * that mean "moved". Only reads whose answer is a file may go to another host: images, and results of asynchronous readings.
 */
export function nextHop(call: PlatformCall, from: Hop, exchanged: Exchanged, platform: string): Led | Stay {
  const { location } = exchanged.headers;
  const leads = location !== undefined && REDIRECTS.includes(exchanged.status) && URL.canParse(location, from.url);
  if (!leads || call.redirects?.kind === "answer") return { kind: "stay" };
  if (call.method !== "GET" && !MOVED.includes(exchanged.status)) return { kind: "stay" };
  return hopTo(call, new URL(location, from.url), platform, from.own);
}

/** Headers of a request to another host: they contain no token and no name of this server. */
export const FOREIGN_HEADERS = { "accept-encoding": "gzip" } as const;

function hopTo(call: PlatformCall, url: URL, platform: string, own: boolean): Led {
  if (own && url.origin === platform && hasNoLogin(url)) return { kind: "hop", hop: { url: url.toString(), own: true } };
  const file = call.method === "GET" && (call.form === "bytes" || call.redirects !== undefined);
  // Never from https to http, and never to an address with a login.
  const safe = url.protocol === "https:" || (url.protocol === "http:" && platform.startsWith("http:"));
  if (!file || !safe || !hasNoLogin(url)) return { kind: "elsewhere", origin: url.origin };
  return { kind: "hop", hop: { url: url.toString(), own: false } };
}

function hasNoLogin({ username, password }: URL): boolean {
  return username === "" && password === "";
}
