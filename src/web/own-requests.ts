import { createHash } from "node:crypto";

/** The value of a cookie in a request's header. */
export function cookieNamed(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Whether a page of this server asks. A proxy may change the host that arrives here, so the public address counts too. */
export function isOwnOrigin(publicUrl: string | undefined, origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  return new URL(origin).host === host || (publicUrl !== undefined && new URL(publicUrl).origin === origin);
}

/** What a page shows to prove that it belongs to the session. It follows from the session's text, so another session has another one. */
export function csrfOf(sessionText: string): string {
  return createHash("sha256").update(`csrf ${sessionText}`).digest("base64url");
}
