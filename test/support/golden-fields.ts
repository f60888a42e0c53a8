import { readdirSync, readFileSync } from "node:fs";

/** A row of a table of json-api 12 and 13, with the marks of the table. `-`: the document does not say. */
export interface GoldenField {
  name: string;
  type: string;
  needed: string;
  write: string;
  out: string;
  expand: string;
  filter: string;
}

export type Column = Exclude<keyof GoldenField, "name">;

/** A cell of a table from which the sandbox departs on purpose: what the table says, what the sandbox does, and the reason. */
export interface Deviation {
  type: string;
  field: string;
  column: Column;
  says: string;
  does: string;
  reason: string;
}

/** Files that are not tables of fields. Their lines are `name: word word…`. */
const LISTS = ["sort-keys", "enumerations", "search", "assortment-keys", "expands", "metas", "dictionary-filters"];
const FOLDER = new URL("../golden/json-api/", import.meta.url);

/** Every table of fields, by the name of its type. */
export function goldenTables(): ReadonlyMap<string, readonly GoldenField[]> {
  const names = readdirSync(FOLDER).map((file) => file.replace(".txt", ""));
  return new Map(names.filter((name) => !LISTS.includes(name)).map((name) => [name, rowsOf(name).map(readRow)]));
}

/** Sort keys by type (json-api 6.3). */
export function goldenSortKeys(): ReadonlyMap<string, readonly string[]> {
  return listsOf("sort-keys");
}

/** The kind and the fields of `search` by type (json-api 6.4). */
export function goldenSearches(): ReadonlyMap<string, { readonly way: string; readonly fields: readonly string[] }> {
  return new Map([...listsOf("search")].map(([type, [way = "", ...fields]]) => [type, { way, fields }]));
}

/** The keys of the assortment's filter, with their operators. `light`: the keys that also filter without stock (json-api 13.10). */
export function goldenAssortmentKeys(): readonly {
  readonly key: string;
  readonly light: boolean;
  readonly operators: readonly string[];
}[] {
  return [...listsOf("assortment-keys")].map(([key, [kind, ...operators]]) => ({ key, light: kind === "light", operators }));
}

/** The fields that can be expanded although the tables do not mark them, by type (json-api 6.5, 13.11). */
export function goldenExpands(): ReadonlyMap<string, readonly string[]> {
  return listsOf("expands");
}

/** The addresses that the metas of each type have beside href (json-api 5.1). */
export function goldenMetas(): ReadonlyMap<string, readonly string[]> {
  return listsOf("metas");
}

/** The fields and their classes in the filters of types without a table (json-api 13.11). */
export function goldenDictionaryFilters(): ReadonlyMap<string, readonly (readonly [string, string])[]> {
  const pairOf = (text: string): [string, string] => {
    const [name = "", kind = ""] = text.split(":");
    return [name, kind];
  };
  return new Map([...listsOf("dictionary-filters")].map(([type, words]) => [type, words.map(pairOf)]));
}

/** The values of enumerations by `type.field`. */
export function goldenEnumerations(): ReadonlyMap<string, readonly string[]> {
  return listsOf("enumerations");
}

function listsOf(file: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    rowsOf(file).map((row) => {
      const [name = "", words = ""] = row.split(": ");
      return [name, words.split(" ")];
    }),
  );
}

/**
 * Reads a list of deviations: `type.field column says>does reason`. `*` stands for every type whose table says so. Throws for
 * a row that cannot be read.
 */
export function readDeviations(text: string): readonly Deviation[] {
  return text
    .split("\n")
    .map((row) => row.trim())
    .filter((row) => row !== "")
    .map((row) => {
      const [, type, field, column, says, does, reason] = /^(\S+)\.(\S+) +(\w+) +(\S+)>(\S+) +(.+)$/.exec(row) ?? [];
      if (!type || !field || !isColumn(column) || !says || !does || !reason) throw new Error(`deviations: cannot read "${row}"`);
      return { type, field, column, says, does, reason };
    });
}

/** The deviations for this cell of the table. */
export function deviationsOf(deviations: readonly Deviation[], type: string, row: GoldenField): readonly Deviation[] {
  return deviations.filter(
    (each) => (each.type === "*" || each.type === type) && each.field === row.name && row[each.column] === each.says,
  );
}

/** The table as the sandbox follows it. */
export function applied(type: string, rows: readonly GoldenField[], deviations: readonly Deviation[]): readonly GoldenField[] {
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(deviationsOf(deviations, type, row).map(({ column, does }) => [column, does])),
  }));
}

function rowsOf(name: string): string[] {
  return readFileSync(new URL(`${name}.txt`, FOLDER), "utf8")
    .split("\n")
    .filter((row) => row !== "" && !row.startsWith("#"));
}

function readRow(row: string): GoldenField {
  const [name = "", type = "", needed = "", write = "", out = "", expand = "", filter = ""] = row.split(/\s+/);
  if (filter === "") throw new Error(`golden table: a row without all of its cells: "${row}"`);
  return { name, type, needed, write, out, expand, filter };
}

function isColumn(text: string | undefined): text is Column {
  return ["type", "needed", "write", "out", "expand", "filter"].includes(text ?? "");
}
