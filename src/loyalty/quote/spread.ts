import { divideHalfUp } from "../../kernel/decimal.ts";
import { isWhole, ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { type DiscountedPosition, lineKopecks, type QuotePosition } from "./line.ts";

/** A part of a line: so much of it at this price. */
interface Part {
  quantityMillionths: number;
  priceKopecks: number;
}

/**
 * Shares out an amount over weights by largest remainder: whole shares, in sum exactly the amount, each within one of its exact share.
 * Equal remainders: the earlier one. No share is above its weight while the amount is at most their sum.
 */
export function largestRemainder(amount: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  if (whole === 0n) return weights.map(() => 0);
  const exact = weights.map((weight) => BigInt(amount) * BigInt(weight));
  const shares = exact.map((product) => Number(product / whole));
  let left = amount - shares.reduce((sum, share) => sum + share, 0);
  const order = exact.map((product, index) => ({ index, remainder: product % whole }));
  order.sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1));
  for (const { index } of order) {
    if (left === 0) break;
    shares[index] = (shares[index] ?? 0) + 1;
    left -= 1;
  }
  return shares;
}

/**
 * The position at prices that give exactly this sum, where each line's sum is price × quantity rounded half up. One line if one price
 * gives it, else two, in the order of the position, with its quantity and its serial numbers handed out in their order.
 *
 * `unitKopecks`: the price after discounts. `sumKopecks`: at most that price × quantity, and not negative. Such a sum can always be
 * given, whatever the quantity: no point has to be left out for it.
 */
export function priced<Position extends QuotePosition>(
  position: Position,
  unitKopecks: number,
  sumKopecks: number,
): DiscountedPosition<Position>[] {
  const parts = partsOf(position.quantityMillionths, unitKopecks, sumKopecks);
  const [first, second] = parts;
  if (first === undefined || second === undefined) return parts.map((part) => discounted(position, part, position.serials));
  const { serials } = position;
  const pieces = first.quantityMillionths / ONE_MILLIONTHS;
  return [discounted(position, first, serials?.slice(0, pieces)), discounted(position, second, serials?.slice(pieces))];
}

/** Hundredths of a percent of the price, at most 10000. Between nothing and everything it is never told as one of them. */
export function discountPercentHundredths(priceKopecks: number, discountedKopecks: number): number {
  if (priceKopecks === 0 || discountedKopecks === priceKopecks) return 0;
  if (discountedKopecks === 0) return 10_000;
  const rounded = Number(divideHalfUp(BigInt(priceKopecks - discountedKopecks) * 10_000n, BigInt(priceKopecks)));
  return Math.min(9_999, Math.max(1, rounded));
}

function partsOf(quantityMillionths: number, unitKopecks: number, sumKopecks: number): Part[] {
  const single = singlePrice(quantityMillionths, unitKopecks, sumKopecks);
  if (single !== undefined) return [{ quantityMillionths, priceKopecks: single }];
  const odd = isWhole(quantityMillionths) ? oddPiece(quantityMillionths / ONE_MILLIONTHS, unitKopecks, sumKopecks) : undefined;
  return odd ?? dearerPieces(quantityMillionths, sumKopecks);
}

/** One price for the whole line: that of the discounts, the nearest one, or the one above the exact quotient. */
function singlePrice(quantityMillionths: number, unitKopecks: number, sumKopecks: number): number | undefined {
  const below = Number((BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS)) / BigInt(quantityMillionths));
  const prices = [unitKopecks, below, below + 1];
  return prices.find((price) => price <= unitKopecks && lineKopecks(price, quantityMillionths) === sumKopecks);
}

/** One piece bears the whole remainder of the reduction, the others share it evenly. Undefined when it cannot bear it. */
function oddPiece(pieces: number, unitKopecks: number, sumKopecks: number): Part[] | undefined {
  const reduction = unitKopecks * pieces - sumKopecks;
  const each = Math.floor(reduction / pieces);
  const odd = unitKopecks - (reduction - each * (pieces - 1));
  if (odd < 0) return undefined;
  return [
    { quantityMillionths: ONE_MILLIONTHS, priceKopecks: odd },
    { quantityMillionths: (pieces - 1) * ONE_MILLIONTHS, priceKopecks: unitKopecks - each },
  ];
}

/**
 * Some whole units cost a kopeck more than the rest. A unit changes the sum by one kopeck, and the rest rounds by less than one, so
 * there are always enough units; where all of them are needed, `singlePrice` has found the higher price before.
 */
function dearerPieces(quantityMillionths: number, sumKopecks: number): Part[] {
  const lower = Number((BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS)) / BigInt(quantityMillionths));
  const dearer = (sumKopecks - lineKopecks(lower, quantityMillionths)) * ONE_MILLIONTHS;
  return [
    { quantityMillionths: quantityMillionths - dearer, priceKopecks: lower },
    { quantityMillionths: dearer, priceKopecks: lower + 1 },
  ];
}

function discounted<Position extends QuotePosition>(
  position: Position,
  { quantityMillionths, priceKopecks }: Part,
  serials: readonly unknown[] | undefined,
): DiscountedPosition<Position> {
  return {
    ...position,
    quantityMillionths,
    ...(serials === undefined ? {} : { serials }),
    discountedPriceKopecks: priceKopecks,
    discountPercentHundredths: discountPercentHundredths(position.priceKopecks, priceKopecks),
  };
}
