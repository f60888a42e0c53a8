import type { CredentialSet, Credentials } from "../../accounts/credentials.ts";
import { bearerOf, readToken } from "../../security/token.ts";

export type Proof =
  | { kind: "proved"; set: CredentialSet; tokenId: string; expiresAtMs: number }
  /** `words`: for the caller. `reason`: for the log. */
  | { kind: "refused"; words: string; reason: string };

/**
 * Proves the caller (platform-contracts 3.2). The appId in the path selects the secret. Then algorithm, signature, exp, iat and jti are
 * checked. `SeenTokens` checks later, when the body is known, that the token was not used for another call.
 */
export async function prove(credentials: Credentials, appId: string, authorization: string | undefined, nowMs: number): Promise<Proof> {
  const token = bearerOf(authorization);
  if (token === undefined) return { kind: "refused", words: "Authorization: Bearer with a token is needed", reason: "no token" };
  const set = credentials.get(appId);
  // The same words as for a wrong signature, so that nobody learns which appIds exist.
  if (set === undefined) return { kind: "refused", words: "The token is not valid", reason: "unknown appId" };
  const reading = await readToken(token, set.secretKey, nowMs);
  if (reading.kind === "refused") return { kind: "refused", words: reading.words, reason: reading.reason };
  return { kind: "proved", set, tokenId: reading.id, expiresAtMs: reading.expiresAtMs };
}
