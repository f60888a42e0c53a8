import { Failure } from "../kernel/failure.ts";
import type { Secret } from "../kernel/secret.ts";

/**
 * The credentials of one entry of the platform's catalogue. A published solution may have several: while an edited version is moderated,
 * the platform also calls the server with that version's appId and secret (platform-contracts 3.1).
 */
export interface CredentialSet {
  appId: string;
  appUid: string;
  /**
   * Signs the tokens that the platform and this server send each other. Any length is accepted, because the platform documents no length.
   */
  secretKey: Secret;
  /** True when the installations of this entry are test installations (interface 6, Test and live). */
  test: boolean;
}

export type Credentials = ReadonlyMap<string, CredentialSet>;

/** @throws Failure `credentials-repeated` when two sets have the same appId, because one of the two secrets would never be used. */
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
