import { createHmac, timingSafeEqual } from "node:crypto";

/** Lifetime of the platform's tokens (platform-contracts 3.2). */
export const TOKEN_LIFE_S = 300;

/** Returns a compact HS256 JWT, made without a library. Times are seconds since the epoch. */
export function signToken(claims: object, secretKey: string): string {
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${signed}.${mac(signed, secretKey).toString("base64url")}`;
}

/** Returns a token with the right secret but a forbidden algorithm. A solution must refuse it. */
export function signForbiddenToken(claims: object, secretKey: string, algorithm: "none" | "HS512"): string {
  const signed = `${encode({ alg: algorithm, typ: "JWT" })}.${encode(claims)}`;
  const signature = algorithm === "none" ? "" : createHmac("sha512", secretKey).update(signed).digest("base64url");
  return `${signed}.${signature}`;
}

type ReadToken = { kind: "claims"; claims: Record<string, unknown> } | { kind: "wrong"; problem: string };

/** Reads a solution's token and checks its form, algorithm and signature. The caller checks the claims. */
export function readToken(token: string, secretKey: string): ReadToken {
  const [head, body, signature, ...rest] = token.split(".");
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0) return wrong("not three parts");
  const expected = mac(`${head}.${body}`, secretKey);
  const found = Buffer.from(signature, "base64url");
  const header = decode(head);
  if (header?.alg !== "HS256") return wrong("algorithm is not HS256");
  if (found.length !== expected.length || !timingSafeEqual(found, expected)) return wrong("wrong signature");
  const claims = decode(body);
  return claims === undefined ? wrong("claims are not an object") : { kind: "claims", claims };
}

function wrong(problem: string): ReadToken {
  return { kind: "wrong", problem };
}

function mac(text: string, secretKey: string): Buffer {
  return createHmac("sha256", secretKey).update(text).digest();
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
