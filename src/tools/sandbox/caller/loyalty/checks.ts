import type { Quote, QuotedLine } from "./answer.ts";
import type { LoyaltyLine } from "./bodies.ts";

/** Why the register does not sell by an answer: the platform's own code (platform-contracts 6.5, 6.9), and words. */
export interface RegisterProblem {
  readonly code: 17008 | 17017 | 18000 | 18003 | 45000 | 45001 | 46000 | 46001 | 46002;
  readonly words: string;
}

const WHOLE_PERCENT = 100_00;
/** Sums that differ by so much are refused (18000). */
const TOLERANCE_KOPECKS = 10;
/** A percentage with two decimals can be off by half of the last one. */
const HALF_STEP = 0.5;

/**
 * What the register has against an answer of recalc, if anything: discounts above 100 % (17008), positions that are not those that
 * were asked about (46002), serial numbers on goods without them (45001) or that do not fit the quantities (45000 inside of a position,
 * 17017 over the positions of the same goods), sums that differ (18000), points without a programme (18003).
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

/** The sum of the lines as they are answered; each line is rounded once, half up. */
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

/** Each position asked about is answered by one or more in its place, with its goods and price, whose quantities add up to its own. */
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

/** The discounted price has to follow from the percentage, and money and points together may not exceed the undiscounted sum. */
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
