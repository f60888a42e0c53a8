import { type Decimal, formatDecimal, scaleTo } from "./decimal.ts";

/** One piece, litre or kilogram in millionths. */
export const ONE_MILLIONTHS = 1_000_000;
/**
 * The largest quantity of a line: a million units. A larger quantity is a typing error. A double represents all millionths up to this
 * limit exactly.
 */
export const MAX_QUANTITY_MILLIONTHS = 1_000_000 * ONE_MILLIONTHS;

/** Returns the quantity in millionths. Undefined when it has more than six decimals (interface 6, Quantity) or is out of range. */
export function quantityMillionths(quantity: Decimal): number | undefined {
  const scaled = scaleTo(quantity, 6);
  return scaled === undefined || Math.abs(scaled) > MAX_QUANTITY_MILLIONTHS ? undefined : scaled;
}

/** Returns the quantity with all its decimals, but without zeros at their end: `0.356`, `3`. */
export function formatQuantity(millionths: number): string {
  let units = BigInt(millionths);
  let decimals = 6;
  while (decimals > 0 && units % 10n === 0n) {
    units /= 10n;
    decimals -= 1;
  }
  return formatDecimal({ units, decimals });
}

/** Whether the quantity, in millionths, has no fraction of a unit. */
export function isWhole(millionths: number): boolean {
  return millionths % ONE_MILLIONTHS === 0;
}
