import { pause } from "../../../kernel/clock.ts";
import { CannotRun } from "../exchanges/check-result.ts";
import { wordsOfAnswer } from "../exchanges/report-text.ts";
import { objectOf, statusOf } from "../exchanges/sent.ts";
import { Account, type AccountServices } from "./account.ts";
import { LOYALTY_ACCOUNT } from "./account-ids.ts";
import { type Day, playDay } from "./day.ts";
import type { Evidence } from "./evidence.ts";
import { LoyaltyTill, notConnected } from "./loyalty-till.ts";
import { QrDay } from "./qr-day.ts";
import { QrTill } from "./qr-till.ts";
import { split, type Target } from "./target.ts";
import { Till } from "./till.ts";

/** The pause between two checks whether the installation is active, or whether the programme's address has arrived. */
const LOOK_EVERY_MS = 50;

/**
 * How long a server may take to send the programme's address. The platform's side refuses the address while the installation is still
 * Activating (platform-contracts 3.8).
 */
const CONNECT_MS = 15_000;

export interface SceneServices extends AccountServices {
  evidence: Evidence;
  limits: Limits;
}

export interface Limits {
  /** The platform's time limit for a vendor call (platform-contracts 3.3). */
  vendorMs: number;
  /** The time limit of a fiscal operation. A server answers a longer operation with 409 and 50003 (platform-contracts 4.8). */
  fiscalMs: number;
  /** The time from the answer to Install until the installation is active. */
  activationMs: number;
  /** How long the server may take to learn a new key of QR tokens: it reads the keys at most once per 30 s (platform-contracts 5.2). */
  keysMs: number;
  /** The time until DONE for a QR payment that the simulated bank pays immediately. */
  paidMs: number;
}

/** The shared state of one group's rules: an account, its till, and everything that the rules set up. `close` removes everything again. */
export class Scene {
  readonly #services: SceneServices;
  readonly #group: string;
  readonly #accounts: Account[] = [];
  readonly #tills: Till[] = [];
  #account: Promise<Account> | undefined;
  #till: Promise<Till> | undefined;
  #day: Promise<Day> | undefined;
  #qrTill: Promise<QrTill> | undefined;
  #qrDay: Promise<QrDay> | undefined;
  #loyaltyTill: Promise<LoyaltyTill> | undefined;

  constructor(services: SceneServices, group: string) {
    this.#services = services;
    this.#group = group;
  }

  get services(): SceneServices {
    return this.#services;
  }

  get target(): Target {
    return this.#services.target;
  }

  /** Returns another account of this group. The account is not installed now, but an earlier run may have used it. */
  newAccount(): Account {
    return this.#added(new Account(this.#services));
  }

  /** Returns another account, for which Install was sent. Install may have failed. */
  async installedAccount(): Promise<Account> {
    const account = this.newAccount();
    await account.activate("Install");
    return account;
  }

  stranger(): Account {
    return this.#added(new Account(this.#services, this.#services.chance.uuid()));
  }

  /** Throws CannotRun when the installation fails. */
  account(): Promise<Account> {
    this.#account ??= this.#install(this.#added(new Account(this.#services, this.#services.accountIds.next(this.#group))));
    return this.#account;
  }

