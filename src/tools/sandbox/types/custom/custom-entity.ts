import type { Account } from "../../account/account.ts";
import { type Reference, referenceIn } from "../../values/stored.ts";
import { DIRECTORY, NO_WRITES } from "../entity-defaults.ts";
import { entityTable } from "../entity-table.ts";
import type { EntityType } from "../entity-type.ts";
import { fieldTable } from "../field.ts";
import { CUSTOM_TYPE } from "./definition.ts";

/** `meta.type` of a custom directory in the company's settings. */
const CUSTOM_DIRECTORY_NAME = "customentitymetadata";

/**
 * A custom directory, which an administrator adds (json-api 8.3: `customEntityMeta` refers to it). Its addresses differ from the addresses
 * of other types.
 */
export const CUSTOM_DIRECTORY: EntityType = {
  ...DIRECTORY,
  name: CUSTOM_DIRECTORY_NAME,
  inner: true,
  metadata: false,
  offers: NO_WRITES,
  parts: { type: CUSTOM_TYPE, field: "directory" },
  fields: fieldTable(`
    id    uuid         ro out
    name  string(255)  req out
  `),
};

/** An element of a custom directory. A field of type `customentity` refers to it. The element is stored with its `directory`. */
export const CUSTOM_ENTITY: EntityType = {
  ...DIRECTORY,
  name: CUSTOM_TYPE,
  metadata: false,
  fields: entityTable(""),
  search: { match: "word-prefix", fields: ["name", "description"] },
  addresses,
};

function addresses({ type, id }: Reference, account: Account): { metadata: string; webName: string } {
  const directory = String(referenceIn(account.objects.get(type, id)?.values.directory)?.id);
  return { metadata: `context/companysettings/metadata/customEntities/${directory}`, webName: `custom_${directory}` };
}
