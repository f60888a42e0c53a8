import type { InstallationKey } from "../accounts/installation.ts";
import type { Merchants } from "../accounts/merchants.ts";
import type { Acquirer, AcquirerAccount } from "../acquirers/acquirer.ts";
import { Allowances } from "../kernel/allowances.ts";
import { pause } from "../kernel/clock.ts";
import type { Deadline } from "../kernel/deadline.ts";
import type { Payment } from "./payment.ts";
import type { PaymentServices } from "./services.ts";
import { alertOfUnreadable } from "./unreadable-answers.ts";

/**
 * How many calls of one merchant account may begin in a second on average (qr-acquirers 6). A burst may have as many. The call that makes a
 * payment counts too, but does not wait.
 */
const READS_PER_SECOND = 5;
/** The maximum number of open clients. Each holds a few idle connections. */
const MAX_CLIENTS = 1_000;

export interface OpenAccount {
  account: AcquirerAccount;
  client: Acquirer;
}

interface ClientServices extends Pick<PaymentServices, "acquirers" | "settingsOf" | "clock" | "log"> {
  merchants: Pick<Merchants, "settingOf">;
}

/** The clients of merchant accounts, and the call allowance of each account. A client opens at its first use. */
export class Clients {
  readonly #services: ClientServices;
  readonly #open = new Map<string, OpenAccount>();
  readonly #reads: Allowances;

  constructor(services: ClientServices) {
    this.#services = services;
    this.#reads = new Allowances(services.clock, {
      most: READS_PER_SECOND,
      refillMs: 1_000 / READS_PER_SECOND,
      names: MAX_CLIENTS,
    });
  }

  /** The account that a setting names. `problem`: the setting cannot be parsed. */
  of(setting: string): OpenAccount | { problem: string } {
    const known = this.#open.get(setting);
    if (known !== undefined) return this.#keep(setting, known);
    const parsed = this.#services.acquirers.parse(setting);
    if (parsed.kind === "invalid") return { problem: parsed.problem };
    const { account } = parsed;
    const { acquirers } = this.#services;
    const observe = alertOfUnreadable(this.#services, account, (...call) => acquirers.observe(account.acquirer, ...call));
    return this.#keep(setting, { account, client: account.open({ ...acquirers.services, observe }) });
  }

  /**
   * The account of a payment. If the point of sale's current setting names the same account, the current setting is used: a password may
   * have changed. Otherwise the stored setting is used.
   */
  async ofPayment(payment: InstallationKey & Pick<Payment, "storeId" | "merchant">): Promise<OpenAccount | { problem: string }> {
    const { acquirer: today } = await this.#services.settingsOf(payment, payment.storeId);
    const current = today === undefined ? undefined : this.of(today);
    if (current !== undefined && "account" in current && current.account.merchant === payment.merchant) return current;
    const stored = await this.#services.merchants.settingOf(payment, payment.merchant);
    return stored === undefined ? { problem: "the account's setting was never stored" } : this.of(stored);
  }

  /** True when the account may be read now. Then one reading is counted. */
  mayRead(merchant: string): boolean {
    return this.#reads.take(merchant);
  }

  /**
   * Waits until the account may be asked, at most until the deadline. False: the account may not be asked before the deadline, and no call
   * was counted.
   */
  async mayAsk(merchant: string, within: Deadline): Promise<boolean> {
    const waitMs = this.#reads.takeAhead(merchant, within.remainingMs());
    if (waitMs === undefined) return false;
    if (waitMs > 0) await pause(this.#services.clock, waitMs);
    return true;
  }

  /** Counts a call made without waiting, because a buyer is at the till. */
  noteAsked(merchant: string): void {
    this.#reads.charge(merchant);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ client }) => client.close()));
    this.#open.clear();
  }

  #keep(setting: string, open: OpenAccount): OpenAccount {
    this.#open.delete(setting);
    this.#open.set(setting, open);
    const [quietest] = this.#open;
    if (this.#open.size > MAX_CLIENTS && quietest !== undefined) {
      this.#open.delete(quietest[0]);
      // The client's running calls end by their own deadlines.
      void quietest[1].client.close();
    }
    return open;
  }
}
