/** A line of a sale or return as it is printed. `priceKopecks`: with discounts and without points. */
export interface SlowLine {
  productId: string;
  quantityMillionths: number;
  priceKopecks: number;
  discountedKopecks: number;
  /** Without discounts; absent: as with discounts. */
  fullKopecks?: number;
}

const UNIT = 1_000_000n;

type Fraction = readonly [top: bigint, bottom: bigint];

/**
 * Which share of the weight has come back; undefined: more than was sold. Goods that were not sold count by what was paid or by the price
 * without discounts, whichever part is `smaller` or `larger`.
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
  const strange = total(strangers, paid);
  if (isForeign.includes(true)) {
    // All that came back may not be worth more than the sale, whatever the till states for the sale's own goods.
    let back: Fraction = [strange, 1n];
    for (const [index, line] of sold.entries()) {
      const quantity = BigInt(line.quantityMillionths);
      back = [back[0] * quantity + paid(line) * (quantity - (left[index] ?? 0n)) * back[1], back[1] * quantity];
    }
    if (back[0] > total(sold, paid) * back[1]) return undefined;
  }
  // Goods that were not sold add their part of the sum to the share of the sale's own goods.
  const byMoney: Fraction = [strange, total(sold, paid)];
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
 * The money of all returned goods of a sale: of its own goods, product by product, by the lines that have come back, and of others as stated.
 */
export function paidBack(sold: readonly SlowLine[], returned: readonly SlowLine[]): bigint {
  let sum = 0n;
  for (const product of new Set(returned.map(({ productId }) => productId))) {
    const own = sold.filter(({ productId }) => productId === product);
    const back = returned.filter(({ productId }) => productId === product);
    const part = own.length === 0 ? undefined : share(own, back, paid, "smaller");
    sum += own.length === 0 ? total(back, paid) : part === undefined || total(own, paid) === 0n ? 0n : halfUp(total(own, paid), part);
  }
  return sum;
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
