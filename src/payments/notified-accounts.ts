import type { InstallationKey } from "../accounts/installation.ts";
import type { AcquirerAccount } from "../acquirers/acquirer.ts";
import type { PaymentServices } from "./services.ts";

/**
 * How long the accounts of an address are cached: a bank may send many notifications in a second. Another process's change must count
 * within a second.
 */
const KEPT_MS = 900;
const MAX_KEPT = 1_000;

/** The owner of an address for notifications, and the acquirer's accounts whose notifications may come to the address. */
export interface NotifiedAccounts {
  holder: InstallationKey & { acquirer: string };
  accounts: AcquirerAccount[];
}

/** The accounts behind the addresses of notifications, briefly cached. */
export class AccountsByAddress {
  readonly #services: Pick<PaymentServices, "merchants" | "acquirers" | "clock">;
  readonly #kept = new Map<string, { found: NotifiedAccounts; untilMs: number }>();

  constructor(services: Pick<PaymentServices, "merchants" | "acquirers" | "clock">) {
    this.#services = services;
  }

  /** Undefined: no installation has this address. `fresh`: bypasses the cache, because a password may just have changed. */
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
