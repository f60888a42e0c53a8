import { hash } from "node:crypto";

/**
 * Ids of the accounts of a run. Each group and rule has the same ids in every run. A server that keeps uninstalled accounts (as
 * it should) therefore does not collect more of them with each run.
 */
export class AccountIds {
  readonly #taken = new Map<string, number>();

  /** The next id of this rule or group. */
  next(owner: string): string {
    const count = this.#taken.get(owner) ?? 0;
    this.#taken.set(owner, count + 1);
    return accountIdOf(`${owner} ${count}`);
  }
}

/**
 * The account of the loyalty rules is the same for all of their groups, because somebody may have to switch its programme on before the
 * run.
 */
export const LOYALTY_ACCOUNT = accountIdOf("loyalty 0");

/** Written as a UUID of version 4, because some servers check that. */
function accountIdOf(name: string): string {
  const digits = hash("sha256", `conformance ${name}`);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
