import { sql } from "kysely";
import type { MigrationDialect } from "./types.ts";

/** Returns the name of a table's part for the days that have no part of their own. */
export function restOf(table: string): string {
  return `${table}_rest`;
}

export const SQLITE_DIALECT: MigrationDialect = {
  kind: "sqlite",
  int64: "integer",
  bytes: "blob",
  // AUTOINCREMENT is not used. It would write one more page for every row, and it has an effect only when rows are deleted.
  identity: (column) => column.primaryKey(),
  numberType: "integer",
  numbered: (column) => column.primaryKey(),
  inDays: (table) => table.modifyEnd(sql`strict`),
  makeRest: async () => {},
  textWithin: (column, path) => sql`${sql.ref(column)} ->> ${sql.lit(`$.${path.join(".")}`)}`,
  finish: (table, rows) => table.modifyEnd(rows === "by-key" ? sql`strict, without rowid` : sql`strict`),
  documentNumberIn: (facts) => sql`json_extract(${facts}, '$.documentNumber')`,
};

export const POSTGRES_DIALECT: MigrationDialect = {
  kind: "postgres",
  int64: "bigint",
  bytes: "bytea",
  identity: (column) => column.generatedAlwaysAsIdentity().primaryKey(),
  // PostgreSQL versions differ in how parts inherit an identity column, so a table with parts uses a sequence.
  numberType: "bigserial",
  numbered: (column) => column.notNull(),
  inDays: (table, moment) => table.modifyEnd(sql`partition by range (${sql.ref(moment)})`),
  makeRest: async (tx, table, moment) => {
    await sql`create table ${sql.table(restOf(table))} partition of ${sql.table(table)} default`.execute(tx);
    // The index serves the deletion of old rows one by one, which happens in this part only.
    await sql`create index ${sql.id(`${restOf(table)}_age`)} on ${sql.table(restOf(table))} (${sql.ref(moment)})`.execute(tx);
  },
  // `jsonb` would refuse a text with an escaped NUL.
  textWithin: (column, path) => sql`${sql.ref(column)}::json #>> ${sql.lit(`{${path.join(",")}}`)}`,
  finish: (table) => table,
  // The number is searched as text: the JSON functions refuse the whole value when another member has an escaped NUL or a lone surrogate.
  // Quotes inside a JSON text are escaped, so the pattern never matches inside a text.
  documentNumberIn: (facts) => sql`cast(substring(${facts} from '"documentNumber":([0-9]+)') as bigint)`,
};
