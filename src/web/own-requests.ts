import { createHash } from "node:crypto";

/** Returns the value of a cookie in a request's `Cookie` header. Undefined: absent. */
export function cookieNamed(header: string | undefined, name: string): string | undefined {
  const pairs = header?.split(";").map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Whether a request's `Origin` belongs to this server. A proxy may change the host, so the public address counts too. */
export function isOwnOrigin(publicUrl: string | undefined, origin: string, host: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  return new URL(origin).host === host || (publicUrl !== undefined && new URL(publicUrl).origin === origin);
}

/** Returns the token that proves that a page belongs to the session. Each session has a different token. */
export function csrfOf(sessionText: string): string {
  return createHash("sha256").update(`csrf ${sessionText}`).digest("base64url");
}
