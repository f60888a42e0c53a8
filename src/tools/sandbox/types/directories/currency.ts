import { refused } from "../../call/refusal.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

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
  settle(draft, before) {
    if (before?.values.default === true) throw refused(1024);
    return draft;
  },
  release({ values }) {
    if (values.default === true) throw refused(1025);
  },
};
