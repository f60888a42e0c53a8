import pg from "pg";
import { messageOf } from "../../src/kernel/failure.ts";

export const POSTGRES_URL = process.env.TEST_DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/test";

/** Why PostgreSQL cannot be used on this machine, or undefined when it can. */
export function postgresMissing(): Promise<string | undefined> {
  return administer("select").then(() => undefined, messageOf);
}

/**
 * Runs a statement that makes or drops a schema or a database, over a connection of its own. It has none of the limits of the server's
 * connections: such a statement waits for a checkpoint, which can take many seconds on a busy disk.
 */
export async function administer(statement: string): Promise<void> {
  await query(statement);
}

export async function query<Row extends object>(statement: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}
