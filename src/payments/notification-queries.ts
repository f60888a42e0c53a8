import { sql } from "kysely";
import type { InstallationKey } from "../accounts/installation.ts";
import type { BankNotificationsTable } from "../store/payment-tables.ts";
import { type Placeholders, statement } from "../store/statement.ts";
import type { Db, Tx } from "./payment-queries.ts";

type NewNotification = Omit<BankNotificationsTable, "id">;

/** Inserts the notification. Returns false, and changes nothing, for a repeat. */
export async function insertNotification(tx: Tx, row: NewNotification): Promise<boolean> {
  const { numAffectedRows = 0n } = await insert(tx, row);
  return numAffectedRows > 0n;
}

const insert = statement((db, row: Placeholders<NewNotification>) =>
  db
    .insertInto("bank_notifications")
    .values(row)
    .onConflict((conflict) => conflict.columns(["account_id", "app_id", "acquirer", "bank_id", "status", "body_hash"]).doNothing()),
);

/** Writes the payment's id into notifications that came before the payment was known. Returns false if there were none. */
export async function matchNotifications(
  tx: Tx,
  { appId, accountId }: InstallationKey,
  { acquirer, bankId, paymentId }: { acquirer: string; bankId: string; paymentId: string },
): Promise<boolean> {
  const result = await tx
    .updateTable("bank_notifications")
    .set({ payment_id: paymentId })
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("acquirer", "=", acquirer)
    .where("bank_id", "=", bankId)
    .where("payment_id", "is", null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Deletes at most `limit` notifications from before the moment, and returns their number. */
export async function dropNotifications(tx: Tx, beforeMs: number, limit: number): Promise<number> {
  const deleted = await tx
    .deleteFrom("bank_notifications")
    .where("id", "in", (from) =>
      from.selectFrom("bank_notifications").select("id").where("received_at_ms", "<", beforeMs).orderBy("received_at_ms").limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(deleted.numDeletedRows);
}

/** A place in the order of the notifications' arrival. */
export interface NotificationPlace {
  receivedAtMs: number;
  id: number;
}

/**
 * Returns at most `limit` notifications that follow the place and arrived before the moment. Includes notifications with a payment, because
 * no index leads to the notifications without a payment.
 */
export async function notificationsAfter(
  db: Db,
  { receivedAtMs, id }: NotificationPlace,
  beforeMs: number,
  limit: number,
): Promise<(NotificationPlace & { isMatched: boolean })[]> {
  const rows = await db
    .selectFrom("bank_notifications")
    .select(["id", "received_at_ms", "payment_id"])
    .where("received_at_ms", "<", beforeMs)
    .where(sql<boolean>`(received_at_ms, id) > (${receivedAtMs}, ${id})`)
    .orderBy("received_at_ms")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ id: row.id, receivedAtMs: row.received_at_ms, isMatched: row.payment_id !== null }));
}

/** Deletes the notifications with these ids that still have no payment, and returns their number. */
export async function dropUnmatched(tx: Tx, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const deleted = await tx
    .deleteFrom("bank_notifications")
    .where("id", "in", ids)
    .where("payment_id", "is", null)
    .executeTakeFirstOrThrow();
  return Number(deleted.numDeletedRows);
}
