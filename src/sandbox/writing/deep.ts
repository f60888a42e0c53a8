import type { Element, Value, Values } from "../account/stored.ts";
import { elementsIn } from "../account/stored.ts";
import { refused } from "../api/refusal.ts";
import type { Reading } from "../reading/reading.ts";
import type { ElementType, EntityType } from "../types/entity-type.ts";
import type { Field } from "../types/field.ts";
import { missingFields, readFields, type Sent } from "./read-fields.ts";
import { arrayOf } from "./read-value.ts";

/** Reads a nested collection or the additional fields of a body against what is stored (7.2, 8.3). */
export function readDeep(type: EntityType, field: Field, given: unknown, before: Values, reading: Reading): Value | undefined {
  const element = type.lists[field.name];
  if (element !== undefined) return asValue(replaceElements(element, field.name, given, elementsIn(before[field.name]), reading));
  // Additional fields: written by a file of their own.
  return before[field.name];
}

/** The list as a whole: equal ids are changed, missing ones go, others are added; an id of another object is 1046. */
export function replaceElements(
  type: ElementType,
  name: string,
  given: unknown,
  before: readonly Element[],
  reading: Reading,
): readonly Element[] {
  const known = new Map(before.map((element) => [element.id, element]));
  return arrayOf(given, name).map((each) => {
    if (typeof each !== "object" || each === null) throw refused(3012, name);
    const sent = each as Sent;
    const id = typeof sent.id === "string" ? sent.id : undefined;
    const old = id === undefined ? undefined : known.get(id);
    if (id !== undefined && old === undefined) throw refused(1046, name, id);
    return writeElement(type, sent, old, reading);
  });
}

/** One element, new or changed. */
export function writeElement(type: ElementType, sent: Sent, before: Element | undefined, reading: Reading): Element {
  const values = readFields(type.fields, sent, before?.values ?? {}, before !== undefined, reading, () => undefined);
  const [missing] = missingFields(type.fields, values);
  if (missing !== undefined) throw refused(missing.code, missing.parameter);
  return { id: before?.id ?? reading.account.newId(), values };
}

function asValue(elements: readonly Element[]): Value {
  return elements.map(({ id, values }) => ({ id, values }));
}
