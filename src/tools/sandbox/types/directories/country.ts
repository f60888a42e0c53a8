import { refused } from "../../call/refusal.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Countries of origin and of addresses; the ones of the classifier are standard. */
export const COUNTRY: EntityType = {
  ...DIRECTORY,
  name: "country",
  webName: "country",
  fields: fieldTable(`
    accountId     uuid          ro out
    code          string(255)   T
    description   string(4096)  T
    externalCode  string(255)   out T
    group         ref:group     exp E
    id            uuid          ro out E
    name          string(255)   req out T
    owner         ref:employee  exp E
    shared        bool          E
    updated       datetime      ro out C
  `),
  settle(draft, before) {
    if (before?.values.system === true) throw refused(1024);
    return draft;
  },
  release({ values }) {
    if (values.system === true) throw refused(1025);
  },
};
