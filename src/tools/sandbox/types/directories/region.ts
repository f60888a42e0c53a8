import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";

/** Regions of structured addresses (json-api 5.7): a read-only classifier. */
export const REGION: EntityType = {
  ...DIRECTORY,
  name: "region",
  offers: NO_WRITES,
  fields: fieldTable(`
    accountId     uuid         ro out E
    code          string(255)  T
    externalCode  string(255)  out T
    id            uuid         ro out E
    name          string(255)  req out T
    updated       datetime     ro out C
    version       int          ro out
  `),
  derive: () => ({ version: 0 }),
};
