import { type Expand, NOTHING_EXPANDED } from "../reading/expand.ts";
import { renderElement, renderObject } from "../reading/render.ts";
import { elementTypeOf } from "../types/element-types.ts";
import type { EntityType, Reading } from "../types/entity-type.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { elementsIn, type Values } from "../values/stored.ts";
import type { Sent } from "./read-fields.ts";
import { draftObject, type WriteRequest, writingOf } from "./write.ts";

/** Fields that only a saved object has. */
const OF_SAVED = ["meta", "id", "accountId", "externalCode", "created", "updated"];

/**
 * Returns an unsaved template (json-api 7.1): the sent values and the defaults. Required fields may be missing. Throws a `Refusal` for an
 * unreadable body, or if the type's `template` refuses the body.
 */
export function templateOf(type: EntityType, sent: Sent, request: WriteRequest, expand: Expand): JsonObject {
  const draft = draftObject(type, sent, request);
  const values: Values = type.template?.(draft, writingOf(sent, request)) ?? draft;
  const rendered = renderObject({ type: type.name, id: "", values }, request.reading, expand);
  for (const name of OF_SAVED) delete rendered[name];
  for (const { name, kind } of type.fields) {
    if (kind.is === "collection") delete rendered[name];
    if (kind.is !== "list") continue;
    const rows = rowsOf(type, name, values, request.reading);
    if (rows.length === 0) delete rendered[name];
    else rendered[name] = { rows };
  }
  return rendered;
}

/** Returns the elements without the values that saving adds. */
function rowsOf(type: EntityType, name: string, values: Values, reading: Reading): Json[] {
  const element = elementTypeOf(type, name);
  if (element === undefined) return [];
  return elementsIn(values[name]).map((each) => {
    const { meta, id, accountId, ...row } = renderElement(each, element, "", reading, NOTHING_EXPANDED);
    return row;
  });
}
