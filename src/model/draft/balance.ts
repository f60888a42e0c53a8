import { MAX_KOPECKS } from "../../kernel/money.ts";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { type LineSums, meetsOneKopeckRule, type PricedLine, unitPrice } from "./lines.ts";

type Balance<Line extends PricedLine> =
  /**
   * The sum of the lines minus the rounding equals the payments. `movedKopecks`: the change of one line's sum, negative for a decrease, 0
   * for no change.
   */
  { kind: "balanced"; lines: Line[]; roundingKopecks: number; movedKopecks: number } | { kind: "differs" };

/** The platform lets payments differ from the lines by less than this (platform-contracts 4.5). */
const TOLERATED_BELOW_KOPECKS = 10;
/** A receipt is rounded down by less than a rouble (fiscal-receipts 0.1, fact 4). */
const MAX_ROUNDING_KOPECKS = 99;

/**
 * Makes the sum of the lines equal to the payments (interface 6, Payments against lines). Lines whose sum equals the payments stay
 * unchanged.
 *
 * `excessKopecks`: the sum by which the lines exceed the sums of their positions (`excessOf`). The buyer does not owe the excess, so the
 * payments are compared with the lines minus the excess. If they differ by ten kopecks or more, the receipt does not balance.
 *
 * If they differ by less, the largest unmarked line gets the whole difference between the payments and the sum of the lines. This sum
 * contains the excess. If there is no such line, or it cannot change, the receipt is rounded down, provided that the payments are at most
 * 99 kopecks below the lines. In all other cases the receipt does not balance.
 */
export function balance<Line extends PricedLine>(
  lines: Line[],
  paidKopecks: number,
  lineSums: LineSums = "within-kopeck",
  excessKopecks = 0,
): Balance<Line> {
  const difference = paidKopecks - totalOf(lines);
  if (difference === 0) return { kind: "balanced", lines, roundingKopecks: 0, movedKopecks: 0 };
  if (Math.abs(difference + excessKopecks) >= TOLERATED_BELOW_KOPECKS) return { kind: "differs" };
  const largest = largestUnmarked(lines);
  const moved = largest === undefined ? undefined : moveInto(largest, difference, lineSums);
  if (moved !== undefined) {
    return {
      kind: "balanced",
      lines: lines.flatMap((line) => (line === largest ? moved : [line])),
      roundingKopecks: 0,
      movedKopecks: difference,
    };
  }
  return difference < 0 && difference >= -MAX_ROUNDING_KOPECKS
    ? { kind: "balanced", lines, roundingKopecks: -difference, movedKopecks: 0 }
    : { kind: "differs" };
}

export function totalOf(lines: readonly PricedLine[]): number {
  return lines.reduce((total, line) => total + line.sumKopecks, 0);
}

function largestUnmarked<Line extends PricedLine>(lines: readonly Line[]): Line | undefined {
  let largest: Line | undefined;
  for (const line of lines) {
    if (line.mark === undefined && (largest === undefined || line.sumKopecks > largest.sumKopecks)) largest = line;
  }
  return largest;
}

/**
 * Adds the difference to the line's sum. The price stays if the register accepts the new sum with this price. Otherwise one unit becomes
 * a separate line, whose price contains the whole difference. A line of one unit or less gets a new price instead. Undefined when a value
 * would be negative, a price would be too large, or a sum would break the one-kopeck rule.
 */
function moveInto<Line extends PricedLine>(line: Line, differenceKopecks: number, lineSums: LineSums): Line[] | undefined {
  const whole = { ...line, sumKopecks: line.sumKopecks + differenceKopecks };
  if (whole.sumKopecks < 0) return undefined;
  if (lineSums === "as-given" || meetsOneKopeckRule(whole)) return [whole];
  const parts = line.quantityMillionths <= ONE_MILLIONTHS ? [repriced(whole)] : splitOneOff(line, differenceKopecks);
  return parts.every(isPossible) ? parts : undefined;
}

function repriced<Line extends PricedLine>(line: Line): Line {
  return { ...line, priceKopecks: unitPrice(line.sumKopecks, line.quantityMillionths) };
}

function splitOneOff<Line extends PricedLine>(line: Line, differenceKopecks: number): Line[] {
  const price = line.priceKopecks + differenceKopecks;
  const rest = {
    ...line,
    quantityMillionths: line.quantityMillionths - ONE_MILLIONTHS,
    sumKopecks: line.sumKopecks - line.priceKopecks,
  };
  return [rest, { ...line, quantityMillionths: ONE_MILLIONTHS, priceKopecks: price, sumKopecks: price }];
}

function isPossible(line: PricedLine): boolean {
  return line.priceKopecks >= 0 && line.priceKopecks <= MAX_KOPECKS && line.sumKopecks >= 0 && meetsOneKopeckRule(line);
}
