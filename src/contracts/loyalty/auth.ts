import type { KeyReading, LoyaltyKeys } from "../../loyalty/connection/keys.ts";

/** The longest key that is looked up. This server's access keys have 43 characters. */
const MAX_KEY_LENGTH = 200;

/**
 * Finds the account by the access key that the till has sent (platform-contracts 6.1). `keyHeader`: the name of the key's header in the
 * active profile. Throws `database-failed` when the database does not answer and the key is not remembered (`LoyaltyKeys`).
 */
export async function prove(
  keys: Pick<LoyaltyKeys, "read">,
  keyHeader: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<KeyReading> {
  // Node converts header names to lower case.
  const key = headers[keyHeader.toLowerCase()];
  if (typeof key !== "string" || key === "" || key.length > MAX_KEY_LENGTH) return { kind: "unknown" };
  return keys.read(key);
}
