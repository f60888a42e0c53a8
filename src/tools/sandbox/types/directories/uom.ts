import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";
import { standard } from "./standard.ts";

/** Units of measure (json-api 13.7). A unit with `system` cannot be changed or deleted. */
export const UOM: EntityType = {
  ...DIRECTORY,
  name: "uom",
  fields: entityTable(`
    group  ref:group  exp E
  `),
  search: { match: "substring", fields: ["name", "description"] },
  order: [..."id version updated name description code externalCode".split(" ")],
  ...standard("system"),
};
