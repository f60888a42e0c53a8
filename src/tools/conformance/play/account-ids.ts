import { hash } from "node:crypto";

/**
 * The account ids of a run. Each group and rule has the same ids in every run. Servers keep uninstalled accounts, so new ids in each run
 * would add accounts without end.
 */
export class AccountIds {
  readonly #taken = new Map<string, number>();

  next(owner: string): string {
    const count = this.#taken.get(owner) ?? 0;
    this.#taken.set(owner, count + 1);
    return accountIdOf(`${owner} ${count}`);
  }
}

/**
 * The shared account of all loyalty groups. There is only one, because a person may have to switch on the account's programme before the
 * run.
 */
export const LOYALTY_ACCOUNT = accountIdOf("loyalty 0");

/** Returns an id in the form of a version 4 UUID, because some servers check the form. */
function accountIdOf(name: string): string {
  const digits = hash("sha256", `conformance ${name}`);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
