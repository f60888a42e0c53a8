import { parseDecimal } from "../kernel/decimal.ts";
import { type WallTime, wallTimeAt } from "../kernel/moment.ts";
import { formatKopecks, kopecksFromRoubles } from "../kernel/money.ts";

const NARROW_SPACE = "\u00a0";

/** `1 234,50 ₽`, with spaces at which a line does not break. */
export function roubles(kopecks: number): string {
  const [whole = "0", part = "00"] = formatKopecks(kopecks).split(".");
  return `${inThousands(whole)},${part}${NARROW_SPACE}₽`;
}

const GROUP = 3;

function inThousands(digits: string): string {
  const sign = digits.startsWith("-") ? "-" : "";
  const groups: string[] = [];
  for (let end = digits.length; end > sign.length; end -= GROUP) groups.unshift(digits.slice(Math.max(sign.length, end - GROUP), end));
  return `${sign}${groups.join(NARROW_SPACE)}`;
}

/** `27.11.2026 14:05` of a wall clock's time. */
export function dayAndHour(time: WallTime): string {
  return `${time.slice(8, 10)}.${time.slice(5, 7)}.${time.slice(0, 4)} ${time.slice(11, 16)}`;
}

/** `27.11.2026 14:05` of an instant, as the zone's clocks show it. */
export function dayAndHourAt(instantMs: number, zone: string): string {
  return dayAndHour(wallTimeAt(instantMs, zone));
}

/** Whole kopecks of a sum as a person types it: `120`, `120,5`, `1 200.50`. Undefined for anything else. */
export function wholeKopecks(text: string): number | undefined {
  const plain = text.replaceAll(/[\s\u00a0₽]/g, "").replace(",", ".");
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(plain)) return undefined;
  const decimal = parseDecimal(plain);
  return decimal === undefined ? undefined : kopecksFromRoubles(decimal);
}
