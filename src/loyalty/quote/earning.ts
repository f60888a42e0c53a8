import { divideHalfUp } from "../../kernel/decimal.ts";
import { MAX_MOVED_POINTS } from "../programme/bounds.ts";
import type { Programme, Rounding, Rule } from "../programme/programme.ts";
import type { MatchedRule } from "./discounts.ts";
import type { Spending } from "./spending.ts";
import type { Why } from "./trace.ts";

export interface Earning {
  points: number;
  /** The kopecks of each line that earn points, times the line's factor. Returns take points back by these weights. */
  lineKopecks: number[];
  whys: Map<Rule, Why>;
}

interface EarningInput {
  programme: Programme;
  tier: string | null;
  /** Multiplier and points rules that have matched, in their order. */
  rules: readonly MatchedRule[];
  sumsKopecks: readonly number[];
  spending: Spending;
}

/** Denominator of factor × percent × multiplier: each of them is in hundredths, and a percent is a hundredth itself. */
const SCALE = 100n * 100n * 100n * 100n;

/**
 * Computes the points that a sale earns. Of each line the money counts, and the part paid with points when the programme says so, times the
 * factor of the line's rules. The sum is multiplied by the percent and the multiplier of the programme or tier and rounded once (surface
 * 8). Then come the points that rules add. Within a group of rules the highest value counts, and groups add up: factors of 2 and 3 in two
 * groups make 4.
 */
export function earningOf(input: EarningInput): Earning {
  const { programme, tier, rules, sumsKopecks, spending } = input;
  const whys = new Map<Rule, Why>();
  if (spending.points > 0 && !programme.earnWhileSpending) {
    for (const { rule } of rules) whys.set(rule, { code: "spending" });
    return { points: 0, lineKopecks: sumsKopecks.map(() => 0), whys };
  }
  const factors = factorsOf(rules, sumsKopecks.length, whys);
  const weights = sumsKopecks.map((sum, line) => {
    const base = programme.earnOnPoints ? sum : sum - (spending.lineKopecks[line] ?? 0);
    return BigInt(base) * BigInt(factors[line] ?? 100);
  });
  const own = programme.tiers.find(({ name }) => name === tier);
  const percent = BigInt(own?.percentHundredths ?? programme.earnPercentHundredths) * BigInt(own?.multiplierHundredths ?? 100);
  const exact = weights.reduce((sum, weight) => sum + weight, 0n) * percent;
  const points = rounded(exact, SCALE * BigInt(programme.pointValueKopecks), programme.rounding);
  return {
    points: Math.min(MAX_MOVED_POINTS, points + addedPoints(rules, whys)),
    lineKopecks: weights.map((weight) => Number(divideHalfUp(weight, 100n))),
    whys,
  };
}

/** Returns the factor of each line, in hundredths. */
function factorsOf(rules: readonly MatchedRule[], lines: number, whys: Map<Rule, Why>): number[] {
  const factors = new Array<number>(lines).fill(100);
  for (const group of grouped(rules, "multiplier")) {
    const best = new Map<number, Rule>();
    for (const { rule, lines } of group) for (const line of lines) if (factorOf(rule) > factorOf(best.get(line))) best.set(line, rule);
    for (const [line, rule] of best) factors[line] = (factors[line] ?? 100) + factorOf(rule) - 100;
    for (const { rule, lines } of group) {
      const won = lines.filter((line) => best.get(line) === rule).length;
      const winner = lines.map((line) => best.get(line)).find((each) => each !== undefined);
      if (won > 0) whys.set(rule, { code: "multiplied", factorHundredths: factorOf(rule), lines: won });
      else whys.set(rule, winner === undefined ? { code: "no-gain" } : { code: "outdone", by: winner.id });
    }
  }
  return factors.map((factor) => Math.max(0, factor));
}

function addedPoints(rules: readonly MatchedRule[], whys: Map<Rule, Why>): number {
  let points = 0;
  for (const group of grouped(rules, "points")) {
    let best: Rule | undefined;
    for (const { rule } of group) if (pointsOf(rule) > pointsOf(best)) best = rule;
    points += pointsOf(best);
    for (const { rule } of group) {
      if (rule === best || best === undefined) whys.set(rule, { code: "added", points: pointsOf(rule) });
      else whys.set(rule, { code: "outdone", by: best.id });
    }
  }
  return points;
}

function grouped(rules: readonly MatchedRule[], kind: "multiplier" | "points"): MatchedRule[][] {
  return [
    ...Map.groupBy(
      rules.filter(({ rule }) => rule.effect.kind === kind),
      ({ rule }) => rule.group,
    ).values(),
  ];
}

/** Returns -1 without a rule, so that a factor of 0 is above it. */
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
