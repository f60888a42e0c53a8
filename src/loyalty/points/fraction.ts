import { divideHalfUp } from "../../kernel/decimal.ts";

/** An exact fraction, its denominator above 0. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const NOTHING: Fraction = { numerator: 0n, denominator: 1n };

/**
 * Returns the sum, not reduced to lowest terms. A thousand denominators without a common divisor make numbers of tens of thousands of bits,
 * of which a greatest common divisor takes seconds. The halves of the list are summed separately, so that most additions work on short
 * numbers.
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
