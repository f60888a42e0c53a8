/** The kind of a field's value, as on the platform (json-api 5.3, 5.4). */
export type Kind =
  /** `max` counts characters. A longer text is refused with 3040. */
  | { is: "text"; max: number }
  | { is: "uuid" }
  /** 32 bits. */
  | { is: "int" }
  /** 64 bits. */
  | { is: "long" }
  | { is: "number" }
  | { is: "boolean" }
  /** Stored as milliseconds since the epoch. `minutes`: cut to whole minutes. */
  | { is: "datetime"; minutes: boolean }
  /** `open`: other values are accepted too, because the platform has more values than its documentation. */
  | { is: "enumeration"; values: readonly string[]; open: boolean }
  /**
   * Stored as `{ type, id }`. `types`: the allowed types. `whole`: answers contain the whole object. `missing`: the code for a missing
   * object, 2013 by default. `bare`: the value is the meta itself, without an object around it.
   */
  | { is: "reference"; types: readonly string[]; whole?: true; missing?: number; bare?: true }
  /** A nested collection with its own address, stored inside the object. `array`: answers contain an array. */
  | { is: "list"; of: string; array?: true }
  /** An object, or an array of objects, with a shape but no entity type (a price, an address). */
  | { is: "object"; shape: readonly Field[] }
  | { is: "objects"; shape: readonly Field[]; skipsNull?: true }
  | { is: "references"; types: readonly string[] }
  /** References: an array in bodies, a nested collection of the objects in answers. */
  | { is: "collection"; types: readonly string[] }
  | { is: "texts"; skipsNull?: true }
  /** One image (json-api 15): `{ filename, content }` in bodies, addresses without content in answers. */
  | { is: "image" }
  /** The meta of the object with the shape's `id`. */
  | { is: "meta"; type: string }
  /** Additional fields (json-api 8.3). */
  | { is: "attributes" }
  /** An object, or an array of objects, that the documentation does not describe. It is stored as sent. */
  | { is: "json"; many: boolean };

/** The filter operators for a field (json-api 6.2): E, C, T, A in the tables of json-api 12 and 13. */
export type FilterClass = "none" | "equality" | "order" | "text" | "attributes";

/** One row of a type's table. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** A missing or empty value is refused with 3000. */
  readonly required: boolean;
  /** `never`: bodies cannot set the field. `once`: a body can set the field while it has no value. */
  readonly write: "free" | "once" | "never";
  /** Whether the documentation promises the field in every answer. Answers omit an empty reference all the same. */
  readonly out: boolean;
  readonly expand: boolean;
  readonly filter: FilterClass;
  /** Only `fields=<name>` shows the field (json-api 6.5). */
  readonly asked?: true;
}

/** Shapes of nested objects by their names in tables. */
export type Shapes = Readonly<Record<string, readonly Field[]>>;

/**
 * Parses a table of fields. A row is `name kind flags…`, the columns of json-api 12 and 13 in words.
 * Kinds: `string(255)` `uuid` `int` `long` `number` `bool` `datetime` `minute` `enum:A|B` (`enum:A|B|*` is open) `ref:type|type`
 * `meta:type` (bare) `whole(28000):type` `refs:type` `collection:type` `list:element` `array:element` `itself:type` `object:SHAPE`
 * `objects:SHAPE` `strings` `image` `attributes` `json:object` `json:objects`.
 * Flags: `req` `ro` `once` `out` `exp` `asked`, `nulls` (skips nulls in an array), and one of `E` `C` `T` `A`. Throws for an invalid row.
 */
export function fieldTable(rows: string, shapes: Shapes = {}): readonly Field[] {
  return rows
    .split("\n")
    .map((row) => row.trim())
    .filter((row) => row !== "")
    .map((row) => readRow(row, shapes));
}

const FILTERS: Readonly<Record<string, FilterClass>> = { E: "equality", C: "order", T: "text", A: "attributes" };
const FLAGS = new Set(["req", "ro", "once", "out", "exp", "asked", "nulls", ...Object.keys(FILTERS)]);

function readRow(row: string, shapes: Shapes): Field {
  const [name = "", kind = "", ...flags] = row.split(/\s+/);
  const unknown = flags.find((flag) => !FLAGS.has(flag));
  if (unknown !== undefined) throw new Error(`field table: unknown flag ${unknown} in "${row}"`);
  const read = readKind(kind, row, shapes);
  return {
    name,
    kind: flags.includes("nulls") && (read.is === "texts" || read.is === "objects") ? { ...read, skipsNull: true } : read,
    required: flags.includes("req"),
    write: flags.includes("ro") ? "never" : flags.includes("once") ? "once" : "free",
    out: flags.includes("out"),
    expand: flags.includes("exp"),
    filter: flags.map((flag) => FILTERS[flag]).find((found) => found !== undefined) ?? "none",
    ...(flags.includes("asked") ? { asked: true } : {}),
  };
}

function readKind(text: string, row: string, shapes: Shapes): Kind {
  const [, word = "", max, rest = ""] = /^([a-z]+)(?:\((\d+)\))?(?::(.+))?$/.exec(text) ?? [];
  const names = rest.split("|");
  switch (word) {
    case "string":
      return { is: "text", max: Number(max ?? 255) };
    case "uuid":
    case "int":
    case "long":
    case "number":
    case "image":
    case "attributes":
      return { is: word };
    case "json":
      if (rest !== "object" && rest !== "objects") throw new Error(`field table: what JSON is in "${row}"?`);
      return { is: "json", many: rest === "objects" };
    case "bool":
      return { is: "boolean" };
    case "datetime":
    case "minute":
      return { is: "datetime", minutes: word === "minute" };
    case "enum":
      return { is: "enumeration", values: names.filter((value) => value !== "*"), open: names.includes("*") };
    case "ref":
      return { is: "reference", types: names };
    case "meta":
      return { is: "reference", types: names, bare: true };
    case "whole":
      return { is: "reference", types: names, whole: true, ...(max === undefined ? {} : { missing: Number(max) }) };
    case "collection":
      return { is: "collection", types: names };
    case "refs":
      return { is: "references", types: names };
    case "list":
      return { is: "list", of: rest };
    case "array":
      return { is: "list", of: rest, array: true };
    case "itself":
      return { is: "meta", type: rest };
    case "strings":
      return { is: "texts" };
    case "object":
    case "objects": {
      const shape = shapes[rest];
      if (shape === undefined) throw new Error(`field table: unknown shape in "${row}"`);
      return { is: word, shape };
    }
    default:
      throw new Error(`field table: unknown kind in "${row}"`);
  }
}
