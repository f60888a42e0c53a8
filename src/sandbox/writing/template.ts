import { elementsIn, type Values } from "../account/stored.ts";
import { type JsonObject, renderObject } from "../reading/render.ts";
import type { EntityType } from "../types/entity-type.ts";
import type { Sent } from "./read-fields.ts";
import { draftObject, type WriteRequest, writingOf } from "./write.ts";

/** What only a saved object has. */
const OF_SAVED = ["meta", "id", "accountId", "externalCode", "created", "updated"];

/**
 * The template of an object (7.1): filled with what a new one would have, what was sent included, and not saved.
 * Nothing is demanded of it. Throws a `Refusal` for a body that cannot be read.
 */
export function templateOf(type: EntityType, sent: Sent, request: WriteRequest): JsonObject {
  const draft = draftObject(type, sent, request);
  const values: Values = type.template?.(draft, writingOf(sent, request)) ?? draft;
  const rendered = renderObject({ type: type.name, id: "", values }, request.reading);
  for (const name of OF_SAVED) delete rendered[name];
  for (const { name, kind } of type.fields) {
    const empty = kind.is === "list" && elementsIn(values[name]).length === 0;
    if (empty || kind.is === "collection") delete rendered[name];
  }
  return rendered;
}
