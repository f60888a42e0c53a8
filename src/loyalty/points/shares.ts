import type { ReturnPolicy } from "../programme/programme.ts";
import { type Fraction, NOTHING, sumOfFractions, timesHalfUp } from "./fraction.ts";
import { matchLines, type ReturnedLine, type SoldLine } from "./matching.ts";

/** A sale with what its returns have moved so far. */
export interface ReturnedSale {
  spentPoints: number;
  earnedPoints: number;
  givenBackPoints: number;
  clawedBackPoints: number;
  lines: readonly SoldLine[];
  /** The lines of all earlier returns. */
  returnedBefore: readonly ReturnedLine[];
}

/** `by`: how the share was found. `paidKopecks`: by how much the sum that qualifies for a tier goes down. */
export type ReturnShares =
  | { kind: "shared"; by: "lines" | "total"; giveBackPoints: number; clawBackPoints: number; paidKopecks: number }
  | { kind: "more-than-sold"; productId?: string };

/**
 * What a return moves (loyalty-model 7): of the points spent and earned the cumulative share of all returns so far, rounded half up
 * once, less what earlier returns have moved. So the last return squares exactly. The share goes by lines when every returned line is
 * one of the sale, else by the total. Nothing moves when more comes back than was sold.
 */
export function sharesOf(
  sale: ReturnedSale,
  returned: readonly ReturnedLine[],
  policy: Pick<ReturnPolicy, "giveBack" | "clawBack">,
): ReturnShares {
  const all = [...sale.returnedBefore, ...returned];
  const matching = matchLines(sale.lines, all);
  if (matching.kind === "more-than-sold") return matching;
  const total = matching.kind === "unmatched" ? shareOfTotal(sale.lines, matching.returnedMillionths, matching.foreign) : undefined;
  if (total === "more-than-sold") return { kind: total };
  const share = (weight: (line: SoldLine) => number) =>
    matching.kind === "matched" ? shareOfLines(sale.lines, matching.returnedMillionths, weight) : (total ?? NOTHING);
  const { spentPoints, givenBackPoints, earnedPoints, clawedBackPoints } = sale;
  return {
    kind: "shared",
    by: matching.kind === "matched" ? "lines" : "total",
    giveBackPoints: policy.giveBack ? stillToMove(spentPoints, share(pointsWeight), givenBackPoints) : 0,
    clawBackPoints: policy.clawBack ? stillToMove(earnedPoints, share(earningWeight), clawedBackPoints) : 0,
    paidKopecks: returned.reduce((sum, line) => sum + line.paidKopecks, 0),
  };
}

/** Never negative: a return that is shared by the total may follow one that was shared by lines. */
function stillToMove(points: number, share: Fraction, movedPoints: number): number {
  return Math.max(0, timesHalfUp(points, share) - movedPoints);
}

function pointsWeight({ pointsKopecks }: SoldLine): number {
  return pointsKopecks;
}

function earningWeight({ earningKopecks }: SoldLine): number {
  return earningKopecks;
}

/** Where no line has a share of its own, the lines weigh by what was paid, then by what they cost. */
const STAND_INS: readonly ((line: SoldLine) => number)[] = [({ paidKopecks }) => paidKopecks, ({ grossKopecks }) => grossKopecks, () => 1];

function shareOfLines(lines: readonly SoldLine[], returnedMillionths: readonly number[], weight: (line: SoldLine) => number): Fraction {
  const weights = [weight, ...STAND_INS].map((of) => lines.map(of)).find((each) => sumOf(each) > 0) ?? [];
  const whole = BigInt(sumOf(weights));
  if (whole === 0n) return NOTHING;
  const { numerator, denominator } = returnedPart(lines, returnedMillionths, (_line, index) => weights[index] ?? 0);
  return { numerator, denominator: denominator * whole };
}

/**
 * Of what was paid; where everything was paid with points, of what it cost. The sale's own goods count by what came back of its lines,
 * whatever the till states for them; other goods count as they are stated.
 */
function shareOfTotal(
  lines: readonly SoldLine[],
  returnedMillionths: readonly number[],
  foreign: readonly ReturnedLine[],
): Fraction | "more-than-sold" {
  const isPaid = lines.some(({ paidKopecks }) => paidKopecks > 0);
  const of = isPaid ? (line: ReturnedLine) => line.paidKopecks : (line: ReturnedLine) => line.grossKopecks;
  const sold = BigInt(sumOf(lines.map(of)));
  const own = returnedPart(lines, returnedMillionths, (line) => of(line));
  const back = own.numerator + BigInt(sumOf(foreign.map(of))) * own.denominator;
  if (back > sold * own.denominator) return "more-than-sold";
  return sold === 0n ? NOTHING : { numerator: back, denominator: own.denominator * sold };
}

/** The sum over the lines of weight × returned quantity ÷ quantity. Lines of one quantity are added first. */
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
