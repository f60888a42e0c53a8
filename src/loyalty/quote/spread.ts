import { divideHalfUp } from "../../kernel/decimal.ts";
import { isWhole, ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { type DiscountedPosition, lineKopecks, type QuotePosition } from "./line.ts";

interface Part {
  quantityMillionths: number;
  priceKopecks: number;
}

/**
 * Divides an amount by weights with the largest-remainder method. The shares are whole, add up to the amount, and each differs by less than
 * one from its exact share. Among shares with equal remainders the first share is rounded up. If all weights are 0, all shares are 0. No
 * share exceeds its weight while the amount is at most the sum of the weights.
 */
export function largestRemainder(amount: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return weights.map(() => 0);
  const { shares, remainders } =
    amount < FACTOR_LIMIT && whole < FACTOR_LIMIT ? divided(amount, weights, whole) : dividedExactly(amount, weights);
  const left = amount - shares.reduce((sum, share) => sum + share, 0);
  if (left === 0) return shares;
  // The typed array sorts numbers without a comparison function. The amount left is less than the number of weights.
  const least = remainders.toSorted()[remainders.length - left] ?? 0;
  let equal = left;
  for (let index = 0; index < shares.length; index += 1) if ((remainders[index] ?? 0) > least) equal -= 1;
  for (let index = 0; index < shares.length; index += 1) {
    const remainder = remainders[index] ?? 0;
    if (remainder < least || (remainder === least && equal === 0)) continue;
    if (remainder === least) equal -= 1;
    shares[index] = (shares[index] ?? 0) + 1;
  }
  return shares;
}

interface Shares {
  shares: number[];
  /** Only their order matters. */
  remainders: Float64Array;
}

/** If two numbers are below this limit, the parts of their product have at most 49 bits. */
const FACTOR_LIMIT = 2 ** 48;
const HALF = 2 ** 24;

/**
 * Returns amount × weight ÷ whole, rounded down, and the remainders, without big integers, which take ten times as long: a receipt of a
 * thousand lines may have two hundred rules. The quotient in floating point differs from the exact quotient by at most one. The remainder,
 * amount × weight − quotient × whole, is small. So it is computed exactly, step by step, from the upper and lower halves of the factors.
 */
function divided(amount: number, weights: readonly number[], whole: number): Shares {
  const remainders = new Float64Array(weights.length);
  const shares = new Array<number>(weights.length).fill(0);
  const [amountHigh, wholeHigh] = [Math.floor(amount / HALF), Math.floor(whole / HALF)];
  const [amountLow, wholeLow] = [amount - amountHigh * HALF, whole - wholeHigh * HALF];
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index] ?? 0;
    const quotient = Math.floor((amount * weight) / whole);
    const weightHigh = Math.floor(weight / HALF);
    const weightLow = weight - weightHigh * HALF;
    const quotientHigh = Math.floor(quotient / HALF);
    const quotientLow = quotient - quotientHigh * HALF;
    const high = amountHigh * weightHigh - wholeHigh * quotientHigh;
    const middle = amountHigh * weightLow + amountLow * weightHigh - (wholeHigh * quotientLow + wholeLow * quotientHigh);
    const rest = (high * HALF + middle) * HALF + (amountLow * weightLow - wholeLow * quotientLow);
    const change = rest < 0 ? -1 : rest >= whole ? 1 : 0;
    remainders[index] = rest - change * whole;
    shares[index] = quotient + change;
  }
  return { shares, remainders };
}

function dividedExactly(amount: number, weights: readonly number[]): Shares {
  const whole = weights.reduce((sum, weight) => sum + BigInt(weight), 0n);
  const exact = weights.map((weight) => BigInt(amount) * BigInt(weight));
  const remainders = exact.map((product) => product % whole);
  const order = [...new Set(remainders)].sort((a, b) => (a < b ? -1 : 1));
  const placeOf = new Map(order.map((remainder, place) => [remainder, place]));
  return {
    shares: exact.map((product) => Number(product / whole)),
    remainders: Float64Array.from(remainders, (remainder) => placeOf.get(remainder) ?? 0),
  };
}

/**
 * Returns the position at prices that give exactly this sum; a line's sum is price × quantity rounded half up. Returns one line when one
 * price is enough. Otherwise returns two lines that divide the quantity and serial numbers in order. `unitKopecks`: the price after
 * discounts. `sumKopecks`: from 0 to `unitKopecks` × quantity. Two prices can give every such sum, so no points remain unspent.
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

/** Returns the discount in hundredths of a percent, from 0 to 10000. A partial discount is never rounded to 0 or 100 percent. */
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

/**
 * Returns one price for the whole line: the discounted price, or the whole kopecks below or above the exact quotient. Undefined: no such
 * price gives the sum.
 */
function singlePrice(quantityMillionths: number, unitKopecks: number, sumKopecks: number): number | undefined {
  const below = Number((BigInt(sumKopecks) * BigInt(ONE_MILLIONTHS)) / BigInt(quantityMillionths));
  const prices = [unitKopecks, below, below + 1];
  return prices.find((price) => price <= unitKopecks && lineKopecks(price, quantityMillionths) === sumKopecks);
}

/**
 * All pieces share the reduction evenly, and the first piece also takes the remainder. Undefined: the first piece would get a negative
 * price.
 */
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
 * Some whole units cost a kopeck more than the rest. Each unit with the higher price raises the sum by one kopeck, and rounding changes the
 * sum by less than one kopeck. So there are always enough units. If all units needed the higher price, `singlePrice` would have found this
 * price.
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
