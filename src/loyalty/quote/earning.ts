import { divideHalfUp } from "../../kernel/decimal.ts";
import { MAX_KOPECKS } from "../../kernel/money.ts";
import type { Stepped } from "../../kernel/work/stepped.ts";
import type { Fraction } from "../points/fraction.ts";
import { MAX_MOVED_POINTS } from "../programme/bounds.ts";
import type { Programme, Rounding, Rule } from "../programme/programme.ts";
import type { MatchedRule } from "./discounts.ts";
import type { Spending } from "./spending.ts";
import type { Why } from "./trace.ts";

export interface Earning {
  points: number;
  /**
   * Each line's weight in the points: its kopecks that earn, times its factor. Points added by rules count as the kopecks that would earn
   * them. Returns take points back by these weights.
   */
  lineKopecks: number[];
  whys: Map<Rule, Why>;
}

interface EarningInput {
  programme: Programme;
  tier: string | null;
  rules: readonly MatchedRule[];
  sumsKopecks: readonly number[];
  spending: Spending;
}

/** The denominator of factor × percent × multiplier: each of the three is in hundredths, and a percent is itself a hundredth. */
const SCALE = 100n * 100n * 100n * 100n;

/** A factor is in hundredths, so weights are in hundredths of a kopeck. */
const HUNDRED = 100n;

/** The extra precision of weights when rules add points: a thousand lines may share a few points. */
const PARTS = 1_000_000n;

/** The units of work (`Stepped`) for one line that is computed with big integers. */
const UNITS_OF_BIG = 5;

/**
 * Computes the points that a sale earns (surface 8). A line counts with its money times the factor of its rules. With `earnOnPoints`, the
 * part paid with points counts too. The sum is multiplied by the percent of the programme or of the tier, and by the tier's multiplier. The
 * result is rounded once. Then the points that rules add are added. A sale earns at most `MAX_MOVED_POINTS`.
 *
 * Within a group the highest value counts. Points of different groups are added. Of factors of different groups, the differences from 1 are
 * added: factors of 2 and 3 make 1 + 1 + 2 = 4. A factor is at least 0.
 */
export function* earningOf(input: EarningInput): Stepped<Earning> {
  const { programme, tier, rules, sumsKopecks, spending } = input;
  const whys = new Map<Rule, Why>();
  if (spending.points > 0 && !programme.earnWhileSpending) {
    for (const { rule } of rules) whys.set(rule, { code: "spending" });
    return { points: 0, lineKopecks: sumsKopecks.map(() => 0), whys };
  }
  const factors = yield* factorsOf(rules, sumsKopecks.length, whys);
  const baseKopecks = sumsKopecks.map((sum, line) => (programme.earnOnPoints ? sum : sum - (spending.lineKopecks[line] ?? 0)));
  const weights = baseKopecks.map((base, line) => BigInt(base) * BigInt(factors[line] ?? 100));
  const own = programme.tiers.find(({ name }) => name === tier);
  const percent = BigInt(own?.percentHundredths ?? programme.earnPercentHundredths) * BigInt(own?.multiplierHundredths ?? 100);
  const exact = weights.reduce((sum, weight) => sum + weight, 0n) * percent;
  const points = rounded(exact, SCALE * BigInt(programme.pointValueKopecks), programme.rounding);
  const added = addingRules(pricedRules(rules, sumsKopecks, whys), whys);
  const addedPoints = added.reduce((sum, { rule }) => sum + pointsOf(rule), 0);
  yield UNITS_OF_BIG * sumsKopecks.length;
  const pointWeight = { numerator: SCALE * BigInt(programme.pointValueKopecks), denominator: percent };
  const lineKopecks =
    addedPoints === 0
      ? kopecksOf(weights, HUNDRED)
      : kopecksOf(yield* withAdded(weights, added, { pointWeight, baseKopecks, sumsKopecks }), HUNDRED * PARTS);
  return { points: Math.min(MAX_MOVED_POINTS, points + addedPoints), lineKopecks, whys };
}

/**
 * Adds the points of rules to the weights of the lines. Without this a buyer could earn these points with goods that earn nothing else,
 * return the goods and keep the points. The lines of a rule share its points by the money that earns, or by their prices when points pay
 * for all of them. `pointWeight`: the weight that earns one point. Its denominator is 0 when only rules give points.
 */
