import { DRAWER } from "./drawer.ts";
import { entity } from "./entity-type.ts";
import { text } from "./field.ts";
import { DOCUMENT_KEYS, DOCUMENT_ORDER, FILE_FIELDS } from "./shapes.ts";

/** Money taken out of the drawer (json-api 12.5). Only this drawer document has `code`. */
export const RETAIL_DRAWER_CASH_OUT = entity({
  name: "retaildrawercashout",
  fields: { ...DRAWER, code: text("T") },
  keys: DOCUMENT_KEYS,
  order: DOCUMENT_ORDER,
  lists: { files: FILE_FIELDS },
});
