import { type Field, fieldTable, type Shapes } from "./field.ts";

/** The fields of nearly every type (json-api 5.6). */
const COLUMNS = fieldTable(`
  accountId     uuid          ro out E
  code          string(255)   T
  description   string(4096)  T
  externalCode  string(255)   out T
  group         ref:group     out exp E
  id            uuid          ro out E
  name          string(255)   req out T
  owner         ref:employee  exp E
  shared        bool          out E
  updated       datetime      ro out C
`);

/** Returns the fields of a type: its own fields (`rows`) and the common fields, except `without`. */
export function entityTable(rows: string, shapes: Shapes = {}, without: readonly string[] = []): readonly Field[] {
  return tableOver(
    COLUMNS.filter(({ name }) => !without.includes(name)),
    rows,
    shapes,
  );
}

/**
 * Joins the own fields of a type (`rows`) and the common fields (`columns`) into one list. Answers use the order of this list. Own fields
 * keep their order. A common field comes before the first own field whose name is later in the alphabet.
 * A row with only the name of a common field puts that field in this place. A complete row with this name replaces the common field.
 */
export function tableOver(columns: readonly Field[], rows: string, shapes: Shapes): readonly Field[] {
  const table = rows
    .split("\n")
    .map((row) => row.trim())
    .filter((row) => row !== "")
    .flatMap((row) => columns.find(({ name }) => name === row) ?? fieldTable(row, shapes));
  const own = new Set(table.map(({ name }) => name));
  for (const column of columns) {
    if (own.has(column.name)) continue;
    const next = table.findIndex(({ name }) => name > column.name);
    table.splice(next < 0 ? table.length : next, 0, column);
  }
  return table;
}
