import type { AccountBook } from "../ledger/account-book.ts";
import { insertTierEvent, type Tx } from "../ledger/ledger-queries.ts";
import { idsOfPerson } from "../members/standing.ts";
import { decideTier } from "../points/tiers.ts";
import type { Programme } from "../programme/programme.ts";
import { qualifyingSums } from "./order-queries.ts";

/**
 * Decides the member's tier by the stored orders (loyalty-model 9) and adds the change to `book`. A member moves down only when a review is
 * due. Store the orders first.
 */
export async function reviewTier(
  tx: Tx,
  book: AccountBook,
  { programme, nowMs, zone }: { programme: Programme; nowMs: number; zone: string },
): Promise<void> {
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
