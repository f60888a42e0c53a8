import type { Selectable } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { SettingsTable } from "../store/tables.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

export type SettingRow = Selectable<SettingsTable>;

/** Returns the settings of an installation, ordered by store and name. With store ids: only the settings of these two stores. */
export async function selectSettings(db: Db, { appId, accountId }: InstallationKey, storeIds?: [string, string]): Promise<SettingRow[]> {
  const stores = storeIds === undefined ? {} : { one: storeIds[0], other: storeIds[1] };
  const { rows } = await settingsSelect(db, { appId, accountId, ...stores });
  return rows;
}

type Place = InstallationKey & { one?: string; other?: string };

/** Built once, because every operation reads settings twice. */
const settingsSelect = statement((db, { appId, accountId, one, other }: Placeholders<Place>) => {
  const query = db.selectFrom("settings").selectAll().where("app_id", "=", appId).where("account_id", "=", accountId);
  const ofStores = one === undefined || other === undefined ? query : query.where("store_id", "in", [one, other]);
  return ofStores.orderBy("store_id").orderBy("name");
});

export async function upsertSetting(db: Db, row: SettingRow): Promise<void> {
  await db
    .insertInto("settings")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["app_id", "account_id", "store_id", "name"])
        .doUpdateSet({ value: row.value, sealed: row.sealed, updated_at_ms: row.updated_at_ms }),
    )
    .execute();
}

export async function deleteSetting(db: Db, { appId, accountId }: InstallationKey, storeId: string, name: string): Promise<boolean> {
  const result = await db
    .deleteFrom("settings")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("store_id", "=", storeId)
    .where("name", "=", name)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function selectAnySetting(db: Db, { appId, accountId }: InstallationKey, name: string): Promise<boolean> {
  const row = await db
    .selectFrom("settings")
    .select("store_id")
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("name", "=", name)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the points of sale with an operation or a setting, and `*` when the whole account has a setting. The query reads many rows, so no
 * request of a till uses it.
 */
export async function selectStores(db: Db, { appId, accountId }: InstallationKey): Promise<string[]> {
  const ofEntries = db.selectFrom("entries").select("store_id").where("account_id", "=", accountId).where("app_id", "=", appId);
  const ofSettings = db.selectFrom("settings").select("store_id").where("account_id", "=", accountId).where("app_id", "=", appId);
  const rows = await ofEntries.union(ofSettings).orderBy("store_id").execute();
  return rows.map((row) => row.store_id);
}
