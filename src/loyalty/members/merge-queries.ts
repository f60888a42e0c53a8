import type { Selectable } from "kysely";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { LoyaltyMergesTable } from "../../store/loyalty-tables.ts";
import type { Db, Tx } from "../ledger/ledger-queries.ts";

type MergeRow = Selectable<LoyaltyMergesTable>;

export async function insertMerge(
  tx: Tx,
  { appId, accountId }: InstallationKey,
  { keptId, goneId, atMs, moved }: { keptId: string; goneId: string; atMs: number; moved: string },
): Promise<void> {
  const row = { app_id: appId, account_id: accountId, kept_id: keptId, gone_id: goneId, at_ms: atMs, undone_at_ms: null, moved };
  await tx.insertInto("loyalty_merges").values(row).execute();
}

/** Returns the newest merge of these two members, without undone merges. */
export function mergeOf(
  db: Db,
  { appId, accountId }: InstallationKey,
  { keptId, goneId }: { keptId: string; goneId: string },
): Promise<MergeRow | undefined> {
  return db
    .selectFrom("loyalty_merges")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("kept_id", "=", keptId)
    .where("gone_id", "=", goneId)
    .where("undone_at_ms", "is", null)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns the merges that may have moved lots out of this member's account, the oldest first. These are merges of this member into another
 * member, and undone merges of other members into this member.
 */
export function mergesOutOf(db: Db, { appId, accountId }: InstallationKey, memberId: string): Promise<MergeRow[]> {
  return db
    .selectFrom("loyalty_merges")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where((row) => row.or([row("gone_id", "=", memberId), row.and([row("kept_id", "=", memberId), row("undone_at_ms", "is not", null)])]))
    .orderBy("id")
    .execute();
}

/**
 * Whether a merge or its undoing moved points of this lot out of the account. Reads the allocations of the lot, because the table of merges
 * has no index of merged members.
 */
export async function wasMerged(db: Db, memberId: string, lotNumber: number): Promise<boolean> {
  const row = await db
    .selectFrom("loyalty_allocations as a")
    .innerJoin("loyalty_entries as e", (join) => join.onRef("e.member_id", "=", "a.member_id").onRef("e.number", "=", "a.entry_number"))
    .select("e.number")
    .where("a.member_id", "=", memberId)
    .where("a.lot_number", "=", lotNumber)
    .where("e.kind", "=", "MERGE_OUT")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the ids of the members merged into these members, without undone merges. */
export async function goneIdsOf(db: Db, keptIds: readonly string[]): Promise<string[]> {
  if (keptIds.length === 0) return [];
  const rows = await db
    .selectFrom("loyalty_merges")
    .select("gone_id")
    .where("kept_id", "in", keptIds)
    .where("undone_at_ms", "is", null)
    .execute();
  return rows.map((row) => row.gone_id);
}

/** Returns a merge of this member into another member that came after the merge `id`, undone or not. */
export function mergeAwayAfter(db: Db, goneId: string, id: number): Promise<MergeRow | undefined> {
  return db.selectFrom("loyalty_merges").selectAll().where("gone_id", "=", goneId).where("id", ">", id).executeTakeFirst();
}

export async function updateMerge(tx: Tx, id: number, change: Partial<Pick<LoyaltyMergesTable, "undone_at_ms" | "moved">>): Promise<void> {
  await tx.updateTable("loyalty_merges").set(change).where("id", "=", id).execute();
}

/** Overwrites the record of moved data in all merges of these members. The record contains aliases. */
export async function emptyMerges(tx: Tx, memberIds: readonly string[], moved: string): Promise<void> {
  await tx
    .updateTable("loyalty_merges")
    .set({ moved })
    .where((row) => row.or([row("kept_id", "in", memberIds), row("gone_id", "in", memberIds)]))
    .execute();
}
