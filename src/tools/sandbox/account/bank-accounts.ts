import { elementsIn, type Reference, type Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/** The type that references to bank accounts name. */
export const BANK_ACCOUNT_TYPE = "account";

/**
 * Bank accounts by their ids: they live inside of counterparties and organizations, but documents point at them as at
 * objects.
 */
export class BankAccounts implements ObjectsWatcher {
  readonly #byId = new Map<string, { readonly account: Stored; readonly owner: Reference }>();

  changed(before: Stored | undefined, after: Stored | undefined): void {
    if (before?.values.accounts === after?.values.accounts) return;
    for (const { id } of elementsIn(before?.values.accounts)) this.#byId.delete(id);
    if (after === undefined) return;
    for (const { id, values } of elementsIn(after.values.accounts)) {
      this.#byId.set(id, { account: { type: BANK_ACCOUNT_TYPE, id, values }, owner: { type: after.type, id: after.id } });
    }
  }

  /** The account as if it were an object of its own. */
  get(id: string): Stored | undefined {
    return this.#byId.get(id)?.account;
  }

  ownerOf(id: string): Reference | undefined {
    return this.#byId.get(id)?.owner;
  }
}
