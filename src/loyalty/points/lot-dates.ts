import { instantOf, wallAsUtcMs, wallFromUtc, wallTimeAt } from "../../kernel/moment.ts";
import type { Activation, Expiry, ExpiryPeriod } from "../programme/programme.ts";
import type { Lot } from "./lots.ts";

const DAY_MS = 86_400_000;

/** Returns when points earned at `earnedAtMs` become active: at once, or at the beginning of the day `days` days later in the zone. */
export function activeFromMs(activation: Activation, earnedAtMs: number, zone: string): number {
  return activation.kind === "at-once" ? earnedAtMs : startOfDay(dayAt(earnedAtMs, zone) + activation.days * DAY_MS, zone);
}

/**
 * Returns when points earned at `earnedAtMs` expire, as the first moment after their life. Null: never. A lot lives to the end of its last
 * day in the zone.
 */
export function expiresAtMs(expiry: Expiry, earnedAtMs: number, zone: string): number | null {
  switch (expiry.kind) {
    case "never":
      return null;
    case "days":
    case "rolling":
      return endOfDayAfterMs(earnedAtMs, expiry.days, zone);
    case "end-of-month":
      return endOfMonths(earnedAtMs, 1, expiry.months, zone);
    case "end-of-quarter":
      return endOfMonths(earnedAtMs, 3, expiry.months, zone);
    case "end-of-year":
      return endOfMonths(earnedAtMs, 12, expiry.months, zone);
  }
}

/**
 * Returns the lots with their effective ends. Under rolling expiry each visit extends them: a lot ends on its own date, or `days` after the
 * last visit if that is later. The stored dates never change.
 *
 * A visit first takes out the points of expired lots. So a lot that still holds points was valid at the last visit, and the visit extended
 * it. An empty lot may have expired before the visit. So an empty lot counts as extended only when its own date is after the last visit.
 */
export function lotsInForce(lots: readonly Lot[], expiry: Expiry, lastVisitMs: number | undefined, zone: string): readonly Lot[] {
  if (expiry.kind !== "rolling" || lastVisitMs === undefined) return lots;
  const movedMs = endOfDayAfterMs(lastVisitMs, expiry.days, zone);
  return lots.map((lot) => {
    if (lot.expiresAtMs === null || lot.expiresAtMs >= movedMs) return lot;
    return lot.remaining > 0 || lot.expiresAtMs > lastVisitMs ? { ...lot, expiresAtMs: movedMs } : lot;
  });
}

/**
 * Returns the lots with their effective ends (see `lotsInForce`), by all rules in force since the last visit. A lot that ended by one rule
 * stays ended. Otherwise a new programme would revive expired points that no visit has taken out yet. Rules before the last visit do not
 * matter, because a visit takes out expired points.
 */
export function lotsOverPeriods(
  lots: readonly Lot[],
  periods: readonly ExpiryPeriod[],
  lastVisitMs: number | undefined,
  zone: string,
): readonly Lot[] {
  if (lastVisitMs === undefined) return lots;
  const since = periods.filter((_period, nth) => (periods[nth + 1]?.fromMs ?? Number.POSITIVE_INFINITY) > lastVisitMs);
  if (since.every(({ expiry }) => expiry.kind !== "rolling")) return lots;
  const ways = since.map(({ expiry, fromMs }, nth) => ({
    lots: lotsInForce(lots, expiry, lastVisitMs, zone),
    fromMs: nth === 0 ? Number.NEGATIVE_INFINITY : fromMs,
    untilMs: since[nth + 1]?.fromMs ?? Number.POSITIVE_INFINITY,
  }));
  return lots.map((lot, index) => {
    for (const way of ways) {
      const endMs = way.lots[index]?.expiresAtMs ?? null;
      // When a new rule sets an end in the past, the lot ends when the rule begins, not earlier.
      if (endMs !== null && Math.max(endMs, way.fromMs) < way.untilMs) return { ...lot, expiresAtMs: Math.max(endMs, way.fromMs) };
    }
    return lot;
  });
}

/** Returns the end of the day `days` days after today, as the first moment of the next day. */
export function endOfDayAfterMs(nowMs: number, days: number, zone: string): number {
  return startOfDay(dayAt(nowMs, zone) + (days + 1) * DAY_MS, zone);
}

/** Returns the first moment of the calendar year in the zone, `years` years later. */
export function startOfYearMs(nowMs: number, zone: string, years = 0): number {
  return startOfDay(Date.UTC(new Date(dayAt(nowMs, zone)).getUTCFullYear() + years, 0, 1), zone);
}

/**
 * Returns the beginning of the same day `months` months later, or earlier for a negative number. A month without that day gives its last
 * day.
 */
export function startOfDayMonthsAwayMs(nowMs: number, months: number, zone: string): number {
  const day = new Date(dayAt(nowMs, zone));
  const first = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  return startOfDay(first.getTime() + (Math.min(day.getUTCDate(), last) - 1) * DAY_MS, zone);
}

/** Returns the end of the period that contains the moment, plus `more` months. `period`: its length in months (1, 3 or 12). */
function endOfMonths(nowMs: number, period: number, more: number, zone: string): number {
  const day = new Date(dayAt(nowMs, zone));
  const nextPeriod = (Math.floor(day.getUTCMonth() / period) + 1) * period;
  return startOfDay(Date.UTC(day.getUTCFullYear(), nextPeriod + more, 1), zone);
}

/** Returns the zone's date as the beginning of that day in UTC, for arithmetic on dates only. */
function dayAt(nowMs: number, zone: string): number {
  return wallAsUtcMs(`${wallTimeAt(nowMs, zone).slice(0, 10)} 00:00:00`);
}

function startOfDay(dayUtcMs: number, zone: string): number {
  return instantOf(wallFromUtc(dayUtcMs), zone);
}
