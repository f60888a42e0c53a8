/** An exact decimal number: units × 10^-decimals. */
export interface Decimal {
  units: bigint;
  decimals: number;
}

const MAX_DECIMAL_LENGTH = 64;
/** The largest exponent of ten in either direction. No price, quantity or percentage needs more. */
const MAX_EXPONENT = 30;

const PATTERN = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Reads numbers such as `12`, `12.50`, `-0.5`, `+5` and `1e3`. Undefined for any other text, such as `NaN`, `.5`, an empty text, or a text
 * with a comma, hexadecimal digits or spaces, and when the text or the exponent is above its limit.
 */
export function parseDecimal(text: string): Decimal | undefined {
  if (text.length > MAX_DECIMAL_LENGTH) return undefined;
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponentText = "0"] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > MAX_EXPONENT) return undefined;
  const digits = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  const decimals = fraction.length - exponent;
  return normalise(decimals >= 0 ? { units: digits, decimals } : { units: digits * 10n ** BigInt(-decimals), decimals: 0 });
}

/** Returns the number without an exponent and with exactly `decimals` decimals after a dot. A number with 0 decimals has no dot. */
export function formatDecimal({ units, decimals }: Decimal): string {
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? sign + whole : `${sign}${whole}.${digits.slice(digits.length - decimals)}`;
}

/**
 * Returns the number in units of 10^-`decimals`. Undefined when the number has more than `decimals` decimals, or the result is no safe
 * integer.
 */
export function scaleTo(value: Decimal, decimals: number): number | undefined {
  if (value.decimals > decimals) return undefined;
  const scaled = Number(value.units * 10n ** BigInt(decimals - value.decimals));
  return Number.isSafeInteger(scaled) ? scaled : undefined;
}

/** Returns numerator / denominator, rounded to a whole number. Halves are rounded away from zero. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const rounded = (2n * n + d) / (2n * d);
  return negative ? -rounded : rounded;
}

function normalise({ units, decimals }: Decimal): Decimal {
  let u = units;
  let d = decimals;
  while (d > 0 && u % 10n === 0n) {
    u /= 10n;
    d -= 1;
  }
  return { units: u, decimals: d };
}
