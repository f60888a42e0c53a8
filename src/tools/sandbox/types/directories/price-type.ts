import type { Account } from "../../account/account.ts";
import type { Reference } from "../../values/stored.ts";
import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Types of price. They live in the company's settings, not among the entities. */
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

/** The account's price types in their order. */
export function priceTypes(account: Account): readonly Reference[] {
  return [...account.objects.all("pricetype").values()].map(({ type, id }) => ({ type, id }));
}
