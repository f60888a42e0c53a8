import type { InstallationKey } from "../accounts/installation.ts";
import type { Db } from "./ledger/ledger-queries.ts";

/** A member whose account may have to be updated. `dueAtMs`: when the update became due by the stored dates; 0 for a debt. */
export interface DueMember extends InstallationKey {
  memberId: string;
  dueAtMs: number;
}

export interface Cursor {
  dueAtMs: number;
  memberId: string;
}

/**
 * Returns members with points in lots that expired by `nowMs`, after the cursor, in the order of expiry. The list has a member once for
 * each such lot. Uses the stored dates; under rolling expiry the effective end may be later.
 */
export async function expiredMembers(db: Db, nowMs: number, after: Cursor, limit: number): Promise<DueMember[]> {
  const rows = await db
    .selectFrom("loyalty_lots as l")
    .innerJoin("loyalty_members as m", "m.id", "l.member_id")
    .select(["l.member_id", "l.expires_at_ms", "m.app_id", "m.account_id"])
    .where("l.remaining", ">", 0)
    .where("l.expires_at_ms", "is not", null)
    .where("l.expires_at_ms", "<=", nowMs)
    // Without this bound each page would read the index from its start: no index serves the `or`.
    .where("l.expires_at_ms", ">=", after.dueAtMs)
    .where((row) =>
      row.or([
        row("l.expires_at_ms", ">", after.dueAtMs),
        row.and([row("l.expires_at_ms", "=", after.dueAtMs), row("l.member_id", ">", after.memberId)]),
      ]),
    )
    .orderBy("l.expires_at_ms")
    .orderBy("l.member_id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ memberId: row.member_id, dueAtMs: row.expires_at_ms ?? 0, appId: row.app_id, accountId: row.account_id }));
}

/** Returns members with both a debt and points, after the cursor, ordered by id. Points that became active can repay the debt. */
export async function indebtedMembers(db: Db, after: Cursor, limit: number): Promise<DueMember[]> {
  const rows = await db
    .selectFrom("loyalty_accounts as a")
    .innerJoin("loyalty_members as m", "m.id", "a.member_id")
    .select(["a.member_id", "m.app_id", "m.account_id"])
    .where("a.debt_points", ">", 0)
    .where("a.points", ">", 0)
    .where("a.member_id", ">", after.memberId)
    .orderBy("a.member_id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ memberId: row.member_id, dueAtMs: 0, appId: row.app_id, accountId: row.account_id }));
}

/** Returns members whose tier review is due by `nowMs`, after the cursor, in the order of the reviews. */
export async function reviewedMembers(db: Db, nowMs: number, after: Cursor, limit: number): Promise<DueMember[]> {
  const rows = await db
    .selectFrom("loyalty_accounts as a")
    .innerJoin("loyalty_members as m", "m.id", "a.member_id")
    .select(["a.member_id", "a.tier_review_at_ms", "m.app_id", "m.account_id"])
    .where("a.tier_review_at_ms", "is not", null)
    .where("a.tier_review_at_ms", "<=", nowMs)
    .where("a.tier_review_at_ms", ">=", after.dueAtMs)
    .where((row) =>
      row.or([
        row("a.tier_review_at_ms", ">", after.dueAtMs),
        row.and([row("a.tier_review_at_ms", "=", after.dueAtMs), row("a.member_id", ">", after.memberId)]),
      ]),
    )
    .orderBy("a.tier_review_at_ms")
    .orderBy("a.member_id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    memberId: row.member_id,
    dueAtMs: row.tier_review_at_ms ?? 0,
    appId: row.app_id,
    accountId: row.account_id,
  }));
}
