import type { Tier, TierWindow } from "../programme/programme.ts";
import { startOfDayMonthsAwayMs, startOfYearMs } from "./lot-dates.ts";

/** Money that counts towards a tier, at the time of the sale: the sum of the sale less its returns. */
export interface QualifyingSum {
  atMs: number;
  kopecks: number;
}

export interface TierStanding {
  /** The name of the tier. Null: the member has no tier. */
  tier: string | null;
  /** When the member may move down. Null: never. */
  reviewAtMs: number | null;
}

interface TierDecision extends TierStanding {
  change: "up" | "down" | "none";
  /** The sum in the window of the new tier, or of the old tier when the member has no tier now. */
  qualifyingKopecks: number;
}

interface TierInput {
  tiers: readonly Tier[];
  standing: TierStanding;
  sums: readonly QualifyingSum[];
  nowMs: number;
  zone: string;
}

/**
 * Decides the tier by the purchases within each tier's window, never by a balance (loyalty-model 9). A member moves up as soon as the sum
 * of a higher tier is reached. A member moves down only at a due review, by the sums at that time, or when the programme has removed the
 * tier. A return or a new year before the review moves nobody down.
 */
export function decideTier(input: TierInput): TierDecision {
  const { standing, nowMs } = input;
  const kept = afterReviews(input);
  const reached = highest(input, nowMs);
  const before = tierNamed(input.tiers, kept.tier);
  const best = reached !== undefined && reached.fromKopecks > (before?.fromKopecks ?? -1) ? reached : undefined;
  const tier = best ?? before;
  const reviewAtMs = best === undefined ? kept.reviewAtMs : nextReviewMs(best.window, nowMs, input.zone);
  const measured = tier ?? tierNamed(input.tiers, standing.tier);
  return {
    tier: tier?.name ?? null,
    reviewAtMs: tier === undefined ? null : reviewAtMs,
    change: changeBetween(tierNamed(input.tiers, standing.tier), tier, standing.tier),
    qualifyingKopecks: measured === undefined ? 0 : qualifyingKopecks(input.sums, measured.window, nowMs, input.zone),
  };
}

export function qualifyingKopecks(sums: readonly QualifyingSum[], window: TierWindow, nowMs: number, zone: string): number {
  const fromMs = windowStartMs(window, nowMs, zone);
  return sums.reduce((sum, { atMs, kopecks }) => (atMs >= fromMs && atMs <= nowMs ? sum + kopecks : sum), 0);
}

/** Returns the first moment of the window. Minus infinity: the window is the member's lifetime. */
export function windowStartMs(window: TierWindow, nowMs: number, zone: string): number {
  switch (window) {
    case "year":
      return startOfYearMs(nowMs, zone);
    case "rolling":
      return startOfDayMonthsAwayMs(nowMs, -12, zone);
    case "lifetime":
      return Number.NEGATIVE_INFINITY;
  }
}

export function isReviewDue({ reviewAtMs }: Pick<TierStanding, "reviewAtMs">, nowMs: number): boolean {
  return reviewAtMs !== null && reviewAtMs <= nowMs;
}

/**
 * Returns the standing after all due reviews, each at its day. After a late review the next period starts on the day when the review was
 * due, so downtime extends no tier. The loop ends: reviews are at least eleven months apart, and a member without a tier has no review.
 */
function afterReviews(input: TierInput): TierStanding {
  let { standing } = input;
  while (standing.reviewAtMs !== null && isReviewDue(standing, input.nowMs)) standing = reviewed(input, standing.tier, standing.reviewAtMs);
  return standing;
}

/** Returns the tier by the sums just before the review, but no higher tier than the member had until then. */
function reviewed(input: TierInput, tier: string | null, reviewAtMs: number): TierStanding {
  const current = tierNamed(input.tiers, tier);
  const given = highest(input, reviewAtMs - 1);
  const kept = given !== undefined && current !== undefined && given.fromKopecks > current.fromKopecks ? current : given;
  return { tier: kept?.name ?? null, reviewAtMs: kept === undefined ? null : nextReviewMs(kept.window, reviewAtMs, input.zone) };
}

/**
 * Returns the time of a tier's next review. A calendar-year tier lasts to the end of the next year, any other tier for twelve months. A
 * lifetime sum falls only by returns, but is reviewed too.
 */
function nextReviewMs(window: TierWindow, fromMs: number, zone: string): number {
  return window === "year" ? startOfYearMs(fromMs, zone, 2) : startOfDayMonthsAwayMs(fromMs, 12, zone);
}

function highest({ tiers, sums, zone }: TierInput, atMs: number): Tier | undefined {
  return tiers
    .filter(({ window, fromKopecks }) => qualifyingKopecks(sums, window, atMs, zone) >= fromKopecks)
    .reduce<Tier | undefined>((best, tier) => (best === undefined || tier.fromKopecks > best.fromKopecks ? tier : best), undefined);
}

function tierNamed(tiers: readonly Tier[], name: string | null): Tier | undefined {
  return tiers.find((tier) => tier.name === name);
}

/** Returns the direction of the change. Leaving a tier that the programme removed is a move down when the member reaches no other tier. */
function changeBetween(before: Tier | undefined, after: Tier | undefined, nameBefore: string | null): TierDecision["change"] {
  if ((after?.name ?? null) === nameBefore) return "none";
  if (after === undefined) return "down";
  return before === undefined || after.fromKopecks > before.fromKopecks ? "up" : "down";
}
