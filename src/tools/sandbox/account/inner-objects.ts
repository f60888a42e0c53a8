import { elementsIn, type Reference, type Stored } from "../values/stored.ts";
import type { ObjectsWatcher } from "./objects.ts";

/** The types of inner objects in references. `LISTS` maps each type to the owner's field with the inner objects. */
export const BANK_ACCOUNT_TYPE = "account";
export const ZONE_TYPE = "storezone";
const LISTS: ReadonlyMap<string, string> = new Map([
  [BANK_ACCOUNT_TYPE, "accounts"],
  [ZONE_TYPE, "zones"],
]);

/**
 * Objects inside other objects, by id: bank accounts of counterparties and organizations, zones of warehouses. Documents and slots refer to
 * inner objects as they refer to ordinary objects.
 */
export class InnerObjects implements ObjectsWatcher {
  readonly #byId = new Map<string, { readonly inner: Stored; readonly owner: Reference }>();

  changed(before: Stored | undefined, after: Stored | undefined): void {
    for (const [type, list] of LISTS) {
      if (before?.values[list] === after?.values[list]) continue;
      for (const { id } of elementsIn(before?.values[list])) this.#byId.delete(id);
      if (after === undefined) continue;
      for (const { id, values } of elementsIn(after.values[list])) {
        this.#byId.set(id, { inner: { type, id, values }, owner: { type: after.type, id: after.id } });
      }
    }
  }

  /** Returns the inner object in the form of an ordinary object. */
  get({ type, id }: Reference): Stored | undefined {
    const found = this.#byId.get(id)?.inner;
    return found?.type === type ? found : undefined;
  }

  ownerOf(id: string): Reference | undefined {
    return this.#byId.get(id)?.owner;
  }
}
