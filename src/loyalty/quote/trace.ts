/** Why a rule matched, or did not, with the numbers that decided. Words are made of it by `traceWords`. */
export type Why =
  | { code: "discounted"; lines: number }
  | { code: "multiplied"; factorHundredths: number; lines: number }
  | { code: "added"; points: number }
  | { code: "said" }
  /** Matched, and another rule of its group is better for the buyer. */
  | { code: "outdone"; by: string }
  /** Matched, and would not make anything cheaper. */
  | { code: "no-gain" }
  /** Matched, and the programme gives no points in a sale that spends them. */
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
  /** `daysAway`: null where the birthday is not known. */
  | { code: "birthday"; withinDays: number; daysAway: number | null };

/** What became of one rule. `matched`: the buyer gets what it gives. */
export interface Traced {
  rule: string;
  matched: boolean;
  why: Why;
}
