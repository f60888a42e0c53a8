/**
 * A loyalty programme as it was set, with every default filled in. Percents and factors are whole hundredths, money is whole kopecks,
 * points are whole.
 */
export interface Programme {
  name: string;
  /** What one point is worth. */
  pointValueKopecks: number;
  earnPercentHundredths: number;
  /** Whether the part of a receipt that is paid with points earns as well. */
  earnOnPoints: boolean;
  /** Whether a sale that spends points earns at all. */
  earnWhileSpending: boolean;
  rounding: Rounding;
  spend: SpendPolicy;
  activation: Activation;
  expiry: Expiry;
  returns: ReturnPolicy;
  verification: { newCustomer: boolean; spending: SpendingCheck };
  tiers: readonly Tier[];
  rules: readonly Rule[];
  externalSearch: boolean;
  enrolOnSight: boolean;
  neverBlockSales: boolean;
}

/** How earned points become whole, once a receipt. */
export const ROUNDINGS = ["down", "half-up", "up"] as const;
export type Rounding = (typeof ROUNDINGS)[number];

interface SpendPolicy {
  /** The largest share of the discounted receipt that points may pay. */
  sharePercentHundredths: number;
  /** What must be paid in money at least. */
  leastMoneyKopecks: number;
  /** Points are spent in multiples of this. */
  step: number;
  /** Ids of products and folders whose lines are never paid with points. */
  excluded: readonly string[];
}

export type Activation = { kind: "at-once" } | { kind: "days"; days: number };

export const CALENDAR_ENDS = ["end-of-month", "end-of-quarter", "end-of-year"] as const;

/** `rolling`: each visit moves the end of every lot to at least `days` after it. */
export type Expiry =
  | { kind: "never" }
  | { kind: "days" | "rolling"; days: number }
  | { kind: (typeof CALENDAR_ENDS)[number]; months: number };

/** What happens to points of an expired lot that a return gives back: a short new life, nothing, or a full new life. */
export const EXPIRED_POLICIES = ["grace", "forfeit", "full"] as const;
export const DEBT_POLICIES = ["remember", "forget"] as const;

export interface ReturnPolicy {
  giveBack: boolean;
  expired: (typeof EXPIRED_POLICIES)[number];
  graceDays: number;
  clawBack: boolean;
  debt: (typeof DEBT_POLICIES)[number];
}

/** Codes for spending: never, always, or for more points than this. */
type SpendingCheck = "never" | "always" | number;

export const TIER_WINDOWS = ["year", "rolling", "lifetime"] as const;
export type TierWindow = (typeof TIER_WINDOWS)[number];

export interface Tier {
  name: string;
  /** Whoever has bought for this much within the window belongs to the tier. */
  fromKopecks: number;
  window: TierWindow;
  multiplierHundredths: number;
  /** Takes the place of the programme's earning percent. */
  percentHundredths?: number;
}

/** What a rule gives; the part of the union says in which unit. */
export type Effect =
  | { kind: "percent"; percentHundredths: number }
  | { kind: "fixed-price"; priceKopecks: number }
  | { kind: "bundle"; priceKopecks: number }
  | { kind: "multiplier"; factorHundredths: number }
  | { kind: "points"; points: number }
  | { kind: "message"; text: string };

export interface Rule {
  id: string;
  effect: Effect;
  when: Conditions;
  /** Within a group the best rule for the buyer counts; groups add up. Rules that name no group are one group. */
  group: string;
  /** Lower ones come first; equal ones in the order of their ids. */
  priority: number;
  /** First day, YYYY-MM-DD in the zone of the point of sale. */
  from?: string;
  /** Last day, included. */
  to?: string;
}

/** All that is stated must hold. */
export interface Conditions {
  stores?: readonly string[];
  /** 1 (Monday) to 7. */
  days?: readonly number[];
  hours?: readonly HourRange[];
  products?: readonly string[];
  /** Ids of folders. A line matches when its product or one of its folders is named. */
  groups?: readonly string[];
  /** Of all matching lines together. */
  leastQuantityMillionths?: number;
  /** Of the whole receipt, undiscounted. */
  leastTotalKopecks?: number;
  /** The name of the member's tier. */
  tier?: string;
  /** True: the member's first purchase. False: any later one. */
  firstPurchase?: boolean;
  /** The birthday is at most so many days before or after today. */
  birthdayWithinDays?: number;
}

/** Minutes of the day, from the first one up to the one before `toMinute`; over midnight where `toMinute` is not above. */
export interface HourRange {
  fromMinute: number;
  toMinute: number;
}

/** Whether a rule, or what points may pay, goes by folders. `spend.excluded` names products and folders alike. */
export function asksForFolders({ rules, spend }: Pick<Programme, "rules" | "spend">): boolean {
  return spend.excluded.length > 0 || rules.some(({ when }) => when.groups !== undefined);
}
