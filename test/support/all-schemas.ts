import { randomUUID } from "node:crypto";
import { administer, postgresMissing, query } from "./postgres-admin.ts";

/** Runs before all tests: names the schemas that the test processes make (migrated-schema.ts). */
export function setup(): void {
  process.env.TEST_SCHEMAS = `test_${randomUUID().slice(0, 8)}`;
}

/** Runs after all tests: drops these schemas. */
export async function teardown(): Promise<void> {
  if ((await postgresMissing()) !== undefined) return;
  const ours = `select nspname as name from pg_namespace where nspname like '${process.env.TEST_SCHEMAS}%'`;
  for (const { name } of await query<{ name: string }>(ours)) await administer(`drop schema ${name} cascade`);
}
