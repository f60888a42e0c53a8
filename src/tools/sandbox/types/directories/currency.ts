import type { Account } from "../../account/account.ts";
import type { Reference, Values } from "../../values/stored.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { standard } from "./standard.ts";

/** The word forms of a unit in sums: `s1` after one, `s2` after two to four, `s5` after five and more. */
const UNIT = fieldTable(`
  gender  enum:masculine|feminine
  s1      string(255)
  s2      string(255)
  s5      string(255)
`);

/** Currencies (json-api 13.11). The account's own currency has `default` and cannot be changed or deleted. */
export const CURRENCY: EntityType = {
  ...DIRECTORY,
  name: "currency",
  webName: "currency",
  fields: fieldTable(
    `
    archived        bool               out E
    code            string(255)        out T
    default         bool               ro out E
    fullName        string(255)        T
    id              uuid               ro out E
    indirect        bool               out
    isoCode         string(255)        out T
    majorUnit       object:unit        out
    margin          number             out
    minorUnit       object:unit        out
    multiplicity    int                out C
    name            string(255)        req out T
    rate            number             out
    rateUpdateType  enum:auto|manual   out
    system          bool               ro
    `,
    { unit: UNIT },
  ),
  complete: (draft) => ({
    archived: false,
    code: "",
    default: false,
    indirect: false,
    isoCode: "",
    margin: 0,
    multiplicity: 1,
    rate: 1,
    rateUpdateType: "manual",
    ...draft,
  }),
  ...standard("default"),
  derive: ({ values }) => ({ majorUnit: formsOf(values.majorUnit), minorUnit: formsOf(values.minorUnit) }),
};

/** Returns all forms of a unit. A missing form is empty, a missing gender is masculine. */
function formsOf(unit: Values[string]): Values {
  return { gender: "masculine", s1: "", s2: "", s5: "", ...(unit as Values | undefined) };
}

/** Returns the account's own currency, or the first currency if no currency has `default`. Undefined: the account has no currency. */
export function accountCurrency(account: Account): Reference | undefined {
  const currencies = [...account.objects.all("currency").values()];
  const found = currencies.find(({ values }) => values.default === true) ?? currencies[0];
  return found === undefined ? undefined : { type: found.type, id: found.id };
}
