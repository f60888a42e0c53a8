import type { OneTimeToken } from "../../accounts/one-time-tokens.ts";
import type { KeySet } from "../../security/key-set.ts";
import { bearerOf } from "../../security/token.ts";

type Proof =
  | { kind: "proved"; token: OneTimeToken }
  /** `reason`: for the log only, never for the caller. */
  | { kind: "refused"; reason: string };

/**
 * Proves that the caller is the platform (platform-contracts 5.2). The token names neither account nor body. Whether the token is unused is
 * checked later, in the transaction that marks it as used.
 */
export async function prove(keys: KeySet, issuer: string, authorization: string | undefined): Promise<Proof> {
  const text = bearerOf(authorization);
  if (text === undefined) return { kind: "refused", reason: "no token" };
  const reading = await keys.read(text);
  if (reading.kind === "refused") return { kind: "refused", reason: reading.reason };
  return { kind: "proved", token: { issuer, id: reading.id, expiresAtMs: reading.expiresAtMs } };
}
