import { actorNamed, writeAudit } from "../../accounts/audit.ts";
import type { InstallationKey } from "../../accounts/installation.ts";
import type { AccountRow, MemberRow } from "../../store/loyalty-tables.ts";
import { AccountBook } from "../ledger/account-book.ts";
import { bringUpToDate, type LedgerContext, lotsOf, repay } from "../ledger/bookings.ts";
import type { Tx } from "../ledger/ledger-queries.ts";
import { aliasesOf, memberById, moveAliases, updateMember } from "../members/member-queries.ts";
import { insertMerge, mergeAwayAfter, mergeOf, updateMerge } from "../members/merge-queries.ts";
import { type Moved, readMoved } from "../members/merge-schema.ts";
import { reviewTier } from "../orders/tier.ts";
import type { Lot } from "../points/lots.ts";
import type { ProgrammeInForce } from "../programme/programme.ts";
import type { Programmes } from "../programme-versions/programmes.ts";
import type { LoyaltyServices } from "../services.ts";

/** How long a merge can be undone (loyalty-model 12). */
const UNDO_MS = 30 * 86_400_000;

export type MergeResult =
  | { kind: "merged"; points: number; debtPoints: number }
  | { kind: "undone"; points: number; debtPoints: number }
  | { kind: "refused"; because: MergeObstacle };

export type MergeObstacle =
  | { code: "same-member" }
  /** One of the two members is not a member of this account, or was merged or erased. */
  | { code: "not-standing"; memberId: string; status: string }
  | { code: "not-merged" }
  | { code: "too-late"; mergedAtMs: number }
  /** The kept member was erased, or was later merged into another member, even if that merge was undone. */
  | { code: "kept-is-gone" };

type MergeServices = Pick<LoyaltyServices, "store" | "clock" | "zoneOf"> & { programmes: Programmes };

interface Pair {
  tx: Tx;
  kept: AccountBook;
  gone: AccountBook;
  current: ProgrammeInForce;
  nowMs: number;
  zone: string;
  actor: string;
}

/**
 * Moves the lots with their dates, the debt and the aliases of one member to another, in one transaction. Afterwards the merged member's id
 * leads to the kept member. Throws `loyalty-account-missing` for a member without an account.
 */
export function mergeMembers(
  services: MergeServices,
  key: InstallationKey,
  ids: { keptId: string; goneId: string },
  actor: string,
): Promise<MergeResult> {
  return onPair(services, key, ids, actor, async (pair) => {
    const { tx, nowMs } = pair;
    const wrong = await notStanding(tx, key, ids);
    if (wrong !== undefined) return wrong;
    const { kept, gone } = pair;
    bringUpToDate(bookingOf(pair, gone));
    bringUpToDate(bookingOf(pair, kept));
    const lots = move(
      pair,
      gone,
      kept,
      gone.lots.filter(({ remaining }) => remaining > 0).map((lot) => ({ lot, points: lot.remaining })),
    );
    const debtPoints = moveDebt(pair, gone, kept, gone.account.debt_points);
    const aliases = (await aliasesOf(tx, ids.goneId)).map(({ kind, value }) => ({ kind, value })) as Moved["aliases"];
    await moveAliases(tx, aliases, ids.goneId, ids.keptId);
    await updateMember(tx, ids.goneId, { status: "merged", merged_into: ids.keptId });
    await insertMerge(tx, key, { ...ids, atMs: nowMs, moved: JSON.stringify({ aliases, lots, debtPoints, back: [] } satisfies Moved) });
    kept.change(combinedVisits(kept.account, gone.account));
    repay(bookingOf(pair, kept));
    await reviewTier(tx, kept, { programme: pair.current.programme, nowMs, zone: pair.zone });
    await writeAudit(tx, actBy(key, pair), { act: "merge", subject: ids.goneId, after: ids.keptId });
    return { kind: "merged", points: lots.reduce((sum, { points }) => sum + points, 0), debtPoints };
  });
}

/**
 * Undoes a merge. Moves back what is left of the moved lots and debt, and the aliases that the kept member still has. Spent points stay
 * spent.
 */
