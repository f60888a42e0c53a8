import { BUILT_IN_SETTINGS, type StoreSettings } from "../../../src/accounts/settings-schema.ts";
import type { JournalStore } from "../../../src/journal/journal.ts";
import type { Clock } from "../../../src/kernel/clock.ts";
import { PAYMENT_LEASE_MS } from "../../../src/payments/services.ts";
import { type PaymentProcess, paymentProcess } from "../../support/payment-process.ts";
import type { Life } from "../life.ts";
import type { SeededChance } from "../seeded-chance.ts";
import { type BankReach, bankKind } from "./bank-client.ts";
import { clientOf, leasesOf, type PaymentMutation, saidOfTheBank } from "./mutation.ts";

export interface ServerParts {
  clock: Clock;
  store: JournalStore;
  chance: SeededChance;
  reach: BankReach;
  settings: Pick<StoreSettings, "lateMoney" | "qrExpiryMinutes">;
  mutation: PaymentMutation | undefined;
  /** Writes a line for a person. */
  alert(values: Record<string, unknown>, text: string): void;
}

/** One life of a process. It serves tills and notifications, follows payments and looks for sales until it dies. */
export interface PaymentServer extends PaymentProcess {
  life: Life;
}

export function serverOf(life: Life, { clock, store, chance, reach, settings, mutation, alert }: ServerParts): PaymentServer {
  const log = {
    trace() {},
    debug() {},
    info() {},
    warn() {},
    error: (values: Record<string, unknown>, text: string) => {
      // Lines of a dead process would not be written.
      if (life.alive) alert(values, text);
    },
  };
  const process = paymentProcess({
    store,
    clock,
    chance,
    log,
    kinds: [
      bankKind(
        life,
        reach,
        saidOfTheBank(mutation),
        clientOf(mutation, () => clock.nowMs()),
      ),
    ],
    dataDir: "",
    settingsOf: () => ({ ...BUILT_IN_SETTINGS, ...settings, acquirer: reach.bank.character }),
    isActive: () => true,
    ended() {},
    leases: leasesOf(mutation, { store, clock, chance, leaseMs: PAYMENT_LEASE_MS }),
  });
  return { life, ...process };
}
