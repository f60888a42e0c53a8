import { scaleKopecks } from "../../kernel/money.ts";
import { ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import type { ReturnPolicy } from "../programme/programme.ts";
import { type Fraction, NOTHING, sumOfFractions, timesHalfUp } from "./fraction.ts";
import { divided, matchLines, type ReturnedLine, type SoldLine } from "./matching.ts";

export interface ReturnedSale {
  spentPoints: number;
  earnedPoints: number;
  givenBackPoints: number;
  clawedBackPoints: number;
  lines: readonly SoldLine[];
  returnedBefore: readonly ReturnedLine[];
}

/**
 * `by`: `lines` when all returned goods were in the sale; `total` when some count by their share in the total. `lines`: the returned lines.
 * The sum of their `paidKopecks` is subtracted from the amount that counts towards a tier.
 */
export type ReturnShares =
  | { kind: "shared"; by: "lines" | "total"; giveBackPoints: number; clawBackPoints: number; lines: readonly ReturnedLine[] }
  | { kind: "more-than-sold"; productId?: string };

/**
 * Returns what a return moves (loyalty-model 7): the share of all returns so far in the points spent and earned, rounded half up once, less
 * what earlier returns moved. So the last return moves the exact rest. Moves nothing when more comes back than was sold.
 *
 * Goods of the sale count by their lines. Foreign goods, which the sale did not contain, count by their share in the total. The two shares
 * are added. If everything counted by the total, one kopeck of foreign goods would move the points of goods that the buyer keeps.
 *
 * A till may state any price for foreign goods. So two shares of foreign goods are computed: their share in the paid money, and their share
 * in the undiscounted price. The smaller share gives points back. The larger share takes points and tier money back.
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
    lines: matching.kind === "matched" ? returned : withForeignMoney(sale, returned, foreign.larger),
  };
}

/**
 * Returns the sum of the two shares, at most 1: foreign goods may already have used the share of goods of the sale that come back later.
 */
function atMostAll(own: Fraction, foreign: Fraction): Fraction {
  const sum = sumOfFractions([own, foreign]);
  return sum.numerator > sum.denominator ? { numerator: 1n, denominator: 1n } : sum;
}

/** The result is at least 0, because a return never moves points in the opposite direction. */
function stillToMove(points: number, share: Fraction, movedPoints: number): number {
  return Math.max(0, timesHalfUp(points, share) - movedPoints);
}

function pointsWeight({ pointsKopecks }: SoldLine): number {
  return pointsKopecks;
}

function earningWeight({ earningKopecks }: SoldLine): number {
  return earningKopecks;
}

/**
 * The weights that count when no line has a weight of its own: the paid money, otherwise the undiscounted price, otherwise equal weights.
 */
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

/**
 * Returns the lines with the money that foreign goods take from a tier (loyalty-model 7.9). For all returns together this money is the
 * larger share of foreign goods, in kopecks of the paid sum. The money that earlier returns took is subtracted.
 */
function withForeignMoney({ lines, returnedBefore }: ReturnedSale, returned: readonly ReturnedLine[], share: Fraction): ReturnedLine[] {
  const known = new Set(lines.map(({ productId }) => productId));
  const isForeign = ({ productId }: ReturnedLine) => !known.has(productId);
  const paidKopecks = sumOf(lines.map((line) => line.paidKopecks));
  const takenKopecks = sumOf(returnedBefore.filter(isForeign).map((line) => line.paidKopecks));
  const kopecks = Math.max(0, timesHalfUp(paidKopecks, atMostAll(NOTHING, share)) - takenKopecks);
  return divided(returned, isForeign, new Map([[true, kopecks]]));
}

interface ForeignShares {
  smaller: Fraction;
  larger: Fraction;
}

const NO_FOREIGN: ForeignShares = { smaller: NOTHING, larger: NOTHING };

/**
 * Returns two shares of foreign goods: their stated money in the paid sum, and their stated price in the undiscounted price. When points
 * paid for everything, there is only the share by price. `more-than-sold`: all returned goods together exceed the sale.
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
  const sold = sumOf(lines.map(of));
  const own = returnedPart(lines, returnedMillionths, (line) => of(line));
  const price = sumOf(foreign.map(ofGross));
  const money = sumOf(foreign.map(statedKopecks));
  if (own.numerator + BigInt(isPaid ? money : price) * own.denominator > BigInt(sold) * own.denominator) return "more-than-sold";
  const byPrice = partOf(price, sumOf(lines.map(ofGross)));
  const byMoney = isPaid ? partOf(money, sold) : byPrice;
  return isAbove(byMoney, byPrice) ? { smaller: byPrice, larger: byMoney } : { smaller: byMoney, larger: byPrice };
}

/** Returns the money that a till states for a line of foreign goods. `paidKopecks` of such a line is the money that it took from a tier. */
function statedKopecks({ unitKopecks, quantityMillionths }: ReturnedLine): number {
  return scaleKopecks(unitKopecks, BigInt(quantityMillionths), BigInt(ONE_MILLIONTHS));
}

function partOf(kopecks: number, soldKopecks: number): Fraction {
  return soldKopecks === 0 ? NOTHING : { numerator: BigInt(kopecks), denominator: BigInt(soldKopecks) };
}

function isAbove(a: Fraction, b: Fraction): boolean {
  return a.numerator * b.denominator > b.numerator * a.denominator;
}

/**
 * Returns the sum over the lines of weight × returned quantity ÷ quantity. Lines with equal quantities are added first, which keeps the
 * fractions few.
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
