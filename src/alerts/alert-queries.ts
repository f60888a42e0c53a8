import type { Kysely, Transaction } from "kysely";
import type { AlertRow } from "../store/alert-tables.ts";
import type { Tables } from "../store/tables.ts";

type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

type AlertKey = Pick<AlertRow, "audience" | "kind" | "subject">;

/** Returns at most `limit` rows, the oldest change first. */
export function alertRows(db: Db, limit: number): Promise<AlertRow[]> {
  return db
    .selectFrom("alerts")
    .selectAll()
    .orderBy("changed_at_ms")
    .orderBy("audience")
    .orderBy("kind")
    .orderBy("subject")
    .limit(limit)
    .execute();
}

/** Returns false, and inserts nothing, if the condition is already stored for this audience. */
export async function insertAlert(tx: Tx, row: AlertRow): Promise<boolean> {
  const result = await tx
    .insertInto("alerts")
    .values(row)
    .onConflict((conflict) => conflict.columns(["audience", "kind", "subject"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Returns false, and changes nothing, if the row was changed or deleted after it was read. */
export async function changeAlert(tx: Tx, { version, ...before }: AlertKey & { version: number }, after: AlertRow): Promise<boolean> {
  const { audience: _audience, kind: _kind, subject: _subject, ...columns } = after;
  const result = await tx
    .updateTable("alerts")
    .set({ ...columns, version: version + 1 })
    .where("audience", "=", before.audience)
    .where("kind", "=", before.kind)
    .where("subject", "=", before.subject)
    .where("version", "=", version)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Returns false, and deletes nothing, if the row was changed or deleted after it was read. */
export async function deleteAlert(tx: Tx, { audience, kind, subject, version }: AlertKey & { version: number }): Promise<boolean> {
  const result = await tx
    .deleteFrom("alerts")
    .where("audience", "=", audience)
    .where("kind", "=", kind)
    .where("subject", "=", subject)
    .where("version", "=", version)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Returns messages that could not be sent yet, oldest first. */
export function unsentAlerts(db: Db, limit: number): Promise<AlertRow[]> {
  return db.selectFrom("alerts").selectAll().where("attempts", ">", 0).orderBy("owed_since_ms").orderBy("subject").limit(limit).execute();
}

/** Returns the number of messages that could not be sent yet, by receiver. */
export async function countUnsent(db: Db): Promise<{ audience: string; count: number }[]> {
  return db
    .selectFrom("alerts")
    .select(["audience", (row) => row.fn.countAll<number>().as("count")])
    .where("attempts", ">", 0)
    .groupBy("audience")
    .execute();
}
