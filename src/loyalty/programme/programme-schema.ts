import { z } from "zod";
import { parseDecimal, scaleTo } from "../../kernel/decimal.ts";
import { boundedList } from "../../kernel/list-schema.ts";
import { wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { MAX_KOPECKS } from "../../kernel/money.ts";
import { present } from "../../kernel/present.ts";
import { MAX_QUANTITY_MILLIONTHS } from "../../kernel/quantity.ts";
import {
  MAX_DAYS,
  MAX_FACTOR_HUNDREDTHS,
  MAX_HOUR_RANGES,
  MAX_IDS,
  MAX_MESSAGE_LENGTH,
  MAX_MONTHS,
  MAX_NAME_LENGTH,
  MAX_POINT_VALUE_KOPECKS,
  MAX_POINTS,
  MAX_RULES,
  MAX_TIERS,
} from "./bounds.ts";
import {
  CALENDAR_ENDS,
  DEBT_POLICIES,
  type Effect,
  EXPIRED_POLICIES,
  type HourRange,
  type Programme,
  ROUNDINGS,
  type Rule,
  TIER_WINDOWS,
  type Tier,
} from "./programme.ts";

/**
 * Reads a number in units of 10^-`decimals`: with two decimals, 5.25 becomes 525. Refuses a number that is not whole in these units.
 * `String(value)` gives the digits as written, up to 15 digits.
 */
function steps(decimals: number, least: number, most: number, words: string) {
  return z.number().transform((value, context) => {
    const decimal = parseDecimal(String(value));
    const scaled = decimal === undefined ? undefined : scaleTo(decimal, decimals);
    if (scaled !== undefined && scaled >= least && scaled <= most) return scaled;
    context.addIssue({ code: "custom", message: words, input: value });
    return z.NEVER;
  });
}

const percent = steps(2, 0, 10_000, "must be a percent from 0 to 100 with at most 2 decimals");
const factor = steps(2, 0, MAX_FACTOR_HUNDREDTHS, `must be a factor from 0 to ${MAX_FACTOR_HUNDREDTHS / 100} with at most 2 decimals`);
const quantity = steps(6, 1, MAX_QUANTITY_MILLIONTHS, "must be a quantity above 0 with at most 6 decimals");
const kopecks = z.int().min(0).max(MAX_KOPECKS);
const days = z.int().min(1).max(MAX_DAYS);
const name = z.string().min(1).max(MAX_NAME_LENGTH);
const ids = boundedList(name, { min: 1, max: MAX_IDS });

const date = z.string().refine((text) => isDate(text), "must be a date like 2026-01-31");

const DAY_NAMES = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const DAY_WORDS = "must be a day from 1 (Monday) to 7, or one of mon, tue, wed, thu, fri, sat, sun";
const dayOfWeek = z.union([z.number(), z.string()], { error: DAY_WORDS }).transform((given, context) => {
  const day = typeof given === "number" ? given : DAY_NAMES.indexOf(given) + 1;
  if (Number.isInteger(day) && day >= 1 && day <= 7) return day;
  context.addIssue({ code: "custom", message: DAY_WORDS, input: given });
  return z.NEVER;
});

const HOUR_WORDS = "must be an hour from 0 to 23 or HH:MM-HH:MM";
const hourRange = z.union([z.number(), z.string()], { error: HOUR_WORDS }).transform((given, context) => {
  const range = rangeOf(given);
  if (range !== undefined) return range;
  context.addIssue({ code: "custom", message: HOUR_WORDS, input: given });
  return z.NEVER;
});

const conditions = z
  .strictObject({
    stores: ids.exactOptional(),
    days: boundedList(dayOfWeek, { min: 1, max: 7 }).exactOptional(),
    hours: boundedList(hourRange, { min: 1, max: MAX_HOUR_RANGES }).exactOptional(),
    products: ids.exactOptional(),
    groups: ids.exactOptional(),
    leastQuantity: quantity.exactOptional(),
    leastTotalKopecks: kopecks.exactOptional(),
    tier: name.exactOptional(),
    firstPurchase: z.boolean().exactOptional(),
    birthdayWithinDays: z.int().min(0).max(183).exactOptional(),
  })
  .transform(({ leastQuantity, ...rest }) => ({ ...rest, ...present({ leastQuantityMillionths: leastQuantity }) }));

const ruleCommon = {
  id: name,
  when: conditions.prefault({}),
  group: z.string().max(MAX_NAME_LENGTH).default(""),
  priority: z.int().min(-1_000_000).max(1_000_000).default(0),
  from: date.exactOptional(),
  to: date.exactOptional(),
};

const rule = z
  .discriminatedUnion("effect", [
    z.strictObject({ ...ruleCommon, effect: z.literal("percent"), value: percent }),
    z.strictObject({ ...ruleCommon, effect: z.literal("fixed-price"), value: kopecks }),
    z.strictObject({ ...ruleCommon, effect: z.literal("bundle"), value: kopecks }),
    z.strictObject({ ...ruleCommon, effect: z.literal("multiplier"), value: factor }),
    z.strictObject({ ...ruleCommon, effect: z.literal("points"), value: z.int().min(1).max(MAX_POINTS) }),
    z.strictObject({ ...ruleCommon, effect: z.literal("message"), value: z.string().min(1).max(MAX_MESSAGE_LENGTH) }),
  ])
  .transform(({ effect, value, ...rest }): Rule => ({ ...rest, effect: effectOf(effect, value) }));

const tier = z
  .strictObject({
    name,
    fromKopecks: kopecks,
    window: z.enum(TIER_WINDOWS).default("year"),
    multiplier: factor.default(100),
    percent: percent.exactOptional(),
  })
  .transform(({ multiplier, percent, ...rest }): Tier => {
    return { ...rest, multiplierHundredths: multiplier, ...present({ percentHundredths: percent }) };
  });

const expiry = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("never") }),
    z.strictObject({ kind: z.enum(["days", "rolling"]), days }),
    z.strictObject({ kind: z.enum(CALENDAR_ENDS), months: z.int().min(0).max(MAX_MONTHS).default(0) }),
  ])
  .default({ kind: "never" });

