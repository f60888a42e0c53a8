import type { Installation } from "../../../accounts/installation.ts";
import type { Installations } from "../../../accounts/installations.ts";
import { noteForLog, noteProved } from "../../../http/request-context.ts";
import type { Handler } from "../../../http/route.ts";
import { cookieNamed, isOwnOrigin } from "../../own-requests.ts";
import type { PageSession, PageSessions } from "./session.ts";

type Request = Parameters<Handler>[0];
type Response = Parameters<Handler>[1];

interface GateServices {
  sessions: PageSessions;
  installations: Pick<Installations, "get">;
  publicUrl?: string;
}

/** The session of a request, and the installation to which the session belongs. */
export interface Visit {
  session: PageSession;
  installation: Installation;
}

type Entrance =
  | { kind: "in"; visit: Visit }
  /** There is no session, the session has expired, or its installation is unknown, suspended or uninstalled. */
  | { kind: "no-session" }
  /** The request comes from another site or from a page of another session, or lacks the proof that a change by cookie needs. */
  | { kind: "forged" };

/** The name of the session cookie. The cookie's path makes the browser send the cookie only to the settings page. */
const COOKIE = "settings_session";

/**
 * Finds the session of a request: by a token in `Authorization`, or by the cookie if there is no such token. `Authorization` comes first,
 * because two windows of one browser share a cookie and may belong to two accounts. A request that changes something must come from a page
 * of this server.
 */
export async function enter(services: GateServices, request: Request, response: Response): Promise<Entrance> {
  const { installations } = services;
  const bearer = bearerOf(request);
  const session = sessionIn(services, request);
  if (session === undefined) return { kind: "no-session" };
  noteProved(response);
  noteForLog(response, { appId: session.appId, accountId: session.accountId });
  if (!isOwnRequest(services, request, session, bearer !== undefined)) return { kind: "forged" };
  const installation = await installations.get(session);
  const stands = installation?.state === "active" || installation?.state === "settings_required";
  return installation === undefined || !stands ? { kind: "no-session" } : { kind: "in", visit: { session, installation } };
}

function bearerOf({ headers }: Request): string | undefined {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
}

/** Opens the session of a request. Checks neither its installation nor the requesting page. Undefined: none, or expired. */
export function sessionIn({ sessions }: Pick<GateServices, "sessions">, request: Request): PageSession | undefined {
  const text = bearerOf(request) ?? cookieNamed(request.headers.cookie, COOKIE);
  return text === undefined ? undefined : sessions.open(text);
}

/**
 * Whether the request may use this session. Refuses a wrong `X-CSRF-Token`, and a change requested by another site. Another site cannot
 * send the `Authorization` header. A browser sends the cookie by itself, so a change with the cookie must also have an `Origin` of this
 * server and the page's token.
 */
function isOwnRequest(services: GateServices, request: Request, session: PageSession, byBearer: boolean): boolean {
  const { headers, method } = request;
  const given = headers["x-csrf-token"];
  if (given !== undefined && given !== session.csrf) return false;
  if (method === "GET" || method === "HEAD") return true;
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(services.publicUrl, origin, headers.host)) return false;
  return byBearer || (origin !== undefined && given === session.csrf);
}

/**
 * Returns the `Set-Cookie` header of a session. With `Partitioned` a browser keeps the cookie inside the platform's frame, where the
 * browser refuses other third-party cookies.
 */
export function cookieOf(text: string, session: PageSession, nowMs: number): string {
  const seconds = Math.floor((session.expiresAtMs - nowMs) / 1000);
  return `${COOKIE}=${text}; Path=/settings; Max-Age=${seconds}; HttpOnly; Secure; SameSite=None; Partitioned`;
}
