import { type ApiError, Refusal, refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";
import type { Field, Kind } from "../types/field.ts";
import type { Value, Values } from "../values/stored.ts";
import { type PlainKind, readValue } from "./read-value.ts";

/** A JSON object in a body. */
export type Sent = Readonly<Record<string, unknown>>;

/** Reads a field whose new value depends on the stored value: a list of elements, or additional fields. */
type DeepReader = (field: Field, given: unknown, before: Values) => Value | undefined;

/**
 * Returns the stored values with the body's changes. A null clears a field (json-api 5.5), unless `staysWhenNull` keeps the field.
 * Read-only fields are ignored, and so are unknown fields unless the settings refuse them (json-api D11). A field that may be set only once
 * refuses another value. Throws one `Refusal` with all faults of the body's fields.
 */
export function readFields(
  fields: readonly Field[],
  sent: Sent,
  before: Values,
  exists: boolean,
  reading: Reading,
  deep: DeepReader,
): Record<string, Value> {
  const faults: ApiError[] = [];
  const values = { ...before } as Record<string, Value>;
  if (reading.call.settings.unknownFields === "refuse") faults.push(...unknownFields(fields, sent));
  for (const field of fields) {
    const given = unwrapped(field, sent[field.name]);
    if (given === undefined || field.write === "never" || isUnsaid(field, given)) continue;
    try {
      if (field.write === "once" && exists && before[field.name] !== undefined) {
        refuseChange(field, given, before);
        continue;
      }
      const value = given === null ? cleared(field) : isDeep(field.kind) ? deep(field, given, before) : plain(field, given, reading);
      if (value === undefined) delete values[field.name];
      else values[field.name] = value;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      faults.push(...error.below(field.name).errors);
    }
  }
  if (faults.length > 0) throw new Refusal(...faults);
  return values;
}

/**
 * Replaces a collection in the form of an answer, `{ meta, rows }`, by its rows. Without `rows` the field counts as not sent. So an object
 * that a client reads, changes and sends back keeps its lines.
 */
function unwrapped(field: Field, given: unknown): unknown {
  const collects = field.kind.is === "list" || field.kind.is === "collection";
  if (!collects || typeof given !== "object" || given === null || Array.isArray(given) || !("meta" in given || "rows" in given))
    return given;
  return "rows" in given && Array.isArray(given.rows) ? given.rows : undefined;
}

/** Returns an error for every required field without a value (json-api 7.1). */
export function missingFields(fields: readonly Field[], values: Values): ApiError[] {
  return fields
    .filter((field) => field.required && (values[field.name] === undefined || values[field.name] === ""))
    .map(({ name }) => ({ code: 3000, parameter: name, details: [name] }));
}

function isDeep(kind: Kind): boolean {
  return kind.is === "list" || kind.is === "attributes";
}

function plain(field: Field, given: unknown, reading: Reading): Value {
  return readValue(field.kind as PlainKind, given, field.name, reading);
}

const REMOVABLE = new Set<Kind["is"]>(["reference", "references", "collection", "list", "object", "objects", "attributes", "json"]);

/** Whether null or an empty text counts as not sent, because the field always has a value. */
function isUnsaid(field: Field, given: unknown): boolean {
  if (given === "") return field.kind.is === "text" && field.out && !field.required;
  return given === null && staysWhenNull(field);
}

/**
 * Removes the empty texts of fields that answers may omit: they are not stored (json-api 5.5, D44). The type's rules run before, because an
 * empty text may have a meaning for them.
 */
export function withoutEmptyTexts(fields: readonly Field[], values: Values): Values {
  const emptied = fields.filter(({ name, kind, out }) => kind.is === "text" && !out && values[name] === "");
  if (emptied.length === 0) return values;
  const names = new Set(emptied.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

/**
 * Whether a null leaves the field unchanged: a simple value (number, boolean, text, datetime and the like) that every answer has and no
 * body needs.
 */
function staysWhenNull({ name, out, required, kind }: Field): boolean {
  // Additional fields are merged one by one (json-api 7.2). An object's department (`group`) cannot be cleared.
  if (kind.is === "attributes" || name === "group") return true;
  return out && !required && !REMOVABLE.has(kind.is);
}

/** Clears a field sent as null. Throws 2016 for a required text, 3000 for another required field. */
function cleared(field: Field): undefined {
  if (!field.required) return undefined;
  throw field.kind.is === "text" ? refused(2016, field.name, "string") : refused(3000, field.name);
}

function refuseChange(field: Field, given: unknown, before: Values): void {
  if (typeof given === "string" && given.toLowerCase() === before[field.name]) return;
  throw refused(field.name === "syncId" ? 1047 : 3001, field.name);
}

function unknownFields(fields: readonly Field[], sent: Sent): ApiError[] {
  const known = new Set(["meta", ...fields.map(({ name }) => name)]);
  return Object.keys(sent)
    .filter((name) => !known.has(name))
    .map((name) => ({ code: 1007, parameter: name, details: [name], path: [name] }));
}
