import type { InstallationKey } from "../accounts/installation.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Seal } from "../security/seal.ts";
import type { Store } from "../store/database.ts";

/** The part of the database interface that loyalty uses. */
export type LoyaltyStore = Pick<Store, "commit" | "read">;

/** The services that the parts of loyalty share. */
export interface LoyaltyServices {
  store: LoyaltyStore;
  clock: Clock;
  chance: Chance;
  log: Log;
  seal: Pick<Seal, "seal" | "open" | "fingerprint">;
  /** Returns the time zone of a point of sale. An empty `storeId`: the zone of the account. */
  zoneOf(key: InstallationKey, storeId: string): Promise<string>;
  /** Returns the folders of products by product id, as far as they are known. Called only when the programme depends on folders. */
  foldersOf(key: InstallationKey, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  observe: LoyaltyObserver;
}

/** For the metrics. */
interface LoyaltyObserver {
  /** Points of one kind of entry were booked. */
  points(kind: string, points: number): void;
  /** Something happened that a person may want to check. */
  anomaly(kind: string): void;
}