function* withAdded(
  weights: readonly bigint[],
  added: readonly MatchedRule[],
  by: { pointWeight: Fraction; baseKopecks: readonly number[]; sumsKopecks: readonly number[] },
): Stepped<bigint[]> {
  const { numerator, denominator } = by.pointWeight;
  const sum = weights.map((weight) => (denominator === 0n ? 0n : weight * PARTS));
  for (const { rule, lines } of added) {
    const weight = (BigInt(pointsOf(rule)) * numerator * PARTS) / (denominator === 0n ? 1n : denominator);
    const [money, price] = [by.baseKopecks, by.sumsKopecks].map((kopecks) => lines.map((line) => BigInt(kopecks[line] ?? 0)));
    const parts = (totalOf(money ?? []) > 0n ? money : price) ?? [];
    const whole = totalOf(parts);
    for (const [nth, line] of lines.entries()) sum[line] = (sum[line] ?? 0n) + (weight * (parts[nth] ?? 0n)) / whole;
    yield UNITS_OF_BIG * lines.length;
  }
  return sum;
}

/**
 * Returns the weights in whole kopecks. If a weight is not whole, all weights are scaled up as far as the largest receipt sum allows.
 * Otherwise lines of less than half a kopeck would weigh nothing, and a return would not take their points back. `kopeck`: the weight that
 * equals one kopeck.
 */
function kopecksOf(weights: readonly bigint[], kopeck: bigint): number[] {
  const unit = weights.every((weight) => weight % kopeck === 0n) ? kopeck : 1n;
  const scale = unit * (totalOf(weights) / (unit * BigInt(MAX_KOPECKS)) + 1n);
  return weights.map((weight) => Number(divideHalfUp(weight, scale)));
}

function totalOf(numbers: readonly bigint[]): bigint {
  return numbers.reduce((sum, each) => sum + each, 0n);
}

function* factorsOf(rules: readonly MatchedRule[], lines: number, whys: Map<Rule, Why>): Stepped<number[]> {
  const factors = new Array<number>(lines).fill(100);
  for (const group of grouped(rules, "multiplier")) {
    const best = new Map<number, Rule>();
    for (const { rule, lines } of group) {
      for (const line of lines) if (factorOf(rule) > factorOf(best.get(line))) best.set(line, rule);
      yield 2 * lines.length;
    }
    for (const [line, rule] of best) factors[line] = (factors[line] ?? 100) + factorOf(rule) - 100;
    for (const { rule, lines } of group) {
      const won = lines.filter((line) => best.get(line) === rule).length;
      const winner = lines.map((line) => best.get(line)).find((each) => each !== undefined);
      if (won > 0) whys.set(rule, { code: "multiplied", factorHundredths: factorOf(rule), lines: won });
      else whys.set(rule, winner === undefined ? { code: "no-gain" } : { code: "outdone", by: winner.id });
      yield 2 * lines.length;
    }
  }
  return factors.map((factor) => Math.max(0, factor));
}

/**
 * Leaves out rules that add points when all their goods cost nothing. Nobody pays for such goods, so any number of receipts could earn the
 * points.
 */
function pricedRules(rules: readonly MatchedRule[], sumsKopecks: readonly number[], whys: Map<Rule, Why>): MatchedRule[] {
  return rules.filter(({ rule, lines }) => {
    if (rule.effect.kind !== "points" || lines.some((line) => (sumsKopecks[line] ?? 0) > 0)) return true;
    whys.set(rule, { code: "free" });
    return false;
  });
}

function addingRules(rules: readonly MatchedRule[], whys: Map<Rule, Why>): MatchedRule[] {
  const adding: MatchedRule[] = [];
  for (const group of grouped(rules, "points")) {
    let best: MatchedRule | undefined;
    for (const matched of group) if (pointsOf(matched.rule) > pointsOf(best?.rule)) best = matched;
    if (best !== undefined) adding.push(best);
    for (const { rule } of group) {
      if (rule === best?.rule || best === undefined) whys.set(rule, { code: "added", points: pointsOf(rule) });
      else whys.set(rule, { code: "outdone", by: best.rule.id });
    }
  }
  return adding;
}

function grouped(rules: readonly MatchedRule[], kind: "multiplier" | "points"): MatchedRule[][] {
  return [
    ...Map.groupBy(
      rules.filter(({ rule }) => rule.effect.kind === kind),
      ({ rule }) => rule.group,
    ).values(),
  ];
}

/** Returns the factor of the rule. Without a rule: -1, which is below a factor of 0. */
function factorOf(rule: Rule | undefined): number {
  return rule?.effect.kind === "multiplier" ? rule.effect.factorHundredths : -1;
}

function pointsOf(rule: Rule | undefined): number {
  return rule?.effect.kind === "points" ? rule.effect.points : 0;
}

function rounded(numerator: bigint, denominator: bigint, rounding: Rounding): number {
  switch (rounding) {
    case "down":
      return Number(numerator / denominator);
    case "half-up":
      return Number(divideHalfUp(numerator, denominator));
    case "up":
      return Number((numerator + denominator - 1n) / denominator);
  }
}
