import { FILE, IMAGE } from "./attachments.ts";
import type { ElementType, EntityType } from "./entity-type.ts";
import type { Field } from "./field.ts";

/** Element types of nested collections that are the same for every type, by the kind of their field. */
const COMMON: ReadonlyMap<string, ElementType> = new Map([
  ["image", IMAGE],
  ["file", FILE],
]);

/**
 * Returns the type of a nested collection's elements. Undefined when the field is no collection, or when the type has no elements in it.
 */
export function elementTypeOf(
  type: Pick<EntityType, "fields"> & Partial<Pick<EntityType, "lists">>,
  name: string,
): ElementType | undefined {
  // The name comes from a request path: `constructor` is a member of every object but names no list.
  if (type.lists !== undefined && Object.hasOwn(type.lists, name)) return type.lists[name];
  const field: Field | undefined = type.fields.find((each) => each.name === name);
  return field?.kind.is === "list" ? COMMON.get(field.kind.of) : undefined;
}
