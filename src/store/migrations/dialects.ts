import { sql } from "kysely";
import type { MigrationDialect } from "./types.ts";

export const SQLITE_DIALECT: MigrationDialect = {
  kind: "sqlite",
  int64: "integer",
  bytes: "blob",
  // No AUTOINCREMENT: it writes one page more with every row, and journal rows are never deleted.
  identity: (column) => column.primaryKey(),
  textWithin: (column, path) => sql`${sql.ref(column)} ->> ${sql.lit(`$.${path.join(".")}`)}`,
  finish: (table, rows) => table.modifyEnd(rows === "by-key" ? sql`strict, without rowid` : sql`strict`),
  documentNumberIn: (facts) => sql`json_extract(${facts}, '$.documentNumber')`,
};

export const POSTGRES_DIALECT: MigrationDialect = {
  kind: "postgres",
  int64: "bigint",
  bytes: "bytea",
  identity: (column) => column.generatedAlwaysAsIdentity().primaryKey(),
  // Of `json` and not `jsonb`, which takes no text that holds an escaped NUL.
  textWithin: (column, path) => sql`${sql.ref(column)}::json #>> ${sql.lit(`{${path.join(",")}}`)}`,
  finish: (table) => table,
  // Found as text: its JSON functions refuse a whole value for an escaped NUL or lone surrogate in another member. Inside
  // of a text the quotes are escaped, so that it finds the member alone.
  documentNumberIn: (facts) => sql`cast(substring(${facts} from '"documentNumber":([0-9]+)') as bigint)`,
};
