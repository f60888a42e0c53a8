import type { Insertable, Selectable, SelectQueryBuilder } from "kysely";
import { present } from "../kernel/present.ts";
import { fewIds, mostBefore, type Step, type StepEnd } from "../kernel/work/newest-in-steps.ts";
import type { AuditTable, Tables } from "../store/tables.ts";
import type { InstallationKey } from "./installation.ts";
import type { Db } from "./installation-queries.ts";

export type AuditRow = Selectable<AuditTable>;

export async function insertAudit(db: Db, row: Insertable<AuditTable>): Promise<void> {
  await db.insertInto("audit").values(row).execute();
}

/** A search in the audit. A line must match every given member. */
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

/** Returns the ids of all lines of the account. Undefined: they are too many to read at once. */
export function linesOfSmallAccount(db: Db, accountId: string): Promise<number[] | undefined> {
  return fewIds(db.selectFrom("audit").select("id").where("account_id", "=", accountId));
}

/** Returns the matching lines among the lines with these ids, the newest first. */
export async function auditAmong(db: Db, ids: readonly number[], wanted: AuditSearch): Promise<AuditRow[]> {
  if (ids.length === 0) return [];
  const { beforeId, limit } = wanted;
  return matching(db, linesBefore(db, beforeId).where("id", "in", ids), wanted)
    .limit(limit)
    .execute();
}

/** One step of a search: looks for matching lines, the newest first. `whose`: looks only at the lines of this installation. */
export async function auditStep(
  db: Db,
  { whose, beforeId, ...wanted }: AuditSearch & { whose?: InstallationKey },
  { before, rows, limit }: Step<{ id: number }>,
): Promise<StepEnd<{ id: number }, AuditRow>> {
  const all = linesBefore(db, before?.id ?? beforeId);
  const owned = whose === undefined ? all : all.where("account_id", "=", whose.accountId).where("app_id", "=", whose.appId);
  const inOrder = owned.orderBy("id", "desc");
  const last = await inOrder
    .select("id")
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
  const looked = last === undefined ? inOrder : inOrder.where("id", ">=", last.id);
  const found = await matching(db, looked.limit(mostBefore(rows)), wanted)
    .limit(limit)
    .execute();
  return { found, ...present({ last }) };
}

type Lines = SelectQueryBuilder<Tables, "audit", object>;

function linesBefore(db: Db, id: number | undefined): Lines {
  const all = db.selectFrom("audit");
  return id === undefined ? all : all.where("id", "<", id);
}

/**
 * Returns the matching lines, the newest first. Without the subquery SQLite would use the index of the account, and read all lines of the
 * account at once.
 */
function matching(db: Db, lines: Lines, { text, accountId, storeId, fromMs, toMs }: Omit<AuditSearch, "limit">) {
  let query = db.selectFrom(lines.selectAll().as("looked")).selectAll();
  if (text !== undefined) query = query.where((at) => at.or([at("looked.subject", "=", text), at("looked.actor", "=", text)]));
  if (accountId !== undefined) query = query.where("looked.account_id", "=", accountId);
  if (storeId !== undefined) query = query.where("looked.store_id", "=", storeId);
  if (fromMs !== undefined) query = query.where("looked.at_ms", ">=", fromMs);
  if (toMs !== undefined) query = query.where("looked.at_ms", "<", toMs);
  return query.orderBy("looked.id", "desc");
}
