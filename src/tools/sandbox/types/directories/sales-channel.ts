import { DIRECTORY } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Sales channels that orders come through. */
export const SALES_CHANNEL: EntityType = {
  ...DIRECTORY,
  name: "saleschannel",
  fields: fieldTable(`
    accountId     uuid          ro out E
    archived      bool          out E
    code          string(255)   T
    description   string(4096)  T
    externalCode  string(255)   out T
    group         ref:group     out exp E
    id            uuid          ro out E
    name          string(255)   req out T
    owner         ref:employee  exp E
    shared        bool          out E
    type          enum:MESSENGER|SOCIAL_NETWORK|MARKETPLACE|ECOMMERCE|CLASSIFIED_ADS|DIRECT_SALES|OTHER  out
    updated       datetime      ro out C
  `),
  complete: (draft) => ({ archived: false, type: "OTHER", ...draft }),
};
