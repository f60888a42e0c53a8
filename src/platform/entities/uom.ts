import { entity } from "./entity-type.ts";
import { text } from "./field.ts";
import { EDITOR_FILTER, OWNED } from "./shapes.ts";

/** Units of measure (json-api 13.7). The platform's own units cannot be changed or deleted. */
export const UOM = entity({
  name: "uom",
  fields: { ...OWNED, name: text("required", "T"), code: text("T"), description: text("T") },
  keys: EDITOR_FILTER,
  order: ["id", "version", "updated", "name", "description", "code", "externalCode"],
  lists: {},
});
