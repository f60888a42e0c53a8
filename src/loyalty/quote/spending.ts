import { MAX_MOVED_POINTS } from "../programme/bounds.ts";
import type { Programme } from "../programme/programme.ts";
import { linesNamed, type RuleContext } from "./conditions.ts";
import { largestRemainder } from "./spread.ts";

/** `lineKopecks`: the part of each line that points pay. */
export interface Spending {
  points: number;
  kopecks: number;
  lineKopecks: number[];
}

interface SpendingInput {
  programme: Programme;
  context: RuleContext;
  sumsKopecks: readonly number[];
  availablePoints: number;
  /** Absent: as many as possible. */
  preferredPoints?: number;
}

/**
 * Computes the spent points and the lines that they pay. Spends the number that the buyer wants, rounded down to the step. Without such a
 * number, or when it is above the limit, spends the limit (platform-contracts 6.3). Points and the value of a point are whole numbers, so
 * points pay exactly their worth.
 */
export function spendingOf(input: SpendingInput): Spending {
  const { programme, context, sumsKopecks, preferredPoints } = input;
  const excluded = new Set(linesNamed({ products: programme.spend.excluded, groups: programme.spend.excluded }, context));
  const eligible = sumsKopecks.map((sum, line) => (excluded.has(line) ? 0 : sum));
  const limit = limitPoints(input, total(eligible));
  const points = preferredPoints === undefined || preferredPoints > limit ? limit : inSteps(preferredPoints, programme.spend.step);
  const kopecks = points * programme.pointValueKopecks;
  return { points, kopecks, lineKopecks: largestRemainder(kopecks, eligible) };
}

/** `lines`: the number of lines. */
export function nothingSpent(lines: number): Spending {
  return { points: 0, kopecks: 0, lineKopecks: new Array<number>(lines).fill(0) };
}

function limitPoints({ programme, sumsKopecks, availablePoints }: SpendingInput, eligibleKopecks: number): number {
  const { sharePercentHundredths, leastMoneyKopecks, step } = programme.spend;
  const totalKopecks = total(sumsKopecks);
  const shareKopecks = Number((BigInt(totalKopecks) * BigInt(sharePercentHundredths)) / 10_000n);
  const mostKopecks = Math.max(0, Math.min(shareKopecks, eligibleKopecks, totalKopecks - leastMoneyKopecks));
  return inSteps(Math.min(MAX_MOVED_POINTS, availablePoints, Math.floor(mostKopecks / programme.pointValueKopecks)), step);
}

function inSteps(points: number, step: number): number {
  return points - (points % step);
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
