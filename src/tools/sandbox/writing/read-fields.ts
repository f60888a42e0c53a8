import { type ApiError, Refusal, refused } from "../call/refusal.ts";
import type { Reading } from "../types/entity-type.ts";
import type { Field, Kind } from "../types/field.ts";
import type { Value, Values } from "../values/stored.ts";
import { type PlainKind, readValue } from "./read-value.ts";

/** A JSON object of a body. */
export type Sent = Readonly<Record<string, unknown>>;

/** Reads fields whose new value depends on what is stored: lists of elements and additional fields. */
type DeepReader = (field: Field, given: unknown, before: Values) => Value | undefined;

/**
 * The values that a body leads to: those before it with what it sets; null clears (5.5). Fields that are
 * read only are ignored, unknown ones too unless the settings say otherwise (D11). Throws a `Refusal` with every
 * fault of the body at once.
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
 * A collection that comes back as it was answered, `{ meta, rows }`: its rows when it was expanded, else nothing was said of it.
 * Whoever reads an object, changes a field and writes it back must not lose its lines.
 */
function unwrapped(field: Field, given: unknown): unknown {
  const collects = field.kind.is === "list" || field.kind.is === "collection";
  if (!collects || typeof given !== "object" || given === null || Array.isArray(given) || !("meta" in given || "rows" in given))
    return given;
  return "rows" in given && Array.isArray(given.rows) ? given.rows : undefined;
}

/** Every required field that is empty or absent, one error each (7.1). */
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

/** Null or an empty text in a field that cannot be without a value changes nothing. */
function isUnsaid(field: Field, given: unknown): boolean {
  if (given === "") return field.kind.is === "text" && field.out && !field.required;
  return given === null && staysWhenNull(field);
}

/** The values without the texts that are empty: they are not kept (5.5, D44). Rules see them first, since one may mean more. */
export function withoutEmptyTexts(fields: readonly Field[], values: Values): Values {
  const emptied = fields.filter(({ name, kind, out }) => kind.is === "text" && !out && values[name] === "");
  if (emptied.length === 0) return values;
  const names = new Set(emptied.map(({ name }) => name));
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.has(name)));
}

/** A number, switch or text that every answer holds cannot be without a value: null does not change it. */
function staysWhenNull({ name, out, required, kind }: Field): boolean {
  // Additional fields are merged one by one (7.2); no object is without a department.
  if (kind.is === "attributes" || name === "group") return true;
  return out && !required && !REMOVABLE.has(kind.is);
}

/** Null: a required text is 2016, another required field 3000, the rest is cleared. */
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
