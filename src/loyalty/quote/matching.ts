import { wallAsUtcMs, wallTimeAt } from "../../kernel/moment.ts";
import type { Conditions, HourRange, Rule } from "../programme/programme.ts";
import { lineKopecks, type QuotePosition } from "./line.ts";
import type { Why } from "./trace.ts";

/** What the conditions of rules are held against, worked out once for all of them. */
export interface Scene {
  storeId: string;
  /** YYYY-MM-DD at the point of sale. */
  date: string;
  /** 1 (Monday) to 7. */
  day: number;
  minute: number;
  totalKopecks: number;
  tier: string | null;
  isFirstPurchase: boolean;
  /** To the nearest birthday; null: not known. */
  daysToBirthday: number | null;
  positions: readonly QuotePosition[];
  allLines: readonly number[];
  /**
   * The indexes of the lines by product and by folder. With them a rule that names goods looks at the lines of these goods only.
   */
  byProduct: ReadonlyMap<string, readonly number[]>;
  byGroup: ReadonlyMap<string, readonly number[]>;
}

interface SceneInput {
  storeId: string;
  zone: string;
  nowMs: number;
  positions: readonly QuotePosition[];
  tier: string | null;
  hasBought: boolean;
  /** MM-DD. */
  birthday?: string;
}

export function sceneOf({ storeId, zone, nowMs, positions, tier, hasBought, birthday }: SceneInput): Scene {
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

/** Whether all conditions of a rule hold, and for which lines; the first one that fails says why not. */
export function matchRule(rule: Rule, scene: Scene): RuleMatch {
  const why = failedOfReceipt(rule, scene);
  if (why !== undefined) return { kind: "failed", why };
  const lines = linesNamed(rule.when, scene);
  if (lines.length === 0) return { kind: "failed", why: { code: "goods" } };
  const least = rule.when.leastQuantityMillionths;
  if (least === undefined) return { kind: "matched", lines };
  const found = lines.reduce((sum, index) => sum + (scene.positions[index]?.quantityMillionths ?? 0), 0);
  return found >= least
    ? { kind: "matched", lines }
    : { kind: "failed", why: { code: "quantity", leastMillionths: least, foundMillionths: found } };
}

/** Numbers of the lines whose product or folder is named, in the order of the receipt; all lines where nothing is named. */
export function linesNamed({ products, groups }: Pick<Conditions, "products" | "groups">, scene: Scene): readonly number[] {
  if (products === undefined && groups === undefined) return scene.allLines;
  const named = new Set<number>();
  for (const id of products ?? []) for (const index of scene.byProduct.get(id) ?? []) named.add(index);
  for (const id of groups ?? []) for (const index of scene.byGroup.get(id) ?? []) named.add(index);
  return [...named].sort((a, b) => a - b);
}

function failedOfReceipt({ from, to, when }: Rule, scene: Scene): Why | undefined {
  const { storeId, date, day, minute } = scene;
  if (from !== undefined && date < from) return { code: "not-yet", from };
  if (to !== undefined && date > to) return { code: "over", to };
  if (when.stores?.includes(storeId) === false) return { code: "store", storeId };
  if (when.days?.includes(day) === false) return { code: "day", day };
  if (when.hours?.some((range) => isWithin(minute, range)) === false) return { code: "hour", minute };
  return failedOfTotal(when, scene) ?? failedOfMember(when, scene);
}

function failedOfTotal({ leastTotalKopecks }: Conditions, { totalKopecks }: Scene): Why | undefined {
  return leastTotalKopecks === undefined || totalKopecks >= leastTotalKopecks
    ? undefined
    : { code: "total", leastKopecks: leastTotalKopecks, foundKopecks: totalKopecks };
}

function failedOfMember({ tier, firstPurchase, birthdayWithinDays }: Conditions, scene: Scene): Why | undefined {
  if (tier !== undefined && scene.tier !== tier) return { code: "tier", wanted: tier, has: scene.tier };
  if (firstPurchase !== undefined && scene.isFirstPurchase !== firstPurchase) return { code: "first-purchase", wanted: firstPurchase };
  if (birthdayWithinDays === undefined) return undefined;
  const { daysToBirthday: daysAway } = scene;
  return daysAway !== null && daysAway <= birthdayWithinDays ? undefined : { code: "birthday", withinDays: birthdayWithinDays, daysAway };
}

function isWithin(minute: number, { fromMinute, toMinute }: HourRange): boolean {
  return fromMinute < toMinute ? minute >= fromMinute && minute < toMinute : minute >= fromMinute || minute < toMinute;
}

const DAY_MS = 86_400_000;

/** Of the birthdays of three years the nearest. Whoever was born on 29 February has the 1 March of other years. */
function daysToBirthday(birthday: string, date: string): number | null {
  const match = /^(\d{2})-(\d{2})$/.exec(birthday);
  if (match === null) return null;
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
