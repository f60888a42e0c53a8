import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";
import { standard } from "./standard.ts";

/** Countries of origin and of addresses. The classifier's countries cannot be changed or deleted. */
export const COUNTRY: EntityType = {
  ...DIRECTORY,
  name: "country",
  webName: "country",
  fields: entityTable(`
    accountId  uuid       ro out E
    group      ref:group  exp E
    shared     bool       E
  `),
  search: { match: "substring", fields: ["name", "description"] },
  ...standard("system"),
};
