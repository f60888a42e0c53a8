import type { AccountBook } from "../ledger/account-book.ts";
import { type Db, insertTierEvent, type Tx } from "../ledger/ledger-queries.ts";
import { idsOfPerson } from "../members/standing.ts";
import { decideTier, isReviewDue, type TierStanding } from "../points/tiers.ts";
import type { Programme } from "../programme/programme.ts";
import { qualifyingSums } from "./order-queries.ts";

interface TierTime {
  programme: Programme;
  nowMs: number;
  zone: string;
}

/**
 * Reviews the member's tier if the review is due. Call it before a sale is computed: a tier may end on the day of its review, but the
 * upkeep makes the review only later.
 */
export async function reviewDueTier(tx: Tx, book: AccountBook, time: TierTime): Promise<void> {
  if (isReviewDue({ reviewAtMs: book.account.tier_review_at_ms }, time.nowMs)) await reviewTier(tx, book, time);
}

/** Returns the tier that a member would have after a due review. Stores nothing. */
export async function tierNow(
  db: Db,
  memberId: string,
  standing: TierStanding,
  { programme, nowMs, zone }: TierTime,
): Promise<string | null> {
  if (!isReviewDue(standing, nowMs)) return standing.tier;
  const sums = await qualifyingSums(db, await idsOfPerson(db, memberId));
  return decideTier({ tiers: programme.tiers, standing, sums, nowMs, zone }).tier;
}

/** Decides the member's tier by the stored orders (loyalty-model 9) and adds the change to `book`. Store the orders first. */
export async function reviewTier(tx: Tx, book: AccountBook, { programme, nowMs, zone }: TierTime): Promise<void> {
  const { tier, tier_review_at_ms: reviewAtMs } = book.account;
  if (programme.tiers.length === 0 && tier === null) return;
  const sums = await qualifyingSums(tx, await idsOfPerson(tx, book.memberId));
  const decision = decideTier({ tiers: programme.tiers, standing: { tier, reviewAtMs }, sums, nowMs, zone });
  if (decision.change === "none" && decision.reviewAtMs === reviewAtMs) return;
  book.change({
    tier: decision.tier,
    tier_review_at_ms: decision.reviewAtMs,
    ...(decision.change === "none" ? {} : { tier_since_ms: nowMs }),
  });
  if (decision.change === "none") return;
  await insertTierEvent(tx, {
    member_id: book.memberId,
    from_tier: tier,
    to_tier: decision.tier,
    qualifying_kopecks: decision.qualifyingKopecks,
    at_ms: nowMs,
  });
}
