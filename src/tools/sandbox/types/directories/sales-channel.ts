import { DIRECTORY } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";

export const SALES_CHANNEL: EntityType = {
  ...DIRECTORY,
  name: "saleschannel",
  webName: "saleschannel",
  fields: entityTable(`
    archived  bool                                                                                   out E
    type      enum:MESSENGER|SOCIAL_NETWORK|MARKETPLACE|ECOMMERCE|CLASSIFIED_ADS|DIRECT_SALES|RETAIL_SALES|OTHER  out E
  `),
  search: { match: "substring", fields: ["name", "description"] },
  complete: (draft) => ({ archived: false, type: "OTHER", ...draft }),
};
