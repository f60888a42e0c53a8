/** A tier of a programme. The purchases count within a window: the calendar year, twelve months, or for ever. */
export interface SlowTier {
  name: string;
  fromKopecks: number;
  window: "year" | "rolling" | "lifetime";
  multiplierHundredths: number;
}

/** The tier of a member, and when it may be lost. */
export interface SlowStanding {
  tier: string | undefined;
  reviewMs: number | undefined;
}

interface SlowSum {
  atMs: number;
  kopecks: bigint;
}

const MOSCOW_MS = 3 * 3_600_000;

/**
 * The rules of loyalty-model 9, computed in the simplest way: a member moves up at once, and down only at the review, by the
 * purchases that counted just before it.
 */
export function slowTier(tiers: readonly SlowTier[], standing: SlowStanding, sums: readonly SlowSum[], nowMs: number): SlowStanding {
  let { tier, reviewMs } = standing;
  // Each review counts the next period from its own day, however late it is made.
  while (reviewMs !== undefined && reviewMs <= nowMs) {
    const [had, given] = [named(tiers, tier), highest(tiers, sums, reviewMs - 1)];
    const left = had !== undefined && given !== undefined && given.fromKopecks > had.fromKopecks ? had : given;
    tier = left?.name;
    reviewMs = left === undefined ? undefined : nextReview(left, reviewMs);
  }
  const reached = highest(tiers, sums, nowMs);
  if (reached !== undefined && reached.fromKopecks > (named(tiers, tier)?.fromKopecks ?? -1)) {
    tier = reached.name;
    reviewMs = nextReview(reached, nowMs);
  }
  return { tier, reviewMs };
}

function named(tiers: readonly SlowTier[], name: string | undefined): SlowTier | undefined {
  return tiers.find((tier) => tier.name === name);
}

function highest(tiers: readonly SlowTier[], sums: readonly SlowSum[], atMs: number): SlowTier | undefined {
  const reached = tiers.filter((tier) => {
    const fromMs = beginOf(tier, atMs);
    let sum = 0n;
    for (const each of sums) if (each.atMs >= fromMs && each.atMs <= atMs) sum += each.kopecks;
    return sum >= BigInt(tier.fromKopecks);
  });
  reached.sort((a, b) => b.fromKopecks - a.fromKopecks);
  return reached[0];
}

function beginOf({ window }: SlowTier, atMs: number): number {
  if (window === "lifetime") return Number.NEGATIVE_INFINITY;
  return window === "year" ? yearOf(atMs, 0) : monthsAway(atMs, -12);
}

function nextReview({ window }: SlowTier, nowMs: number): number {
  return window === "year" ? yearOf(nowMs, 2) : monthsAway(nowMs, 12);
}

/** The beginning of the year of a moment, or of a year so many years later, in Moscow. */
function yearOf(atMs: number, more: number): number {
  return Date.UTC(new Date(atMs + MOSCOW_MS).getUTCFullYear() + more, 0, 1) - MOSCOW_MS;
}

/** The beginning of the same day in Moscow so many months later or earlier, or of the last day of a shorter month. */
function monthsAway(atMs: number, months: number): number {
  const day = new Date(atMs + MOSCOW_MS);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth() + months];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day.getUTCDate(), last)) - MOSCOW_MS;
}
