import { noteProved } from "../../../http/request-context.ts";
import { cookieNamed, isOwnOrigin } from "../../own-requests.ts";
import type { Request, Response } from "../../requests.ts";
import type { ConsoleSession, ConsoleSessions } from "./session.ts";

const COOKIE = "console_session";

/** Returns the session of a request by its cookie. Undefined: nobody is logged in. */
export function sessionOf(
  { sessions }: { sessions: Pick<ConsoleSessions, "open"> },
  request: Request,
  response: Response,
): ConsoleSession | undefined {
  const text = sessionText(request);
  const session = text === undefined ? undefined : sessions.open(text);
  if (session !== undefined) noteProved(response);
  return session;
}

/** Returns the sealed text of a session from the cookie. It is not checked. */
export function sessionText(request: Request): string | undefined {
  return cookieNamed(request.headers.cookie, COOKIE);
}

/**
 * Whether an action comes from a page of this server and this session. `csrf`: the token in its form. Before the login there is no session,
 * so only the origin is checked.
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
 * Sets the cookie of a session. The browser hides it from scripts. With requests from other sites it sends the cookie only when a person
 * follows a link. `lastsMs` 0 deletes it.
 */
export function setSession(response: Response, { publicUrl }: { publicUrl?: string }, text: string, lastsMs: number): void {
  // Without TLS, as in development, a browser does not keep a secure cookie.
  const secure = publicUrl?.startsWith("https:") ? "; Secure" : "";
  const parts = [`${COOKIE}=${text}`, "Path=/console", `Max-Age=${Math.floor(lastsMs / 1000)}`, "HttpOnly", "SameSite=Lax"];
  response.setHeader("Set-Cookie", `${parts.join("; ")}${secure}`);
}
