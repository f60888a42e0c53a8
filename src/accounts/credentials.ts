import { Failure } from "../kernel/failure.ts";
import type { Secret } from "../kernel/secret.ts";

/**
 * One entry of the catalogue. There are several at once: while an edited version of a published solution
 * is moderated, the server is called with its own appId and secret besides the first (platform-contracts 3.1).
 */
export interface CredentialSet {
  appId: string;
  appUid: string;
  /** Signs the tokens of both directions. Any length: the platform does not document one. */
  secretKey: Secret;
  /** Its installations are test installations (interface 6, Test and live). */
  test: boolean;
}

/** The sets by appId. */
export type Credentials = ReadonlyMap<string, CredentialSet>;

/** @throws Failure `credentials-repeated` when two sets have the same appId: one of the secrets would never be tried. */
export function credentialTable(sets: readonly CredentialSet[]): Credentials {
  const table = new Map<string, CredentialSet>();
  for (const set of sets) {
    if (table.has(set.appId)) {
      throw new Failure("credentials-repeated", "caller", `CREDENTIALS names the appId ${set.appId} twice`);
    }
    table.set(set.appId, set);
  }
  return table;
}
