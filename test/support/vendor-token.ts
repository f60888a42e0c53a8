import { createHmac } from "node:crypto";

/** Makes a JSON web token without the server's code, so that a fault in that code cannot hide. */
export function signToken(
  claims: Record<string, unknown>,
  secret: string,
  options: { header?: Record<string, unknown>; digest?: "sha256" | "sha512" } = {},
): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part(options.header ?? { alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac(options.digest ?? "sha256", secret)
    .update(signed)
    .digest("base64url")}`;
}

/** The header and the claims, unchecked. */
export function claimsOf(token: string): { header: unknown; claims: Record<string, unknown> } {
  const [header = "", claims = ""] = token.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  return { header: read(header), claims: read(claims) };
}
