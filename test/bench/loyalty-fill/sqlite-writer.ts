import Database from "better-sqlite3";
import type { FillRow, FillTable, FillWriter } from "./writer.ts";

/** The size of the page cache, so that the pages of tables that are filled out of order stay in memory. */
const CACHE_KIB = 6 * 1024 * 1024;

/** Writes in one transaction without a journal. After a failure the file is thrown away. */
export function sqliteWriter(file: string): FillWriter {
  const database = new Database(file);
  database.pragma("journal_mode = OFF");
  database.pragma("synchronous = OFF");
  database.pragma("locking_mode = EXCLUSIVE");
  database.pragma(`cache_size = ${0 - CACHE_KIB}`);
  const indexes = database
    .prepare<[], { name: string; sql: string }>(
      "select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name like 'loyalty_%'",
    )
    .all();
  database.exec("begin");
  for (const { name } of indexes) database.exec(`drop index ${name}`);
  const statements = new Map<string, Database.Statement>();
  const statementOf = ({ name, texts, numbers }: FillTable) => {
    const known = statements.get(name);
    if (known !== undefined) return known;
    const columns = [...texts, ...numbers];
    const made = database.prepare(`insert into ${name} (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`);
    statements.set(name, made);
    return made;
  };
  return {
    async write(table: FillTable, rows: readonly FillRow[]) {
      const statement = statementOf(table);
      for (const row of rows) statement.run(row);
    },
    async finish() {
      for (const { sql } of indexes) database.exec(sql);
      database.exec("commit");
      database.pragma("journal_mode = WAL");
      database.close();
    },
  };
}
