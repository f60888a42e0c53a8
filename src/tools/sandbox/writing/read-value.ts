import { refused, within, withinEach } from "../call/refusal.ts";
import { IMAGE_BODY } from "../types/attachments.ts";
import type { Reading } from "../types/entity-type.ts";
import type { Field, Kind } from "../types/field.ts";
import { cutToMinute, readDatetime } from "../values/datetime.ts";
import { isUuid } from "../values/ids.ts";
import { MAX_NUMBER } from "../values/number.ts";
import type { Value, Values } from "../values/stored.ts";
import { readReference } from "./read-reference.ts";

const INT_MAX = 2 ** 31 - 1;
const INT_MIN = -(2 ** 31);

/** The kinds that can be read without the stored value. */
export type PlainKind = Exclude<Kind, { is: "list" | "attributes" | "meta" }>;

/** Returns one value of a body in its stored form. Throws a `Refusal`, such as 2016, for a wrong form. The caller handles null. */
export function readValue(kind: PlainKind, given: unknown, name: string, reading: Reading): Value {
  switch (kind.is) {
    case "text":
      if (typeof given !== "string") throw refused(2016, name, "string");
      if (isLonger(given, kind.max)) throw refused(3040, name, String(kind.max));
      return given;
    case "uuid":
      if (typeof given !== "string") throw refused(2016, name, "string");
      if (!isUuid(given)) throw refused(1052, name, given);
      return given.toLowerCase();
    case "int":
    case "long":
      return readWhole(kind.is, given, name);
    case "number":
      return readNumber(given, name);
    case "boolean":
      if (typeof given !== "boolean") throw refused(2016, name, "boolean");
      return given;
    case "datetime":
      return readInstant(given, name, kind.minutes);
    case "enumeration":
      if (typeof given !== "string") throw refused(2016, name, "string");
      if (!kind.open && !kind.values.includes(given)) throw refused(2029, name, given);
      return given;
    case "reference": {
      const { type, id } = readReference(kind.bare === true ? wrapped(given) : given, name, kind.types, reading, { missing: kind.missing });
      return { type, id };
    }
    case "references":
    case "collection":
      return eachOf(given, name, (each) => {
        const { type, id } = readReference(objectOf(each, name), name, kind.types, reading);
        return { type, id };
      });
    case "object":
      return readShape(kind.shape, given, name, reading);
    case "image":
      return readShape(IMAGE_BODY, given, name, reading);
    case "objects":
      return eachOf(given, name, (each) => readShape(kind.shape, objectOf(each, name), name, reading), kind.skipsNull);
    case "texts":
      return eachOf(given, name, (each) => readValue({ is: "text", max: 255 }, each, name, reading), kind.skipsNull);
    case "json":
      return readOpaque(kind.many, given, name);
  }
}

/**
 * Returns a value of unknown content: an object, or an array of objects. Throws 2002, 2003, 2004 or 3012 for other values, 3008 for an
 * infinite number in the value.
 */
function readOpaque(many: boolean, given: unknown, name: string): Value {
  refuseBoundless(given, name);
  if (many) return eachOf(given, name, (each) => objectOf(each, name) as Value);
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refused(2002, name);
  return given as Value;
}

/** Returns an element of an array of objects. Throws 3012 for a simple value (json-api 10.3). */
function objectOf(each: unknown, name: string): unknown {
  if (typeof each !== "object") throw refused(3012, name);
  return each;
}

/** Whether the text has more characters than `max` (json-api 5.3). Two code units of one character count once. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

/** Returns a bare meta as `{ meta }`, and other values unchanged. */
function wrapped(given: unknown): unknown {
  return typeof given === "object" && given !== null && "href" in given ? { meta: given } : given;
}

/**
 * Throws 3008 for a number whose absolute value exceeds `MAX_NUMBER`, such as `1e400`: valid JSON, but infinite in memory.
 */
function readNumber(given: unknown, name: string): number {
  if (typeof given !== "number") throw refused(2016, name, "number");
  if (!(Math.abs(given) <= MAX_NUMBER)) throw refused(3008, name);
  return given;
}

/** Throws for an infinite number anywhere in the value, because stored JSON has no infinity. */
function refuseBoundless(given: unknown, name: string): void {
  if (typeof given === "number" && !Number.isFinite(given)) throw refused(3008, name);
  if (typeof given !== "object" || given === null) return;
  if (Array.isArray(given)) withinEach(given, (each) => refuseBoundless(each, name));
  else for (const [member, each] of Object.entries(given)) within(member, () => refuseBoundless(each, name));
}

function readWhole(is: "int" | "long", given: unknown, name: string): number {
  if (typeof given !== "number") throw refused(2016, name, is);
  const fits = is === "long" ? Number.isSafeInteger(given) : Number.isInteger(given) && given >= INT_MIN && given <= INT_MAX;
  if (!fits) throw refused(2016, name, is);
  return given;
}

function readInstant(given: unknown, name: string, minutes: boolean): number {
  if (typeof given !== "string") throw refused(2016, name, "string");
  const instant = readDatetime(given);
  if (instant === undefined) throw refused(2015, name);
  return minutes ? cutToMinute(instant) : instant;
}

/**
 * Reads each element of an array in a body. Throws 2003 if the value is no array, 2004 for an array as element, 3012 for null. With
 * `skipsNull` nulls are left out instead.
 */
export function eachOf<T>(given: unknown, name: string, read: (each: unknown) => T, skipsNull = false): readonly T[] {
  if (!Array.isArray(given)) throw refused(2003, name);
  return withinEach(given as readonly unknown[], (each) => {
    if (each === null && skipsNull) return [];
    if (Array.isArray(each)) throw refused(2004, name);
    if (each === null) throw refused(3012, name);
    return [read(each)];
  }).flat(1) as readonly T[];
}

function readShape(shape: readonly Field[], given: unknown, name: string, reading: Reading): Values {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refused(2002, name);
  const sent = given as Readonly<Record<string, unknown>>;
  const values: Record<string, Value> = {};
  for (const field of shape) {
    if (field.write === "never") continue;
    const value = sent[field.name];
    if (value === undefined || value === null) {
      if (field.required) throw refused(3000, field.name);
      continue;
    }
    if (field.kind.is === "list" || field.kind.is === "attributes" || field.kind.is === "meta")
      throw new Error(`${field.name}: a ${field.kind.is} inside of a shape`);
    const { kind } = field;
    values[field.name] = within(field.name, () => readValue(kind, value, field.name, reading));
  }
  return values;
}
