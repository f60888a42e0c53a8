import { type Field, fieldTable, type Shapes } from "./field.ts";

/** The columns of nearly every type (json-api 5.6). */
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

/** Returns the table of a type: its rows and the common columns, except `without`. */
export function entityTable(rows: string, shapes: Shapes = {}, without: readonly string[] = []): readonly Field[] {
  return tableOver(
    COLUMNS.filter(({ name }) => !without.includes(name)),
    rows,
    shapes,
  );
}

/**
 * Joins rows and columns into one table. Answers use the order of the table. Rows keep their order. A column precedes the first row with a
 * later name in the alphabet.
 * A row with only a column's name places the column there. A complete row with a column's name replaces the column.
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
