import { type Selectable, sql } from "kysely";
import { present } from "../kernel/present.ts";
import type { Step, StepEnd } from "../kernel/work/newest-in-steps.ts";
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

/** Returns the points of sale with a setting, and `*` when the whole account has a setting. */
export async function storesWithSetting(db: Db, { appId, accountId }: InstallationKey): Promise<string[]> {
  const ofSettings = db.selectFrom("settings").select("store_id").distinct();
  const rows = await ofSettings.where("account_id", "=", accountId).where("app_id", "=", appId).execute();
  return rows.map((row) => row.store_id);
}

/** A place among the operations of an account. */
export interface OperationPlace {
  operation: string;
  documentId: string;
}

/** Looks for the points of sale of an account's operations, in the order of the index `entries_key`. */
export async function storesOfStep(
  db: Db,
  { appId, accountId }: InstallationKey,
  { before, rows }: Step<OperationPlace>,
): Promise<StepEnd<OperationPlace, string>> {
  const all = db.selectFrom("entries").where("account_id", "=", accountId).where("app_id", "=", appId);
  const left = before === undefined ? all : all.where(sql<boolean>`(operation, document_id) < (${before.operation}, ${before.documentId})`);
  const looked = await left
    .select(["operation", "document_id", "store_id"])
    .orderBy("operation", "desc")
    .orderBy("document_id", "desc")
    .limit(rows)
    .execute();
  const last = looked.length < rows ? undefined : looked.at(-1);
  return {
    found: [...new Set(looked.map((row) => row.store_id))],
    ...present({ last: last && { operation: last.operation, documentId: last.document_id } }),
  };
}
