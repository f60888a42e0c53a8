import type { Goods } from "./shop.ts";

export interface BasketLine {
  goods: Goods;
  /** In thousandths of the unit: 356 is 0.356 kg, 2000 is two pieces. */
  quantityThousandths: number;
  /** In hundredths of a percent. A negative number is a surcharge. */
  discountHundredths?: number;
  marks?: (string | { cis: string })[];
}

/** Returns the sum of the lines. Each line is rounded once, half up, to the kopeck (fiscal-receipts 5, rule 2). */
export function basketKopecks(lines: readonly BasketLine[]): number {
  return lines.reduce((sum, line) => sum + lineKopecks(line), 0);
}

/** Returns price × quantity × (100 % − discount), rounded half up. */
export function lineKopecks({ goods, quantityThousandths, discountHundredths = 0 }: BasketLine): number {
  const scaled = BigInt(goods.priceKopecks) * BigInt(quantityThousandths) * BigInt(100_00 - discountHundredths);
  const unit = 1000n * 100_00n;
  return Number((scaled + unit / 2n) / unit);
}

/** Returns an amount in roubles in the form of request bodies: `834.57`. */
export function roubles(kopecks: number): string {
  return `${Math.trunc(kopecks / 100)}.${String(kopecks % 100).padStart(2, "0")}`;
}
