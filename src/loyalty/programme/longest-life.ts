import type { Expiry } from "./programme.ts";

const DAY_MS = 86_400_000;
/** The length in months of the period at whose end points expire. */
const PERIODS = { "end-of-month": 1, "end-of-quarter": 3, "end-of-year": 12 } as const;
/** The years whose months are tried as a beginning. Eight years in a row give every possible length. */
const [FIRST_YEAR, YEARS] = [2001, 8];

/** Returns how many days points live that are earned on the best day of the calendar, that day included. */
export function longestLifeDays(expiry: Expiry): number {
  switch (expiry.kind) {
    case "never":
      return Number.POSITIVE_INFINITY;
    case "days":
    case "rolling":
      return expiry.days + 1;
    default:
      return longestMonthsDays(PERIODS[expiry.kind], expiry.months);
  }
}

/** The best day is the first of a period: points live to the end of the period and `more` months. */
function longestMonthsDays(period: number, more: number): number {
  let longest = 0;
  for (let month = 0; month < YEARS * 12; month += period) {
    const days = (Date.UTC(FIRST_YEAR, month + period + more, 1) - Date.UTC(FIRST_YEAR, month, 1)) / DAY_MS;
    longest = Math.max(longest, days);
  }
  return longest;
}
