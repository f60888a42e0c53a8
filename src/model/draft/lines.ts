import { type Decimal, divideHalfUp } from "../../kernel/decimal.ts";
import { MAX_KOPECKS } from "../../kernel/money.ts";
import { isWhole, ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { Counting } from "../units.ts";

export interface PricedLine {
  quantityMillionths: number;
  priceKopecks: number;
  /** Within one kopeck of price × quantity, unless the register accepts any sum. */
  sumKopecks: number;
  mark?: string;
}

/**
 * The sums that a register accepts in a line (interface 6). `within-kopeck`: sums within a kopeck of price × quantity, which is the rule of
 * the drives in the supported families of registers. `as-given`: any sum.
 */
export type LineSums = "within-kopeck" | "as-given";

interface Pricing {
  /** Unit price before discount, with VAT. */
  priceKopecks: number;
  quantityMillionths: number;
  /** Percentage, at most 100. Negative is a mark-up. */
  discount: Decimal;
  /** Goods sold in pieces: at most one mark for each piece, and only with a whole quantity. Goods sold by measure: at most one mark. */
  marks: readonly string[];
  /** How marked goods are sold. Absent: in pieces. */
  counting?: Counting;
}

/**
 * Returns the lines of one position (fiscal-receipts 5, rules 2 and 4). Each marked piece has its own line, and unmarked pieces share a
 * line. If one price cannot give the sum, two lines have prices that differ by a kopeck. The lines together have the quantity, the marks
 * and the sum of the position.
 *
 * A register that accepts any sum gets one line, unless marks split it. Measured goods with a mark are always one line. If the register
 * requires a sum within a kopeck of price × quantity, and no price gives it, the sum of this line rises by the smallest possible amount
 * (`excessOf`). Only then do the lines have another sum than the position.
 *
 * Undefined when a price or sum is too large for a drive.
 */
export function priceLines(pricing: Pricing, lineSums: LineSums = "within-kopeck"): PricedLine[] | undefined {
  const sum = positionSum(pricing);
  if (sum > BigInt(MAX_KOPECKS) || pricing.priceKopecks > MAX_KOPECKS) return undefined;
  const lines = linesOf(pricing, Number(sum), lineSums);
  return lines.some(({ priceKopecks, sumKopecks }) => Math.max(priceKopecks, sumKopecks) > MAX_KOPECKS) ? undefined : lines;
}

/**
 * The kopecks by which the lines exceed the position's sum (`positionSum`). Only a marked line of measured goods can exceed the sum,
 * because such a line is never split.
 */
export function excessOf(lines: readonly PricedLine[], pricing: Omit<Pricing, "marks">): number {
  return lines.reduce((sum, line) => sum + line.sumKopecks, 0) - Number(positionSum(pricing));
}

function linesOf(pricing: Pricing, sumKopecks: number, lineSums: LineSums): PricedLine[] {
  const { marks, counting } = pricing;
  const [mark] = marks;
  if (counting === "measure" && mark !== undefined) return [{ ...measuredRun(pricing, sumKopecks, lineSums), mark }];
  if (lineSums === "as-given" && marks.length === 0) return [wholeRun(pricing, sumKopecks)];
  return handOutMarks(priceRuns(pricing, sumKopecks), marks);
}

/** Computes price × quantity × (100 − discount) / 100, rounded once, halves up. */
export function positionSum({ priceKopecks, quantityMillionths, discount }: Omit<Pricing, "marks">): bigint {
  const scale = 10n ** BigInt(discount.decimals);
  const share = 100n * scale - discount.units;
  return divideHalfUp(BigInt(priceKopecks) * BigInt(quantityMillionths) * share, BigInt(ONE_MILLIONTHS) * 100n * scale);
}

/** The rule of the registers: a line's sum differs from price × quantity by at most one kopeck. */
export function meetsOneKopeckRule({ priceKopecks, quantityMillionths, sumKopecks }: PricedLine): boolean {
  const off = BigInt(priceKopecks) * BigInt(quantityMillionths) - BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS);
  return (off < 0n ? -off : off) <= BigInt(ONE_MILLIONTHS);
}

/** Returns the unit price nearest to sum / quantity. */
export function unitPrice(sumKopecks: number, quantityMillionths: number): number {
  return Number(divideHalfUp(BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS), BigInt(quantityMillionths)));
}

