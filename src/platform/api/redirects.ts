import type { PlatformCall } from "./answer.ts";
import type { Exchanged } from "./exchange.ts";

/** Longer chains are none of the platform's: it leads to a file at once. */
export const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];
/** Those after which a request goes to the other address as it was: nothing has been carried out. */
const MOVED = [307, 308];

/** Where one request of a call goes. */
interface Hop {
  readonly url: string;
  /** The platform's own address: with the authorization. Once a call has left it, it goes without, also when it is led back. */
  readonly own: boolean;
}

/** A host, port or scheme where a call has no business. */
export interface Elsewhere {
  readonly kind: "elsewhere";
  readonly origin: string;
}

type Led = { readonly kind: "hop"; readonly hop: Hop } | Elsewhere;

/** The answer is what it is: no redirection, or one that is not followed. */
interface Stay {
  readonly kind: "stay";
}

/** The first request of a call. An answer's address may be at another host: of files only (15). */
export function firstHop(call: PlatformCall, url: string, platform: string): Led {
  return hopTo(call, new URL(url), platform, true);
}

/**
 * Where a redirection leads (reference 4, 17): a read anywhere at the platform's own host, a write only where it has moved to
 * there. To another host go only reads whose answer is a file: images, and results of asynchronous readings.
 */
export function nextHop(call: PlatformCall, from: Hop, exchanged: Exchanged, platform: string): Led | Stay {
  const { location } = exchanged.headers;
  const leads = location !== undefined && REDIRECTS.includes(exchanged.status) && URL.canParse(location, from.url);
  if (!leads || call.redirects?.kind === "told") return { kind: "stay" };
  if (call.method !== "GET" && !MOVED.includes(exchanged.status)) return { kind: "stay" };
  return hopTo(call, new URL(location, from.url), platform, from.own);
}

/** Headers of a request to a host that is not the platform's: nothing of ours. */
export const FOREIGN_HEADERS = { "accept-encoding": "gzip" } as const;

function hopTo(call: PlatformCall, url: URL, platform: string, own: boolean): Led {
  if (own && url.origin === platform && hasNoLogin(url)) return { kind: "hop", hop: { url: url.toString(), own: true } };
  const file = call.method === "GET" && (call.form === "bytes" || call.redirects !== undefined);
  // From https never to http, and nobody's login in an address.
  const safe = url.protocol === "https:" || (url.protocol === "http:" && platform.startsWith("http:"));
  if (!file || !safe || !hasNoLogin(url)) return { kind: "elsewhere", origin: url.origin };
  return { kind: "hop", hop: { url: url.toString(), own: false } };
}

function hasNoLogin({ username, password }: URL): boolean {
  return username === "" && password === "";
}
