import { hash } from "node:crypto";

/**
 * Ids of the accounts that a run installs on: for each group and each rule the same ones in every run, so that a server that keeps
 * what was uninstalled (as it should) does not gather more of them with each run.
 */
export class AccountIds {
  readonly #taken = new Map<string, number>();

  /** The next one of that rule's or group's. */
  next(owner: string): string {
    const count = this.#taken.get(owner) ?? 0;
    this.#taken.set(owner, count + 1);
    const digits = hash("sha256", `conformance ${owner} ${count}`);
    // In the form of a UUID of version 4, which some servers look at.
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
  }
}
