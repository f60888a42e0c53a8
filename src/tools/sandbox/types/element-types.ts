import { FILE, IMAGE } from "./attachments.ts";
import type { ElementType, EntityType } from "./entity-type.ts";
import type { Field } from "./field.ts";

/** Nested collections that every type has alike, by the kind of their field. */
const COMMON: ReadonlyMap<string, ElementType> = new Map([
  ["image", IMAGE],
  ["file", FILE],
]);

/** The type of a nested collection's elements; undefined when the field is none, or the type keeps none there. */
export function elementTypeOf(
  type: Pick<EntityType, "fields"> & Partial<Pick<EntityType, "lists">>,
  name: string,
): ElementType | undefined {
  // The name comes out of a path: `constructor` is in every object and names no list.
  if (type.lists !== undefined && Object.hasOwn(type.lists, name)) return type.lists[name];
  const field: Field | undefined = type.fields.find((each) => each.name === name);
  return field?.kind.is === "list" ? COMMON.get(field.kind.of) : undefined;
}
