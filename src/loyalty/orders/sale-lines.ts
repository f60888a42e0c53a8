import { divideHalfUp } from "../../kernel/decimal.ts";
import type { SoldLine } from "../points/matching.ts";
import type { Programme } from "../programme/programme.ts";
import type { QuotePosition } from "../quote/line.ts";
import type { Quote } from "../quote/quote.ts";
import { largestRemainder } from "../quote/spread.ts";
import type { OrderLine } from "../till-call.ts";
import { returnedLineOf } from "./order-lines.ts";

/**
 * The largest amount by which the paid money that earns may be below the computed one and still counts as rounding. The platform refuses a
 * difference of ten kopecks (platform-contracts 6.5, code 18000). In addition each line of a position that was sold as several lines may be
 * rounded by a kopeck.
 */
const ROUNDING_KOPECKS = 10;

/**
 * Each kind of rounding is at most this part of what was paid: a hundredth. Otherwise a till could sell goods of eleven kopecks for one, any
 * number of times, and each receipt would earn the points of eleven.
 */
const MOST_ROUNDED = 100;

/** Paid money above this multiple of the computed money adds no weight. */
const MOST_ABOVE = 2;

/** The goods of a line. */
export type GoodsLine = Pick<OrderLine, "productId" | "priceKopecks" | "quantityMillionths">;

type Recount = Pick<Quote<QuotePosition>, "lines" | "earnPoints">;

/**
 * Returns the lines with their shares in the points. The part of the discounted price that was not paid in money was paid with points. The
 * earned points belong to the lines by the money that was paid for them.
 */
export function soldLinesOf(lines: readonly OrderLine[], recount: Recount, programme: Pick<Programme, "earnOnPoints">): SoldLine[] {
  const sold = lines.map((line, index): SoldLine => {
    const stated = returnedLineOf(line);
    // Nobody pays more than the price. A till that states more, such as kopecks for roubles, would lift its buyer into a tier.
    const paid = { ...stated, paidKopecks: Math.min(stated.paidKopecks, stated.grossKopecks) };
    const { netKopecks = paid.grossKopecks, earningKopecks = 0 } = recount.lines[index] ?? {};
    return { ...paid, pointsKopecks: netKopecks - paid.paidKopecks, earningKopecks };
  });
  for (const indexes of samePositions(lines)) {
    weighByMoney(sold, indexes, recount, programme);
    if (indexes.length > 1) evenOut(sold, indexes);
  }
  return sold.map((line) => ({ ...line, pointsKopecks: Math.max(0, line.pointsKopecks) }));
}

/**
 * Sets the weights of the lines of one product and price by the money that was paid for each line, because only paid money has earned
 * points. Otherwise a line for which nothing was paid would take a share of the points, and the buyer would keep this share after the paid
 * goods have come back. When a position was sold as several lines, their money may differ by kopecks from the computed money.
 */
function weighByMoney(
  sold: SoldLine[],
  indexes: readonly number[],
  { lines }: Recount,
  { earnOnPoints }: Pick<Programme, "earnOnPoints">,
): void {
  const weight = sumOf(indexes.map((index) => sold[index]?.earningKopecks ?? 0));
  const base = sumOf(indexes.flatMap((index) => lines[index] ?? []).map((part) => baseOf(part, earnOnPoints)));
  // When points have paid for everything, no money tells the goods apart.
  if (weight === 0 || base <= 0) return;
  const money = indexes.map((index) => (sold[index]?.paidKopecks ?? 0) + (earnOnPoints ? (lines[index]?.pointsKopecks ?? 0) : 0));
  const counted = Math.min(sumOf(money), MOST_ABOVE * base);
  const weights = largestRemainder(Number(divideHalfUp(BigInt(weight) * BigInt(counted), BigInt(base))), money);
  for (const [nth, index] of indexes.entries()) {
    const line = sold[index];
    if (line !== undefined) sold[index] = { ...line, earningKopecks: weights[nth] ?? 0 };
  }
}

/**
 * Divides the spent points anew over the lines of one product and price, when more money was paid for one of these lines than the line
 * costs. In that case a quote has sold a position as two lines. A set price, which counts whole pieces, was then computed again for only
 * one of the lines.
 */
