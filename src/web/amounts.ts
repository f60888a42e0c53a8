import { parseDecimal } from "../kernel/decimal.ts";
import { type WallTime, wallTimeAt } from "../kernel/moment.ts";
import { formatKopecks, kopecksFromRoubles } from "../kernel/money.ts";

const NO_BREAK_SPACE = "\u00a0";

/** Returns a sum such as `1 234,50 ₽`, with non-breaking spaces. */
export function roubles(kopecks: number): string {
  const [whole = "0", part = "00"] = formatKopecks(kopecks).split(".");
  return `${inThousands(whole)},${part}${NO_BREAK_SPACE}₽`;
}

/** Returns a whole number such as `1 234`, with non-breaking spaces. */
export function grouped(count: number): string {
  return inThousands(String(count));
}

const GROUP = 3;

function inThousands(digits: string): string {
  const sign = digits.startsWith("-") ? "-" : "";
  const groups: string[] = [];
  for (let end = digits.length; end > sign.length; end -= GROUP) groups.unshift(digits.slice(Math.max(sign.length, end - GROUP), end));
  return `${sign}${groups.join(NO_BREAK_SPACE)}`;
}

/** Returns a wall time as `27.11.2026 14:05`. */
export function dayAndHour(time: WallTime): string {
  return `${time.slice(8, 10)}.${time.slice(5, 7)}.${time.slice(0, 4)} ${time.slice(11, 16)}`;
}

/** Returns an instant as `27.11.2026 14:05` in the zone. */
export function dayAndHourAt(instantMs: number, zone: string): string {
  return dayAndHour(wallTimeAt(instantMs, zone));
}

/**
 * Returns the kopecks of a typed sum: `120`, `120,5`, `1 200.50`, also with `₽`. Undefined: any other text, such as a negative sum or a sum
 * with three decimals.
 */
export function wholeKopecks(text: string): number | undefined {
  const plain = text.replaceAll(/[\s\u00a0₽]/g, "").replace(",", ".");
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(plain)) return undefined;
  const decimal = parseDecimal(plain);
  return decimal === undefined ? undefined : kopecksFromRoubles(decimal);
}
