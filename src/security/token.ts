import { errors, jwtVerify, SignJWT } from "jose";
import type { Secret } from "../kernel/secret.ts";

/** The largest difference between the clocks of platform and server, in both directions (platform-contracts 3.2). */
const TOKEN_SKEW_MS = 60_000;

/** The lifetime of this server's tokens. The platform accepts at most 300 s. */
const OWN_LIFETIME_S = 120;

/** The longest token that is read. A published sample has fewer than 400 characters. */
const MAX_TOKEN_LENGTH = 4096;
/** The longest token id. Ids are stored until their tokens expire. The platform's ids are UUIDs. */
const MAX_ID_LENGTH = 128;
/** The latest accepted expiry, in seconds: the year 5138. The id of a token is stored until the token expires. */
const MAX_EXPIRY_S = 1e11;

type TokenReading =
  | { kind: "valid"; id: string; expiresAtMs: number }
  /** `words` may be shown to the caller. For a malformed token or an invalid signature they give no detail. */
  | { kind: "refused"; reason: "malformed" | "signature" | "claims" | "expired" | "too-early"; words: string };

/**
 * Reads a token of the platform: HS256 only. Checks the signature, then `exp`, `iat` and a given `nbf` with 60 s skew, then `jti`. The
 * caller must check that the id (`jti`) was not used before. `expiresAtMs` is `exp`; the token is accepted 60 s longer.
 */
export async function readToken(token: string, secret: Secret, nowMs: number): Promise<TokenReading> {
  if (token.length > MAX_TOKEN_LENGTH) return refused("malformed", "The token is not valid");
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), {
      algorithms: ["HS256"],
      clockTolerance: TOKEN_SKEW_MS / 1000,
      currentDate: new Date(nowMs),
      requiredClaims: ["exp", "iat", "jti"],
    });
    const { exp, iat, jti } = payload;
    if (exp === undefined || !(exp <= MAX_EXPIRY_S)) return refused("claims", "The token's exp is not valid");
    if (iat === undefined || !(iat * 1000 <= nowMs + TOKEN_SKEW_MS)) return refused("too-early", "The token was issued in the future");
    if (typeof jti !== "string" || jti === "" || jti.length > MAX_ID_LENGTH || jti.includes("\u0000"))
      return refused("claims", "The token's jti is not valid");
    return { kind: "valid", id: jti, expiresAtMs: Math.ceil(exp * 1000) };
  } catch (error) {
    if (error instanceof errors.JOSEError) return refusalOf(error);
    // Some versions of the library throw these errors for broken Base64 or text that is not JSON.
    if (error instanceof TypeError || error instanceof SyntaxError) return refused("malformed", "The token is not valid");
    throw error;
  }
}

/** Makes this server's token for one call to the platform. `appUid` identifies the solution. `id` must never repeat. */
export function makeToken(claims: { appUid: string; secret: Secret; id: string; nowMs: number }): Promise<string> {
  const issuedAtS = Math.floor(claims.nowMs / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setSubject(claims.appUid)
    .setIssuedAt(issuedAtS)
    .setExpirationTime(issuedAtS + OWN_LIFETIME_S)
    .setJti(claims.id)
    .sign(keyOf(claims.secret));
}

/** Returns the token of an `Authorization: Bearer` header, undefined for any other header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+) *$/i.exec(authorization ?? "")?.[1];
}

function refusalOf(error: errors.JOSEError): TokenReading {
  if (error instanceof errors.JWTExpired) return refused("expired", "The token has expired");
  if (error instanceof errors.JWTClaimValidationFailed) return refused("claims", `The token's ${error.claim} is missing or not valid`);
  if (error instanceof errors.JWSSignatureVerificationFailed) return refused("signature", "The token is not valid");
  return refused("malformed", "The token is not valid");
}

function refused(reason: "malformed" | "signature" | "claims" | "expired" | "too-early", words: string): TokenReading {
  return { kind: "refused", reason, words };
}

function keyOf(secret: Secret): Uint8Array {
  return Buffer.from(secret.reveal(), "utf8");
}
