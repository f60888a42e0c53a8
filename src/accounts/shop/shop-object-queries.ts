import type { Selectable } from "kysely";
import type { ShopObjectsTable } from "../../store/tables.ts";
import type { InstallationKey } from "../installation.ts";
import type { Db } from "../installation-queries.ts";
import type { ShopName } from "./shop-object.ts";

export type ShopObjectRow = Selectable<ShopObjectsTable>;

export async function selectShopObjects(
  db: Db,
  { appId, accountId }: InstallationKey,
  names: readonly ShopName[],
): Promise<ShopObjectRow[]> {
  // The platform's ids are unique over all types, but the type comes before the id in the primary key. Without the types in the query every
  // sale would look at all objects of the account.
  const [types, ids] = [[...new Set(names.map(({ type }) => type))], names.map(({ id }) => id)];
  const rows = await ofInstallation(db, { appId, accountId }).where("type", "in", types).where("object_id", "in", ids).execute();
  const wanted = new Set(names.map(({ type, id }) => `${type} ${id}`));
  return rows.filter((row) => wanted.has(`${row.type} ${row.object_id}`));
}

/** Returns the next objects of a type in the order of their ids: those after `afterId`, at most `limit`. */
export function selectNextShopObjects(
  db: Db,
  key: InstallationKey,
  { type, afterId, limit }: { type: string; afterId: string; limit: number },
): Promise<ShopObjectRow[]> {
  return ofInstallation(db, key).where("type", "=", type).where("object_id", ">", afterId).orderBy("object_id").limit(limit).execute();
}

/**
 * No reading takes this long. If a stored row was read later than the new row by more than this time, the clock was set back in between,
 * and the stored row is overwritten.
 */
const LONGEST_READING_MS = 3_600_000;

/** The maximum number of rows of a statement. A statement of so many rows has far fewer parameters than either database accepts. */
const MAX_ROWS_AT_ONCE = 500;

/**
 * Writes the rows, except where a stored row was read later. Uses few large statements, because sales wait in the same queue of commits.
 */
export async function upsertShopObjects(db: Db, rows: readonly ShopObjectRow[], readAtMs: number): Promise<void> {
  for (let from = 0; from < rows.length; from += MAX_ROWS_AT_ONCE) {
    await db
      .insertInto("shop_objects")
      .values(rows.slice(from, from + MAX_ROWS_AT_ONCE))
      .onConflict((conflict) =>
        conflict
          .columns(["app_id", "account_id", "type", "object_id"])
          .doUpdateSet((is) => ({
            body: is.ref("excluded.body"),
            stale: is.ref("excluded.stale"),
            read_at_ms: is.ref("excluded.read_at_ms"),
          }))
          .where((is) =>
            is.or([is("shop_objects.read_at_ms", "<=", readAtMs), is("shop_objects.read_at_ms", ">", readAtMs + LONGEST_READING_MS)]),
          ),
      )
      .execute();
  }
}

export async function markShopObjectStale(db: Db, { appId, accountId }: InstallationKey, { type, id }: ShopName): Promise<void> {
  await db
    .updateTable("shop_objects")
    .set({ stale: 1 })
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("type", "=", type)
    .where("object_id", "=", id)
    .execute();
}

/**
 * Marks the next objects of a type in the order of their ids: those after `afterId`, at most `limit`. Returns the last id that was looked
 * at. Undefined: no further objects are left.
 */
export async function markNextShopObjectsStale(
  db: Db,
  { appId, accountId }: InstallationKey,
  { type, afterId, limit }: { type: string; afterId: string; limit: number },
): Promise<string | undefined> {
  const { ids, last } = await nextIds(db, { appId, accountId }, { type, afterId, limit });
  if (last === undefined) return undefined;
  await db
    .updateTable("shop_objects")
    .set({ stale: 1 })
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("type", "=", type)
    .where("object_id", ">", afterId)
    .where("object_id", "<=", last)
    .where("stale", "=", 0)
    .execute();
  return ids < limit ? undefined : last;
}

export async function deleteShopObject(db: Db, { appId, accountId }: InstallationKey, { type, id }: ShopName): Promise<void> {
  await db
    .deleteFrom("shop_objects")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("type", "=", type)
    .where("object_id", "=", id)
    .execute();
}

/**
 * Deletes those of the next objects of a type that were read before `readBeforeMs`. Looks at the objects after `afterId` in the order of
 * their ids, at most `limit`. Returns the last id that was looked at. Undefined: no further objects are left.
 */
export async function deleteNextShopObjectsBefore(
  db: Db,
  key: InstallationKey,
  { readBeforeMs, ...next }: { type: string; afterId: string; limit: number; readBeforeMs: number },
): Promise<string | undefined> {
  const { ids, last } = await nextIds(db, key, next);
  if (last === undefined) return undefined;
  await db
    .deleteFrom("shop_objects")
    .where("app_id", "=", key.appId)
    .where("account_id", "=", key.accountId)
    .where("type", "=", next.type)
    .where("object_id", ">", next.afterId)
    .where("object_id", "<=", last)
    .where("read_at_ms", "<", readBeforeMs)
    .execute();
  return ids < next.limit ? undefined : last;
}

async function nextIds(
  db: Db,
  { appId, accountId }: InstallationKey,
  { type, afterId, limit }: { type: string; afterId: string; limit: number },
): Promise<{ ids: number; last: string | undefined }> {
  const next = await db
    .selectFrom("shop_objects")
    .select("object_id")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("type", "=", type)
    .where("object_id", ">", afterId)
    .orderBy("object_id")
    .limit(limit)
    .execute();
  return { ids: next.length, last: next.at(-1)?.object_id };
}

function ofInstallation(db: Db, { appId, accountId }: InstallationKey) {
  return db.selectFrom("shop_objects").selectAll().where("app_id", "=", appId).where("account_id", "=", accountId);
}
