import { pathOf } from "../addresses/address.ts";
import { IMAGE } from "../types/attachments.ts";
import { elementTypeOf } from "../types/element-types.ts";
import type { ElementType, EntityType, Reading } from "../types/entity-type.ts";
import type { Field } from "../types/field.ts";
import { datetimeText } from "../values/datetime.ts";
import { webId } from "../values/ids.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { type Element, elementsIn, type Reference, referenceIn, type Stored, type Value, type Values } from "../values/stored.ts";
import { type Expand, NOTHING_EXPANDED } from "./expand.ts";

/** The maximum number of rows of a nested collection that is expanded inside another answer (json-api 5.2). */
const MAX_NESTED_ROWS = 100;
/** The `limit` of a nested collection's meta. */
const DEFAULT_LIMIT = 1000;

const MEDIA_TYPE = "application/json";

/** Returns the object for an answer: its meta, fields with a value, nested collections. A field marked `asked` needs `fields=<name>`. */
export function renderObject(stored: Stored, reading: Reading, expand: Expand = NOTHING_EXPANDED): JsonObject {
  const type = reading.catalogue.get(stored.type);
  if (type === undefined) return renderUntyped(stored, reading);
  const meta = metaOf(stored, reading);
  const place: Place = { owner: type, id: stored.id, href: String(meta.href) };
  const derived = type.derive?.(stored, reading.account) ?? NOTHING_DERIVED;
  const answer: JsonObject = { meta };
  for (const field of type.fields) {
    const { name } = field;
    const rendered = renderField(field, name in derived ? derived[name] : stored.values[name], place, reading, expand);
    if (rendered !== undefined) answer[name] = rendered;
  }
  return answer;
}

const NOTHING_DERIVED: Values = {};

/** Returns `{ meta }` for a reference. */
export function renderReference(reference: Reference, reading: Reading): JsonObject {
  return once(reading.shared?.references, reference.id, () => ({ meta: metaOf(reference, reading) }));
}

function once(made: Map<string, JsonObject> | undefined, id: string, make: () => JsonObject): JsonObject {
  let part = made?.get(id);
  if (part === undefined) {
    part = make();
    made?.set(id, part);
  }
  return part;
}

/** Returns the meta of one object (json-api 5.1). */
export function metaOf(reference: Reference, reading: Reading): JsonObject {
  const type = reading.catalogue.get(reference.type);
  const meta: JsonObject = { href: `${reading.call.api}/${pathOf(reference, reading.account)}` };
  const own = type?.addresses?.(reference, reading.account);
  const metadata = own?.metadata ?? (type?.metadata === true ? `entity/${reference.type}/metadata` : undefined);
  if (metadata !== undefined) meta.metadataHref = `${reading.call.api}/${metadata}`;
  meta.type = type?.metaType ?? reference.type;
  meta.mediaType = MEDIA_TYPE;
  const webName = own?.webName ?? type?.webName;
  if (webName !== undefined) meta.uuidHref = `${reading.call.base}/app/#${webName}/edit?id=${webId(reference.id)}`;
  return meta;
}

/** Returns a nested collection's meta. For an expanded collection, the caller adds the rows. */
export function nestedMeta(href: string, element: string, size: number, limit = DEFAULT_LIMIT): JsonObject {
  return { href, type: element, mediaType: MEDIA_TYPE, size, limit, offset: 0 };
}

function elementHref(element: Element, type: ElementType, listHref: string, reading: Reading): string {
  const home = type.home?.(element);
  return `${home === undefined ? listHref : `${reading.call.api}/${home}`}/${element.id}`;
}

function elementMeta(element: Element, type: ElementType, listHref: string, reading: Reading): JsonObject {
  return { href: elementHref(element, type, listHref, reading), type: type.name, mediaType: MEDIA_TYPE };
}

/** Returns an element of a nested collection. Its address is below the address of the list, or below its type's `home`. */
export function renderElement(element: Element, type: ElementType, listHref: string, reading: Reading, expand: Expand): JsonObject {
  const href = elementHref(element, type, listHref, reading);
  const identity = type.anonymous === true ? {} : { id: element.id, accountId: reading.account.id };
  const answer: JsonObject = { meta: elementMeta(element, type, listHref, reading), ...identity };
  for (const field of type.fields) {
    const value = renderField(field, element.values[field.name], { owner: type, id: element.id, href }, reading, expand);
    if (value !== undefined) answer[field.name] = value;
  }
  const more = type.decorate?.(element, href, reading);
  return more === undefined ? answer : { ...answer, ...more.body, meta: { ...(answer.meta as JsonObject), ...more.meta } };
}

