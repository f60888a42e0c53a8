import type { Value } from "./stored.ts";

/** The largest number. Above it a sum of minor units is not exact, and a product of two numbers may be infinite. */
export const MAX_NUMBER = 1e15;

/** Returns the value as a number. Returns zero for a value that is no number. */
export function numberIn(value: Value | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** Returns the quantity with six decimals, because sums of binary fractions have tiny errors. */
export function exactQuantity(quantity: number): number {
  return Math.round(quantity * 1e6) / 1e6;
}
