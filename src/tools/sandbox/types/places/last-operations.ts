import type { Account } from "../../account/account.ts";
import { type Reference, referenceIn, type Value } from "../../values/stored.ts";

/** A point of sale shows the last numbers of these document types. */
const OPERATIONS = ["retailshift", "retaildemand", "retailsalesreturn", "retaildrawercashin", "retaildrawercashout"];
/** The `name` for a type without documents (json-api 12.6). */
const FIRST = "00001";

/** Returns the last document number (`name`) of each type at the point of sale. */
export function lastOperationNames(store: Reference, account: Account): Value {
  return OPERATIONS.map((entity) => {
    let name = FIRST;
    for (const { values } of account.objects.all(entity).values()) {
      const at = referenceIn(values.retailStore) ?? referenceIn(account.objects.pointedBy(values.retailShift)?.values.retailStore);
      if (at?.id === store.id) name = String(values.name);
    }
    return { entity, name };
  });
}