interface Place {
  readonly owner: EntityType | ElementType;
  readonly id: string;
  readonly href: string;
}

function renderField(field: Field, value: Value | undefined, place: Place, reading: Reading, expand: Expand): Json | undefined {
  if (field.name === "id") return place.id;
  if (field.name === "accountId") return reading.account.id;
  const { kind } = field;
  if (field.asked === true && reading.asked !== field.name) return undefined;
  if (kind.is === "list") return (kind.array === true ? renderArray : renderList)(field.name, value, place, reading, expand[field.name]);
  if (kind.is === "collection") return renderCollection(kind.types, value, `${place.href}/${field.name}`, reading, expand[field.name]);
  if (value === undefined || value === null) return undefined;
  const inner = expand[field.name];
  switch (kind.is) {
    case "datetime":
      // An earlier release may have stored the time of a cheque as text. Such a text is returned unchanged.
      return typeof value === "number" ? datetimeFor(reading, value) : typeof value === "string" ? value : undefined;
    case "reference":
      if (kind.bare === true) return renderBare(value, reading);
      return renderPointed(value, reading, inner ?? (kind.whole === true ? NOTHING_EXPANDED : undefined));
    case "references":
      return Array.isArray(value) ? value.map((each: Value) => renderPointed(each, reading, inner) ?? null) : undefined;
    case "object":
      return renderShape(kind.shape, value, place, reading, field.expand ? wholeShape(kind.shape, inner) : inner);
    case "objects":
      return Array.isArray(value) ? value.map((each: Value) => renderShape(kind.shape, each, place, reading, inner)) : undefined;
    case "image":
      return renderImage(value, reading);
    case "attributes":
      return renderAttributes(value, reading);
    default:
      return value as Json;
  }
}

/** Returns the datetime, with milliseconds if the caller or the setting asks for them (json-api D4). */
export function datetimeFor({ call }: Reading, instantMs: number): string {
  return datetimeText(instantMs, call.milliseconds || call.settings.alwaysMilliseconds);
}

function renderPointed(value: Value | undefined, reading: Reading, expand: Expand | undefined): JsonObject | undefined {
  const reference = referenceIn(value);
  if (reference === undefined) return undefined;
  const whole = expand === undefined ? undefined : reading.account.pointed(reference);
  if (whole === undefined) return renderReference(reference, reading);
  // An object hidden from the caller stays a reference (json-api 5.1).
  const seen = reading.catalogue.get(whole.type)?.visible?.(whole, reading.call) !== false;
  if (!seen) return { meta: { ...metaOf(reference, reading), permitted: false } };
  if (expand !== NOTHING_EXPANDED) return renderObject(whole, reading, expand);
  return once(reading.shared?.wholes, whole.id, () => renderObject(whole, reading));
}

function renderBare(value: Value, reading: Reading): JsonObject | undefined {
  const reference = referenceIn(value);
  return reference === undefined ? undefined : metaOf(reference, reading);
}

/** Returns the image of a field. The address of the image is the address of its content. */
function renderImage(value: Value, reading: Reading): JsonObject | undefined {
  const values = value as Values;
  // An earlier release may have stored the image as sent, without an address. Such an image is left out.
  if (typeof values.blob !== "string") return undefined;
  const element = { id: values.blob, values };
  return renderElement(element, IMAGE, `${reading.call.api}/download`, reading, NOTHING_EXPANDED);
}

/**
 * Returns the expansion inside a value object. Undefined: the value object is not expanded. If it is expanded (a contract's `rate`), all
 * references in it are expanded, too.
 */
function wholeShape(shape: readonly Field[], expand: Expand | undefined): Expand | undefined {
  if (expand === undefined) return undefined;
  const references = shape.filter(({ kind }) => kind.is === "reference");
  return Object.fromEntries(references.map(({ name }) => [name, expand[name] ?? NOTHING_EXPANDED]));
}

/** Returns the values of settings, which have fields but no id. */
export function renderFields(fields: readonly Field[], values: Values, reading: Reading): JsonObject {
  return renderShape(fields, values as Value, { owner: { name: "", fields }, id: "", href: "" }, reading, undefined);
}

