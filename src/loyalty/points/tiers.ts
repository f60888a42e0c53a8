import type { Tier, TierWindow } from "../programme/programme.ts";
import { startOfDayMonthsAwayMs, startOfYearMs } from "./lot-dates.ts";

/** Money that counts towards a tier, at the time of the sale: the sum of a sale less what came back of it. */
export interface QualifyingSum {
  atMs: number;
  kopecks: number;
}

/** The tier of a member and its next review. */
export interface TierStanding {
  /** The name of a tier; null: none. */
  tier: string | null;
  /** When the member may be moved down; null: never. */
  reviewAtMs: number | null;
}

interface TierDecision extends TierStanding {
  change: "up" | "down" | "none";
  /** The sum in the window of the tier that was reached, or of the tier that was left when none was reached. */
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
 * Decides the tier by the purchases within each tier's window, never by a balance (loyalty-model 9). A member moves up at once. A member
 * moves down only when the review is due, by the sums at the time of the review: a return or a new year before the review moves nobody
 * down.
 */
export function decideTier(input: TierInput): TierDecision {
  const { standing, nowMs } = input;
  const isDue = standing.reviewAtMs !== null && standing.reviewAtMs <= nowMs;
  const kept = isDue ? reviewed(input, standing.reviewAtMs ?? nowMs) : standing;
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

/** Returns the sum within the window that ends now. */
export function qualifyingKopecks(sums: readonly QualifyingSum[], window: TierWindow, nowMs: number, zone: string): number {
  const fromMs = windowStartMs(window, nowMs, zone);
  return sums.reduce((sum, { atMs, kopecks }) => (atMs >= fromMs && atMs <= nowMs ? sum + kopecks : sum), 0);
}

/** Returns the first moment of the window. For a lifetime it is minus infinity. */
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

/** Returns the tier by the sums just before the review, at most the member's current tier. */
function reviewed(input: TierInput, reviewAtMs: number): TierStanding {
  const current = tierNamed(input.tiers, input.standing.tier);
  const given = highest(input, reviewAtMs - 1);
  const kept = given !== undefined && current !== undefined && given.fromKopecks > current.fromKopecks ? current : given;
  return { tier: kept?.name ?? null, reviewAtMs: kept === undefined ? null : nextReviewMs(kept.window, input.nowMs, input.zone) };
}

/**
 * Returns when a tier is reviewed next. A tier of a calendar year is kept to the end of the next year, any other tier for twelve months. A
 * lifetime sum decreases only by returns, but it is reviewed too.
 */
function nextReviewMs(window: TierWindow, nowMs: number, zone: string): number {
  return window === "year" ? startOfYearMs(nowMs, zone, 2) : startOfDayMonthsAwayMs(nowMs, 12, zone);
}

function highest({ tiers, sums, zone }: TierInput, atMs: number): Tier | undefined {
  return tiers
    .filter(({ window, fromKopecks }) => qualifyingKopecks(sums, window, atMs, zone) >= fromKopecks)
    .reduce<Tier | undefined>((best, tier) => (best === undefined || tier.fromKopecks > best.fromKopecks ? tier : best), undefined);
}

function tierNamed(tiers: readonly Tier[], name: string | null): Tier | undefined {
  return tiers.find((tier) => tier.name === name);
}

/** Returns the direction of the change. Leaving a tier that the programme no longer has is a move down when no other tier is reached. */
function changeBetween(before: Tier | undefined, after: Tier | undefined, nameBefore: string | null): TierDecision["change"] {
  if ((after?.name ?? null) === nameBefore) return "none";
  if (after === undefined) return "down";
  return before === undefined || after.fromKopecks > before.fromKopecks ? "up" : "down";
}