export function undoMerge(
  services: MergeServices,
  key: InstallationKey,
  ids: { keptId: string; goneId: string },
  actor: string,
): Promise<MergeResult> {
  return onPair(services, key, ids, actor, async (pair) => {
    const { tx, kept, gone, nowMs } = pair;
    const merge = await mergeOf(tx, key, ids);
    if (merge === undefined) return refused({ code: "not-merged" });
    if (nowMs > merge.at_ms + UNDO_MS) return refused({ code: "too-late", mergedAtMs: merge.at_ms });
    const keptRow = await memberById(tx, key, ids.keptId);
    if (keptRow?.status === "merged" || keptRow?.status === "erased" || (await mergeAwayAfter(tx, ids.keptId, merge.id)) !== undefined)
      return refused({ code: "kept-is-gone" });
    const moved = readMoved(merge);
    bringUpToDate(bookingOf(pair, kept));
    // Under rolling expiry the kept member's visits prolonged these lots. The merged member has no such visits, so the lots move with their
    // prolonged ends.
    const left = new Map(lotsOf(bookingOf(pair, kept)).map((lot) => [lot.number, lot]));
    const back = moved.lots.flatMap(({ to }) => {
      const lot = left.get(to);
      return lot === undefined || lot.remaining === 0 ? [] : [{ lot, points: lot.remaining }];
    });
    const lots = move(pair, kept, gone, back);
    const debtPoints = moveDebt(pair, kept, gone, Math.min(moved.debtPoints, kept.account.debt_points));
    await moveAliases(tx, moved.aliases, ids.keptId, ids.goneId);
    await updateMember(tx, ids.goneId, { status: "active", merged_into: null });
    await updateMerge(tx, merge.id, { undone_at_ms: nowMs, moved: JSON.stringify({ ...moved, back: lots } satisfies Moved) });
    repay(bookingOf(pair, gone));
    await writeAudit(tx, actBy(key, pair), { act: "merge", subject: ids.goneId, before: ids.keptId });
    return { kind: "undone", points: lots.reduce((sum, { points }) => sum + points, 0), debtPoints };
  });
}

/** Locks both accounts in the order of their ids, so that two merges never deadlock, and runs `work`. */
async function onPair(
  { store, clock, zoneOf, programmes }: MergeServices,
  key: InstallationKey,
  { keptId, goneId }: { keptId: string; goneId: string },
  actor: string,
  work: (pair: Pair) => Promise<MergeResult>,
): Promise<MergeResult> {
  if (keptId === goneId) return refused({ code: "same-member" });
  const zone = await zoneOf(key, "");
  await programmes.prepare(key);
  return store.commit(async (tx) => {
    const nowMs = clock.nowMs();
    const current = await programmes.current(tx, key);
    const [firstId, secondId] = keptId < goneId ? [keptId, goneId] : [goneId, keptId];
    const first = await AccountBook.open(tx, firstId, nowMs);
    const second = await AccountBook.open(tx, secondId, nowMs);
    const [kept, gone] = firstId === keptId ? [first, second] : [second, first];
    const result = await work({ tx, kept, gone, current, nowMs, zone, actor });
    if (result.kind === "refused") return result;
    await kept.close();
    await gone.close();
    return result;
  });
}

async function notStanding(
  tx: Tx,
  key: InstallationKey,
  { keptId, goneId }: { keptId: string; goneId: string },
): Promise<MergeResult | undefined> {
  for (const memberId of [keptId, goneId]) {
    const row: MemberRow | undefined = await memberById(tx, key, memberId);
    if (row === undefined || row.status === "merged" || row.status === "erased")
      return refused({ code: "not-standing", memberId, status: row?.status ?? "unknown" });
  }
  return undefined;
}

/**
 * Moves lots: one entry takes them out of the first account, and one entry for each lot adds it to the second account with unchanged dates.
 * Returns the lot numbers in both accounts.
 */
function move(
  { actor }: Pair,
  from: AccountBook,
  to: AccountBook,
  lots: readonly { lot: Lot; points: number }[],
): { from: number; to: number; points: number }[] {
  const points = lots.reduce((sum, each) => sum + each.points, 0);
  if (points === 0) return [];
  const allocations = lots.map(({ lot, points: taken }) => ({ lotNumber: lot.number, points: taken }));
  from.add({ kind: "MERGE_OUT", points: 0 - points, allocations, actor, reason: `to ${to.memberId}` });
  return lots.map(({ lot, points: put }) => {
    const made = { kind: lot.kind, points: put, activeFromMs: lot.activeFromMs, expiresAtMs: lot.expiresAtMs };
    const number = to.add({ kind: "MERGE_IN", points: put, lot: made, actor, reason: `from ${from.memberId}` });
    return { from: lot.number, to: number, points: put };
  });
}

function moveDebt({ actor }: Pair, from: AccountBook, to: AccountBook, debtPoints: number): number {
  if (debtPoints === 0) return 0;
  from.add({ kind: "MERGE_OUT", points: debtPoints, debtPoints: 0 - debtPoints, actor, reason: `to ${to.memberId}` });
  to.add({ kind: "MERGE_IN", points: 0 - debtPoints, debtPoints, actor, reason: `from ${from.memberId}` });
  return debtPoints;
}

function combinedVisits(kept: AccountRow, gone: AccountRow) {
  const visits = [kept.visited_at_ms, gone.visited_at_ms].filter((each) => each !== null);
  return {
    visited_at_ms: visits.length === 0 ? null : Math.max(...visits),
    has_bought: kept.has_bought === 1 || gone.has_bought === 1 ? (1 as const) : (0 as const),
  };
}

function bookingOf({ current, nowMs, zone, actor }: Pair, book: AccountBook): LedgerContext {
  return { book, programme: current.programme, current, nowMs, zone, actor };
}

function actBy(key: InstallationKey, { nowMs, actor }: Pair): Parameters<typeof writeAudit>[1] {
  return { atMs: nowMs, key, actor: actorNamed(actor) };
}

function refused(because: MergeObstacle): MergeResult {
  return { kind: "refused", because };
}
