import type { Goods } from "./shop.ts";

/** One line as the till has it. */
export interface BasketLine {
  goods: Goods;
  /** Thousandths of the unit: 356 is 0.356 kg, 2000 two pieces. */
  quantityThousandths: number;
  /** Hundredths of a percent; negative is a mark-up. */
  discountHundredths?: number;
  marks?: (string | { cis: string })[];
}

/** What the buyer pays for the lines: each rounded once, half up, to the kopeck (fiscal-receipts 5, rule 2). */
export function basketKopecks(lines: readonly BasketLine[]): number {
  return lines.reduce((sum, line) => sum + lineKopecks(line), 0);
}

/** price × quantity × (100 % − discount), in one step. */
export function lineKopecks({ goods, quantityThousandths, discountHundredths = 0 }: BasketLine): number {
  const scaled = BigInt(goods.priceKopecks) * BigInt(quantityThousandths) * BigInt(100_00 - discountHundredths);
  const unit = 1000n * 100_00n;
  return Number((scaled + unit / 2n) / unit);
}

/** `834.57`, as amounts in roubles travel. */
export function roubles(kopecks: number): string {
  return `${Math.trunc(kopecks / 100)}.${String(kopecks % 100).padStart(2, "0")}`;
}
