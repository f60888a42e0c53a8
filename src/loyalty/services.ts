import type { InstallationKey } from "../accounts/installation.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Seal } from "../security/seal.ts";
import type { Store } from "../store/database.ts";

export type LoyaltyStore = Pick<Store, "commit" | "read">;

export interface LoyaltyServices {
  store: LoyaltyStore;
  clock: Clock;
  chance: Chance;
  log: Log;
  seal: Pick<Seal, "seal" | "open" | "fingerprint">;
  /** Returns the time zone of a point of sale. Empty `storeId`: the account's zone. */
  zoneOf(key: InstallationKey, storeId: string): Promise<string>;
  /** Returns the known folders of products, by product id. Called only when the programme depends on folders. */
  foldersOf(key: InstallationKey, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  observe: LoyaltyObserver;
}

interface LoyaltyObserver {
  points(kind: string, points: number): void;
  /** Something happened that a person may want to check. */
  anomaly(kind: string): void;
}
