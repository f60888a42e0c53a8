import type { Insertable, Selectable } from "kysely";
import type { AuditTable } from "../store/tables.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

export type AuditRow = Selectable<AuditTable>;

export async function insertAudit(db: Db, row: Insertable<AuditTable>): Promise<void> {
  await db.insertInto("audit").values(row).execute();
}

/** Returns the lines of a point of sale, newest first. */
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

/** A person's search in the audit. A line must match every given member. */
export interface AuditSearch {
  /** The whole subject or the whole actor of the line. */
  text?: string;
  accountId?: string;
  storeId?: string;
  /** Only acts at or after this moment, and before `toMs`. */
  fromMs?: number;
  toMs?: number;
  beforeId?: number;
  limit: number;
}

/** Returns the matching lines of all accounts, newest first. */
export function searchAudit(db: Db, { text, accountId, storeId, fromMs, toMs, beforeId, limit }: AuditSearch): Promise<AuditRow[]> {
  let query = db.selectFrom("audit").selectAll().orderBy("id", "desc").limit(limit);
  if (text !== undefined) query = query.where((at) => at.or([at("subject", "=", text), at("actor", "=", text)]));
  if (accountId !== undefined) query = query.where("account_id", "=", accountId);
  if (storeId !== undefined) query = query.where("store_id", "=", storeId);
  if (fromMs !== undefined) query = query.where("at_ms", ">=", fromMs);
  if (toMs !== undefined) query = query.where("at_ms", "<", toMs);
  if (beforeId !== undefined) query = query.where("id", "<", beforeId);
  return query.execute();
}
