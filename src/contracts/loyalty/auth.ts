import type { KeyReading, LoyaltyKeys } from "../../loyalty/connection/keys.ts";

/** Name of the header as Node gives it. */
const KEY_HEADER = "platform-discount-api-auth-token";
/** The longest access key that is looked up. The keys that this server makes have 43 characters. */
const MAX_KEY_LENGTH = 200;

/**
 * Finds the account whose till calls, by the access key (platform-contracts 6.1). Throws `database-failed` when the database does not
 * answer and the key is not remembered.
 */
export async function prove(
  keys: Pick<LoyaltyKeys, "read">,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<KeyReading> {
  const key = headers[KEY_HEADER];
  if (typeof key !== "string" || key === "" || key.length > MAX_KEY_LENGTH) return { kind: "unknown" };
  return keys.read(key);
}
