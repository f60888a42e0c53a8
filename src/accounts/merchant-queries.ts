import type { Selectable } from "kysely";
import type { AcquirerAccountsTable, AcquirerHooksTable } from "../store/payment-tables.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

export type MerchantRow = Selectable<AcquirerAccountsTable>;
export type HookRow = Selectable<AcquirerHooksTable>;

export async function upsertMerchant(db: Db, row: MerchantRow): Promise<void> {
  await db
    .insertInto("acquirer_accounts")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["app_id", "account_id", "merchant"])
        .doUpdateSet({ setting_sealed: row.setting_sealed, updated_at_ms: row.updated_at_ms }),
    )
    .execute();
}

export function selectMerchant(db: Db, { appId, accountId }: InstallationKey, merchant: string): Promise<MerchantRow | undefined> {
  return db
    .selectFrom("acquirer_accounts")
    .selectAll()
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("merchant", "=", merchant)
    .executeTakeFirst();
}

/** Returns the accounts at one acquirer, the last used first. */
export function selectMerchants(db: Db, { appId, accountId }: InstallationKey, acquirer: string, limit: number): Promise<MerchantRow[]> {
  return db
    .selectFrom("acquirer_accounts")
    .selectAll()
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("acquirer", "=", acquirer)
    .orderBy("updated_at_ms", "desc")
    .limit(limit)
    .execute();
}

/** Returns false, and changes nothing, if the installation already has a notification address for this acquirer. */
export async function insertHook(db: Db, row: HookRow): Promise<boolean> {
  const result = await db
    .insertInto("acquirer_hooks")
    .values(row)
    .onConflict((conflict) => conflict.columns(["app_id", "account_id", "acquirer"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export function selectHook(db: Db, { appId, accountId }: InstallationKey, acquirer: string): Promise<HookRow | undefined> {
  return db
    .selectFrom("acquirer_hooks")
    .selectAll()
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("acquirer", "=", acquirer)
    .executeTakeFirst();
}

export function selectHookBySecret(db: Db, secretHash: string): Promise<HookRow | undefined> {
  return db.selectFrom("acquirer_hooks").selectAll().where("secret_hash", "=", secretHash).executeTakeFirst();
}

/** Replaces the secret that was read. False: another process has replaced it meanwhile, and nothing was written. */
export async function updateHook(db: Db, row: HookRow, read: Pick<HookRow, "secret_hash">): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("acquirer_hooks")
    .set({ secret_sealed: row.secret_sealed, secret_hash: row.secret_hash })
    .where("app_id", "=", row.app_id)
    .where("account_id", "=", row.account_id)
    .where("acquirer", "=", row.acquirer)
    .where("secret_hash", "=", read.secret_hash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
