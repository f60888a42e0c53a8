import type { Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import { KeySet } from "../security/key-set.ts";
import type { Store } from "../store/database.ts";
import { storedKeySets } from "../store/stored-key-sets.ts";
import type { Config } from "./config.ts";
import { fetchKeys } from "./key-address.ts";

export interface ExaminedKeys {
  address: string;
  /** Age of the stored key set, which the server would use after a restart. Absent: none is stored. */
  storedAgeMs?: number;
  /** Why the address returned no key set now. Absent: the address returned a key set. */
  problem?: string;
}

/** Reads the key address once. Does not store the answer. */
export async function examineKeys(
  { profile }: Pick<Config, "profile">,
  { store, clock, log }: { store: Pick<Store, "read" | "commit">; clock: Clock; log: Log },
): Promise<ExaminedKeys> {
  const { qrJwksUrl: address, qrIssuer: issuer } = profile;
  const stored = await storedKeySets(store).load(address);
  const memory = { load: async () => undefined, save: async () => {} };
  const { problem } = await new KeySet({ clock, log, address, issuer, fetch: fetchKeys, memory }).refresh();
  return {
    address,
    ...(stored === undefined ? {} : { storedAgeMs: clock.nowMs() - stored.fetchedAtMs }),
    ...(problem === undefined ? {} : { problem }),
  };
}
