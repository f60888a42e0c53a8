/** A printed line of a sale or return. `priceKopecks` includes discounts but not points. */
export interface SlowLine {
  productId: string;
  quantityMillionths: number;
  priceKopecks: number;
  discountedKopecks: number;
  /** The price without discounts. Undefined: there are none. */
  fullKopecks?: number;
}

const UNIT = 1_000_000n;

type Fraction = readonly [top: bigint, bottom: bigint];

/**
 * Which share of the weight was returned. Undefined: more than was sold. Goods that were not sold count by the paid money or by the price
 * without discounts: `smaller` or `larger` says which of both shares is taken.
 */
export function share(
  sold: readonly SlowLine[],
  returned: readonly SlowLine[],
  weight: (line: SlowLine) => bigint,
  foreign: "smaller" | "larger",
): Fraction | undefined {
  const left = sold.map((line) => BigInt(line.quantityMillionths));
  const open = returned.map((line) => BigInt(line.quantityMillionths));
  for (const isSamePrice of [true, false])
    for (const [nth, back] of returned.entries())
      for (const [index, line] of sold.entries()) {
        if (line.productId !== back.productId) continue;
        if (isSamePrice && line.discountedKopecks !== back.discountedKopecks) continue;
        const part = least(open[nth] ?? 0n, left[index] ?? 0n);
        open[nth] = (open[nth] ?? 0n) - part;
        left[index] = (left[index] ?? 0n) - part;
      }
  const isForeign = returned.map((back) => !sold.some((line) => line.productId === back.productId));
  if (open.some((rest, nth) => rest > 0n && isForeign[nth] !== true)) return undefined;
  const of = total(sold, weight) > 0n ? weight : paid;
  const strangers = returned.filter((_line, nth) => isForeign[nth] === true);
  // When points have paid for everything, only the price tells how much of the sale comes back.
  const worth = total(sold, paid) > 0n ? paid : full;
  const strange = total(strangers, worth);
  if (isForeign.includes(true)) {
    // All returned goods together must not be worth more than the sale, whatever prices the till states for goods of
    // the sale.
    let back: Fraction = [strange, 1n];
    for (const [index, line] of sold.entries()) {
      const quantity = BigInt(line.quantityMillionths);
      back = [back[0] * quantity + worth(line) * (quantity - (left[index] ?? 0n)) * back[1], back[1] * quantity];
    }
    if (back[0] > total(sold, worth) * back[1]) return undefined;
  }
  // Goods that were not sold add their part of the sum to the share of the goods of the sale.
  const byMoney: Fraction = [strange, total(sold, worth)];
  const byPrice: Fraction = [total(strangers, full), total(sold, full)];
  const isLess = byMoney[0] * byPrice[1] < byPrice[0] * byMoney[1];
  let sum = isLess === (foreign === "smaller") ? byMoney : byPrice;
  if (sum[0] === 0n) sum = [0n, 1n];
  for (const [index, line] of sold.entries()) {
    const quantity = BigInt(line.quantityMillionths);
    const [top, bottom] = [of(line) * (quantity - (left[index] ?? 0n)), total(sold, of) * quantity];
    sum = [sum[0] * bottom + top * sum[1], sum[1] * bottom];
  }
  return sum[0] > sum[1] ? [1n, 1n] : sum;
}

export function total(lines: readonly SlowLine[], of: (line: SlowLine) => bigint): bigint {
  return lines.reduce((sum, line) => sum + of(line), 0n);
}

export function paid({ discountedKopecks, quantityMillionths }: SlowLine): bigint {
  return sumOf(discountedKopecks, quantityMillionths);
}

/**
 * The money that all returned goods take from a tier, at most what was paid. Goods of the sale count by the lines that were returned, product
 * by product. Other goods count by their larger share in the money and in the price without discounts.
 */
export function paidBack(sold: readonly SlowLine[], returned: readonly SlowLine[]): bigint {
  const paidInAll = total(sold, paid);
  if (paidInAll === 0n) return 0n;
  let sum = 0n;
  for (const product of new Set(sold.map(({ productId }) => productId))) {
    const own = sold.filter(({ productId }) => productId === product);
    const back = returned.filter(({ productId }) => productId === product);
    const part = share(own, back, paid, "smaller");
    if (part !== undefined && total(own, paid) > 0n) sum += halfUp(total(own, paid), part);
  }
  const strangers = returned.filter(({ productId }) => !sold.some((line) => line.productId === productId));
  const byMoney = total(strangers, paid);
  const byPrice = halfUp(paidInAll, [total(strangers, full), total(sold, full)]);
  return least(paidInAll, sum + byPrice + atLeast0(byMoney - byPrice));
}

function full(line: SlowLine): bigint {
  return sumOf(line.fullKopecks ?? line.priceKopecks, line.quantityMillionths);
}

export function pointsPart(line: SlowLine): bigint {
  return sumOf(line.priceKopecks, line.quantityMillionths) - paid(line);
}

export function sumOf(kopecks: number, millionths: number): bigint {
  return (BigInt(kopecks) * BigInt(millionths) * 2n + UNIT) / (UNIT * 2n);
}

export function halfUp(points: bigint, [top, bottom]: Fraction): bigint {
  return (points * top * 2n + bottom) / (bottom * 2n);
}

export function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

export function atLeast0(points: bigint): bigint {
  return points < 0n ? 0n : points;
}
