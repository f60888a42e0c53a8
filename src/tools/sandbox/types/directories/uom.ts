import { refused } from "../../call/refusal.ts";
import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Units of measure (reference 13.7). System units are kept with `system`; nobody changes or deletes them. */
export const UOM: EntityType = {
  ...DIRECTORY,
  name: "uom",
  fields: fieldTable(`
    accountId     uuid          ro out E
    code          string(255)   T
    description   string(4096)  T
    externalCode  string(255)   out T
    group         ref:group     exp E
    id            uuid          ro out E
    name          string(255)   req out T
    owner         ref:employee  exp E
    shared        bool          out E
    updated       datetime      ro out C
  `),
  order: [..."id version updated name description code externalCode".split(" ")],
  settle(draft, before) {
    if (before?.values.system === true) throw refused(1024);
    return draft;
  },
  release({ values }) {
    if (values.system === true) throw refused(1025);
  },
};
