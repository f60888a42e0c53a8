import type { Stepped } from "../../kernel/work/stepped.ts";
import type { Rule } from "../programme/programme.ts";
import { type BundleReductions, bundled, dearestFirst } from "./bundles.ts";
import type { RuleContext } from "./conditions.ts";
import { lineKopecks } from "./line.ts";
import type { Why } from "./trace.ts";

export interface MatchedRule {
  rule: Rule;
  lines: readonly number[];
}

interface DiscountedLine {
  /** The price of one unit. The price of a set (a bundle rule) may make the sum lower than price × quantity. */
  unitKopecks: number;
  sumKopecks: number;
}

export interface Discounts {
  lines: DiscountedLine[];
  whys: Map<Rule, Why>;
}

/**
 * A reduction of the price of each line's unit: whole kopecks and ten-thousandths of a kopeck. Both numbers are exact, and big integers
 * would take ten times as long for a thousand lines and two hundred groups.
 */
class UnitReductions {
  readonly kopecks: Float64Array;
  readonly tenThousandths: Float64Array;

  constructor(lines: number) {
    this.kopecks = new Float64Array(lines);
    this.tenThousandths = new Float64Array(lines);
  }
}

/** The best unit reduction of each line in one group. */
interface BestUnits extends UnitReductions {
  rules: (Rule | undefined)[];
}

/** The set price of each line in one group, and the line's part of the saved amount. */
interface BestBundles {
  rules: (Rule | undefined)[];
  kopecks: Float64Array;
}

const SCALE = 10_000;

/** The units of work (`Stepped`) for one line when a set price is computed. */
const UNITS_OF_SET = 10;

/**
 * Applies percent, fixed-price and bundle rules. In each group, the rule that is best for the buyer applies to each line. A set price
 * applies to all its lines or to none. The reductions of the groups are added, each computed from the undiscounted price. No line falls
 * below zero. A unit price is rounded once, half up. `rules`: in the order of precedence.
 */
export function* discountsOf(rules: readonly MatchedRule[], context: RuleContext): Stepped<Discounts> {
  const whys = new Map<Rule, Why>();
  const groups = Map.groupBy(rules, ({ rule }) => rule.group);
  const dearest = rules.some(isBundle) ? dearestFirst(context) : [];
  const units = new UnitReductions(context.positions.length);
  const bundleKopecks = new Float64Array(context.positions.length);
  for (const group of groups.values()) {
    const best = group.every(isBundle) ? undefined : yield* bestUnits(group, context);
    const bundles = yield* bestBundles(group, best, dearest, context, whys);
    recordOutcomes(group, { units: best, bundles }, context, whys);
    yield 2 * context.positions.length;
    for (const line of bundles === undefined ? [] : context.allLines)
      bundleKopecks[line] = (bundleKopecks[line] ?? 0) + (bundles?.kopecks[line] ?? 0);
    if (best !== undefined) addUnits(units, best, bundles);
  }
  const lines = context.positions.map(({ priceKopecks, quantityMillionths }, line): DiscountedLine => {
    const unitKopecks = reducedUnit(priceKopecks, units, line);
    const sumKopecks = Math.max(0, lineKopecks(unitKopecks, quantityMillionths) - (bundleKopecks[line] ?? 0));
    return { unitKopecks, sumKopecks };
  });
  return { lines, whys };
}

function isBundle({ rule }: MatchedRule): boolean {
  return rule.effect.kind === "bundle";
}

/** Adds the unit reductions of a group, except on the lines that have a set price in this group. */
function addUnits(sum: UnitReductions, group: BestUnits, bundles: BestBundles | undefined): void {
  for (const [line, rule] of group.rules.entries()) {
    if (rule === undefined || bundles?.rules[line] !== undefined) continue;
    const tenThousandths = (sum.tenThousandths[line] ?? 0) + (group.tenThousandths[line] ?? 0);
    const carried = tenThousandths >= SCALE ? 1 : 0;
    sum.kopecks[line] = (sum.kopecks[line] ?? 0) + (group.kopecks[line] ?? 0) + carried;
    sum.tenThousandths[line] = tenThousandths - carried * SCALE;
  }
}

/** Returns the largest unit reduction of each line. Among equal reductions the earlier rule wins. */
function* bestUnits(group: readonly MatchedRule[], context: RuleContext): Stepped<BestUnits> {
  const count = context.positions.length;
  const best: BestUnits = Object.assign(new UnitReductions(count), { rules: new Array<Rule | undefined>(count).fill(undefined) });
  for (const { rule, lines } of group) {
    if (rule.effect.kind === "bundle") continue;
    for (const line of lines) {
      const [kopecks, tenThousandths] = unitReduction(rule, context.positions[line]?.priceKopecks ?? 0);
      const more = kopecks - (best.kopecks[line] ?? 0) || tenThousandths - (best.tenThousandths[line] ?? 0);
      if (more <= 0) continue;
      best.kopecks[line] = kopecks;
      best.tenThousandths[line] = tenThousandths;
      best.rules[line] = rule;
    }
    yield lines.length;
  }
  return best;
}

/** Returns whole kopecks and ten-thousandths, at most 9,999. The price is divided first, because price × percent may exceed 53 bits. */
function unitReduction({ effect }: Rule, priceKopecks: number): [kopecks: number, tenThousandths: number] {
  if (effect.kind === "fixed-price") return [priceKopecks - effect.priceKopecks, 0];
  if (effect.kind !== "percent") return [0, 0];
  const low = priceKopecks % SCALE;
  const part = low * effect.percentHundredths;
  const tenThousandths = part % SCALE;
  return [((priceKopecks - low) / SCALE) * effect.percentHundredths + (part - tenThousandths) / SCALE, tenThousandths];
}

