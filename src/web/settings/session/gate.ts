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
  /** The address under which the server is reached, where it is known. */
  publicUrl?: string;
}

/** Who asks, and the account that everything of the request belongs to. */
export interface Visit {
  session: PageSession;
  installation: Installation;
}

type Entrance =
  | { kind: "in"; visit: Visit }
  /** No session, or one that is over, or whose installation is gone. */
  | { kind: "no-session" }
  /** The request comes from another site, or from a page of another session. */
  | { kind: "forged" };

/** The cookie is sent to the settings page alone. */
const COOKIE = "settings_session";

/**
 * Lets a request in. `Authorization` proves it, else the cookie; the bearer stands first, because two windows of one browser
 * share a cookie and may belong to two accounts. A request that changes something must come from a page of this server.
 */
export async function enter(services: GateServices, request: Request, response: Response): Promise<Entrance> {
  const { sessions, installations } = services;
  const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
  const text = bearer ?? cookieNamed(request.headers.cookie, COOKIE);
  const session = text === undefined ? undefined : sessions.open(text);
  if (session === undefined) return { kind: "no-session" };
  noteProved(response);
  noteForLog(response, { appId: session.appId, accountId: session.accountId });
  if (!isOurs(services, request, session, bearer !== undefined)) return { kind: "forged" };
  const installation = await installations.get(session);
  const stands = installation?.state === "active" || installation?.state === "settings_required";
  return installation === undefined || !stands ? { kind: "no-session" } : { kind: "in", visit: { session, installation } };
}

/** A browser cannot be made to send the bearer for somebody else. It sends the cookie by itself, so that a page must add its own sign. */
function isOurs(services: GateServices, request: Request, session: PageSession, byBearer: boolean): boolean {
  const { headers, method } = request;
  const given = headers["x-csrf-token"];
  if (given !== undefined && given !== session.csrf) return false;
  if (method === "GET" || method === "HEAD") return true;
  const { origin } = headers;
  if (origin !== undefined && !isOwnOrigin(services.publicUrl, origin, headers.host)) return false;
  return byBearer || (origin !== undefined && given === session.csrf);
}

/** Partitioned: a browser keeps it for this site inside of the platform's, where it takes no other cookie of a third party. */
export function cookieOf(text: string, session: PageSession, nowMs: number): string {
  const seconds = Math.floor((session.expiresAtMs - nowMs) / 1000);
  return `${COOKIE}=${text}; Path=/settings; Max-Age=${seconds}; HttpOnly; Secure; SameSite=None; Partitioned`;
}
