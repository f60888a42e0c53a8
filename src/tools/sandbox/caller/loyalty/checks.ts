import type { Quote, QuotedLine } from "./answer.ts";
import type { LoyaltyLine } from "./bodies.ts";

/** Why the till refuses an answer. The codes are the platform's (platform-contracts 6.5, 6.9). */
export interface RegisterProblem {
  readonly code: 17008 | 17017 | 18000 | 18003 | 45000 | 45001 | 46000 | 46001 | 46002;
  readonly words: string;
}

const WHOLE_PERCENT = 100_00;
/** Sums with this difference or more are refused (18000). */
const TOLERANCE_KOPECKS = 10;
/** The largest rounding error, in units of the last decimal. */
const HALF_STEP = 0.5;

/**
 * Returns the reason why the till refuses an answer of `recalc`, if any. The codes are:
 * 17008: a discount above 100 % or a price below zero;
 * 46002: positions that do not fit the request;
 * 45001: serial numbers on goods that had none in the request;
 * 45000: a count of serial numbers that differs from the quantity;
 * 17017: other serial numbers than requested;
 * 18000: sums that differ;
 * 18003: points without a buyer in the programme.
 */
export function quoteProblem(asked: readonly LoyaltyLine[], quote: Quote, hasAgent: boolean): RegisterProblem | undefined {
  return (
    discountProblem(quote.lines) ??
    orderProblem(asked, quote.lines) ??
    serialProblem(asked, quote.lines) ??
    sumProblem(asked, quote) ??
    programmeProblem(quote, hasAgent)
  );
}

/** Returns the sum of the lines after discounts. Each line is rounded once, half up. */
export function discountedKopecks(lines: readonly Pick<QuotedLine, "discountedKopecks" | "quantityThousandths">[]): number {
  return lines.reduce((sum, line) => sum + product(line.discountedKopecks, line.quantityThousandths), 0);
}

function discountProblem(lines: readonly QuotedLine[]): RegisterProblem | undefined {
  for (const [index, { percentHundredths, discountedKopecks: discounted }] of lines.entries()) {
    if (percentHundredths > WHOLE_PERCENT)
      return { code: 17008, words: `position ${index + 1} has a discount of ${percentHundredths / 100} %` };
    if (discounted < 0) return { code: 17008, words: `position ${index + 1} has a price below zero` };
  }
  return undefined;
}

function serialProblem(asked: readonly LoyaltyLine[], lines: readonly QuotedLine[]): RegisterProblem | undefined {
  for (const [index, { assortmentId, quantityThousandths, serials = [] }] of lines.entries()) {
    const wanted = serialsOf(asked, assortmentId);
    if (wanted.length === 0 && serials.length > 0)
      return { code: 45001, words: `position ${index + 1} has serial numbers, and its goods have none` };
    if (wanted.length > 0 && serials.length * 1000 !== quantityThousandths)
      return {
        code: 45000,
        words: `position ${index + 1} has ${serials.length} serial numbers for a quantity of ${quantityThousandths / 1000}`,
      };
  }
  for (const id of new Set(asked.map(({ assortmentId }) => assortmentId))) {
    const [before, after] = [serialsOf(asked, id), serialsOf(lines, id)];
    if (before.toSorted().join("\n") !== after.toSorted().join("\n"))
      return { code: 17017, words: `goods ${id} had ${before.length} serial numbers and have ${after.length} others or in all` };
  }
  return undefined;
}

function serialsOf(lines: readonly { assortmentId: string; serials?: readonly string[] | undefined }[], id: string): readonly string[] {
  return lines.flatMap(({ assortmentId, serials = [] }) => (assortmentId === id ? serials : []));
}

/**
 * Each requested position must have one or more answered positions, in the same order, with the same goods and price. Their quantities must
 * add up to the requested quantity.
 */
function orderProblem(asked: readonly LoyaltyLine[], lines: readonly QuotedLine[]): RegisterProblem | undefined {
  let at = 0;
  for (const [index, { assortmentId, quantityThousandths, priceKopecks }] of asked.entries()) {
    const words = (what: string): RegisterProblem => ({ code: 46002, words: `position ${index + 1}: ${what}` });
    let left = quantityThousandths;
    while (left > 0) {
      const line = lines[at];
      if (line === undefined) return words("it is missing, or less than was asked about");
      if (line.assortmentId !== assortmentId) return words("other goods stand in its place, or less than was asked about");
      if (line.priceKopecks !== priceKopecks) return words(`its price became ${line.priceKopecks / 100}`);
      if (line.quantityThousandths <= 0) return words("a quantity is not above zero");
      left -= line.quantityThousandths;
      at += 1;
    }
    if (left < 0) return words("there is more than was asked about");
  }
  return at === lines.length ? undefined : { code: 46002, words: "there are more positions than were asked about" };
}

/** The discounted price must match the percentage. Money and points together must not exceed the sum before discounts. */
function sumProblem(asked: readonly LoyaltyLine[], { lines, paidKopecks }: Quote): RegisterProblem | undefined {
  let off = 0;
  for (const { priceKopecks, percentHundredths, discountedKopecks: discounted, quantityThousandths } of lines) {
    const pieces = quantityThousandths / 1000;
    const byPercent = (priceKopecks * (WHOLE_PERCENT - percentHundredths)) / WHOLE_PERCENT;
    const allowed = (priceKopecks * HALF_STEP) / WHOLE_PERCENT + HALF_STEP;
    off += Math.max(0, Math.abs(byPercent - discounted) - allowed) * pieces;
  }
  if (off >= TOLERANCE_KOPECKS) return { code: 18000, words: `percentages and prices differ by ${Math.round(off)} kopecks` };
  const full = asked.reduce((sum, line) => sum + product(line.priceKopecks, line.quantityThousandths), 0);
  const more = discountedKopecks(lines) + paidKopecks - full;
  return more >= TOLERANCE_KOPECKS ? { code: 18000, words: `money and points are ${more} kopecks more than the receipt` } : undefined;
}

function programmeProblem({ spend, earn, paidKopecks }: Quote, hasAgent: boolean): RegisterProblem | undefined {
  if (hasAgent || (spend === 0 && earn === 0 && paidKopecks === 0)) return undefined;
  return { code: 18003, words: "points without a buyer who is in the programme" };
}

function product(kopecks: number, thousandths: number): number {
  return Math.floor((kopecks * thousandths + 500) / 1000);
}
