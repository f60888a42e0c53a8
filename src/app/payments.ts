import type { BlockList } from "node:net";
import type { InstallationKey } from "../accounts/installation.ts";
import { forgetUsed, type OneTimeToken, useUp } from "../accounts/one-time-tokens.ts";
import { parseAcquirer } from "../acquirers/catalogue.ts";
import { networksOf } from "../http/source.ts";
import type { Chance, Clock } from "../kernel/clock.ts";
import { messageOf } from "../kernel/failure.ts";
import type { Log } from "../kernel/log.ts";
import { present } from "../kernel/present.ts";
import { type Once, Rounds } from "../kernel/rounds.ts";
import { isLoopback } from "../kernel/web-address.ts";
import { inPieces } from "../kernel/work/in-pieces.ts";
import { Clients } from "../payments/clients.ts";
import { Follower } from "../payments/follower.ts";
import { BankNotifications } from "../payments/notifications.ts";
import { Payments } from "../payments/payments.ts";
import { PaymentSales } from "../payments/sales.ts";
import { PAYMENT_LEASE_MS, type PaymentServices } from "../payments/services.ts";
import { Turns } from "../payments/turns/turns.ts";
import { KeySet } from "../security/key-set.ts";
import type { Store } from "../store/database.ts";
import { Leases } from "../store/lease.ts";
import { storedKeySets } from "../store/stored-key-sets.ts";
import type { Accounts } from "./accounts.ts";
import { acquirersFor, checkDefaultAcquirer } from "./acquirers.ts";
import type { Config } from "./config.ts";
import { fetchKeys } from "./key-address.ts";
import type { Metrics } from "./metrics.ts";

/** The pause between deletions of expired tokens. */
const FORGET_MS = 60_000;

export interface PaymentParts {
  services: PaymentServices;
  payments: Payments;
  turns: Turns;
  clients: Clients;
  notifications: BankNotifications;
  keys: KeySet;
  trustedProxies: BlockList;
  useUp(token: OneTimeToken): Promise<boolean>;
  /** Starts the timers. `address`: where banks on this machine reach the server. */
  start(address: string): void;
  close(): Promise<void>;
}

interface PaymentNeeds {
  config: Config;
  store: Store;
  accounts: Accounts;
  clock: Clock;
  chance: Chance;
  log: Log;
  metrics?: Metrics;
  once?: Once;
  storeNameOf(key: InstallationKey, storeId: string): Promise<string | undefined>;
}

/** Makes the parts that make, follow and end QR payments. */
export function composePayments(needs: PaymentNeeds): PaymentParts {
  const { config, store, clock, log } = needs;
  checkDefaultAcquirer(config);
  const local: { address?: string } = {};
  const services = servicesOf(needs, local);
  const clients = new Clients(services);
  const turns = new Turns(services, clients);
  const follower = new Follower(services, clients, turns);
  const sales = new PaymentSales(services);
  const notifications = new BankNotifications(services, clients, turns);
  const { qrJwksUrl, qrIssuer } = config.profile;
  const memory = storedKeySets(store);
  const keys = new KeySet({ clock, log, address: qrJwksUrl, issuer: qrIssuer, fetch: fetchKeys, memory });
  const forgetting = new Rounds(clock, FORGET_MS, async () => {
    try {
      await inPieces((limit) => store.commit((tx) => forgetUsed(tx, qrIssuer, clock.nowMs(), { limit })));
    } catch (error) {
      log.error({ error: messageOf(error) }, "old QR tokens could not be forgotten");
    }
  });
  return {
    services,
    payments: new Payments(services, clients, turns),
    turns,
    clients,
    notifications,
    keys,
    trustedProxies: networksOf(config.trustedProxies),
    useUp: (token) => store.commit((tx) => useUp(tx, token)),
    start(address) {
      local.address = address;
      follower.start();
      sales.start();
      notifications.start();
      forgetting.start();
    },
    async close() {
      await forgetting.close();
      await notifications.close();
      await sales.close();
      await follower.close();
      await clients.close();
    },
  };
}

/** `local`: where banks on this machine reach the server. Set when the server listens. */
function servicesOf(needs: PaymentNeeds, local: { address?: string }): PaymentServices {
  const { config, store, accounts, clock, chance, log, metrics, storeNameOf, once } = needs;
  const kinds = acquirersFor(config);
  // Commits of payments give way to commits of sales, so that reading a thousand open payments delays no sale. A till's payment call then
  // waits for a few commits more. Only a commit of the kind `outcome` does not give way.
  const behind: PaymentServices["store"] = {
    commit: (work, what) => store.commit(work, what === "outcome" ? what : "behind"),
    read: (work) => store.read(work),
  };
  return {
    store: behind,
    clock,
    chance,
    log,
    leases: new Leases({ store: behind, clock, chance, leaseMs: PAYMENT_LEASE_MS }),
    ...present({ onlyHere: once?.("payments") }),
    merchants: accounts.merchants,
    acquirers: {
      kinds,
      parse: (setting) => parseAcquirer(setting, kinds),
      services: { clock, chance, dataDir: config.dataDir, addresses: config.bankAddresses },
      observe: (acquirer, call, outcome, durationMs) => metrics?.payments.observeCall(acquirer, call, outcome, durationMs),
    },
    settingsOf: ({ appId, accountId }, storeId) => accounts.settings.of(appId, accountId, storeId),
    activeInstallation: async (accountId) => (await accounts.installations.keys(["active"], { accountId })).at(-1),
    storeNameOf,
    notificationUrl: (acquirer, secret) => {
      const base = config.publicUrl ?? (isLoopback(config.bankAddresses[acquirer]) ? local.address : undefined);
      return base === undefined ? undefined : `${base}/hooks/${acquirer}/${secret}`;
    },
    observe: {
      ended: (acquirer, outcome) => metrics?.payments.observeEnd(acquirer, outcome),
      lateMoney: () => metrics?.payments.observeLateMoney(),
    },
  };
}
