import { divideHalfUp } from "../../kernel/decimal.ts";

/** `denominator` is above 0. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const NOTHING: Fraction = { numerator: 0n, denominator: 1n };

/**
 * Returns the sum, not reduced. A thousand denominators without a common divisor give numbers of tens of thousands of bits, and finding
 * their greatest common divisor would take seconds. The halves of the list are summed separately, so most additions have short numbers.
 */
export function sumOfFractions(fractions: readonly Fraction[]): Fraction {
  if (fractions.length <= 1) return fractions[0] ?? NOTHING;
  const middle = fractions.length >> 1;
  const [a, b] = [sumOfFractions(fractions.slice(0, middle)), sumOfFractions(fractions.slice(middle))];
  return { numerator: a.numerator * b.denominator + b.numerator * a.denominator, denominator: a.denominator * b.denominator };
}

/** Returns whole × fraction, rounded once to a whole number, halves up. */
export function timesHalfUp(whole: number, { numerator, denominator }: Fraction): number {
  return Number(divideHalfUp(BigInt(whole) * numerator, denominator));
}
