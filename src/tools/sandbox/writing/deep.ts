import { lastSegment } from "../../../kernel/web-address.ts";
import { Refusal, refused } from "../call/refusal.ts";
import { elementTypeOf } from "../types/element-types.ts";
import type { ElementType, EntityType, Reading } from "../types/entity-type.ts";
import type { Field } from "../types/field.ts";
import type { Element, Value, Values } from "../values/stored.ts";
import { elementsIn, referenceIn } from "../values/stored.ts";
import { readAttributes } from "./attributes.ts";
import { missingFields, readFields, type Sent, withoutEmptyTexts } from "./read-fields.ts";
import { readReference } from "./read-reference.ts";
import { eachOf } from "./read-value.ts";

/** Reads what is merged with stored values: a nested collection or the additional fields (json-api 7.2, 8.3). */
export function readDeep(type: EntityType, field: Field, given: unknown, before: Values, reading: Reading): Value | undefined {
  const element = elementTypeOf(type, field.name);
  if (element !== undefined) return asValue(replaceElements(element, field.name, given, elementsIn(before[field.name]), reading));
  if (field.kind.is === "attributes") return readAttributes(type, given, before.attributes, reading);
  throw new Error(`${type.name}.${field.name}: a list without a type of element`);
}

/**
 * Returns the new list of elements. An element with a stored id is changed; an element without id is added. Other stored elements are
 * removed, except for a type with `merges`. Throws 1046 for an unknown id, 3013 for a repeated id, the type's own code for too many
 * elements.
 */
export function replaceElements(
  type: ElementType,
  name: string,
  given: unknown,
  before: readonly Element[],
  reading: Reading,
): readonly Element[] {
  if (type.refers !== undefined) return referringElements(type, type.refers, name, given, before, reading);
  const known = new Map(before.map((element) => [element.id, element]));
  const seen = new Set<string>();
  const written = eachOf(given, name, (each) => {
    if (typeof each !== "object" || each === null) throw refused(3012, name);
    const sent = each as Sent;
    const id = idIn(sent);
    const old = id === undefined ? undefined : known.get(id);
    if (id !== undefined && old === undefined) throw new Refusal({ code: 1046, parameter: name, details: [id] });
    if (id !== undefined && seen.has(id)) throw refused(3013, name, id);
    if (id !== undefined) seen.add(id);
    return writeElement(type, sent, old, reading);
  });
  const after = type.merges === true ? merged(before, written) : withoutRepeats(written);
  checkCount(type, after.length);
  return after;
}

/** Throws if there are more elements than the type allows (images, files). */
export function checkCount({ max }: ElementType, count: number): void {
  if (max !== undefined && count > max.count) throw refused(max.code, undefined, String(max.count));
}

/** Removes repetitions: a file sent twice is one element. */
function withoutRepeats(elements: readonly Element[]): readonly Element[] {
  return [...new Map(elements.map((element) => [element.id, element])).values()];
}

/** Returns an element's id from `id` or `meta`. */
export function idIn({ id, meta }: Sent): string | undefined {
  if (typeof id === "string") return id.toLowerCase();
  if (typeof meta !== "object" || meta === null || !("href" in meta) || typeof meta.href !== "string") return undefined;
  const named = lastSegment(meta.href);
  return ELEMENT_ID.test(named) ? named.toLowerCase() : undefined;
}

const ELEMENT_ID = /^[0-9a-f-]{36}$/i;

/** Returns the stored elements, with changes in their old places and new elements at the end. */
function merged(before: readonly Element[], written: readonly Element[]): readonly Element[] {
  const changed = new Map(written.map((element) => [element.id, element]));
  const kept = before.map((element) => changed.get(element.id) ?? element);
  const ids = new Set(before.map(({ id }) => id));
  return [...kept, ...written.filter(({ id }) => !ids.has(id))];
}

/** Reads elements written as bare references. An element for an already listed object stays unchanged. */
function referringElements(
  type: ElementType,
  field: string,
  name: string,
  given: unknown,
  before: readonly Element[],
  reading: Reading,
): readonly Element[] {
  const kind = type.fields.find((each) => each.name === field)?.kind;
  if (kind?.is !== "reference") throw new Error(`${type.name}.${field} is no reference`);
  const targets = new Map(eachOf(given, name, (each) => readReference(each, name, kind.types, reading)).map((each) => [each.id, each]));
  return [...targets.values()].map((target) => {
    const old = before.find(({ values }) => referenceIn(values[field])?.id === target.id);
    return old ?? { id: reading.account.newId(), values: { [field]: { type: target.type, id: target.id } } };
  });
}

/** Returns a new or changed element. A stored element of a type with `accept` stays unchanged. */
export function writeElement(type: ElementType, sent: Sent, before: Element | undefined, reading: Reading): Element {
  if (type.accept !== undefined) return before ?? type.accept(sent, reading);
  type.check?.(sent, before?.values);
  const values = readFields(type.fields, sent, before?.values ?? {}, before !== undefined, reading, () => undefined);
  const [missing] = missingFields(type.fields, values);
  if (missing !== undefined) throw refused(missing.code, missing.parameter);
  const id = before?.id ?? reading.account.newId();
  return { id, values: withoutEmptyTexts(type.fields, type.complete?.(values, before?.values, id, reading) ?? values) };
}

function asValue(elements: readonly Element[]): Value {
  return elements.map(({ id, values }) => ({ id, values }));
}
