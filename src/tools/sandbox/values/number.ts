import type { Value } from "./stored.ts";

/** Beyond this a sum of minor units is not exact any more, and a product of two numbers may be none at all. */
export const MAX_NUMBER = 1e15;

/** A number among values; zero for what is none. */
export function numberIn(value: Value | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** Quantities have at most six decimals; sums of binary fractions are brought back to them. */
export function exactQuantity(quantity: number): number {
  return Math.round(quantity * 1e6) / 1e6;
}
