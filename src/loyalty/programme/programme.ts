/**
 * A loyalty programme with every default filled in. Percents and factors are whole hundredths, money is whole kopecks, points are whole.
 */
export interface Programme {
  name: string;
  pointValueKopecks: number;
  earnPercentHundredths: number;
  /** Whether the part of a receipt that was paid with points earns points too. */
  earnOnPoints: boolean;
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

export const ROUNDINGS = ["down", "half-up", "up"] as const;
export type Rounding = (typeof ROUNDINGS)[number];

interface SpendPolicy {
  /** The largest share of the discounted receipt that points may pay. */
  sharePercentHundredths: number;
  /** The least sum that money must pay. */
  leastMoneyKopecks: number;
  /** Points are spent in multiples of this number. */
  step: number;
  excluded: readonly string[];
}

export type Activation = { kind: "at-once" } | { kind: "days"; days: number };

export const CALENDAR_ENDS = ["end-of-month", "end-of-quarter", "end-of-year"] as const;

/** `rolling`: each visit moves the end of every lot to at least `days` after the visit. */
export type Expiry =
  | { kind: "never" }
  | { kind: "days" | "rolling"; days: number }
  | { kind: (typeof CALENDAR_ENDS)[number]; months: number };

/** A period in which one rule decides the ends of lots. It lasts until the next period begins. */
export interface ExpiryPeriod {
  fromMs: number;
  expiry: Expiry;
}

/** `periods`: the rules for the ends of lots so far, the oldest first. The last period belongs to the programme in force. */
export interface ProgrammeInForce {
  programme: Programme;
  periods: readonly ExpiryPeriod[];
}

/** What happens to returned points of an expired lot: `grace` gives a short new life, `forfeit` nothing, `full` a full new life. */
export const EXPIRED_POLICIES = ["grace", "forfeit", "full"] as const;
export const DEBT_POLICIES = ["remember", "forget"] as const;

export interface ReturnPolicy {
  giveBack: boolean;
  expired: (typeof EXPIRED_POLICIES)[number];
  graceDays: number;
  clawBack: boolean;
  debt: (typeof DEBT_POLICIES)[number];
}

/** When spending needs a code: never, always, or only for more points than this number. */
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
   * Rules of one group compete: only the best discount of each line, the best factor of each line, and the best addition of points count.
   * Every message counts. Different groups add up. All rules without a group name form one group.
   */
  group: string;
  /** Lower numbers come first. Equal numbers are ordered by id. */
  priority: number;
  /** First day, YYYY-MM-DD in the zone of the point of sale. */
  from?: string;
  /** Last day, included. */
  to?: string;
}

/** All stated conditions must hold. */
export interface Conditions {
  stores?: readonly string[];
  /** 1 (Monday) to 7. */
  days?: readonly number[];
  hours?: readonly HourRange[];
  products?: readonly string[];
  /** Ids of folders. A line matches when its product or one of its folders is named. */
  groups?: readonly string[];
  /** The least quantity of all matching lines together. */
  leastQuantityMillionths?: number;
  /** The least sum of the whole receipt before discounts. */
  leastTotalKopecks?: number;
  tier?: string;
  /** True: the member's first purchase. False: any later purchase. */
  firstPurchase?: boolean;
  /** The birthday is at most this many days before or after today. */
  birthdayWithinDays?: number;
}

/** Minutes of the day. The range ends before `toMinute`, and crosses midnight when `toMinute` is not above `fromMinute`. */
export interface HourRange {
  fromMinute: number;
  toMinute: number;
}

/**
 * Whether a quote needs the folders of goods: a rule names folders, or points cannot pay for some goods. `spend.excluded` mixes ids of
 * products and folders.
 */
export function asksForFolders({ rules, spend }: Pick<Programme, "rules" | "spend">): boolean {
  return spend.excluded.length > 0 || rules.some(({ when }) => when.groups !== undefined);
}
