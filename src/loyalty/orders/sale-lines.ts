import { divideHalfUp } from "../../kernel/decimal.ts";
import type { SoldLine } from "../points/matching.ts";
import type { Programme } from "../programme/programme.ts";
import type { QuotePosition } from "../quote/line.ts";
import type { Quote } from "../quote/quote.ts";
import { largestRemainder } from "../quote/spread.ts";
import type { OrderLine } from "../till-call.ts";
import { returnedLineOf } from "./order-lines.ts";

/**
 * The largest shortfall of paid money that counts as rounding. The platform refuses a difference of ten kopecks (platform-contracts 6.5,
 * code 18000). Each line of a split position may add a kopeck.
 */
const ROUNDING_KOPECKS = 10;

/**
 * Each kind of rounding is at most the paid money divided by this number. Otherwise a till could sell goods of eleven kopecks for one
 * kopeck, any number of times, and each receipt would earn the points of eleven kopecks.
 */
const MOST_ROUNDED = 100;

/** Paid money above this multiple of the computed money adds no weight. */
const MOST_ABOVE = 2;

export type GoodsLine = Pick<OrderLine, "productId" | "priceKopecks" | "quantityMillionths">;

type Recount = Pick<Quote<QuotePosition>, "lines" | "earnPoints">;

/**
 * Returns the lines with their shares in the points. Points paid the part of the discounted price that money did not pay. The weights of
 * the lines in the earned points follow the paid money.
 */
export function soldLinesOf(lines: readonly OrderLine[], recount: Recount, programme: Pick<Programme, "earnOnPoints">): SoldLine[] {
  const sold = lines.map((line, index): SoldLine => {
    const stated = returnedLineOf(line);
    // Nobody pays more than the price. If a till stated more, for example kopecks in a field for roubles, its buyer would move up a tier.
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
 * Returns the lines with the parts that points really paid. `pointsKopecks`: the value of the booked points.
 *
 * A cashier may also lower prices by hand. Then the prices fall by more than the value of the points. A return of goods with such a price
 * would bring back points that paid for other goods. So each line first gets its quoted part. The remaining kopecks go to the lines whose
 * prices fell by more than their quoted part.
 */
export function weighedByPoints(lines: readonly SoldLine[], { lines: quoted }: Recount, pointsKopecks: number): readonly SoldLine[] {
  const lowered = lines.map((line) => line.pointsKopecks);
  if (sumOf(lowered) <= pointsKopecks) return lines;
  const offered = lowered.map((kopecks, index) => Math.min(kopecks, quoted[index]?.pointsKopecks ?? 0));
  const parts = largestRemainder(Math.min(pointsKopecks, sumOf(offered)), offered);
  const rest = largestRemainder(
    pointsKopecks - sumOf(parts),
    lowered.map((kopecks, index) => kopecks - (parts[index] ?? 0)),
  );
  return lines.map((line, index) => ({ ...line, pointsKopecks: (parts[index] ?? 0) + (rest[index] ?? 0) }));
}

/**
 * Weighs the lines of one product and price by the money that earned points: the paid money, and with `earnOnPoints` also the points.
 * Otherwise an unpaid line would get a share of the points, and the buyer would keep this share after returning the paid goods. If a quote
 * has split a position, its paid money may differ by kopecks from the computed money.
 */
function weighByMoney(
  sold: SoldLine[],
  indexes: readonly number[],
  { lines }: Recount,
  { earnOnPoints }: Pick<Programme, "earnOnPoints">,
): void {
  const weight = sumOf(indexes.map((index) => sold[index]?.earningKopecks ?? 0));
  const base = sumOf(indexes.flatMap((index) => lines[index] ?? []).map((part) => baseOf(part, earnOnPoints)));
  // When the lines earn nothing, or when points paid for everything, there is nothing to weigh.
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
 * Divides the spent points again over the lines of one product and price, when more money was paid for one line than its price allows. This
 * happens when a quote has split a position into two lines, and the recount has applied a set price to only one of the lines: a set price
 * counts whole pieces.
 */
function evenOut(sold: SoldLine[], indexes: readonly number[]): void {
  const lines = indexes.flatMap((index) => sold[index] ?? []);
  if (lines.every(({ pointsKopecks }) => pointsKopecks >= 0)) return;
  const gross = lines.map(({ grossKopecks }) => grossKopecks);
  const points = largestRemainder(Math.max(0, sumOf(lines.map(({ pointsKopecks }) => pointsKopecks))), gross);
  for (const [nth, line] of lines.entries()) sold[indexes[nth] ?? 0] = { ...line, pointsKopecks: points[nth] ?? 0 };
}

/** `isPaid`: the paid money covers the computed money, apart from rounding. */
export interface EarnedByMoney {
  earnPoints: number;
  isPaid: boolean;
}

/**
 * Returns the points that the programme gives for the money really paid. A till may state lower prices than the quote. The difference earns
 * no points. `recount`: the quote of `lines` or of `joinedLines(lines)`.
 */
export function earnedByMoney(
  recount: Recount,
  lines: readonly OrderLine[],
  { earnOnPoints }: Pick<Programme, "earnOnPoints">,
): EarnedByMoney {
  // If no line has a weight, the lines count by the money that a full payment would bring.
  const isWeighted = recount.lines.some(({ earningKopecks }) => earningKopecks > 0);
  let [expected, earned] = [0n, 0n];
  let [missingKopecks, paidKopecks, roundedLines] = [0, 0, 0];
  // Lines of one product and price are counted together, because a quote may have split a position into two lines.
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
  // Rounding is limited to a part of the paid money, because a till may state any number of lines. Without paid money nothing was rounded.
  const roundedKopecks = Math.min(roundedLines, paidKopecks / MOST_ROUNDED) + Math.min(ROUNDING_KOPECKS, paidKopecks / MOST_ROUNDED);
  const isPaid = expected === 0n || (paidKopecks > 0 && missingKopecks <= roundedKopecks);
  return { isPaid, earnPoints: isPaid ? recount.earnPoints : Number((BigInt(recount.earnPoints) * earned) / expected) };
}

/** Returns the kopecks of a fully paid line that earn points. */
function baseOf({ netKopecks, pointsKopecks }: Recount["lines"][number], earnOnPoints: boolean): number {
  return earnOnPoints ? netKopecks : netKopecks - pointsKopecks;
}

/** Returns one line for each product and price, in the order of the lines. */
export function joinedLines(lines: readonly OrderLine[]): GoodsLine[] {
  return samePositions(lines).flatMap(([first = 0, ...more]) => {
    const line = lines[first];
    if (line === undefined) return [];
    const { productId, priceKopecks } = line;
    return [{ productId, priceKopecks, quantityMillionths: sumOf([first, ...more].map((each) => lines[each]?.quantityMillionths ?? 0)) }];
  });
}

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
