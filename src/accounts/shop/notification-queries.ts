import type { Insertable, Selectable } from "kysely";
import type { NotificationsTable } from "../../store/tables.ts";
import type { InstallationKey } from "../installation.ts";
import type { Db } from "../installation-queries.ts";

type NotificationRow = Selectable<NotificationsTable>;

/** Inserts the row and returns its id. Undefined when the request id is stored already: then nothing is changed. */
export async function insertNotification(db: Db, row: Insertable<NotificationsTable>): Promise<number | undefined> {
  const inserted = await db
    .insertInto("notifications")
    .values(row)
    .onConflict((conflict) => conflict.columns(["app_id", "account_id", "request_id"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted?.id;
}

/** Returns how many objects wait to be read again. */
export async function countWaitingObjects(db: Db, { appId, accountId }: InstallationKey): Promise<number> {
  const row = await db
    .selectFrom("notifications")
    .select((select) => select.fn.sum<string | number | null>("objects").as("objects"))
    .where("done_at_ms", "is", null)
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return Number(row?.objects ?? 0);
}

/** Merges all waiting notifications into the newest one, which then means "everything has changed". */
export async function foldWaiting(db: Db, key: InstallationKey, newestId: number, atMs: number): Promise<void> {
  await db
    .updateTable("notifications")
    .set({ done_at_ms: atMs, events: NOTHING })
    .where("done_at_ms", "is", null)
    .where("app_id", "=", key.appId)
    .where("account_id", "=", key.accountId)
    .where("id", "<", newestId)
    .execute();
  await db.updateTable("notifications").set({ events: null, objects: 1 }).where("id", "=", newestId).execute();
}

/** Returns waiting notifications, oldest first; none while the installation is not active. */
export function selectWaiting(
  db: Db,
  { appId, accountId }: InstallationKey,
  bounds: { rows: number; upToId?: number },
): Promise<Pick<NotificationRow, "id" | "events">[]> {
  let query = db
    .selectFrom("notifications as notification")
    .innerJoin("installations as installation", (join) =>
      join.onRef("installation.app_id", "=", "notification.app_id").onRef("installation.account_id", "=", "notification.account_id"),
    )
    .select(["notification.id", "notification.events"])
    .where("notification.done_at_ms", "is", null)
    .where("notification.app_id", "=", appId)
    .where("notification.account_id", "=", accountId)
    .where("installation.state", "=", "active")
    .orderBy("notification.id")
    .limit(bounds.rows);
  if (bounds.upToId !== undefined) query = query.where("notification.id", "<=", bounds.upToId);
  return query.execute();
}

/** Returns the active installations with waiting notifications. */
export async function selectInstallationsWaiting(db: Db): Promise<InstallationKey[]> {
  const rows = await db
    .selectFrom("notifications as notification")
    .innerJoin("installations as installation", (join) =>
      join.onRef("installation.app_id", "=", "notification.app_id").onRef("installation.account_id", "=", "notification.account_id"),
    )
    .select(["notification.app_id", "notification.account_id"])
    .distinct()
    .where("notification.done_at_ms", "is", null)
    .where("installation.state", "=", "active")
    .execute();
  return rows.map((row) => ({ appId: row.app_id, accountId: row.account_id }));
}

/** Marks notifications as done. The objects that they named are deleted; their request ids stay. */
export async function markDone(db: Db, ids: readonly number[], atMs: number): Promise<void> {
  await db
    .updateTable("notifications")
    .set({ done_at_ms: atMs, events: NOTHING })
    .where("id", "in", ids)
    .where("done_at_ms", "is", null)
    .execute();
}

/** Deletes done notifications of an installation except the newest ones. */
export async function trimDone(db: Db, { appId, accountId }: InstallationKey, keptRows: number): Promise<void> {
  const surplus = db
    .selectFrom("notifications")
    .select("id")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("done_at_ms", "is not", null)
    .orderBy("id", "desc")
    .offset(keptRows)
    .limit(1);
  await db
    .deleteFrom("notifications")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("done_at_ms", "is not", null)
    .where("id", "<=", surplus)
    .execute();
}

export async function deleteDoneBefore(db: Db, doneBeforeMs: number): Promise<number> {
  const result = await db.deleteFrom("notifications").where("done_at_ms", "<", doneBeforeMs).executeTakeFirst();
  return Number(result.numDeletedRows);
}

const NOTHING = "[]";
