/** The kind of value of a field, as the platform writes it (json-api 5.3, 5.4). */
export type Kind =
  /** `max`: the largest number of characters. A longer text is refused with 3040. */
  | { is: "text"; max: number }
  | { is: "uuid" }
  /** 32 bits. */
  | { is: "int" }
  /** 64 bits. */
  | { is: "long" }
  | { is: "number" }
  | { is: "boolean" }
  /** Kept as milliseconds since the epoch. `minutes`: cut to whole minutes. */
  | { is: "datetime"; minutes: boolean }
  /** `open`: other values are accepted too, because the platform's list is longer than the reference's. */
  | { is: "enumeration"; values: readonly string[]; open: boolean }
  /**
   * Kept as `{ type, id }`. `types`: the types that it may point at. `whole`: an answer always contains the whole object.
   * `missing`: the code for a reference to a missing object, when it is not 2013. `bare`: the value is the meta itself,
   * without an object around it.
   */
  | { is: "reference"; types: readonly string[]; whole?: true; missing?: number; bare?: true }
  /**
   * A nested collection with an address of its own. Its elements are kept inside the object. `array`: an answer contains an
   * array.
   */
  | { is: "list"; of: string; array?: true }
  /** An object, or an array of objects, of a shape that is no entity (a price, a component of an address). */
  | { is: "object"; shape: readonly Field[] }
  | { is: "objects"; shape: readonly Field[]; skipsNull?: true }
  | { is: "references"; types: readonly string[] }
  /** References that are written as an array and answered as a nested collection. The rows are the objects. */
  | { is: "collection"; types: readonly string[] }
  | { is: "texts"; skipsNull?: true }
  /** One image (json-api 15): written as `{ filename, content }`, answered with its addresses and without its content. */
  | { is: "image" }
  /** The meta of the object that the shape's `id` names. */
  | { is: "meta"; type: string }
  /** Values of additional fields (json-api 8.3). */
  | { is: "attributes" }
  /** A value whose content the reference does not describe: an object, or an array of objects. Kept as it was sent. */
  | { is: "json"; many: boolean };

/** The operators that a filter may use on the field (json-api 6.2): E, C, T, A of the tables of json-api 12 and 13. */
export type FilterClass = "none" | "equality" | "order" | "text" | "attributes";

/** One row of a type's table. */
export interface Field {
  readonly name: string;
  readonly kind: Kind;
  /** Whether the field is required on creation. An absent or empty value is refused with 3000. */
  readonly required: boolean;
  /** `never`: the field is ignored in bodies. `once`: it can be set while it has no value. */
  readonly write: "free" | "once" | "never";
  /** Whether every answer contains the field. */
  readonly out: boolean;
  readonly expand: boolean;
  readonly filter: FilterClass;
  /** The field is answered only for `fields=<name>` (json-api 6.5). */
  readonly asked?: true;
}

/** Shapes of nested objects, by the name that a table uses for them. */
export type Shapes = Readonly<Record<string, readonly Field[]>>;

/**
 * Reads a table of fields: a row is `name kind flags…`, the columns of json-api 12 and 13 in words. Kinds: `string(255)`
 * `uuid` `int` `long` `number` `bool` `datetime` `minute` `enum:A|B` (`enum:A|B|*` is open) `ref:type|type` `meta:type`
 * (bare) `whole(28000):type` `refs:type` `collection:type` `list:element` `array:element` `itself:type` `object:SHAPE`
 * `objects:SHAPE` `strings` `image` `attributes` `json:object` `json:objects`. Flags: `req` `ro` `once` `out` `exp`, `asked`,
 * `nulls` (in the array they are skipped) and one of `E` `C` `T` `A`. Throws on a row that cannot be read.
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