const activation = z
  .discriminatedUnion("kind", [z.strictObject({ kind: z.literal("at-once") }), z.strictObject({ kind: z.literal("days"), days })])
  .default({ kind: "at-once" });

const spend = z.strictObject({
  sharePercent: percent.default(5_000),
  leastMoneyKopecks: kopecks.default(0),
  step: z.int().min(1).max(MAX_POINTS).default(1),
  excluded: boundedList(name, { max: MAX_IDS }).prefault([]),
});

const returns = z.strictObject({
  giveBack: z.boolean().default(true),
  expired: z.enum(EXPIRED_POLICIES).default("grace"),
  graceDays: z.int().min(0).max(MAX_DAYS).default(14),
  clawBack: z.boolean().default(true),
  debt: z.enum(DEBT_POLICIES).default("remember"),
});

const verification = z.strictObject({
  newCustomer: z.boolean().default(false),
  spending: z
    .union([z.enum(["never", "always"]), z.int().min(0).max(MAX_POINTS)], { error: "must be never, always or a number of points" })
    .default("never"),
});

/** A programme file (surface 8). Every field of its top level has a default. Unknown names are refused. */
export const programmeSchema = z
  .strictObject({
    name: z.string().max(MAX_NAME_LENGTH).default(""),
    pointValueKopecks: z.int().min(1).max(MAX_POINT_VALUE_KOPECKS).default(100),
    earnPercent: percent.default(500),
    earnOnPoints: z.boolean().default(false),
    earnWhileSpending: z.boolean().default(true),
    rounding: z.enum(ROUNDINGS).default("down"),
    spend: spend.prefault({}),
    activation,
    expiry,
    returns: returns.prefault({}),
    verification: verification.prefault({}),
    tiers: boundedList(tier, { max: MAX_TIERS }).prefault([]),
    rules: boundedList(rule, { max: MAX_RULES }).prefault([]),
    externalSearch: z.boolean().default(false),
    enrolOnSight: z.boolean().default(false),
    neverBlockSales: z.boolean().default(true),
  })
  .transform(({ earnPercent, spend: { sharePercent, ...spending }, ...rest }): Programme => {
    return { ...rest, earnPercentHundredths: earnPercent, spend: { ...spending, sharePercentHundredths: sharePercent } };
  });

/** Kind and value come from the same object of the union `rule`, so their types agree. */
function effectOf(kind: Effect["kind"], value: number | string): Effect {
  if (typeof value === "string") return { kind: "message", text: value };
  switch (kind) {
    case "percent":
      return { kind, percentHundredths: value };
    case "fixed-price":
    case "bundle":
      return { kind, priceKopecks: value };
    case "multiplier":
      return { kind, factorHundredths: value };
    default:
      return { kind: "points", points: value };
  }
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && wallFromUtc(wallAsUtcMs(`${text} 00:00:00`)).slice(0, 10) === text;
}

function rangeOf(given: number | string): HourRange | undefined {
  if (typeof given === "number") {
    return Number.isInteger(given) && given >= 0 && given <= 23 ? { fromMinute: given * 60, toMinute: (given + 1) * 60 } : undefined;
  }
  const match = /^(\d{1,2})(?::([0-5]\d))?-(\d{1,2})(?::([0-5]\d))?$/.exec(given);
  if (match === null) return undefined;
  const [, fromHour = "", fromRest = "0", toHour = "", toRest = "0"] = match;
  const range = { fromMinute: Number(fromHour) * 60 + Number(fromRest), toMinute: Number(toHour) * 60 + Number(toRest) };
  return range.fromMinute < 1_440 && range.toMinute <= 1_440 && range.fromMinute !== range.toMinute ? range : undefined;
}
