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
};

export const POSTGRES_DIALECT: MigrationDialect = {
  kind: "postgres",
  int64: "bigint",
  bytes: "bytea",
  identity: (column) => column.generatedAlwaysAsIdentity().primaryKey(),
  // Of `json` and not `jsonb`, which takes no text that holds an escaped NUL.
  textWithin: (column, path) => sql`${sql.ref(column)}::json #>> ${sql.lit(`{${path.join(",")}}`)}`,
  finish: (table) => table,
};
