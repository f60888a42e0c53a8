import { divideHalfUp } from "../../kernel/decimal.ts";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";

/** A position of a receipt before discounts. Further properties pass through unchanged. */
export interface QuotePosition {
  productId: string;
  groupIds: readonly string[];
  quantityMillionths: number;
  priceKopecks: number;
  /** Serial numbers, one for each piece; not read here. */
  serials?: readonly unknown[];
}

/** A position after discounts and points. Its sum is discounted price × quantity, rounded half up to the kopeck. */
export type DiscountedPosition<Position extends QuotePosition> = Position & {
  discountedPriceKopecks: number;
  discountPercentHundredths: number;
};

/** Returns price × quantity, rounded half up to the kopeck. */
export function lineKopecks(priceKopecks: number, quantityMillionths: number): number {
  const product = priceKopecks * quantityMillionths;
  if (Number.isSafeInteger(product)) return Math.floor(product / ONE_MILLIONTHS) + (product % ONE_MILLIONTHS >= ONE_MILLIONTHS / 2 ? 1 : 0);
  return Number(divideHalfUp(BigInt(priceKopecks) * BigInt(quantityMillionths), BigInt(ONE_MILLIONTHS)));
}
