import { type Decimal, divideHalfUp } from "../../kernel/decimal.ts";
import { MAX_KOPECKS } from "../../kernel/money.ts";
import { isWhole, ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { Counting } from "../units.ts";

/** A line of a receipt as far as money is concerned. */
export interface PricedLine {
  quantityMillionths: number;
  priceKopecks: number;
  /** Within one kopeck of price × quantity. */
  sumKopecks: number;
  mark?: string;
}

/**
 * What a register takes as the sum of a line: one within a kopeck of price × quantity, as drives of the
 * families served here demand, or whatever it is given. Every register states which (interface 6).
 */
export type LineSums = "within-kopeck" | "as-given";

interface Pricing {
  /** Unit price before discount, VAT included. */
  priceKopecks: number;
  quantityMillionths: number;
  /** Percentage; negative is a mark-up. At most 100. */
  discount: Decimal;
  /** Of pieces at most one a piece, and none unless the quantity is whole; by measure at most one. */
  marks: readonly string[];
  /** How goods with marks are sold; absent: in pieces. */
  counting?: Counting;
}

/**
 * The lines that one position becomes (fiscal-receipts 5, rules 2 and 4): marked pieces one by one, the
 * rest together, and two prices one kopeck apart where a single one cannot meet the sum. Sums, quantities
 * and marks are those of the position exactly. A register that takes sums as given gets one line, unless marks
 * take it apart. Goods that are sold by measure under a mark stay one line whatever the register takes: where no
 * price meets the sum, the line's is above it by as little as there is (`excessOf`). Undefined when a price or sum
 * leaves what a drive can hold.
 */
export function priceLines(pricing: Pricing, lineSums: LineSums = "within-kopeck"): PricedLine[] | undefined {
  const sum = positionSum(pricing);
  if (sum > BigInt(MAX_KOPECKS) || pricing.priceKopecks > MAX_KOPECKS) return undefined;
  const lines = linesOf(pricing, Number(sum), lineSums);
  return lines.some(({ priceKopecks, sumKopecks }) => Math.max(priceKopecks, sumKopecks) > MAX_KOPECKS) ? undefined : lines;
}

/** Kopecks by which the lines of a position are above what it costs: a line by measure under a mark is never split. */
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

/** price × quantity × (100 − discount) / 100, rounded once, halves up. */
export function positionSum({ priceKopecks, quantityMillionths, discount }: Omit<Pricing, "marks">): bigint {
  const scale = 10n ** BigInt(discount.decimals);
  const share = 100n * scale - discount.units;
  return divideHalfUp(BigInt(priceKopecks) * BigInt(quantityMillionths) * share, BigInt(ONE_MILLIONTHS) * 100n * scale);
}

/** The rule that registers enforce: a sum given with the line is at most one kopeck off price × quantity. */
export function meetsOneKopeckRule({ priceKopecks, quantityMillionths, sumKopecks }: PricedLine): boolean {
  const off = BigInt(priceKopecks) * BigInt(quantityMillionths) - BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS);
  return (off < 0n ? -off : off) <= BigInt(ONE_MILLIONTHS);
}

/** The unit price nearest to sum / quantity. */
export function unitPrice(sumKopecks: number, quantityMillionths: number): number {
  return Number(divideHalfUp(BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS), BigInt(quantityMillionths)));
}

/** One line, however far its sum is from price × quantity. */
function wholeRun({ priceKopecks, quantityMillionths, discount }: Pricing, sumKopecks: number): PricedLine {
  const price = discount.units === 0n ? priceKopecks : unitPrice(sumKopecks, quantityMillionths);
  return { quantityMillionths, priceKopecks: price, sumKopecks };
}

/** One line, within a kopeck of its price × quantity where the register wants that. */
function measuredRun(pricing: Pricing, sumKopecks: number, lineSums: LineSums): PricedLine {
  const whole = wholeRun(pricing, sumKopecks);
  if (lineSums === "as-given" || meetsOneKopeckRule(whole)) return whole;
  const { quantityMillionths } = pricing;
  const one = BigInt(ONE_MILLIONTHS);
  const priceKopecks = Number((BigInt(sumKopecks) * one + BigInt(quantityMillionths) - 1n) / BigInt(quantityMillionths));
  const product = BigInt(priceKopecks) * BigInt(quantityMillionths);
  // The least whole kopeck that is not more than one below price × quantity.
  const least = Number((product - one + one - 1n) / one);
  return { quantityMillionths, priceKopecks, sumKopecks: Math.max(sumKopecks, least) };
}

/** One or two lines without marks. */
function priceRuns({ priceKopecks, quantityMillionths, discount }: Pricing, sumKopecks: number): PricedLine[] {
  // Without a discount the given price stands: 320.04 / 0.356 would not lead back to 899.00.
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
 * Weighed and measured goods: one price where it meets the sum, else whole units of the quantity at one
 * kopeck more. A unit moves the sum by a kopeck, so the rest is never more than one kopeck off.
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

/** One mark is one line of quantity 1; what has no mark stays together (interface 6, Marks). */
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
