import type { Account } from "../../account/account.ts";
import type { Reference } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { standard } from "./standard.ts";

/** Currencies. The one of the account is `default`; nobody changes or deletes it. */
export const CURRENCY: EntityType = {
  ...DIRECTORY,
  name: "currency",
  webName: "currency",
  fields: fieldTable(`
    archived        bool         out E
    code            string(255)  T
    default         bool         ro out
    fullName        string(255)  T
    id              uuid         ro out E
    indirect        bool         out
    isoCode         string(255)  T
    multiplicity    int          out
    name            string(255)  req out T
    rate            number       out
    rateUpdateType  string(255)
    system          bool         ro out
  `),
  complete: (draft) => ({ archived: false, default: false, indirect: false, multiplicity: 1, rate: 1, system: false, ...draft }),
  ...standard("default"),
};

/** The currency that the account's books are kept in. */
export function accountCurrency(account: Account): Reference | undefined {
  const currencies = [...account.objects.all("currency").values()];
  const found = currencies.find(({ values }) => values.default === true) ?? currencies[0];
  return found === undefined ? undefined : { type: found.type, id: found.id };
}
