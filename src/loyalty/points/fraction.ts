import { divideHalfUp } from "../../kernel/decimal.ts";

/** An exact fraction in lowest terms, its denominator above 0. */
export interface Fraction {
  numerator: bigint;
  denominator: bigint;
}

export const NOTHING: Fraction = { numerator: 0n, denominator: 1n };

/** numerator / denominator in lowest terms. The denominator is above 0. */
export function fraction(numerator: bigint, denominator: bigint): Fraction {
  const divisor = greatestDivisor(numerator < 0n ? -numerator : numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

export function plus(a: Fraction, b: Fraction): Fraction {
  return fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
}

/** whole × fraction, rounded once to a whole number, halves up. */
export function timesHalfUp(whole: number, { numerator, denominator }: Fraction): number {
  return Number(divideHalfUp(BigInt(whole) * numerator, denominator));
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  let [larger, smaller] = [a, b];
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger === 0n ? 1n : larger;
}
