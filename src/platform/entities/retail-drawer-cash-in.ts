import { DRAWER } from "./drawer.ts";
import { entity } from "./entity-type.ts";
import { DOCUMENT_KEYS, DOCUMENT_ORDER, FILE_FIELDS } from "./shapes.ts";

/** Money put into the drawer (json-api 12.4). */
export const RETAIL_DRAWER_CASH_IN = entity({
  name: "retaildrawercashin",
  fields: DRAWER,
  keys: DOCUMENT_KEYS,
  order: DOCUMENT_ORDER,
  lists: { files: FILE_FIELDS },
});
