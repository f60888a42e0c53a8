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
  const ids = names.map(({ id }) => id);
  // Ids are unique over all types at the platform; the type is compared all the same.
  const rows = await ofInstallation(db, { appId, accountId }).where("object_id", "in", ids).execute();
  return rows.filter((row) => names.some(({ type, id }) => type === row.type && id === row.object_id));
}

export function selectShopObjectsOfTypes(db: Db, key: InstallationKey, types: readonly string[]): Promise<ShopObjectRow[]> {
  return ofInstallation(db, key).where("type", "in", types).orderBy("type").orderBy("object_id").execute();
}

/** No reading takes as long: what is there from later than that was read before the machine's clock was set back. */
const LONGEST_READING_MS = 3_600_000;

/** What began to be read earlier than what is there is older, and does not take its place. */
export async function upsertShopObject(db: Db, row: ShopObjectRow): Promise<void> {
  await db
    .insertInto("shop_objects")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["app_id", "account_id", "type", "object_id"])
        .doUpdateSet({ body: row.body, stale: row.stale, read_at_ms: row.read_at_ms })
        .where((is) =>
          is.or([
            is("shop_objects.read_at_ms", "<=", row.read_at_ms),
            is("shop_objects.read_at_ms", ">", row.read_at_ms + LONGEST_READING_MS),
          ]),
        ),
    )
    .execute();
}

export async function markShopObjects(db: Db, { appId, accountId }: InstallationKey, of: { type: string; id?: string }): Promise<void> {
  const query = db
    .updateTable("shop_objects")
    .set({ stale: 1 })
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("type", "=", of.type);
  await (of.id === undefined ? query : query.where("object_id", "=", of.id)).execute();
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

/** Those of a type that a reading of all of them no longer found. */
export async function deleteShopObjectsBefore(
  db: Db,
  { appId, accountId }: InstallationKey,
  { type, readBeforeMs }: { type: string; readBeforeMs: number },
): Promise<void> {
  await db
    .deleteFrom("shop_objects")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("type", "=", type)
    .where("read_at_ms", "<", readBeforeMs)
    .execute();
}

function ofInstallation(db: Db, { appId, accountId }: InstallationKey) {
  return db.selectFrom("shop_objects").selectAll().where("app_id", "=", appId).where("account_id", "=", accountId);
}
