/** Why a rule gave something or nothing, with the deciding numbers. `traceWords` turns it into words. */
export type Why =
  | { code: "discounted"; lines: number }
  | { code: "multiplied"; factorHundredths: number; lines: number }
  | { code: "added"; points: number }
  | { code: "said" }
  /** Matched, but another rule of its group is better for the buyer. */
  | { code: "outdone"; by: string }
  /** Matched, but makes nothing cheaper. */
  | { code: "no-gain" }
  /** Matched, but its goods cost nothing. */
  | { code: "free" }
  /** Matched, but the programme gives no points in a sale that spends points. */
  | { code: "spending" }
  | { code: "store"; storeId: string }
  | { code: "not-yet"; from: string }
  | { code: "over"; to: string }
  | { code: "day"; day: number }
  | { code: "hour"; minute: number }
  | { code: "goods" }
  | { code: "quantity"; leastMillionths: number; foundMillionths: number }
  | { code: "set-incomplete" }
  | { code: "total"; leastKopecks: number; foundKopecks: number }
  | { code: "tier"; wanted: string; has: string | null }
  | { code: "first-purchase"; wanted: boolean }
  /** `daysAway`: null for an unknown birthday. */
  | { code: "birthday"; withinDays: number; daysAway: number | null };

/** The result of one rule. `matched`: the buyer gets the rule's effect. */
export interface Traced {
  rule: string;
  matched: boolean;
  why: Why;
}