/** Returns the values of a shape. The id of some shapes (packs) is among their values. */
function renderShape(
  shape: readonly Field[],
  value: Value | undefined,
  place: Place,
  reading: Reading,
  expand: Expand | undefined,
): JsonObject {
  const values = value as Values;
  const answer: JsonObject = {};
  for (const field of shape) {
    const rendered = renderMember(field, values, place, reading, expand ?? NOTHING_EXPANDED);
    if (rendered !== undefined) answer[field.name] = rendered;
  }
  return answer;
}

function renderMember(field: Field, values: Values, place: Place, reading: Reading, expand: Expand): Json | undefined {
  if (field.name === "id") return values.id as Json | undefined;
  if (field.kind.is !== "meta") return renderField(field, values[field.name], place, reading, expand);
  return typeof values.id === "string" ? metaOf({ type: field.kind.type, id: values.id }, reading) : undefined;
}

function renderList(name: string, value: Value | undefined, place: Place, reading: Reading, expand: Expand | undefined): JsonObject {
  const type = "lists" in place.owner ? elementTypeOf(place.owner, name) : undefined;
  const elements = elementsIn(value);
  const href = `${place.href}/${name}`;
  const meta = nestedMeta(href, type?.name ?? name, elements.length, nestedLimit(reading, expand));
  if (expand === undefined || type === undefined) return { meta };
  return { meta, rows: elements.slice(0, MAX_NESTED_ROWS).map((element) => renderElement(element, type, href, reading, expand)) };
}

/** Returns the elements as an array, whole or as metas. */
function renderArray(name: string, value: Value | undefined, place: Place, reading: Reading, expand: Expand | undefined): Json {
  const type = "lists" in place.owner ? elementTypeOf(place.owner, name) : undefined;
  if (type === undefined) return [];
  const href = `${place.href}/${name}`;
  return elementsIn(value).map((element): Json => {
    return expand === undefined ? { meta: elementMeta(element, type, href, reading) } : renderElement(element, type, href, reading, expand);
  });
}

/** Returns a collection of objects with their own addresses. */
function renderCollection(
  types: readonly string[],
  value: Value | undefined,
  href: string,
  reading: Reading,
  expand: Expand | undefined,
): JsonObject {
  const targets = Array.isArray(value) ? (value as readonly Value[]) : [];
  const meta = nestedMeta(href, types[0] ?? "", targets.length, nestedLimit(reading, expand));
  if (expand === undefined) return { meta };
  return { meta, rows: targets.slice(0, MAX_NESTED_ROWS).map((target) => renderPointed(target, reading, expand) ?? null) };
}

/**
 * Returns the limit in a nested collection's meta. For an expanded collection it is the maximum number of rows. Older versions always show
 * this maximum, as in the documented samples.
 */
function nestedLimit({ call }: Reading, expand: Expand | undefined): number {
  return expand === undefined && call.version === "1.2" ? DEFAULT_LIMIT : MAX_NESTED_ROWS;
}

/** Returns the additional fields with a value (json-api 8.3). Values are stored by the id of their definition. */
function renderAttributes(value: Value, reading: Reading): Json | undefined {
  const rows = Object.entries(value as Values).flatMap(([id, held]) => {
    const definition = reading.account.objects.get("attributemetadata", id);
    if (definition === undefined || held === undefined || held === null) return [];
    const { name, type } = definition.values;
    return [
      {
        meta: metaOf(definition, reading),
        id,
        name: name as Json,
        type: type as Json,
        ...renderAttributeValue(held, String(type), reading),
      },
    ];
  });
  return rows.length === 0 ? undefined : rows;
}

/** Returns `value` in the form of the field's type. For a file, also returns the address of the file. */
function renderAttributeValue(value: Value, type: string, reading: Reading): JsonObject {
  if (type === "time" && typeof value === "number") return { value: datetimeFor(reading, value) };
  if (type === "file") {
    const { filename, blob } = value as Values;
    return {
      value: String(filename),
      download: { href: `${reading.call.api}/download/${String(blob)}`, mediaType: "application/octet-stream" },
    };
  }
  const reference = referenceIn(value);
  if (reference === undefined) return { value: value as Json };
  const name = reading.account.objects.get(reference.type, reference.id)?.values.name;
  return { value: { ...renderReference(reference, reading), ...(typeof name === "string" ? { name } : {}) } };
}

/** Returns an object whose type is not in the catalogue: its meta and stored values. */
function renderUntyped(stored: Stored, reading: Reading): JsonObject {
  const { of, ...values } = stored.values;
  return { meta: metaOf(stored, reading), id: stored.id, ...(values as JsonObject) };
}
