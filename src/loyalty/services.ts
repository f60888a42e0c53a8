import type { InstallationKey } from "../accounts/installation.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { Seal } from "../security/seal.ts";
import type { Store } from "../store/database.ts";

/** What loyalty uses of the database. */
export type LoyaltyStore = Pick<Store, "commit" | "read">;

/** What the parts of loyalty are made of. */
export interface LoyaltyServices {
  store: LoyaltyStore;
  clock: Clock;
  chance: Chance;
  log: Log;
  seal: Pick<Seal, "seal" | "open" | "fingerprint">;
  /** The zone of a point of sale. */
  zoneOf(key: InstallationKey, storeId: string): Promise<string>;
  /** The folders of goods by the goods' ids, as far as they are known; asked where the programme has a rule about folders. */
  foldersOf(key: InstallationKey, productIds: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  observe: LoyaltyObserver;
}

/** For the metrics. */
interface LoyaltyObserver {
  /** Points of one kind of entry were booked. */
  points(kind: string, points: number): void;
  /** Something was booked that was not as it should be. */
  anomaly(kind: string): void;
}
