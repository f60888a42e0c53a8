import { hash } from "node:crypto";

/**
 * The ids of the accounts of a run. Each group and rule has the same ids in every run. A server keeps uninstalled accounts, as it
 * should. With equal ids it does not get more of them with each run.
 */
export class AccountIds {
  readonly #taken = new Map<string, number>();

  /** Returns the next id of this rule or group. */
  next(owner: string): string {
    const count = this.#taken.get(owner) ?? 0;
    this.#taken.set(owner, count + 1);
    return accountIdOf(`${owner} ${count}`);
  }
}

/**
 * The account of all groups of loyalty rules. They share one account, because somebody may have to switch its programme on before
 * the run.
 */
export const LOYALTY_ACCOUNT = accountIdOf("loyalty 0");

/** Returns an id in the form of a UUID of version 4, because some servers check the form. */
function accountIdOf(name: string): string {
  const digits = hash("sha256", `conformance ${name}`);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
