import { FILE, IMAGE } from "./attachments.ts";
import type { ElementType, EntityType } from "./entity-type.ts";
import type { Field } from "./field.ts";

/** Element types shared by all types, by the name in the field's kind (`list:image`). */
const COMMON: ReadonlyMap<string, ElementType> = new Map([
  ["image", IMAGE],
  ["file", FILE],
]);

/** Returns the element type of a nested collection. Undefined: the field is no collection, or its elements have no type here. */
export function elementTypeOf(
  type: Pick<EntityType, "fields"> & Partial<Pick<EntityType, "lists">>,
  name: string,
): ElementType | undefined {
  // `name` comes from the path, so it may be `constructor`. Every object inherits this member, which is no list.
  if (type.lists !== undefined && Object.hasOwn(type.lists, name)) return type.lists[name];
  const field: Field | undefined = type.fields.find((each) => each.name === name);
  return field?.kind.is === "list" ? COMMON.get(field.kind.of) : undefined;
}
