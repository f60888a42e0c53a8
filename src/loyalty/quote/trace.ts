/** Why a rule gave something or nothing, with the deciding numbers. `traceWords` turns it into words. */
export type Why =
  | { code: "discounted"; lines: number }
  | { code: "multiplied"; factorHundredths: number; lines: number }
  | { code: "added"; points: number }
  | { code: "said" }
  /**
   * The conditions hold, but another rule of the group applies: it is better for the buyer, or as good and earlier in the order of
   * precedence.
   */
  | { code: "outdone"; by: string }
  /** The conditions hold, but the rule makes nothing cheaper. */
  | { code: "no-gain" }
  /** The conditions hold, but the goods cost nothing. */
  | { code: "free" }
  /** The conditions hold, but the programme gives no points in a sale that spends points. */
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
