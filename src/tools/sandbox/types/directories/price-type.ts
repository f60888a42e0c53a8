import type { Account } from "../../account/account.ts";
import { numberIn } from "../../values/number.ts";
import type { Reference } from "../../values/stored.ts";
import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/**
 * Price types. One request to the company's settings writes the whole list (json-api 13.13). Each is stored with its `place` in the list.
 */
export const PRICE_TYPE: EntityType = {
  ...DIRECTORY,
  name: "pricetype",
  offers: NO_WRITES,
  metadata: false,
  fields: fieldTable(`
    id            uuid         ro out
    name          string(255)  req out
    externalCode  string(255)  out
  `),
  inner: true,
  order: [],
};

/** Returns the account's price types in order. The first is the default. Price types of an earlier release have no place. */
export function priceTypes(account: Account): readonly Reference[] {
  return [...account.objects.all("pricetype").values()]
    .sort((one, other) => numberIn(one.values.place) - numberIn(other.values.place))
    .map(({ type, id }) => ({ type, id }));
}
