import { type Decimal, divideHalfUp, scaleTo } from "./decimal.ts";

/** The largest amount: 2^48 - 1 kopecks, which fit into the six bytes of a VLN, a number of variable length (fiscal-receipts 1.2). */
export const MAX_KOPECKS = 2 ** 48 - 1;

/** Returns the whole kopecks of an amount in roubles. Undefined for a fraction of a kopeck or a sum out of range. */
export function kopecksFromRoubles(roubles: Decimal): number | undefined {
  return inRange(scaleTo(roubles, 2));
}

/** Returns the whole kopecks of an amount in kopecks. Undefined for a fraction of a kopeck or a sum out of range. */
export function kopecksFromKopecks(kopecks: Decimal): number | undefined {
  return inRange(scaleTo(kopecks, 0));
}

/** Returns `834.57`: two decimals, a dot, no grouping (fiscal-receipts 5, rule 9). */
export function formatKopecks(kopecks: number): string {
  const sign = kopecks < 0 ? "-" : "";
  const digits = String(Math.abs(kopecks)).padStart(3, "0");
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Returns kopecks × numerator / denominator, rounded once to whole kopecks. Halves are rounded away from zero. */
export function scaleKopecks(kopecks: number, numerator: bigint, denominator: bigint): number {
  return Number(divideHalfUp(BigInt(kopecks) * numerator, denominator));
}

function inRange(kopecks: number | undefined): number | undefined {
  return kopecks === undefined || Math.abs(kopecks) > MAX_KOPECKS ? undefined : kopecks;
}
