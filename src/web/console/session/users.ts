import { Allowances } from "../../../kernel/allowances.ts";
import { type Clock, pause } from "../../../kernel/clock.ts";
import { Secret } from "../../../kernel/secret.ts";
import type { checkPassword } from "../../../security/password.ts";

/** A person who may open the console. */
export interface ConsoleUser {
  login: string;
  /** A hash made by `hashPassword`. */
  passwordHash: Secret;
}

type Login =
  | { kind: "in"; login: string }
  /** Login or password is wrong. The answer does not tell which. */
  | { kind: "wrong" }
  /** Too many wrong tries from here. */
  | { kind: "too-often" };

/** Where a try comes from. */
export interface TrySource {
  /** The network of the caller. */
  network: string;
  /** A browser in which this login has succeeded before. Absent: the browser is not known, or only for another login. */
  browser?: string;
}

/** The largest number of wrong tries from one network, or in one known browser, within ten minutes. */
const WRONG_TRIES = { most: 10, refillMs: 60_000, names: 10_000 };
/**
 * The wrong tries with one login from all networks together. Beyond them a try is not refused but waits, so that wrong tries of strangers
 * do not lock the login for its owner. So at most ten passwords of a login can be tried in a minute, from however many networks.
 */
const WRONG_TRIES_OF_LOGIN = { most: 30, refillMs: 6_000, names: 10_000 };
/** The longest wait of a try. It keeps a connection open, so only a few may wait for one login. */
const LONGEST_WAIT_MS = 30_000;
/** The rate of password checks. Each check takes a tenth of a second of a core and 32 MiB. Known browsers have a rate of their own. */
const CHECKS = { most: 20, refillMs: 100, names: 2 };
/**
 * The hash that is checked for an unknown login, so that the time of the answer does not tell that it is unknown. No password has this
 * hash.
 */
const UNKNOWN_LOGIN_HASH = new Secret(`scrypt$32768$8$1$${"A".repeat(22)}$${"A".repeat(43)}`);

/**
 * The users of the console, with limits on wrong tries. A network with too many wrong tries is refused. A login with too many wrong tries
 * becomes slow, but not in a browser in which it has succeeded before.
 */
export class ConsoleUsers {
  readonly #users: readonly ConsoleUser[];
  readonly #clock: Clock;
  readonly #isRight: typeof checkPassword;
  readonly #wrong: Allowances;
  readonly #wrongOfLogin: Allowances;
  readonly #checks: Allowances;

  constructor(users: readonly ConsoleUser[], { clock, checkPassword: isRight }: { clock: Clock; checkPassword: typeof checkPassword }) {
    this.#users = users;
    this.#clock = clock;
    this.#isRight = isRight;
    this.#wrong = new Allowances(clock, WRONG_TRIES);
    this.#wrongOfLogin = new Allowances(clock, WRONG_TRIES_OF_LOGIN);
    this.#checks = new Allowances(clock, CHECKS);
  }

  /** Checks a login. While its source has to wait ten minutes, even the right password is refused. */
  async check(login: string, password: Secret, { network, browser }: TrySource): Promise<Login> {
    const own = browser === undefined ? undefined : `browser ${browser}`;
    const isKnown = own !== undefined && this.#wrong.has(own);
    const source = isKnown ? own : `network ${network}`;
    if (!this.#wrong.has(source) || !this.#checks.take(isKnown ? "of known browsers" : "of others")) return { kind: "too-often" };
    // The try is counted before the check, which takes time, so that simultaneous tries are all counted.
    this.#wrong.take(source);
    const waitMs = isKnown ? 0 : this.#wrongOfLogin.takeAhead(login, LONGEST_WAIT_MS);
    if (waitMs === undefined) {
      this.#wrong.giveBack(source);
      return { kind: "too-often" };
    }
    if (waitMs > 0) await pause(this.#clock, waitMs);
    const user = this.#users.find((one) => one.login === login);
    const isRight = await this.#isRight(password, (user?.passwordHash ?? UNKNOWN_LOGIN_HASH).reveal());
    if (user === undefined || !isRight) {
      // A known browser must not get the tries of its network on top of its own.
      if (isKnown) this.#wrong.take(`network ${network}`);
      return { kind: "wrong" };
    }
    this.#wrong.giveBack(source);
    if (!isKnown) this.#wrongOfLogin.giveBack(login);
    return { kind: "in", login };
  }
}
