import { createHash, timingSafeEqual } from "node:crypto";

/**
 * The signature of a request or notification (qr-acquirers 4.2): SHA-256 over the password and the values of the root-level scalars except
 * `Token`, sorted by name. A number is signed with the digits of the JSON text. So the numbers of a notification are passed as texts.
 */
export function tokenOf(fields: Readonly<Record<string, unknown>>, password: string): string {
  const signed: Record<string, unknown> = { ...fields, Password: password };
  const values = Object.keys(signed)
    .filter((name) => name !== "Token" && isScalar(signed[name]))
    .sort()
    .map((name) => String(signed[name]));
  return createHash("sha256").update(values.join(""), "utf8").digest("hex");
}

/** Checks the token. The time does not depend on which characters are wrong. */
export function isTokenOf(token: string, fields: Readonly<Record<string, unknown>>, password: string): boolean {
  const right = Buffer.from(tokenOf(fields, password), "utf8");
  const given = Buffer.from(token, "utf8");
  return given.length === right.length && timingSafeEqual(given, right);
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
