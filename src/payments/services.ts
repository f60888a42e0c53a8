import type { InstallationKey } from "../accounts/installation.ts";
import type { Merchants } from "../accounts/merchants.ts";
import type { StoreSettings } from "../accounts/settings-schema.ts";
import type { AcquirerKind, AcquirerServices, ParsedAcquirer } from "../acquirers/acquirer.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import type { Log } from "../kernel/log.ts";
import type { OnlyHere } from "../kernel/rounds.ts";
import type { Store } from "../store/database.ts";
import type { Leases } from "../store/lease.ts";

/** Another process takes over the payment of a dead process after this time (qr-acquirers 7.5). */
export const PAYMENT_LEASE_MS = 10_000;

/** The services that the payments need. Values of modules that `payments/` must not import are passed in here. */
export interface PaymentServices {
  store: Pick<Store, "commit" | "read">;
  clock: Clock;
  chance: Chance;
  log: Log;
  leases: Leases;
  /** Whether this process follows the open payments now. Absent: no other process does. */
  onlyHere?: OnlyHere;
  merchants: Merchants;
  /** The acquirers of the catalogue, and the services of their clients. */
  acquirers: AcquirerDirectory;
  settingsOf(key: InstallationKey, storeId: string): Promise<StoreSettings>;
  /** The installation of an account that may be served now; undefined: none is active. */
  activeInstallation(accountId: string): Promise<InstallationKey | undefined>;
  /** The name of a point of sale, for the buyer; undefined when it is not known. */
  storeNameOf(key: InstallationKey, storeId: string): Promise<string | undefined>;
  /** The address for the notifications of an acquirer. Undefined while the server has no public address. */
  notificationUrl(acquirer: string, secret: string): string | undefined;
  /** Counts payments that have ended, and money that came after the end of its payment. */
  observe: PaymentCounts;
}

interface AcquirerDirectory {
  kinds: readonly AcquirerKind[];
  parse(setting: string): ParsedAcquirer;
  services: Omit<AcquirerServices, "observe">;
  /** Counts a call to an acquirer. */
  observe(acquirer: string, ...call: Parameters<AcquirerServices["observe"]>): void;
}

interface PaymentCounts {
  /** `outcome`: the state in which the payment ended. */
  ended(acquirer: string, outcome: string): void;
  lateMoney(): void;
}