/** Returns one line, whatever the difference between its sum and price × quantity. */
function wholeRun({ priceKopecks, quantityMillionths, discount }: Pricing, sumKopecks: number): PricedLine {
  const price = discount.units === 0n ? priceKopecks : unitPrice(sumKopecks, quantityMillionths);
  return { quantityMillionths, priceKopecks: price, sumKopecks };
}

/** Returns one line. Its sum is within a kopeck of price × quantity if the register requires that. */
function measuredRun(pricing: Pricing, sumKopecks: number, lineSums: LineSums): PricedLine {
  const whole = wholeRun(pricing, sumKopecks);
  if (lineSums === "as-given" || meetsOneKopeckRule(whole)) return whole;
  const { quantityMillionths } = pricing;
  const one = BigInt(ONE_MILLIONTHS);
  const priceKopecks = Number((BigInt(sumKopecks) * one + BigInt(quantityMillionths) - 1n) / BigInt(quantityMillionths));
  const product = BigInt(priceKopecks) * BigInt(quantityMillionths);
  // The smallest whole number of kopecks that is at most one kopeck below price × quantity.
  const least = Number((product - one + one - 1n) / one);
  return { quantityMillionths, priceKopecks, sumKopecks: Math.max(sumKopecks, least) };
}

function priceRuns({ priceKopecks, quantityMillionths, discount }: Pricing, sumKopecks: number): PricedLine[] {
  // Without a discount the given price stays. A price computed from the sum may differ: 0.356 at 899.00 gives 320.04, but 320.04 / 0.356
  // gives 898.99.
  if (discount.units === 0n) return [{ quantityMillionths, priceKopecks, sumKopecks }];
  return isWhole(quantityMillionths) ? splitPieces(quantityMillionths, sumKopecks) : splitMeasure(quantityMillionths, sumKopecks);
}

function splitPieces(quantityMillionths: number, sumKopecks: number): PricedLine[] {
  const pieces = quantityMillionths / ONE_MILLIONTHS;
  const dearer = sumKopecks % pieces;
  const price = (sumKopecks - dearer) / pieces;
  const lines = [pieceLine(pieces - dearer, price)];
  return dearer === 0 ? lines : [...lines, pieceLine(dearer, price + 1)];
}

/**
 * A quantity that is not whole gets one price if the price gives the sum within a kopeck. Otherwise some whole units cost one kopeck more.
 * Each of these units changes the sum by a kopeck, so the remaining difference is at most one kopeck.
 */
function splitMeasure(quantityMillionths: number, sumKopecks: number): PricedLine[] {
  const single = { quantityMillionths, priceKopecks: unitPrice(sumKopecks, quantityMillionths), sumKopecks };
  if (meetsOneKopeckRule(single)) return [single];
  const lower = Number((BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS)) / BigInt(quantityMillionths));
  const missing = BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS) - BigInt(lower) * BigInt(quantityMillionths);
  const wholeUnits = Math.floor(quantityMillionths / ONE_MILLIONTHS);
  const dearer = pieceLine(Math.min(Number(divideHalfUp(missing, BigInt(ONE_MILLIONTHS))), wholeUnits), lower + 1);
  const rest = {
    quantityMillionths: quantityMillionths - dearer.quantityMillionths,
    priceKopecks: lower,
    sumKopecks: sumKopecks - dearer.sumKopecks,
  };
  return [rest, dearer];
}

/** Gives each mark a line of quantity 1. Unmarked pieces of the same price stay together (interface 6, Marks). */
function handOutMarks(runs: PricedLine[], marks: readonly string[]): PricedLine[] {
  const marked: PricedLine[] = [];
  const rest: PricedLine[] = [];
  let next = 0;
  for (const run of runs) {
    const pieces = Math.floor(run.quantityMillionths / ONE_MILLIONTHS);
    const taken = marks.slice(next, next + pieces);
    next += taken.length;
    for (const mark of taken) marked.push({ ...pieceLine(1, run.priceKopecks), mark });
    if (taken.length === 0) rest.push(run);
    else if (taken.length < pieces) rest.push(pieceLine(pieces - taken.length, run.priceKopecks));
  }
  return [...marked, ...rest];
}

function pieceLine(pieces: number, priceKopecks: number): PricedLine {
  return { quantityMillionths: pieces * ONE_MILLIONTHS, priceKopecks, sumKopecks: pieces * priceKopecks };
}
