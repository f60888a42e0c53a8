import type { InstallationKey } from "../accounts/installation.ts";
import type { Merchants } from "../accounts/merchants.ts";
import type { StoreSettings } from "../accounts/settings-schema.ts";
import type { AcquirerKind, AcquirerServices, ParsedAcquirer } from "../acquirers/acquirer.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { OnlyHere } from "../kernel/rounds.ts";
import type { Store } from "../store/database.ts";
import type { Leases } from "../store/lease.ts";

/** After this time another process takes over the payment of a dead process (qr-acquirers 7.5). */
export const PAYMENT_LEASE_MS = 10_000;

/** What the payments need. Functions of modules that `payments/` must not import are passed in here. */
export interface PaymentServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  chance: Chance;
  log: Log;
  leases: Leases;
  /** True while this process follows the open payments. Absent: there is no other process. */
  onlyHere?: OnlyHere;
  merchants: Merchants;
  acquirers: AcquirerDirectory;
  settingsOf(key: InstallationKey, storeId: string): Promise<StoreSettings>;
  /** The active installation of an account. Undefined: there is none. */
  activeInstallation(accountId: string): Promise<InstallationKey | undefined>;
  /** The name of a point of sale, for the buyer. Undefined: unknown. */
  storeNameOf(key: InstallationKey, storeId: string): Promise<string | undefined>;
  /** The address for the notifications of an acquirer. Undefined while the server has no public address. */
  notificationUrl(acquirer: string, secret: string): string | undefined;
  /** Counts payments that are no longer open, and money that came after its payment's end. */
  observe: PaymentCounts;
}

interface AcquirerDirectory {
  kinds: readonly AcquirerKind[];
  parse(setting: string): ParsedAcquirer;
  services: Omit<AcquirerServices, "observe">;
  observe(acquirer: string, ...call: Parameters<AcquirerServices["observe"]>): void;
}

interface PaymentCounts {
  /** `outcome`: the payment's new state, which is not open. */
  ended(acquirer: string, outcome: string): void;
  lateMoney(): void;
}
