import { Allowances } from "../../../kernel/allowances.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { Secret } from "../../../kernel/secret.ts";
import { checkPassword } from "../../../security/password.ts";

/** Somebody who may open the console. */
export interface ConsoleUser {
  login: string;
  /** As `hashPassword` makes it. */
  passwordHash: Secret;
}

type Login =
  | { kind: "in"; login: string }
  /** Login or password is wrong; nobody is told which. */
  | { kind: "wrong" }
  /** This login or this address was wrong too often. */
  | { kind: "too-often" };

/** Wrong tries of one login, or from one address, within ten minutes. */
const WRONG_TRIES = { most: 10, refillMs: 60_000, names: 10_000 };
/** Passwords that are checked at once: each check takes a tenth of a second of a core and 32 MiB. */
const CHECKS = { most: 20, refillMs: 100, names: 1 };
/** Checked where there is no such login, so that an answer tells nothing by its time. No password has this hash. */
const NOBODYS_HASH = new Secret(`scrypt$32768$8$1$${"A".repeat(22)}$${"A".repeat(43)}`);

/** The people of the console, and how often somebody may be wrong. */
export class ConsoleUsers {
  readonly #users: readonly ConsoleUser[];
  readonly #wrong: Allowances;
  readonly #checks: Allowances;

  constructor(users: readonly ConsoleUser[], clock: Pick<Clock, "monotonicMs">) {
    this.#users = users;
    this.#wrong = new Allowances(clock, WRONG_TRIES);
    this.#checks = new Allowances(clock, CHECKS);
  }

  /** `address`: where the try comes from. A right password counts for nothing while login or address must wait. */
  async check(login: string, password: Secret, address: string): Promise<Login> {
    const names = [`login ${login}`, `address ${address}`];
    if (!names.every((name) => this.#wrong.has(name)) || !this.#checks.take("checks")) return { kind: "too-often" };
    // Taken before the check, which takes its time: tries at the same moment count each.
    for (const name of names) this.#wrong.take(name);
    const user = this.#users.find((one) => one.login === login);
    const isRight = await checkPassword(password, (user?.passwordHash ?? NOBODYS_HASH).reveal());
    if (user === undefined || !isRight) return { kind: "wrong" };
    for (const name of names) this.#wrong.giveBack(name);
    return { kind: "in", login };
  }
}
