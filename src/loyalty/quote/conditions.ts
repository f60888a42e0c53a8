import { wallAsUtcMs, wallTimeAt } from "../../kernel/moment.ts";
import type { Conditions, HourRange, Rule } from "../programme/programme.ts";
import { lineKopecks, type QuotePosition } from "./line.ts";
import type { Why } from "./trace.ts";

export interface RuleContext {
  storeId: string;
  /** YYYY-MM-DD at the point of sale. */
  date: string;
  /** 1 (Monday) to 7. */
  day: number;
  minute: number;
  totalKopecks: number;
  tier: string | null;
  isFirstPurchase: boolean;
  /** Days to the nearest birthday. Null: unknown. */
  daysToBirthday: number | null;
  positions: readonly QuotePosition[];
  allLines: readonly number[];
  /** Line numbers by product and by folder, so that a rule reads only the lines of its goods. */
  byProduct: ReadonlyMap<string, readonly number[]>;
  byGroup: ReadonlyMap<string, readonly number[]>;
}

interface RuleContextInput {
  storeId: string;
  zone: string;
  nowMs: number;
  positions: readonly QuotePosition[];
  tier: string | null;
  hasBought: boolean;
  /** Month and day: MM-DD. */
  birthday?: string;
}

/** Computes the facts for the conditions of rules. Day and time are in the zone. */
export function ruleContextOf({ storeId, zone, nowMs, positions, tier, hasBought, birthday }: RuleContextInput): RuleContext {
  const wall = wallTimeAt(nowMs, zone);
  const date = wall.slice(0, 10);
  return {
    storeId,
    date,
    day: new Date(wallAsUtcMs(wall)).getUTCDay() || 7,
    minute: Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14, 16)),
    totalKopecks: positions.reduce((sum, { priceKopecks, quantityMillionths }) => sum + lineKopecks(priceKopecks, quantityMillionths), 0),
    tier,
    isFirstPurchase: !hasBought,
    daysToBirthday: birthday === undefined ? null : daysToBirthday(birthday, date),
    positions,
    allLines: positions.map((_, index) => index),
    byProduct: indexed(positions, ({ productId }) => [productId]),
    byGroup: indexed(positions, ({ groupIds }) => groupIds),
  };
}

type RuleMatch = { kind: "matched"; lines: readonly number[] } | { kind: "failed"; why: Why };

/** Returns the lines that meet all conditions of a rule, or the first failed condition. */
export function matchRule(rule: Rule, context: RuleContext): RuleMatch {
  const why = failedOfReceipt(rule, context);
  if (why !== undefined) return { kind: "failed", why };
  const lines = linesNamed(rule.when, context);
  if (lines.length === 0) return { kind: "failed", why: { code: "goods" } };
  const least = rule.when.leastQuantityMillionths;
  if (least === undefined) return { kind: "matched", lines };
  const found = lines.reduce((sum, index) => sum + boughtMillionths(context.positions[index]), 0);
  return found >= least
    ? { kind: "matched", lines }
    : { kind: "failed", why: { code: "quantity", leastMillionths: least, foundMillionths: found } };
}

/** Returns the numbers of the lines with a named product or folder, in the order of the receipt. Without names: all lines. */
export function linesNamed({ products, groups }: Pick<Conditions, "products" | "groups">, context: RuleContext): readonly number[] {
  if (products === undefined && groups === undefined) return context.allLines;
  const [id, another] = [...(products ?? []), ...(groups ?? [])];
  // The lines of one product or folder are in the order of the receipt already. They are not sorted again, because two hundred rules may
  // name the product or folder.
  if (id !== undefined && another === undefined) return (products === undefined ? context.byGroup : context.byProduct).get(id) ?? [];
  const named = new Set<number>();
  for (const id of products ?? []) for (const index of context.byProduct.get(id) ?? []) named.add(index);
  for (const id of groups ?? []) for (const index of context.byGroup.get(id) ?? []) named.add(index);
  return [...named].sort((a, b) => a - b);
}

/** Returns the quantity that counts as bought. Free goods are a gift and do not count (loyalty-model 19). */
function boughtMillionths(position: QuotePosition | undefined): number {
  return position === undefined || position.priceKopecks === 0 ? 0 : position.quantityMillionths;
}

function failedOfReceipt({ from, to, when }: Rule, context: RuleContext): Why | undefined {
  const { storeId, date, day, minute } = context;
  if (from !== undefined && date < from) return { code: "not-yet", from };
  if (to !== undefined && date > to) return { code: "over", to };
  if (when.stores?.includes(storeId) === false) return { code: "store", storeId };
  if (when.days?.includes(day) === false) return { code: "day", day };
  if (when.hours?.some((range) => isWithin(minute, range)) === false) return { code: "hour", minute };
  return failedOfTotal(when, context) ?? failedOfMember(when, context);
}

function failedOfTotal({ leastTotalKopecks }: Conditions, { totalKopecks }: RuleContext): Why | undefined {
  return leastTotalKopecks === undefined || totalKopecks >= leastTotalKopecks
    ? undefined
    : { code: "total", leastKopecks: leastTotalKopecks, foundKopecks: totalKopecks };
}

function failedOfMember({ tier, firstPurchase, birthdayWithinDays }: Conditions, context: RuleContext): Why | undefined {
  if (tier !== undefined && context.tier !== tier) return { code: "tier", wanted: tier, has: context.tier };
  if (firstPurchase !== undefined && context.isFirstPurchase !== firstPurchase) return { code: "first-purchase", wanted: firstPurchase };
  if (birthdayWithinDays === undefined) return undefined;
  const { daysToBirthday: daysAway } = context;
  return daysAway !== null && daysAway <= birthdayWithinDays ? undefined : { code: "birthday", withinDays: birthdayWithinDays, daysAway };
}

function isWithin(minute: number, { fromMinute, toMinute }: HourRange): boolean {
  return fromMinute < toMinute ? minute >= fromMinute && minute < toMinute : minute >= fromMinute || minute < toMinute;
}

const DAY_MS = 86_400_000;

const LEAP_YEAR = 2000;

/**
 * Returns the days to the nearest birthday of the last, this and the next year. 29 February counts as 1 March in other years. Null: not a
 * date. Tills send dates such as 0000-00-00 for unknown birthdays.
 */
function daysToBirthday(birthday: string, date: string): number | null {
  const match = /^(\d{2})-(\d{2})$/.exec(birthday);
  if (match === null || new Date(Date.UTC(LEAP_YEAR, Number(match[1]) - 1, Number(match[2]))).toISOString().slice(5, 10) !== birthday)
    return null;
  const todayMs = wallAsUtcMs(`${date} 00:00:00`);
  const year = Number(date.slice(0, 4));
  const distances = [year - 1, year, year + 1].map((each) => Math.abs(Date.UTC(each, Number(match[1]) - 1, Number(match[2])) - todayMs));
  return Math.round(Math.min(...distances) / DAY_MS);
}

function indexed(positions: readonly QuotePosition[], idsOf: (position: QuotePosition) => readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (const [number, position] of positions.entries()) {
    for (const id of idsOf(position)) {
      const numbers = index.get(id);
      if (numbers === undefined) index.set(id, [number]);
      else numbers.push(number);
    }
  }
  return index;
}
