import { parseDecimal } from "../kernel/decimal.ts";
import { formatKopecks, kopecksFromRoubles } from "../kernel/money.ts";
import { PlatformFailure } from "./api/failure.ts";

/** Rounds a sum to whole minor units, because the platform may send a fraction (json-api 5.3). Half is rounded away from zero. */
export function wholeMinorUnits(value: number): number {
  return Math.sign(value) * Math.round(Math.abs(value));
}

/** Minor units of an amount that a person wrote: `"12.5"` is 1250. Throws `unsayable` for another text. */
export function minorUnitsOf(amount: string): number {
  const decimal = parseDecimal(amount.replace(",", "."));
  const units = decimal === undefined ? undefined : kopecksFromRoubles(decimal);
  if (units === undefined) throw new PlatformFailure("unsayable", `${amount} is no amount with at most two decimals`);
  return units;
}

/** Writes minor units as an amount: `1250` is `"12.50"`. */
export function amountOf(minorUnits: number): string {
  return formatKopecks(wholeMinorUnits(minorUnits));
}
