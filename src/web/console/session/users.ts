import { Allowances } from "../../../kernel/allowances.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Secret } from "../../../kernel/secret.ts";
import { checkPassword } from "../../../security/password.ts";

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
  /** Too many wrong tries with this login or from this address. */
  | { kind: "too-often" };

/** The largest number of wrong tries with one login, or from one address, within ten minutes. */
const WRONG_TRIES = { most: 10, refillMs: 60_000, names: 10_000 };
/** The rate of password checks. Each check takes a tenth of a second of a core and 32 MiB. */
const CHECKS = { most: 20, refillMs: 100, names: 1 };
/**
 * The hash that is checked for an unknown login, so that the time of the answer does not tell that it is unknown. No password has this
 * hash.
 */
const UNKNOWN_LOGIN_HASH = new Secret(`scrypt$32768$8$1$${"A".repeat(22)}$${"A".repeat(43)}`);

/** The users of the console, with a limit on wrong tries. */
export class ConsoleUsers {
  readonly #users: readonly ConsoleUser[];
  readonly #wrong: Allowances;
  readonly #checks: Allowances;

  constructor(users: readonly ConsoleUser[], clock: Pick<Clock, "monotonicMs">) {
    this.#users = users;
    this.#wrong = new Allowances(clock, WRONG_TRIES);
    this.#checks = new Allowances(clock, CHECKS);
  }

  /** Checks a login. `address`: the source of the try. While the login or the address has to wait, even the right password is refused. */
  async check(login: string, password: Secret, address: string): Promise<Login> {
    const names = [`login ${login}`, `address ${address}`];
    if (!names.every((name) => this.#wrong.has(name)) || !this.#checks.take("checks")) return { kind: "too-often" };
    // The try is counted before the check, which takes time, so that simultaneous tries are all counted.
    for (const name of names) this.#wrong.take(name);
    const user = this.#users.find((one) => one.login === login);
    const isRight = await checkPassword(password, (user?.passwordHash ?? UNKNOWN_LOGIN_HASH).reveal());
    if (user === undefined || !isRight) return { kind: "wrong" };
    for (const name of names) this.#wrong.giveBack(name);
    return { kind: "in", login };
  }
}
