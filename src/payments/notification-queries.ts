import type { InstallationKey } from "../accounts/installation.ts";
import type { BankNotificationsTable } from "../store/payment-tables.ts";
import { type Placeholders, statement } from "../store/statement.ts";
import type { Tx } from "./payment-queries.ts";

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

/**
 * Deletes notifications from before the moment: those without a payment and, with `matchedToo`, also all others. Returns how many deleted
 * notifications had no payment.
 */
export async function dropNotifications(tx: Tx, beforeMs: number, matchedToo: boolean): Promise<number> {
  const unmatched = await tx
    .deleteFrom("bank_notifications")
    .where("received_at_ms", "<", beforeMs)
    .where("payment_id", "is", null)
    .executeTakeFirst();
  if (matchedToo) await tx.deleteFrom("bank_notifications").where("received_at_ms", "<", beforeMs).execute();
  return Number(unmatched.numDeletedRows);
}
