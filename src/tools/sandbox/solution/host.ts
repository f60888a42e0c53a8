import { createPrivateKey } from "node:crypto";
import type { Chance, Clock } from "../../../kernel/clock.ts";
import type { Account } from "../account/account.ts";
import { tokenId } from "../account/users.ts";
import type { Exchange } from "../caller/call.ts";
import {
  activation,
  type Cause,
  deactivation,
  type Installation,
  inquiry,
  LIFECYCLE_RETRIES,
  type Solution,
  sendVendorCall,
} from "../caller/installation.ts";
import type { LoyaltySettings } from "../caller/loyalty/settings.ts";
import { makeSigningKey } from "../caller/signing-key.ts";
import { vendorAddresses } from "../caller/vendor-addresses.ts";
import { statusIn, VendorDesk } from "../caller/vendor-desk.ts";
import type { Stored, Values } from "../values/stored.ts";
import type { UserContexts } from "./user-contexts.ts";

/** Time and interval of installation repeats at the start, when the solution's server may be starting too. */
const INSTALL_RETRIES = { windowMs: 60_000, intervalMs: 1_000 };

/** Time and interval of repeats of a call that only changes the subscription (platform-contracts 3.6). */
const SUBSCRIPTION_RETRIES = { windowMs: 24 * 3_600_000, intervalMs: 5 * 60_000 };

/** The stored type for the installation. The JSON API does not show it. */
const INSTALLATION = "installation";

interface HostParts {
  readonly account: Account;
  readonly solution: Solution;
  /** The base URL of the solution's server. */
  readonly target: string;
  /** `{base}/api/remap/1.2`. */
  readonly api: () => string;
  readonly contexts: UserContexts;
  readonly clock: Clock;
  readonly chance: Chance;
}

export interface LifecycleResult {
  readonly cause: Cause;
  /** The HTTP status of the solution's answer. Undefined: no call was sent, or the call got no answer. */
  readonly status: number | undefined;
  /** The platform's status after the step. Undefined: not installed. */
  readonly installation: string | undefined;
  readonly words: string;
}

/**
 * Plays the platform for the account's only solution: makes and repeats the lifecycle calls (platform-contracts 3.4–3.6) and answers the
 * solution's calls (platform-contracts 3.8, 3.9). Keys and state are stored in the account.
 */
export class SolutionHost {
  readonly desk: VendorDesk;
  readonly #parts: HostParts;
  constructor(parts: HostParts) {
    this.#parts = parts;
    const { solution, clock, contexts } = parts;
    const others = vendorAddresses({
      statusOf: (accountId) => this.desk.statusOf(accountId),
      keepLoyalty: (_accountId, named) => this.#keepLoyalty(named),
      byContextKey: (key) => contexts.byKey(key),
      byUserToken: ({ body }) => contexts.byToken(body),
    });
    this.desk = new VendorDesk(solution, clock, others);
    const stored = this.#stored();
    if (stored !== undefined) this.desk.setStatus(parts.account.id, String(stored.values.status));
  }

