import type { Db } from "./installation-queries.ts";
import { forgetTokensBefore, insertUnused } from "./token-queries.ts";

/** A caller's token that is valid for one use. */
export interface OneTimeToken {
  /** The issuer of the token. Ids are unique within an issuer. */
  issuer: string;
  id: string;
  expiresAtMs: number;
}

/** A record stays at least this long after its token has expired: twice the allowed clock skew. */
const KEPT_AFTER_EXPIRY_MS = 120_000;
/**
 * The number of records that stay: those that expire last (`seen-tokens.ts` states the reason). A till uses one token a second, so the
 * records cover some minutes of many tills.
 */
const KEPT_RECORDS = 20_000;

/**
 * Uses the token up. Call it in the transaction that stores the request of the token. False: the token was used before, or it had expired
 * before the clock was set back.
 */
export async function useUp(tx: Db, token: OneTimeToken): Promise<boolean> {
  const unused = { request_id: null, method: "", path: "", body_hash: "", status: null, answer: null };
  const row = { ...unused, app_id: entryOf(token.issuer), jti: token.id, expires_at_ms: token.expiresAtMs };
  return (await insertUnused(tx, row)) === "first";
}

/** Deletes records of long expired tokens: at most `limit`, and those with the same expiry as the last of them. Returns their number. */
export function forgetUsed(
  tx: Db,
  issuer: string,
  nowMs: number,
  { limit, keptRecords = KEPT_RECORDS }: { limit: number; keptRecords?: number },
): Promise<number> {
  return forgetTokensBefore(tx, entryOf(issuer), nowMs - KEPT_AFTER_EXPIRY_MS, keptRecords, limit);
}

/** These tokens share a table with the tokens of the vendor contract. An app id has no colon, so the two kinds never mix. */
function entryOf(issuer: string): string {
  return `issuer:${issuer}`;
}