function evenOut(sold: SoldLine[], indexes: readonly number[]): void {
  const lines = indexes.flatMap((index) => sold[index] ?? []);
  if (lines.every(({ pointsKopecks }) => pointsKopecks >= 0)) return;
  const gross = lines.map(({ grossKopecks }) => grossKopecks);
  const points = largestRemainder(Math.max(0, sumOf(lines.map(({ pointsKopecks }) => pointsKopecks))), gross);
  for (const [nth, line] of lines.entries()) sold[indexes[nth] ?? 0] = { ...line, pointsKopecks: points[nth] ?? 0 };
}

/** `isPaid`: the paid money equals the computed money, apart from rounding. */
export interface EarnedByMoney {
  earnPoints: number;
  isPaid: boolean;
}

/**
 * Returns the points that the programme gives for the money that was really paid. A till may state lower prices than the quote. The
 * difference earns no points. `recount`: the quote of `lines`, or the quote of `joinedLines(lines)`.
 */
export function earnedByMoney(
  recount: Recount,
  lines: readonly OrderLine[],
  { earnOnPoints }: Pick<Programme, "earnOnPoints">,
): EarnedByMoney {
  // When no line has a weight, the money is counted instead.
  const isWeighted = recount.lines.some(({ earningKopecks }) => earningKopecks > 0);
  let [expected, earned] = [0n, 0n];
  let [missingKopecks, paidKopecks, roundedLines] = [0, 0, 0];
  // Goods with one price are counted together, because a quote may have sold a position as two lines.
  for (const [nth, indexes] of samePositions(lines).entries()) {
    const parts = (recount.lines.length === lines.length ? indexes : [nth]).flatMap((index) => recount.lines[index] ?? []);
    const points = sumOf(parts.map(({ pointsKopecks }) => pointsKopecks));
    const money = sumOf(indexes.flatMap((index) => lines[index] ?? []).map((line) => returnedLineOf(line).paidKopecks));
    const base = sumOf(parts.map((part) => baseOf(part, earnOnPoints)));
    const paid = Math.min(base, money + (earnOnPoints ? points : 0));
    const weight = BigInt(isWeighted ? sumOf(parts.map(({ earningKopecks }) => earningKopecks)) : base);
    if (weight === 0n || base <= 0) continue;
    expected += weight;
    earned += (weight * BigInt(paid)) / BigInt(base);
    missingKopecks += base - paid;
    paidKopecks += paid;
    if (indexes.length > 1) roundedLines += indexes.length;
  }
  // Rounding is at most a part of what was paid, because a till may state any number of lines. Where nothing was paid, nothing was rounded.
  const roundedKopecks = Math.min(roundedLines, paidKopecks / MOST_ROUNDED) + Math.min(ROUNDING_KOPECKS, paidKopecks / MOST_ROUNDED);
  const isPaid = expected === 0n || (paidKopecks > 0 && missingKopecks <= roundedKopecks);
  return { isPaid, earnPoints: isPaid ? recount.earnPoints : Number((BigInt(recount.earnPoints) * earned) / expected) };
}

/** Returns the kopecks of a line that earn points when all of them were paid. */
function baseOf({ netKopecks, pointsKopecks }: Recount["lines"][number], earnOnPoints: boolean): number {
  return earnOnPoints ? netKopecks : netKopecks - pointsKopecks;
}

/** Returns the goods with one line for each product and price, in the order of the lines. */
export function joinedLines(lines: readonly OrderLine[]): GoodsLine[] {
  return samePositions(lines).flatMap(([first = 0, ...more]) => {
    const line = lines[first];
    if (line === undefined) return [];
    const { productId, priceKopecks } = line;
    return [{ productId, priceKopecks, quantityMillionths: sumOf([first, ...more].map((each) => lines[each]?.quantityMillionths ?? 0)) }];
  });
}

/** Returns the indexes of the lines, those of one product and one price without discounts together. */
function samePositions(lines: readonly OrderLine[]): number[][] {
  const groups = new Map<string, number[]>();
  for (const [index, { productId, priceKopecks }] of lines.entries()) {
    const name = `${productId}/${priceKopecks}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [index]);
    else group.push(index);
  }
  return [...groups.values()];
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
