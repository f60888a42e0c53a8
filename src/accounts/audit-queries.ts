import type { Insertable, Selectable } from "kysely";
import type { AuditTable } from "../store/tables.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

export type AuditRow = Selectable<AuditTable>;

export async function insertAudit(db: Db, row: Insertable<AuditTable>): Promise<void> {
  await db.insertInto("audit").values(row).execute();
}

/** The newest lines of a point of sale first. */
export function selectAudit(db: Db, { appId, accountId }: InstallationKey, storeId: string, limit: number): Promise<AuditRow[]> {
  return db
    .selectFrom("audit")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("store_id", "=", storeId)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
