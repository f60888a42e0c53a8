import { PostgresAdapter, sql, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Waits until no other transaction holds this name, and holds the name until the transaction ends. A later query of the transaction sees
 * what the earlier holders have committed. In SQLite the transactions that write run one after the other, so nothing is held there.
 */
export async function holdName(tx: Transaction<Tables>, name: string): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof PostgresAdapter)) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${`fiscal-solution ${name} `} || current_schema(), 0))`.execute(tx);
}
