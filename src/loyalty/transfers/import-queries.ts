import type { InstallationKey } from "../../accounts/installation.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

/** Returns the keys among these that were already imported. */
export async function importedKeys(db: Db, { appId, accountId }: InstallationKey, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db
    .selectFrom("loyalty_imports")
    .select("row_key")
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("row_key", "in", keys)
    .execute();
  return new Set(rows.map((row) => row.row_key));
}

/** False: the row was already imported. Waits while another transaction imports it. */
export async function insertImport(
  tx: Tx,
  { appId, accountId }: InstallationKey,
  { rowKey, atMs }: { rowKey: string; atMs: number },
): Promise<boolean> {
  const result = await tx
    .insertInto("loyalty_imports")
    .values({ app_id: appId, account_id: accountId, row_key: rowKey, member_id: "", at_ms: atMs })
    .onConflict((conflict) => conflict.columns(["account_id", "app_id", "row_key"]).doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Sets the member of an imported row. */
export async function setImportMember(tx: Tx, { appId, accountId }: InstallationKey, rowKey: string, memberId: string): Promise<void> {
  await tx
    .updateTable("loyalty_imports")
    .set({ member_id: memberId })
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("row_key", "=", rowKey)
    .execute();
}
