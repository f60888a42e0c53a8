import type { Kysely, Transaction } from "kysely";
import type { DeviceExchangesTable, Tables } from "../store/tables.ts";

type Db = Kysely<Tables>;

/** Stores exchanges. An exchange already stored for an attempt stays unchanged. */
export async function insertExchanges(tx: Transaction<Tables>, rows: readonly DeviceExchangesTable[]): Promise<void> {
  await tx
    .insertInto("device_exchanges")
    .values([...rows])
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the exchanges of an entry's attempts, the oldest first. */
export function selectExchanges(db: Db, entryId: number): Promise<DeviceExchangesTable[]> {
  return db.selectFrom("device_exchanges").selectAll().where("entry_id", "=", entryId).orderBy("attempt").execute();
}

/** Deletes at most `limit` exchanges from before the moment, and returns their number. */
export async function deleteExchanges(tx: Transaction<Tables>, beforeMs: number, limit: number): Promise<number> {
  const old = await tx.selectFrom("device_exchanges").select(["entry_id", "attempt"]).where("at_ms", "<", beforeMs).limit(limit).execute();
  for (const { entry_id, attempt } of old)
    await tx.deleteFrom("device_exchanges").where("entry_id", "=", entry_id).where("attempt", "=", attempt).execute();
  return old.length;
}
