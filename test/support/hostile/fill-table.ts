import { sql } from "kysely";
import type { Store } from "../../../src/store/database.ts";
import type { Tables } from "../../../src/store/tables.ts";

/**
 * Fills a table of a SQLite database with so many rows. `values`: SQL for a column of the row `n.value`. Other columns are null, or have
 * the column's name or 1.
 */
export async function fillTable(
  store: Pick<Store, "db" | "commit">,
  table: keyof Tables,
  count: number,
  values: Record<string, string>,
): Promise<void> {
  const columns = await sql<{ name: string; type: string; filled: number }>`
    select name, type, "notnull" + pk as filled from pragma_table_info(${table})`.execute(store.db);
  const cellOf = ({ name, type, filled }: { name: string; type: string; filled: number }) =>
    values[name] ?? (filled === 0 ? "null" : type.toUpperCase().includes("INT") ? "1" : `'${name}'`);
  const names = columns.rows.map(({ name }) => `"${name}"`).join(",");
  await store.commit(async (tx) => {
    await sql
      .raw(
        `insert into ${table} (${names}) with recursive n(value) as (select 1 union all select value + 1 from n where value < ${count})
         select ${columns.rows.map(cellOf).join(",")} from n`,
      )
      .execute(tx);
  });
}