  /** Returns a new till of the account, without a shift. Throws CannotRun when the account does not become active. */
  async newTill(account?: Account): Promise<Till> {
    const owner = account ?? (await this.account());
    await this.untilActive(owner);
    const till = new Till(owner, this.#services.evidence);
    this.#tills.push(till);
    return till;
  }

  /**
   * Returns the group's till, with an open shift. Without openshift in the descriptor no shift is open yet: the server opens its shifts by
   * itself. Throws CannotRun when no shift can be opened.
   */
  till(): Promise<Till> {
    this.#till ??= this.#openTill();
    return this.#till;
  }

  /** Returns the group's QR till. Throws CannotRun when the run serves no keys or the account does not become active. */
  qrTill(): Promise<QrTill> {
    this.#qrTill ??= this.newQrTill();
    return this.#qrTill;
  }

  /** Returns a new QR till, at another point of sale. */
  async newQrTill(account?: Account): Promise<QrTill> {
    const { qr } = this.#services;
    if (qr === undefined) throw new CannotRun("the keys of QR tokens are served nowhere: give --jwks-port");
    const owner = account ?? (await this.account());
    await this.untilActive(owner);
    return new QrTill(owner, qr);
  }

  /** Returns payments of each kind, each followed to its end or the time limit. Made once for the whole group. */
  qrDay(): Promise<QrDay> {
    this.#qrDay ??= this.qrTill().then((till) => QrDay.play(till, this.#services.limits.paidMs));
    return this.#qrDay;
  }

  /** Throws CannotRun when no programme is connected. */
  loyaltyTill(): Promise<LoyaltyTill> {
    this.#loyaltyTill ??= this.#connectLoyalty();
    return this.#loyaltyTill;
  }

  /**
   * Waits until the server sends the programme's address, then returns a new till at another point of sale. Throws CannotRun when the
   * account does not become active, or the address is late.
   */
  async newLoyaltyTill(account: Account): Promise<LoyaltyTill> {
    const { platform, target, clock } = this.#services;
    const { accountId } = account.installation;
    await this.untilActive(account);
    const endMs = clock.monotonicMs() + CONNECT_MS;
    for (;;) {
      const told = platform.loyaltyOf(accountId);
      const base = target.loyalty ?? (told === undefined ? undefined : split(told.url));
      if (told !== undefined && base !== undefined) return new LoyaltyTill(this.#services, { base, key: told.token }, account);
      if (clock.monotonicMs() > endMs) throw notConnected(accountId);
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  /** Closes the shift of the group's till. If one register serves all accounts, another shift can open only afterwards. */
  async rest(): Promise<void> {
    const till = await this.#till?.catch(() => undefined);
    this.#till = undefined;
    await till?.leave();
  }

  /** Returns a whole shift with a document of each kind, played once. */
  day(): Promise<Day> {
    this.#day ??= this.newTill().then(playDay);
    return this.#day;
  }

  /** Throws CannotRun when the account becomes active too late. */
  async untilActive(account: Account): Promise<void> {
    const { platform, clock, limits } = this.#services;
    const { accountId } = account.installation;
    const endMs = clock.monotonicMs() + limits.activationMs;
    while (platform.statusOf(accountId) !== "Activated") {
      if (clock.monotonicMs() > endMs) {
        throw new CannotRun(
          `a fresh account is ${platform.statusOf(accountId) ?? "not installed"}, not Activated, so it may not sell. Give the test server a default register, ` +
            `or let it report Activated to ${platform.base} (--port fixes the port) within ${limits.activationMs / 1000} s.`,
        );
      }
      await pause(clock, LOOK_EVERY_MS);
    }
  }

  /** Closes what is open and removes what is installed. Returns words about leftovers. */
  async close(): Promise<string[]> {
    const left: string[] = [];
    for (const till of this.#tills) left.push(...(await till.leave()));
    for (const account of this.#accounts) left.push(...nonEmpty(await account.remove()));
    return left;
  }

  #added(account: Account): Account {
    this.#accounts.push(account);
    return account;
  }

  async #connectLoyalty(): Promise<LoyaltyTill> {
    const { loyalty, target } = this.#services;
    if (loyalty === undefined) return this.newLoyaltyTill(await this.#install(this.#added(new Account(this.#services, LOYALTY_ACCOUNT))));
    if (target.loyalty === undefined) throw new CannotRun("the address of the programme is not known: give --base");
    return new LoyaltyTill(this.#services, { base: target.loyalty, key: loyalty.key }, undefined);
  }

  async #install(account: Account): Promise<Account> {
    const sent = await account.activate("Install");
    if (statusOf(sent) === 200 && typeof objectOf(sent)?.status === "string") return account;
    throw new CannotRun(
      `the solution could not be installed, Install was answered ${wordsOfAnswer(sent)}; mend vendor/activation/status first`,
    );
  }

  async #openTill(): Promise<Till> {
    const till = await this.newTill();
    const opened = await till.begin();
    if (opened === undefined || statusOf(opened) === 200) return till;
    const { failedClose } = this.#services.exchanges;
    if (failedClose !== undefined) {
      throw new CannotRun(
        `no shift could be opened (openshift was answered ${wordsOfAnswer(opened)}), because the one before it was not closed: ${failedClose}; mend fiscal/answer/closeshift first`,
      );
    }
    throw new CannotRun(`no shift could be opened, openshift was answered ${wordsOfAnswer(opened)}; mend fiscal/signature/accepted first`);
  }
}

function nonEmpty(words: string | undefined): string[] {
  return words === undefined ? [] : [words];
}
