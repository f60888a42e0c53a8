import { divideHalfUp } from "../../kernel/decimal.ts";
import type { Rule } from "../programme/programme.ts";
import { bundled } from "./bundles.ts";
import { lineKopecks } from "./line.ts";
import type { RuleContext } from "./matching.ts";
import type { Why } from "./trace.ts";

export interface MatchedRule {
  rule: Rule;
  lines: readonly number[];
}

interface DiscountedLine {
  /** The price of one unit. A set price may make the sum lower than price × quantity. */
  unitKopecks: number;
  sumKopecks: number;
}

export interface Discounts {
  lines: DiscountedLine[];
  whys: Map<Rule, Why>;
}

/** The reductions of one group. Unit reductions are exact, in ten-thousandths of a kopeck. */
interface GroupReductions {
  units: Map<number, { rule: Rule; tenThousandths: bigint }>;
  bundles: Map<number, { rule: Rule; kopecks: number }>;
}

const SCALE = 10_000n;

/**
 * Applies percent, fixed-price and bundle rules. In each group, the rule that is best for the buyer applies to each line. A set price
 * applies to all its lines or to none. The reductions of the groups are added, each computed from the undiscounted price. No line falls
 * below zero. A unit price is rounded once, half up. `rules`: in the order of precedence.
 */
export function discountsOf(rules: readonly MatchedRule[], context: RuleContext): Discounts {
  const whys = new Map<Rule, Why>();
  const groups = new Map<string, MatchedRule[]>();
  for (const matched of rules) {
    const group = groups.get(matched.rule.group);
    if (group === undefined) groups.set(matched.rule.group, [matched]);
    else group.push(matched);
  }
  const reductions = [...groups.values()].map((group) => groupReductions(group, context, whys));
  return { lines: context.positions.map((_, line) => discountedLine(line, reductions, context)), whys };
}

function groupReductions(group: readonly MatchedRule[], context: RuleContext, whys: Map<Rule, Why>): GroupReductions {
  const units = bestUnits(group, context);
  const bundles = bestBundles(group, units, context, whys);
  for (const line of bundles.keys()) units.delete(line);
  recordOutcomes(group, { units, bundles }, context, whys);
  return { units, bundles };
}

/** Returns the largest unit reduction of each line. Among equal reductions the earlier rule wins. */
function bestUnits(group: readonly MatchedRule[], context: RuleContext): GroupReductions["units"] {
  const best: GroupReductions["units"] = new Map();
  for (const { rule, lines } of group) {
    if (rule.effect.kind === "bundle") continue;
    for (const line of lines) {
      const tenThousandths = unitReduction(rule, context.positions[line]?.priceKopecks ?? 0);
      if (tenThousandths > (best.get(line)?.tenThousandths ?? 0n)) best.set(line, { rule, tenThousandths });
    }
  }
  return best;
}

function unitReduction({ effect }: Rule, priceKopecks: number): bigint {
  if (effect.kind === "percent") return BigInt(priceKopecks) * BigInt(effect.percentHundredths);
  return effect.kind === "fixed-price" ? BigInt(priceKopecks - effect.priceKopecks) * SCALE : 0n;
}

/**
 * Returns the set prices that save more on their lines than the rules for unit prices. Chooses the largest saving first. A line gets at
 * most one set price.
 */
function bestBundles(
  group: readonly MatchedRule[],
  units: GroupReductions["units"],
  context: RuleContext,
  whys: Map<Rule, Why>,
): GroupReductions["bundles"] {
  const offers = group.flatMap(({ rule, lines }) => {
    if (rule.effect.kind !== "bundle") return [];
    const result = bundled(rule, rule.effect.priceKopecks, lines, context);
    if (result.kind === "cheaper") return [{ rule, reductions: result.reductionKopecks, kopecks: sumOf(result.reductionKopecks.values()) }];
    whys.set(rule, { code: result.kind === "incomplete" ? "set-incomplete" : "no-gain" });
    return [];
  });
  const taken: GroupReductions["bundles"] = new Map();
  // The sort is stable: equal savings keep the order of the rules.
  for (const { rule, reductions, kopecks } of offers.sort((a, b) => b.kopecks - a.kopecks)) {
    const lines = [...reductions.keys()];
    const rival =
      lines.map((line) => taken.get(line)?.rule).find((each) => each !== undefined) ?? betterUnit(lines, kopecks, units, context);
    if (rival !== undefined) whys.set(rule, { code: "outdone", by: rival.id });
    else for (const [line, part] of reductions) taken.set(line, { rule, kopecks: part });
  }
  return taken;
}

/** Returns one of the unit-price rules of these lines, when these rules together save at least as much as the set price. */
function betterUnit(lines: readonly number[], kopecks: number, units: GroupReductions["units"], context: RuleContext): Rule | undefined {
  const saved = lines.map((line) => {
    const { priceKopecks = 0, quantityMillionths = 0 } = context.positions[line] ?? {};
    const unitKopecks = reducedUnit(priceKopecks, units.get(line)?.tenThousandths ?? 0n);
    return lineKopecks(priceKopecks, quantityMillionths) - lineKopecks(unitKopecks, quantityMillionths);
  });
  if (sumOf(saved) < kopecks) return undefined;
  return lines.map((line) => units.get(line)?.rule).find((rule) => rule !== undefined);
}

function recordOutcomes(
  group: readonly MatchedRule[],
  { units, bundles }: GroupReductions,
  context: RuleContext,
  whys: Map<Rule, Why>,
): void {
  const winners = new Map<number, Rule>([...units, ...bundles].map(([line, { rule }]) => [line, rule]));
  const counts = new Map<Rule, number>();
  for (const rule of winners.values()) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  for (const { rule, lines } of group) {
    if (whys.has(rule)) continue;
    const won = counts.get(rule);
    if (won !== undefined) whys.set(rule, { code: "discounted", lines: won });
    else whys.set(rule, lossOf(rule, lines, winners, context));
  }
}

function lossOf(rule: Rule, lines: readonly number[], winners: ReadonlyMap<number, Rule>, context: RuleContext): Why {
  const isOutdone = (line: number) => winners.has(line) && unitReduction(rule, context.positions[line]?.priceKopecks ?? 0) > 0n;
  const line = lines.find(isOutdone);
  const winner = line === undefined ? undefined : winners.get(line);
  return winner === undefined ? { code: "no-gain" } : { code: "outdone", by: winner.id };
}

function discountedLine(line: number, groups: readonly GroupReductions[], context: RuleContext): DiscountedLine {
  const { priceKopecks = 0, quantityMillionths = 0 } = context.positions[line] ?? {};
  const reduction = groups.reduce((sum, { units }) => sum + (units.get(line)?.tenThousandths ?? 0n), 0n);
  const unitKopecks = reducedUnit(priceKopecks, reduction);
  const bundleKopecks = sumOf(groups.map(({ bundles }) => bundles.get(line)?.kopecks ?? 0));
  return { unitKopecks, sumKopecks: Math.max(0, lineKopecks(unitKopecks, quantityMillionths) - bundleKopecks) };
}

function reducedUnit(priceKopecks: number, tenThousandths: bigint): number {
  if (tenThousandths === 0n) return priceKopecks;
  const exact = BigInt(priceKopecks) * SCALE - tenThousandths;
  return exact <= 0n ? 0 : Number(divideHalfUp(exact, SCALE));
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const each of numbers) sum += each;
  return sum;
}
