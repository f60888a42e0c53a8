import type { Value } from "./stored.ts";

/**
 * The largest absolute number that the sandbox accepts. Sums of larger numbers can lose kopecks, and a product of unlimited numbers can be
 * infinite.
 */
export const MAX_NUMBER = 1e15;

/** Returns the value, or zero if it is not a number. */
export function numberIn(value: Value | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** Returns the quantity rounded to six decimals, because sums of binary fractions have tiny errors. */
export function exactQuantity(quantity: number): number {
  return Math.round(quantity * 1e6) / 1e6;
}
