import type { Selectable } from "kysely";
import type { SettingsTable } from "../store/tables.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

export type SettingRow = Selectable<SettingsTable>;

/** Settings of an installation by store and name; of one store and the account when a store is given. */
export function selectSettings(db: Db, { appId, accountId }: InstallationKey, storeIds?: readonly string[]): Promise<SettingRow[]> {
  const query = db.selectFrom("settings").selectAll().where("app_id", "=", appId).where("account_id", "=", accountId);
  return (storeIds === undefined ? query : query.where("store_id", "in", storeIds)).orderBy("store_id").orderBy("name").execute();
}

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
