import type { Tier, TierWindow } from "../programme/programme.ts";
import { startOfDayMonthsAwayMs, startOfYearMs } from "./lot-dates.ts";

/** Money that counts towards a tier: what a sale was paid with, or, negative, what a return of it gave back, at the time of the sale. */
export interface QualifyingSum {
  atMs: number;
  kopecks: number;
}

/** Where a member stands. */
export interface TierStanding {
  /** The name of a tier; null: none. */
  tier: string | null;
  /** When the member may be moved down; null: never. */
  reviewAtMs: number | null;
}

interface TierDecision extends TierStanding {
  change: "up" | "down" | "none";
  /** The sum in the window of the tier that was reached, or else of the one that was left. */
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
 * Decides the tier by what was bought within each tier's window, never by a balance (loyalty-model 9). Up at once. Down only once the
 * review is due, by the sums at the review and never by later ones: a return or a new year before it moves nobody.
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

/** The sum of what lies within the window that ends now. */
export function qualifyingKopecks(sums: readonly QualifyingSum[], window: TierWindow, nowMs: number, zone: string): number {
  const fromMs = windowStartMs(window, nowMs, zone);
  return sums.reduce((sum, { atMs, kopecks }) => (atMs >= fromMs && atMs <= nowMs ? sum + kopecks : sum), 0);
}

/** The first moment that counts; of a lifetime every moment does. */
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

/** The tier that the sums of the moment before the review give, at most the one that the member has. */
function reviewed(input: TierInput, reviewAtMs: number): TierStanding {
  const current = tierNamed(input.tiers, input.standing.tier);
  const given = highest(input, reviewAtMs - 1);
  const kept = given !== undefined && current !== undefined && given.fromKopecks > current.fromKopecks ? current : given;
  return { tier: kept?.name ?? null, reviewAtMs: kept === undefined ? null : nextReviewMs(kept.window, input.nowMs, input.zone) };
}

/**
 * A tier of a calendar year is kept to the end of the next year, of twelve months to the same day a year later. Nothing can be lost of
 * what was bought in a lifetime but by returns, and these are looked at a year later too.
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

/** A tier that the programme has no more is left downwards. */
function changeBetween(before: Tier | undefined, after: Tier | undefined, nameBefore: string | null): TierDecision["change"] {
  if ((after?.name ?? null) === nameBefore) return "none";
  if (after === undefined) return "down";
  return before === undefined || after.fromKopecks > before.fromKopecks ? "up" : "down";
}
