import type { ReturnPolicy } from "../programme/programme.ts";
import { type Fraction, NOTHING, sumOfFractions, timesHalfUp } from "./fraction.ts";
import { matchLines, type ReturnedLine, type SoldLine } from "./matching.ts";

/** A sale, with the points that its earlier returns have moved. */
export interface ReturnedSale {
  spentPoints: number;
  earnedPoints: number;
  givenBackPoints: number;
  clawedBackPoints: number;
  lines: readonly SoldLine[];
  /** The lines of all earlier returns. */
  returnedBefore: readonly ReturnedLine[];
}

/** `by`: how the share was computed. `paidKopecks`: the sum by which the amount that counts towards a tier decreases. */
export type ReturnShares =
  | { kind: "shared"; by: "lines" | "total"; giveBackPoints: number; clawBackPoints: number; paidKopecks: number }
  | { kind: "more-than-sold"; productId?: string };

/**
 * Returns what a return moves (loyalty-model 7): the share of all returns so far in the points spent and earned, rounded half up once, less
 * what earlier returns have moved. So the last return moves exactly the rest. Goods of the sale count by their lines. Goods that were not
 * sold count by their share in the total. They add to the share of the lines and never replace it: otherwise a strange line of a kopeck
 * would move the points of goods that the buyer keeps. A till may state any price for such goods. So their share in what was paid and their
 * share in the price without discounts are both counted: the smaller one gives points back, and the larger one takes points back. Nothing is
 * moved when more comes back than was sold.
 */
export function sharesOf(
  sale: ReturnedSale,
  returned: readonly ReturnedLine[],
  policy: Pick<ReturnPolicy, "giveBack" | "clawBack">,
): ReturnShares {
  const all = [...sale.returnedBefore, ...returned];
  const matching = matchLines(sale.lines, all);
  if (matching.kind === "more-than-sold") return matching;
  const { returnedMillionths } = matching;
  const foreign = matching.kind === "unmatched" ? sharesOfForeign(sale.lines, returnedMillionths, matching.foreign) : NO_FOREIGN;
  if (foreign === "more-than-sold") return { kind: foreign };
  const share = (weight: (line: SoldLine) => number, of: Fraction) => atMostAll(shareOfLines(sale.lines, returnedMillionths, weight), of);
  const { spentPoints, givenBackPoints, earnedPoints, clawedBackPoints } = sale;
  return {
    kind: "shared",
    by: matching.kind === "matched" ? "lines" : "total",
    giveBackPoints: policy.giveBack ? stillToMove(spentPoints, share(pointsWeight, foreign.smaller), givenBackPoints) : 0,
    clawBackPoints: policy.clawBack ? stillToMove(earnedPoints, share(earningWeight, foreign.larger), clawedBackPoints) : 0,
    paidKopecks: returned.reduce((sum, line) => sum + line.paidKopecks, 0),
  };
}

/** Returns the sum of the shares, at most 1: goods that were not sold may have taken the place of goods that come back later. */
function atMostAll(own: Fraction, foreign: Fraction): Fraction {
  const sum = sumOfFractions([own, foreign]);
  return sum.numerator > sum.denominator ? { numerator: 1n, denominator: 1n } : sum;
}

/** At least 0: the share by the total may be below the share by lines of an earlier return. */
function stillToMove(points: number, share: Fraction, movedPoints: number): number {
  return Math.max(0, timesHalfUp(points, share) - movedPoints);
}

function pointsWeight({ pointsKopecks }: SoldLine): number {
  return pointsKopecks;
}

function earningWeight({ earningKopecks }: SoldLine): number {
  return earningKopecks;
}

/** The weights when no line has a share in the points: what was paid for the line, then its price without discounts, then equal weights. */
const FALLBACK_WEIGHTS: readonly ((line: SoldLine) => number)[] = [
  ({ paidKopecks }) => paidKopecks,
  ({ grossKopecks }) => grossKopecks,
  () => 1,
];

function shareOfLines(lines: readonly SoldLine[], returnedMillionths: readonly number[], weight: (line: SoldLine) => number): Fraction {
  const weights = [weight, ...FALLBACK_WEIGHTS].map((of) => lines.map(of)).find((each) => sumOf(each) > 0) ?? [];
  const whole = BigInt(sumOf(weights));
  if (whole === 0n) return NOTHING;
  const { numerator, denominator } = returnedPart(lines, returnedMillionths, (_line, index) => weights[index] ?? 0);
  return { numerator, denominator: denominator * whole };
}

interface ForeignShares {
  smaller: Fraction;
  larger: Fraction;
}

const NO_FOREIGN: ForeignShares = { smaller: NOTHING, larger: NOTHING };

/**
 * Returns two shares of goods that were not sold: of their stated sum in the sum that was paid, and of their stated price in the price
 * without discounts. When everything was paid with points, only the share by price exists. `more-than-sold`: these goods and the goods of the
 * sale that came back are together more than the sale.
 */
function sharesOfForeign(
  lines: readonly SoldLine[],
  returnedMillionths: readonly number[],
  foreign: readonly ReturnedLine[],
): ForeignShares | "more-than-sold" {
  const ofPaid = ({ paidKopecks }: ReturnedLine) => paidKopecks;
  const ofGross = ({ grossKopecks }: ReturnedLine) => grossKopecks;
  const isPaid = lines.some(({ paidKopecks }) => paidKopecks > 0);
  const of = isPaid ? ofPaid : ofGross;
  const sold = BigInt(sumOf(lines.map(of)));
  const own = returnedPart(lines, returnedMillionths, (line) => of(line));
  const back = BigInt(sumOf(foreign.map(of)));
  if (own.numerator + back * own.denominator > sold * own.denominator) return "more-than-sold";
  const byPrice = partOf(foreign, lines, ofGross);
  const byMoney = isPaid ? partOf(foreign, lines, ofPaid) : byPrice;
  return isAbove(byMoney, byPrice) ? { smaller: byPrice, larger: byMoney } : { smaller: byMoney, larger: byPrice };
}

function partOf(foreign: readonly ReturnedLine[], lines: readonly SoldLine[], of: (line: ReturnedLine) => number): Fraction {
  const sold = BigInt(sumOf(lines.map(of)));
  return sold === 0n ? NOTHING : { numerator: BigInt(sumOf(foreign.map(of))), denominator: sold };
}

function isAbove(a: Fraction, b: Fraction): boolean {
  return a.numerator * b.denominator > b.numerator * a.denominator;
}

/**
 * Returns the sum over the lines of weight × returned quantity ÷ quantity. Lines with the same quantity are added first, so that there are
 * few fractions.
 */
function returnedPart(
  lines: readonly SoldLine[],
  returnedMillionths: readonly number[],
  weightOf: (line: SoldLine, index: number) => number,
): Fraction {
  const parts = new Map<number, bigint>();
  for (const [index, line] of lines.entries()) {
    const { quantityMillionths } = line;
    const part = BigInt(weightOf(line, index)) * BigInt(returnedMillionths[index] ?? 0);
    if (part > 0n) parts.set(quantityMillionths, (parts.get(quantityMillionths) ?? 0n) + part);
  }
  return sumOfFractions([...parts].map(([quantityMillionths, numerator]) => ({ numerator, denominator: BigInt(quantityMillionths) })));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