/**
 * Returns the set prices that save more on their lines than the rules for unit prices. Chooses the largest saving first. A line gets at
 * most one set price.
 */
function* bestBundles(
  group: readonly MatchedRule[],
  units: BestUnits | undefined,
  dearest: readonly number[],
  context: RuleContext,
  whys: Map<Rule, Why>,
): Stepped<BestBundles | undefined> {
  const offers: { rule: Rule; reductions: BundleReductions; kopecks: number }[] = [];
  for (const matched of group) {
    const { rule } = matched;
    if (rule.effect.kind !== "bundle") continue;
    const result = bundled(matched, rule.effect.priceKopecks, dearest, context);
    if (result.kind === "cheaper") offers.push({ rule, reductions: result, kopecks: sumOf(result.kopecks) });
    else whys.set(rule, { code: result.kind === "incomplete" ? "set-incomplete" : "no-gain" });
    yield UNITS_OF_SET * context.positions.length;
  }
  if (offers.length === 0) return undefined;
  const count = context.positions.length;
  const taken: BestBundles = { rules: new Array<Rule | undefined>(count).fill(undefined), kopecks: new Float64Array(count) };
  const savedKopecks = units === undefined ? undefined : savedByUnits(units, context);
  // The sort is stable: equal savings keep the order of the rules.
  for (const { rule, reductions, kopecks } of offers.sort((a, b) => b.kopecks - a.kopecks)) {
    yield reductions.lines.length;
    const rival = firstOf(taken.rules, reductions.lines) ?? betterUnit(reductions, kopecks, units, savedKopecks);
    if (rival !== undefined) {
      whys.set(rule, { code: "outdone", by: rival.id });
      continue;
    }
    reductions.lines.forEach((line, nth) => {
      taken.rules[line] = rule;
      taken.kopecks[line] = reductions.kopecks[nth] ?? 0;
    });
  }
  return taken;
}

/** Returns what the unit rules of a group save on each line, as if the group had no set prices. */
function savedByUnits(units: BestUnits, { positions }: RuleContext): number[] {
  return positions.map(({ priceKopecks, quantityMillionths }, line) =>
    units.rules[line] === undefined
      ? 0
      : lineKopecks(priceKopecks, quantityMillionths) - lineKopecks(reducedUnit(priceKopecks, units, line), quantityMillionths),
  );
}

/** Returns one of the unit-price rules of these lines, when these rules together save at least as much as the set price. */
function betterUnit(
  { lines }: BundleReductions,
  kopecks: number,
  units: BestUnits | undefined,
  savedKopecks: readonly number[] | undefined,
): Rule | undefined {
  if (units === undefined || savedKopecks === undefined) return undefined;
  if (lines.reduce((sum, line) => sum + (savedKopecks[line] ?? 0), 0) < kopecks) return undefined;
  return firstOf(units.rules, lines);
}

function firstOf(rules: readonly (Rule | undefined)[], lines: readonly number[]): Rule | undefined {
  for (const line of lines) if (rules[line] !== undefined) return rules[line];
  return undefined;
}

function recordOutcomes(
  group: readonly MatchedRule[],
  { units, bundles }: { units: BestUnits | undefined; bundles: BestBundles | undefined },
  context: RuleContext,
  whys: Map<Rule, Why>,
): void {
  const winnerOf = (line: number) => bundles?.rules[line] ?? units?.rules[line];
  const counts = new Map<Rule, number>();
  let [last, count]: [Rule | undefined, number] = [undefined, 0];
  for (const line of context.allLines) {
    const winner = winnerOf(line);
    if (winner === undefined) continue;
    // Most lines have the same winner as the line before.
    if (winner !== last) {
      if (last !== undefined) counts.set(last, count);
      [last, count] = [winner, counts.get(winner) ?? 0];
    }
    count += 1;
  }
  if (last !== undefined) counts.set(last, count);
  for (const { rule, lines } of group) {
    if (whys.has(rule)) continue;
    const won = counts.get(rule);
    if (won !== undefined) whys.set(rule, { code: "discounted", lines: won });
    else whys.set(rule, lossOf(rule, lines, winnerOf, context));
  }
}

function lossOf(rule: Rule, lines: readonly number[], winnerOf: (line: number) => Rule | undefined, context: RuleContext): Why {
  const reduces = ([kopecks, tenThousandths]: readonly [number, number]) => kopecks > 0 || (kopecks === 0 && tenThousandths > 0);
  const isOutdone = (line: number) =>
    winnerOf(line) !== undefined && reduces(unitReduction(rule, context.positions[line]?.priceKopecks ?? 0));
  const line = lines.find(isOutdone);
  const winner = line === undefined ? undefined : winnerOf(line);
  return winner === undefined ? { code: "no-gain" } : { code: "outdone", by: winner.id };
}

/** Rounds half up. A reduction of half a kopeck leaves half a kopeck, which is rounded up to the whole kopeck. */
function reducedUnit(priceKopecks: number, { kopecks, tenThousandths }: UnitReductions, line: number): number {
  const roundedKopecks = (kopecks[line] ?? 0) + ((tenThousandths[line] ?? 0) > SCALE / 2 ? 1 : 0);
  return Math.max(0, priceKopecks - roundedKopecks);
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const each of numbers) sum += each;
  return sum;
}
