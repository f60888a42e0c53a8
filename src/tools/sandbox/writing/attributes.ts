import { referenceOf } from "../addresses/address.ts";
import { pathIn } from "../addresses/href.ts";
import { type ApiError, Refusal, refused, within } from "../call/refusal.ts";
import { storeFile } from "../files/blob.ts";
import { CUSTOM_TYPE, POINTING_TYPES } from "../types/custom/definition.ts";
import type { EntityType, Reading } from "../types/entity-type.ts";
import { referenceIn, type Stored, type Value, type Values } from "../values/stored.ts";
import type { Sent } from "./read-fields.ts";
import { readReference } from "./read-reference.ts";
import { eachOf, type PlainKind, readValue } from "./read-value.ts";

/** The longest text value. The platform's documentation limits only the type `string`. */
const MAX_TEXT = 65_535;

/**
 * Returns the additional fields with the values of a body. A field that the body does not list keeps its value (json-api 7.2, 8.3). Throws
 * 14002 if the type has no additional fields.
 */
export function readAttributes(type: EntityType, given: unknown, before: Value | undefined, reading: Reading): Value {
  const { attributesOf } = type;
  if (attributesOf === undefined) throw new Refusal({ code: 14002, parameter: "attributes", details: [type.name] });
  const values: Record<string, Value | undefined> = { ...(before as Values | undefined) };
  eachOf(given, "attributes", (each) => {
    if (typeof each !== "object" || each === null) throw refused(3012, "attributes");
    const sent = each as Sent;
    const definition = definitionOf(sent, attributesOf, reading);
    const value = readOne(definition, sent, reading);
    if (value === undefined) delete values[definition.id];
    else values[definition.id] = value;
  });
  return values;
}

/** Returns an error 3000 with the field's name for each required field without a value (json-api D17). */
export function missingAttributes(type: EntityType, draft: Values, { account }: Reading): ApiError[] {
  if (type.attributesOf === undefined) return [];
  const held = (draft.attributes ?? {}) as Values;
  return [...account.objects.all("attributemetadata").values()]
    .filter(({ id, values }) => values.of === type.attributesOf && values.required === true && held[id] === undefined)
    .map(({ values }) => ({ code: 3000, parameter: String(values.name), details: [String(values.name)], path: ["attributes"] }));
}

function definitionOf(sent: Sent, of: string, reading: Reading): Stored {
  const id = sent.meta === undefined ? sent.id : idIn(sent.meta, reading);
  if (typeof id !== "string") throw refused(2014, "attributes");
  const definition = reading.account.objects.get("attributemetadata", id.toLowerCase());
  if (definition === undefined) throw refused(14003, undefined, id);
  if (definition.values.of !== of) throw refused(14000, undefined, String(definition.values.name));
  return definition;
}

/**
 * Returns the id in a meta's href. Other members of the meta are ignored, and so is the type in the path: a body of a bundle or service may
 * name its own type there, although the field belongs to products.
 */
function idIn(meta: unknown, reading: Reading): string | undefined {
  const href = typeof meta === "object" && meta !== null ? Reflect.get(meta, "href") : undefined;
  if (typeof href !== "string" || href === "") throw refused(2010, "attributes");
  const path = pathIn(href, "attributes", reading);
  return path === undefined ? undefined : referenceOf(path)?.id;
}

function readOne({ values }: Stored, sent: Sent, reading: Reading): Value | undefined {
  const type = String(values.type);
  const name = String(values.name);
  if (type === "file") return readFile(sent, name, reading);
  if (!("value" in sent)) throw refused(14009, name, name);
  // An empty text means no value: filters treat it as missing, and a required field refuses it (json-api D17).
  if (sent.value === null || sent.value === "") return undefined;
  if (type === CUSTOM_TYPE) return within("value", () => elementMeant(values, sent.value, name, reading));
  return within("value", () => readValue(kindOf(type), sent.value, name, reading));
}

/**
 * Returns the element of the field's directory by `meta`, or else by `name`. Throws 14004 if the value has neither, 2013 for a missing
 * element.
 */
function elementMeant({ customEntityMeta }: Values, value: unknown, field: string, reading: Reading): Value {
  const directory = referenceIn(customEntityMeta)?.id;
  const sent: Sent = typeof value === "object" && value !== null ? (value as Sent) : {};
  if (sent.meta === undefined && (typeof sent.name !== "string" || sent.name === "")) throw refused(14004, field);
  const belongs = (element: Stored | undefined) => referenceIn(element?.values.directory)?.id === directory;
  if (sent.meta === undefined) {
    const named = [...reading.account.objects.all(CUSTOM_TYPE).values()].find((each) => belongs(each) && each.values.name === sent.name);
    if (named === undefined) throw refused(2013, field, String(sent.name));
    return { type: named.type, id: named.id };
  }
  const { type, id } = readReference(sent, field, [CUSTOM_TYPE], reading);
  if (!belongs(reading.account.objects.get(type, id))) throw refused(2013, field, id);
  return { type, id };
}

function kindOf(type: string): PlainKind {
  if (POINTING_TYPES.includes(type)) return { is: "reference", types: [type] };
  switch (type) {
    case "long":
      return { is: "long" };
    case "double":
      return { is: "number" };
    case "boolean":
      return { is: "boolean" };
    case "time":
      return { is: "datetime", minutes: true };
    case "string":
      return { is: "text", max: 255 };
    default:
      return { is: "text", max: MAX_TEXT };
  }
}

/**
 * Reads a file field. `file: { filename, content }` sets it, `file: null` clears it. Throws 14001 if the body has only `value`, 14009 if it
 * has neither.
 */
function readFile(sent: Sent, name: string, reading: Reading): Value | undefined {
  if (sent.file === null) return undefined;
  if (sent.file === undefined) throw "value" in sent ? refused(14001) : refused(14009, name, name);
  return within("file", () => storeFile(sent.file, { size: 14005, name: 14006, content: 14007 }, reading));
}
