import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";

export const PROJECT: EntityType = {
  ...DIRECTORY,
  name: "project",
  createShared: () => true,
  webName: "project",
  attributesOf: "project",
  fields: entityTable(`
    archived    bool        out E
    attributes  attributes  A
  `),
  search: { match: "substring", fields: ["name", "description"] },
  complete: (draft) => ({ archived: false, ...draft }),
};
