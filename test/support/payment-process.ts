import { Merchants } from "../../src/accounts/merchants.ts";
import type { StoreSettings } from "../../src/accounts/settings-schema.ts";
import type { AcquirerKind } from "../../src/acquirers/acquirer.ts";
import { parseAcquirer } from "../../src/acquirers/catalogue.ts";
import type { Chance, Clock } from "../../src/kernel/clock.ts";
import type { Log } from "../../src/kernel/log.ts";
import { Secret } from "../../src/kernel/secret.ts";
import { Clients } from "../../src/payments/clients.ts";
import { Follower } from "../../src/payments/follower.ts";
import { BankNotifications } from "../../src/payments/notifications.ts";
import { Payments } from "../../src/payments/payments.ts";
import { PaymentSales } from "../../src/payments/sales.ts";
import { PAYMENT_LEASE_MS, type PaymentServices } from "../../src/payments/services.ts";
import { Turns } from "../../src/payments/turns/turns.ts";
import { createSeal } from "../../src/security/seal.ts";
import { Leases } from "../../src/store/lease.ts";

export const ACCOUNT = "11111111-0000-4000-8000-000000000001";
export const APP = "00000000-0000-4000-8000-000000000001";
/** One seal for all tests: making one takes 50 ms, and the tests need no secret of their own. */
const SEAL = createSeal(new Secret("payment-bench-key"));

interface ProcessParts {
  store: PaymentServices["store"];
  clock: Clock;
  chance: Chance;
  log: Log;
  kinds: readonly AcquirerKind[];
  dataDir: string;
  settingsOf(): StoreSettings;
  isActive(): boolean;
  /** Called when a payment has ended in this state, or when late money came. */
  ended(outcome: string): void;
  leases?: Leases;
  /** The addresses of banks by acquirer. */
  addresses?: Readonly<Record<string, string>>;
}

export interface PaymentProcess {
  services: PaymentServices;
  clients: Clients;
  turns: Turns;
  payments: Payments;
  follower: Follower;
  sales: PaymentSales;
  notifications: BankNotifications;
}

/** The parts of one process for payments, as `app/payments` builds them, without HTTP. Nothing is started. */
export function paymentProcess({
  store,
  clock,
  chance,
  log,
  kinds,
  dataDir,
  settingsOf,
  isActive,
  ended,
  ...more
}: ProcessParts): PaymentProcess {
  const services: PaymentServices = {
    store,
    clock,
    chance,
    log,
    leases: more.leases ?? new Leases({ store, clock, chance, leaseMs: PAYMENT_LEASE_MS }),
    merchants: new Merchants({ store, seal: SEAL, clock, chance }),
    acquirers: {
      kinds,
      parse: (setting) => parseAcquirer(setting, kinds),
      services: { clock, chance, dataDir, addresses: more.addresses ?? {} },
      observe: () => {},
    },
    settingsOf: async () => settingsOf(),
    activeInstallation: async (accountId) => (isActive() && accountId === ACCOUNT ? { appId: APP, accountId } : undefined),
    storeNameOf: async () => "Лавка",
    notificationUrl: (acquirer, secret) => `http://127.0.0.1:1/hooks/${acquirer}/${secret}`,
    observe: { ended: (_acquirer, outcome) => ended(outcome), lateMoney: () => ended("late money") },
  };
  const clients = new Clients(services);
  const turns = new Turns(services, clients);
  return {
    services,
    clients,
    turns,
    payments: new Payments(services, clients, turns),
    follower: new Follower(services, clients, turns),
    sales: new PaymentSales(services),
    notifications: new BankNotifications(services, clients, turns),
  };
}
