import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Departments, for access control (the common field `group`). They are kept in the web application. */
export const GROUP: EntityType = {
  ...DIRECTORY,
  name: "group",
  offers: NO_WRITES,
  metadata: false,
  fields: fieldTable(`
    accountId  uuid         ro out
    id         uuid         ro out E
    index      int          ro
    name       string(255)  req out T
  `),
  order: ["id", "name"],
};
