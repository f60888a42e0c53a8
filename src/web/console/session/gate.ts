import { noteProved } from "../../../http/request-context.ts";
import { cookieNamed, isOwnOrigin } from "../../own-requests.ts";
import type { Request, Response } from "../../requests.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import type { ConsoleSession, ConsoleSessions } from "./session.ts";

const COOKIE = "console_session";
const BROWSER_COOKIE = "console_browser";

/** Returns the session of a request's cookie, and marks such a request as proved. Undefined: nobody is logged in. */
export async function sessionOf(
  { sessions }: { sessions: Pick<ConsoleSessions, "open"> },
  request: Request,
  response: Response,
): Promise<ConsoleSession | undefined> {
  const text = sessionText(request);
  const session = text === undefined ? undefined : await sessions.open(text);
  if (session !== undefined) noteProved(response);
  return session;
}

/** Returns the unchecked sealed text of a session from the cookie. */
export function sessionText(request: Request): string | undefined {
  return cookieNamed(request.headers.cookie, COOKIE);
}

/**
 * Whether a form comes from a page of this server and this session. `csrf`: the token in the form, and the token of the session. Before the
 * login only the origin is checked. A request without `Origin` needs the right token.
 */
export function isOwnAct(
  services: { publicUrl?: string },
  request: Request,
  csrf?: { given: string | undefined; expected: string },
): boolean {
  const { origin, host } = request.headers;
  if (csrf !== undefined && csrf.given !== csrf.expected) return false;
  if (origin === undefined) return csrf !== undefined;
  return isOwnOrigin(services.publicUrl, origin, host);
}

/**
 * Sets the session cookie. The browser hides the cookie from scripts. Requests from other sites carry it only when a person follows a
 * link. `lastsMs` 0 deletes the cookie.
 */
export function setSession(response: Response, services: { publicUrl?: string }, text: string, lastsMs: number): void {
  response.appendHeader("Set-Cookie", cookieText(services, `${COOKIE}=${text}`, "/console", lastsMs));
}

/** Returns the id of the browser. Undefined: this login is not the last login that succeeded in the browser, or that was too long ago. */
export function knownBrowser({ browsers }: { browsers: Pick<KnownBrowsers, "idOf"> }, request: Request, login: string): string | undefined {
  const text = cookieNamed(request.headers.cookie, BROWSER_COOKIE);
  return text === undefined ? undefined : browsers.idOf(text, login);
}

/** Sets the cookie that identifies the browser at the next login. The cookie outlives the session. */
export function rememberBrowser(
  response: Response,
  services: { publicUrl?: string; browsers: Pick<KnownBrowsers, "remember"> },
  login: string,
  id: string | undefined,
): void {
  const { text, lastsMs } = services.browsers.remember(login, id);
  response.appendHeader("Set-Cookie", cookieText(services, `${BROWSER_COOKIE}=${text}`, "/console/login", lastsMs));
}

function cookieText({ publicUrl }: { publicUrl?: string }, pair: string, path: string, lastsMs: number): string {
  // Without TLS, as in development, a browser rejects a secure cookie.
  const secure = publicUrl?.startsWith("https:") ? ["Secure"] : [];
  return [pair, `Path=${path}`, `Max-Age=${Math.floor(lastsMs / 1000)}`, "HttpOnly", "SameSite=Lax", ...secure].join("; ");
}
