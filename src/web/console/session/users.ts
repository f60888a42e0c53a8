import { Allowances } from "../../../kernel/allowances.ts";
import { type Clock, pause } from "../../../kernel/clock.ts";
import { Secret } from "../../../kernel/secret.ts";
import type { checkPassword } from "../../../security/password.ts";

export interface ConsoleUser {
  login: string;
  /** Made by `hashPassword`. */
  passwordHash: Secret;
}

type Login =
  | { kind: "in"; login: string }
  | { kind: "wrong" }
  /** Too many wrong tries by this network or of this login, or too many checks in a short time. */
  | { kind: "too-often" };

export interface TrySource {
  network: string;
  /** The id of a browser in which this login has succeeded before. Absent: the browser is unknown, or known only for another login. */
  browser?: string;
}

/** The limit of wrong tries by one network or one known browser: ten, then one more each minute. */
const WRONG_TRIES = { most: 10, refillMs: 60_000, names: 10_000 };
/**
 * The limit of wrong tries of one login from all networks. Beyond this limit a try waits, and is refused only when the wait would exceed
 * `LONGEST_WAIT_MS`. So strangers slow the user down before they can block the login. After the first thirty tries at most ten passwords a
 * minute can be tried, from any number of networks. Tries from known browsers do not count here.
 */
const WRONG_TRIES_OF_LOGIN = { most: 30, refillMs: 6_000, names: 10_000 };
/** The longest wait of a try. A waiting try holds a connection open, so only a few tries may wait for one login. */
const LONGEST_WAIT_MS = 30_000;
/** The rate of password checks. A check uses a tenth of a second of a core and 32 MiB. Known browsers have a separate rate. */
const CHECKS = { most: 20, refillMs: 100, names: 2 };
/** The hash for an unknown login, so that the response time does not reveal unknown logins. No password has this hash. */
const UNKNOWN_LOGIN_HASH = new Secret(`scrypt$32768$8$1$${"A".repeat(22)}$${"A".repeat(43)}`);

/**
 * The users of the console, with limits on wrong tries. A network beyond its limit is refused. A login beyond its limit becomes slow.
 * A browser with an earlier successful login has a limit of its own instead.
 */
export class ConsoleUsers {
  readonly #users: readonly ConsoleUser[];
  readonly #clock: Clock;
  readonly #isRight: typeof checkPassword;
  readonly #wrong: Allowances;
  readonly #wrongOfLogin: Allowances;
  readonly #checks: Allowances;
  /** The last check of each kind. Never rejects. */
  readonly #lastCheck = new Map<CheckKind, Promise<void>>();

  constructor(users: readonly ConsoleUser[], { clock, checkPassword: isRight }: { clock: Clock; checkPassword: typeof checkPassword }) {
    this.#users = users;
    this.#clock = clock;
    this.#isRight = isRight;
    this.#wrong = new Allowances(clock, WRONG_TRIES);
    this.#wrongOfLogin = new Allowances(clock, WRONG_TRIES_OF_LOGIN);
    this.#checks = new Allowances(clock, CHECKS);
  }

  /**
   * Checks a login. While the network is beyond its limit, even the right password is refused. A known browser has its own limit instead.
   * Beyond this limit it counts as an unknown browser.
   */
  async check(login: string, password: Secret, { network, browser }: TrySource): Promise<Login> {
    const own = browser === undefined ? undefined : `browser ${browser}`;
    const isKnown = own !== undefined && this.#wrong.has(own);
    const source = isKnown ? own : `network ${network}`;
    const kind: CheckKind = isKnown ? "of known browsers" : "of others";
    if (!this.#wrong.has(source) || !this.#checks.take(kind)) return { kind: "too-often" };
    // Counted before the check, because the check takes time and simultaneous tries must all count.
    this.#wrong.take(source);
    const waitMs = isKnown ? 0 : this.#wrongOfLogin.takeAhead(login, LONGEST_WAIT_MS);
    if (waitMs === undefined) {
      this.#wrong.giveBack(source);
      return { kind: "too-often" };
    }
    if (waitMs > 0) await pause(this.#clock, waitMs);
    const user = this.#users.find((one) => one.login === login);
    const isRight = await this.#inTurn(kind, () => this.#isRight(password, (user?.passwordHash ?? UNKNOWN_LOGIN_HASH).reveal()));
    if (user === undefined || !isRight) {
      // The wrong try counts against the network too. Otherwise a known browser would have the tries of its network in addition to its own.
      if (isKnown) this.#wrong.take(`network ${network}`);
      return { kind: "wrong" };
    }
    this.#wrong.giveBack(source);
    if (!isKnown) this.#wrongOfLogin.giveBack(login);
    return { kind: "in", login };
  }

  /**
   * Runs the checks of one kind one after another. Twenty simultaneous checks would occupy every thread of the pool that also unpacks
   * bodies. They would also take more than half of a small server's memory.
   */
  #inTurn(kind: CheckKind, check: () => Promise<boolean>): Promise<boolean> {
    const checked = (this.#lastCheck.get(kind) ?? Promise.resolve()).then(check);
    const over = () => {};
    this.#lastCheck.set(kind, checked.then(over, over));
    return checked;
  }
}

type CheckKind = "of known browsers" | "of others";
