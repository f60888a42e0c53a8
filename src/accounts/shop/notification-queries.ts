import { type Insertable, type Selectable, sql } from "kysely";
import { dayOf } from "../../store/day-parts.ts";
import type { DayNotificationsTable } from "../../store/tables.ts";
import type { InstallationKey } from "../installation.ts";
import type { Db } from "../installation-queries.ts";

type NotificationRow = Selectable<DayNotificationsTable>;

/**
 * Inserts the row and returns its id. Undefined: the request id is stored already, and nothing changes. The table accepts a request id once
 * a day. The platform repeats a notification immediately (json-api 9.2), so two simultaneous calls differ in the day only around midnight.
 * Then both may be stored, and their objects are read twice.
 */
export async function insertNotification(db: Db, row: Insertable<DayNotificationsTable>): Promise<number | undefined> {
  if (await isStored(db, row)) return undefined;
  const inserted = await db
    .insertInto("day_notifications")
    .values(row)
    .onConflict((conflict) => conflict.columns(["app_id", "account_id", "request_id", "day_ms"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted?.id;
}

async function isStored(db: Db, { app_id, account_id, request_id }: Insertable<DayNotificationsTable>): Promise<boolean> {
  for (const table of ["day_notifications", "notifications"] as const) {
    const found = await db
      .selectFrom(table)
      .select("request_id")
      .where("app_id", "=", app_id)
      .where("account_id", "=", account_id)
      .where("request_id", "=", request_id)
      .executeTakeFirst();
    if (found !== undefined) return true;
  }
  return false;
}

/** True when notifications wait in the old table, which has no parts for days. */
export async function someWaitInOldTable(db: Db): Promise<boolean> {
  const found = await db.selectFrom("notifications").select("id").where("done_at_ms", "is", null).limit(1).executeTakeFirst();
  return found !== undefined;
}

/**
 * Moves at most `limit` waiting notifications out of the old table, oldest first. The old table keeps their request ids, like those of done
 * notifications.
 */
export async function takeFromOldTable(db: Db, atMs: number, limit: number): Promise<void> {
  const rows = await db.selectFrom("notifications").selectAll().where("done_at_ms", "is", null).orderBy("id").limit(limit).execute();
  for (const { id, ...row } of rows) {
    await db
      .insertInto("day_notifications")
      .values({ ...row, day_ms: dayOf(row.received_at_ms) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await db.updateTable("notifications").set({ done_at_ms: atMs, events: NOTHING }).where("id", "=", id).execute();
  }
}

/** Returns how many objects wait to be read again. */
export async function countWaitingObjects(db: Db, { appId, accountId }: InstallationKey): Promise<number> {
  const row = await db
    .selectFrom("day_notifications")
    .select((select) => select.fn.sum<string | number | null>("objects").as("objects"))
    .where("done_at_ms", "is", null)
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return Number(row?.objects ?? 0);
}

/** Merges all waiting notifications into the newest, which then means "everything has changed". */
export async function foldWaiting(db: Db, key: InstallationKey, newestId: number, atMs: number): Promise<void> {
  await db
    .updateTable("day_notifications")
    .set({ done_at_ms: atMs, events: NOTHING })
    .where("done_at_ms", "is", null)
    .where("app_id", "=", key.appId)
    .where("account_id", "=", key.accountId)
    .where("id", "<", newestId)
    .execute();
  await db.updateTable("day_notifications").set({ events: null, objects: 1 }).where("id", "=", newestId).execute();
}

/** Returns waiting notifications, oldest first. None while the installation is not active. */
export function selectWaiting(
  db: Db,
  { appId, accountId }: InstallationKey,
  bounds: { rows: number; upToId?: number },
): Promise<Pick<NotificationRow, "id" | "events">[]> {
  let query = db
    .selectFrom("day_notifications as notification")
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

/** How many waiting notifications one statement looks at to find their installations. */
const WAITING_AT_ONCE = 500;

/**
 * Looks at the next installations with waiting notifications, in the order of their keys, beginning behind `after`. `active`: those that
 * are active. `last`: the last installation that was looked at, for `after` of the next call; undefined when none is left. An installation
 * may have a thousand waiting notifications, also while it is suspended, so one statement over all of them would stop the event loop.
 */
export async function selectInstallationsWaiting(
  db: Db,
  after?: InstallationKey,
): Promise<{ active: InstallationKey[]; last: InstallationKey | undefined }> {
  let waiting = db.selectFrom("day_notifications").select(["app_id", "account_id"]).where("done_at_ms", "is", null);
  if (after !== undefined) waiting = waiting.where(sql<boolean>`(app_id, account_id) > (${after.appId}, ${after.accountId})`);
  const first = waiting.orderBy("app_id").orderBy("account_id").limit(WAITING_AT_ONCE);
  const rows = await db
    .selectFrom(db.selectFrom(first.as("first")).select(["app_id", "account_id"]).distinct().as("waiting"))
    .leftJoin("installations as installation", (join) =>
      join.onRef("installation.app_id", "=", "waiting.app_id").onRef("installation.account_id", "=", "waiting.account_id"),
    )
    .select(["waiting.app_id", "waiting.account_id", "installation.state"])
    .orderBy("waiting.app_id")
    .orderBy("waiting.account_id")
    .execute();
  const keys = rows.map(({ app_id, account_id, state }) => ({ key: { appId: app_id, accountId: account_id }, state }));
  return { active: keys.filter(({ state }) => state === "active").map(({ key }) => key), last: keys.at(-1)?.key };
}

/** Marks notifications as done. Deletes the names of their objects and keeps their request ids. */
export async function markDone(db: Db, ids: readonly number[], atMs: number): Promise<void> {
  await db
    .updateTable("day_notifications")
    .set({ done_at_ms: atMs, events: NOTHING })
    .where("id", "in", ids)
    .where("done_at_ms", "is", null)
    .execute();
}

/** Deletes an installation's done notifications, except the newest `keptRows`. */
export async function trimDone(db: Db, { appId, accountId }: InstallationKey, keptRows: number): Promise<void> {
  const surplus = db
    .selectFrom("day_notifications")
    .select("id")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("done_at_ms", "is not", null)
    .orderBy("id", "desc")
    .offset(keptRows)
    .limit(1);
  await db
    .deleteFrom("day_notifications")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("done_at_ms", "is not", null)
    .where("id", "<=", surplus)
    .execute();
}

/** Deletes at most `limit` notifications of the old table that were done before the moment. Returns their number. */
export async function deleteOldDone(db: Db, beforeMs: number, limit: number): Promise<number> {
  const deleted = await db
    .deleteFrom("notifications")
    .where("id", "in", (from) =>
      from.selectFrom("notifications").select("id").where("done_at_ms", "<", beforeMs).orderBy("done_at_ms").limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(deleted.numDeletedRows);
}

/**
 * Deletes at most `limit` notifications that were received and done before the day of `beforeMs`. Returns their number. PostgreSQL drops
 * whole days, so old done rows are left only in days that could not be dropped, for example because notifications of the day still wait.
 * SQLite drops no days, so all old done rows are deleted here.
 */
export async function deleteDoneOfDays(db: Db, beforeMs: number, limit: number): Promise<number> {
  const day = dayOf(beforeMs);
  const deleted = await db
    .deleteFrom("day_notifications")
    .where("day_ms", "<", day)
    .where("id", "in", (from) =>
      from
        .selectFrom("day_notifications")
        .select("id")
        .where("day_ms", "<", day)
        // No index leads to the days. Without this bound SQLite would look at every done notification when no old one is left.
        .where("done_at_ms", "<", day)
        .orderBy("done_at_ms")
        .limit(limit),
    )
    .executeTakeFirstOrThrow();
  return Number(deleted.numDeletedRows);
}

const NOTHING = "[]";
