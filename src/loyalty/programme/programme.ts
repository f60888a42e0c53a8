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

/** How the earned points of a receipt are rounded to whole points. */
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

/** `rolling`: each visit moves the end of every lot to at least `days` after the visit. */
export type Expiry =
  | { kind: "never" }
  | { kind: "days" | "rolling"; days: number }
  | { kind: (typeof CALENDAR_ENDS)[number]; months: number };

/** A time in which lots have ended by one rule. It lasts to the beginning of the next one. */
export interface ExpiryPeriod {
  fromMs: number;
  expiry: Expiry;
}

/** The programme in force. `periods`: how lots have ended up to now, the oldest first. The last one is of the programme in force. */
export interface ProgrammeInForce {
  programme: Programme;
  periods: readonly ExpiryPeriod[];
}

/** What happens to returned points whose lot has expired: `grace` gives a short new life, `forfeit` nothing, `full` a full new life. */
export const EXPIRED_POLICIES = ["grace", "forfeit", "full"] as const;
export const DEBT_POLICIES = ["remember", "forget"] as const;

export interface ReturnPolicy {
  giveBack: boolean;
  expired: (typeof EXPIRED_POLICIES)[number];
  graceDays: number;
  clawBack: boolean;
  debt: (typeof DEBT_POLICIES)[number];
}

/** When spending needs a code: never, always, or for more points than this number. */
type SpendingCheck = "never" | "always" | number;

export const TIER_WINDOWS = ["year", "rolling", "lifetime"] as const;
export type TierWindow = (typeof TIER_WINDOWS)[number];

export interface Tier {
  name: string;
  /** A member has the tier when the purchases within the window reach this sum. */
  fromKopecks: number;
  window: TierWindow;
  multiplierHundredths: number;
  /** Replaces the programme's earning percent. */
  percentHundredths?: number;
}

/** What a rule gives. The name of the value states its unit. */
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
  /**
   * Within a group only the best rule for the buyer counts. The effects of different groups add up. Rules without a group name form one
   * group.
   */
  group: string;
  /** Rules with lower numbers come first. Rules with equal numbers are ordered by id. */
  priority: number;
  /** First day, YYYY-MM-DD in the zone of the point of sale. */
  from?: string;
  /** Last day, included. */
  to?: string;
}

/** The conditions of a rule. All stated conditions must hold. */
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

/**
 * Minutes of the day, from `fromMinute` to the minute before `toMinute`. The range goes over midnight when `toMinute` is not above
 * `fromMinute`.
 */
export interface HourRange {
  fromMinute: number;
  toMinute: number;
}

/**
 * Whether a quote needs the folders of goods: a rule names folders, or points cannot pay for some goods. `spend.excluded` holds ids of
 * products and folders alike.
 */
export function asksForFolders({ rules, spend }: Pick<Programme, "rules" | "spend">): boolean {
  return spend.excluded.length > 0 || rules.some(({ when }) => when.groups !== undefined);
}
