import pg from "pg";
import type { FillRow, FillTable, FillWriter } from "./writer.ts";

/** Memory for sorting the keys of the largest table. */
const MEMORY = "1GB";

/** Sends rows as one list for each column. Keys and indexes are made at the end, from sorted rows. */
export async function postgresWriter(url: string, schema: string): Promise<FillWriter> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`set search_path to ${schema}`);
  await client.query(`set maintenance_work_mem = '${MEMORY}'; set synchronous_commit = off`);
  const indexes = await client.query<{ indexname: string; indexdef: string }>(
    "select indexname, indexdef from pg_indexes where schemaname = $1 and tablename like 'loyalty\\_%' and indexname not like '%\\_key' and indexname not like '%\\_pkey'",
    [schema],
  );
  const keys = await client.query<{ name: string; owner: string; definition: string }>(
    `select c.conname as name, t.relname as owner, pg_get_constraintdef(c.oid) as definition
       from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
      where n.nspname = $1 and c.contype = 'p' and t.relname in ('loyalty_aliases', 'loyalty_terms')`,
    [schema],
  );
  for (const { indexname } of indexes.rows) await client.query(`drop index ${indexname}`);
  for (const { name, owner } of keys.rows) await client.query(`alter table ${owner} drop constraint ${name}`);
  return {
    async write({ name, texts, numbers }: FillTable, rows: readonly FillRow[]) {
      const columns = [...texts, ...numbers];
      const lists = columns.map((_, index) => rows.map((row) => row[index] ?? null));
      const types = columns.map((_, index) => `$${index + 1}::${index < texts.length ? "text" : "bigint"}[]`);
      const overriding = columns.includes("id") && numbers.includes("id") ? " overriding system value" : "";
      await client.query(`insert into ${name} (${columns.join(", ")})${overriding} select * from unnest(${types.join(", ")})`, lists);
    },
    async finish() {
      for (const { name, owner, definition } of keys.rows) await client.query(`alter table ${owner} add constraint ${name} ${definition}`);
      for (const { indexdef } of indexes.rows) await client.query(indexdef);
      await client.query("analyze");
      await client.end();
    },
  };
}
