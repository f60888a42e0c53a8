import type { InstallationKey } from "../accounts/installation.ts";
import type { AcquirerAccount } from "../acquirers/acquirer.ts";
import type { PaymentServices } from "./services.ts";

/** A bank sends its notifications in bursts. What was read for the first of a burst serves the others. */
const KEPT_MS = 5_000;
/** Addresses that are remembered. */
const MAX_KEPT = 1_000;

/** Whose notifications come to an address, and the accounts that may have sent them. */
export interface NotifiedAccounts {
  holder: InstallationKey & { acquirer: string };
  accounts: AcquirerAccount[];
}

/** The accounts behind the addresses of notifications, read from the database and kept for a moment. */
export class AccountsByAddress {
  readonly #services: Pick<PaymentServices, "merchants" | "acquirers" | "clock">;
  readonly #kept = new Map<string, { found: NotifiedAccounts; untilMs: number }>();

  constructor(services: Pick<PaymentServices, "merchants" | "acquirers" | "clock">) {
    this.#services = services;
  }

  /** Undefined: nobody is notified at this address. `fresh`: a password may have changed this moment. */
  async of(acquirer: string, secret: string, { fresh = false } = {}): Promise<NotifiedAccounts | undefined> {
    const { clock, merchants } = this.#services;
    const kept = this.#kept.get(secret);
    if (!fresh && kept !== undefined && kept.untilMs > clock.monotonicMs() && kept.found.holder.acquirer === acquirer) return kept.found;
    const holder = await merchants.byHookSecret(secret);
    if (holder === undefined || holder.acquirer !== acquirer) return undefined;
    const found = { holder, accounts: await this.#accountsOf(holder) };
    this.#kept.delete(secret);
    this.#kept.set(secret, { found, untilMs: clock.monotonicMs() + KEPT_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return found;
  }

  async #accountsOf(holder: InstallationKey & { acquirer: string }): Promise<AcquirerAccount[]> {
    const { merchants, acquirers } = this.#services;
    const settings = await merchants.settingsAt(holder, holder.acquirer);
    return settings.flatMap((setting) => {
      const parsed = acquirers.parse(setting);
      return parsed.kind === "account" ? [parsed.account] : [];
    });
  }
}
