import { parseDecimal } from "../kernel/decimal.ts";
import { formatKopecks, kopecksFromRoubles } from "../kernel/money.ts";
import { PlatformFailure } from "./api/failure.ts";

/** Whole minor units of a sum that was read: the platform may give a fraction (5.3). Half goes away from zero. */
export function wholeMinorUnits(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

/** Minor units of an amount in words of people: `"12.5"` is 1250. Throws `unsayable` for what is no amount. */
export function minorUnitsOf(amount: string): number {
  const decimal = parseDecimal(amount.replace(",", "."));
  const units = decimal === undefined ? undefined : kopecksFromRoubles(decimal);
  if (units === undefined) throw new PlatformFailure("unsayable", `${amount} is no amount with at most two decimals`);
  return units;
}

/** `1250` is `"12.50"`. */
export function amountOf(minorUnits: number): string {
  return formatKopecks(wholeMinorUnits(minorUnits));
}