  /** Returns the installation if tills may use it: Activating, SettingsRequired or Activated. */
  inForce(): Installation | undefined {
    const stored = this.#stored();
    const status = this.desk.statusOf(this.#parts.account.id);
    if (stored === undefined || (status !== "Activated" && status !== "SettingsRequired" && status !== "Activating")) return undefined;
    return installationOf(stored, this.#parts.account);
  }

  /** Whether QR calls may be sent: only after a successful installation (payments surface 9). */
  get isInstalled(): boolean {
    const status = this.desk.statusOf(this.#parts.account.id);
    return this.#stored() !== undefined && (status === "Activated" || status === "SettingsRequired");
  }

  /** The URL and token of the loyalty programme. Undefined: the solution has not sent them, or may not be called. */
  get loyalty(): LoyaltySettings | undefined {
    const { url, token, externalSearch } = (this.#stored()?.values.loyalty ?? {}) as Values;
    if (!this.isInstalled || typeof url !== "string" || typeof token !== "string") return undefined;
    return { url, token, externalSearch: externalSearch === true };
  }

  /** The moment of the installation in ms since the epoch. Infinity: not installed. Older documents are not sent to the solution. */
  get sinceMs(): number {
    return Number(this.#stored()?.values.since ?? Number.POSITIVE_INFINITY);
  }

  /** Returns the installation for display, without private keys. */
  told(): Values {
    const { account, solution, target } = this.#parts;
    const stored = this.#stored();
    return {
      solution: target,
      appId: solution.appId,
      appUid: solution.appUid,
      accountId: account.id,
      status: this.desk.statusOf(account.id) ?? null,
      ...(stored === undefined ? {} : { registrationId: stored.values.registrationId }),
      ...(stored?.values.loyalty === undefined ? {} : { loyalty: stored.values.loyalty }),
    };
  }

  /**
   * Installs the solution at the start, if the folder has no installation or the solution's server does not know it. A suspended
   * installation stays suspended.
   */
  async begin(): Promise<LifecycleResult> {
    const { account, solution, target, clock, chance } = this.#parts;
    const stored = this.#stored();
    if (stored === undefined) return this.install(INSTALL_RETRIES);
    const status = this.desk.statusOf(account.id);
    if (status === "Suspended") return { cause: "Install", status: undefined, installation: status, words: "suspended, as it was left" };
    const known = await sendVendorCall(
      target,
      inquiry(solution, installationOf(stored, account), { clock, chance }),
      clock,
      INSTALL_RETRIES,
    );
    if (known.kind === "answer" && known.status === 404) return this.install(INSTALL_RETRIES);
    return { cause: "Install", status: statusOf(known), installation: status, words: wordsOf(known) };
  }

  async install(retries: { windowMs: number; intervalMs: number } = LIFECYCLE_RETRIES): Promise<LifecycleResult> {
    const { account } = this.#parts;
    if (this.#stored() === undefined) await account.commit(() => this.#makeInstallation());
    return this.#activate("Install", retries);
  }

  resume(): Promise<LifecycleResult> {
    return this.#activate("Resume", LIFECYCLE_RETRIES);
  }

  changeTariff(): Promise<LifecycleResult> {
    return this.#activate("TariffChanged", SUBSCRIPTION_RETRIES);
  }

  prolong(): Promise<LifecycleResult> {
    return this.#activate("Autoprolongation", SUBSCRIPTION_RETRIES);
  }

  /** Suspends the installation. Before the call, the solution's tokens are revoked and its webhooks disabled (platform-contracts 3.5). */
  suspend(): Promise<LifecycleResult> {
    return this.#deactivate("Suspend", "Suspended");
  }

  uninstall(): Promise<LifecycleResult> {
    return this.#deactivate("Uninstall", undefined);
  }

  async #activate(
    cause: "Install" | "Resume" | "TariffChanged" | "Autoprolongation",
    retries: { windowMs: number; intervalMs: number },
  ): Promise<LifecycleResult> {
    const { account, solution, target, clock, chance } = this.#parts;
    const stored = this.#stored();
    if (stored === undefined) return { cause, status: undefined, installation: undefined, words: "the solution is not installed" };
    const withToken = cause === "Install" || cause === "Resume";
    const accessToken = chance.bytes(20).toString("hex");
    if (withToken) await account.commit(() => this.#grant(accessToken));
    const before = this.desk.statusOf(account.id);
    if (withToken) this.desk.setStatus(account.id, "Activating");
    const call = activation(solution, installationOf(stored, account), cause, { clock, chance, resource: this.#parts.api(), accessToken });
    const exchange = await sendVendorCall(target, call, clock, retries);
    const reported = exchange.kind === "answer" && exchange.status === 200 ? statusIn(exchange.body) : undefined;
    const status = reported ?? (withToken ? "ActivationFailed" : before);
    if (reported === undefined && withToken) await account.commit(() => this.#revoke());
    await this.#keepStatus(status);
    if (reported !== undefined && cause === "Resume") await account.commit(() => this.#speak());
    return { cause, status: statusOf(exchange), installation: status, words: wordsOf(exchange) };
  }

  async #deactivate(cause: "Suspend" | "Uninstall", afterwards: string | undefined): Promise<LifecycleResult> {
    const { account, solution, target, clock, chance } = this.#parts;
    const stored = this.#stored();
    if (stored === undefined) return { cause, status: undefined, installation: undefined, words: "the solution is not installed" };
    // Tills must stop sending before the solution gets the call.
    await this.#keepStatus("Deactivating");
    await account.commit(() => {
      this.#revoke();
      this.#silence(cause === "Uninstall");
    });
    const call = deactivation(solution, installationOf(stored, account), cause, { clock, chance });
    const exchange = await sendVendorCall(target, call, clock);
    const good = exchange.kind === "answer" && exchange.status < 300;
    const status = good ? afterwards : "DeactivationFailed";
    await this.#keepStatus(status);
    return { cause, status: statusOf(exchange), installation: status, words: wordsOf(exchange) };
  }

  #stored(): Stored | undefined {
    return this.#parts.account.objects.get(INSTALLATION, this.#parts.solution.appId);
  }

  #makeInstallation(): void {
    const { account, solution, clock } = this.#parts;
    const key = makeSigningKey();
    account.put({
      type: INSTALLATION,
      id: solution.appId,
      values: {
        registrationId: account.newId(),
        privateKey: key.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        publicKey: key.publicKey,
        status: "Activating",
        since: clock.nowMs(),
      },
    });
  }

  /** Stores the status. `undefined` removes the installation and its keys. */
  async #keepStatus(status: string | undefined): Promise<void> {
    const { account } = this.#parts;
    this.desk.setStatus(account.id, status);
    await account.commit(() => {
      const stored = this.#stored();
      if (stored === undefined) return;
      if (status === undefined) account.remove(stored);
      else account.put({ ...stored, values: { ...stored.values, status } });
    });
  }

  /** Stores the loyalty settings. Uninstall deletes them, Suspend does not (platform-contracts 3.8). `answerApi` waits for the disk. */
  #keepLoyalty(named: Partial<LoyaltySettings>): void {
    const { account } = this.#parts;
    account
      .commit(() => {
        const stored = this.#stored();
        const before = stored?.values.loyalty as Values | undefined;
        if (stored !== undefined) account.put({ ...stored, values: { ...stored.values, loyalty: { ...before, ...named } } });
      })
      // After a failed commit the account can store nothing. Every later request is refused with 1095.
      .catch(() => undefined);
  }

  #grant(token: string): void {
    const { account, solution } = this.#parts;
    this.#revoke();
    account.put({ type: "token", id: tokenId(token), values: { appId: solution.appId } });
  }

  #revoke(): void {
    const { account, solution } = this.#parts;
    for (const token of [...account.objects.all("token").values()]) if (token.values.appId === solution.appId) account.remove(token);
  }

  /** Disables the solution's webhooks on Suspend, deletes them on Uninstall (json-api 9.3). */
  #silence(forGood: boolean): void {
    const { account, solution } = this.#parts;
    for (const type of ["webhook", "webhookstock"]) {
      for (const hook of [...account.objects.all(type).values()]) {
        if (hook.values.solution !== solution.appId) continue;
        if (forGood) account.remove(hook);
        else if (hook.values.enabled === true) account.put({ ...hook, values: { ...hook.values, enabled: false, silenced: true } });
      }
    }
  }

  /** After Resume, enables only the webhooks that Suspend disabled. */
  #speak(): void {
    const { account } = this.#parts;
    for (const type of ["webhook", "webhookstock"]) {
      for (const hook of [...account.objects.all(type).values()]) {
        const { silenced, ...values } = hook.values;
        if (silenced === true) account.put({ ...hook, values: { ...values, enabled: true } });
      }
    }
  }
}

function installationOf({ values }: Stored, account: Account): Installation {
  return {
    accountId: account.id,
    accountName: "shop",
    registrationId: String(values.registrationId),
    key: { privateKey: createPrivateKey(String(values.privateKey)), publicKey: String(values.publicKey) },
  };
}

function statusOf(exchange: Exchange): number | undefined {
  return exchange.kind === "answer" ? exchange.status : undefined;
}

/** The largest number of bytes of an answer to show. */
const MAX_WORDS = 300;

function wordsOf(exchange: Exchange): string {
  return exchange.kind === "answer" ? exchange.body.toString("utf8", 0, MAX_WORDS) : exchange.reason;
}
