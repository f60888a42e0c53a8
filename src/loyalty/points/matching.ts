import { divideHalfUp } from "../../kernel/decimal.ts";
import { type Fraction, sumOfFractions } from "./fraction.ts";

/** A line of a sale as it was booked. */
export interface SoldLine {
  productId: string;
  quantityMillionths: number;
  /** What was paid for one unit in money. */
  unitKopecks: number;
  /** What was paid for the line in money. */
  paidKopecks: number;
  /** What the line would have cost without discounts and points. */
  grossKopecks: number;
  /** The line's shares in what the sale has spent and earned: kopecks paid with points, and kopecks that earn points. */
  pointsKopecks: number;
  earningKopecks: number;
}

export type ReturnedLine = Pick<SoldLine, "productId" | "quantityMillionths" | "unitKopecks" | "paidKopecks" | "grossKopecks">;

/**
 * `matched`: how much of each sale line has come back, in millionths. `unmatched`: some returned products were not in the sale. Their lines
 * are in `foreign`, and the other lines are matched. `more-than-sold`: more of this product has come back than was sold.
 */
type Matching =
  | { kind: "matched"; returnedMillionths: number[] }
  | { kind: "unmatched"; returnedMillionths: number[]; foreign: ReturnedLine[] }
  | { kind: "more-than-sold"; productId: string };

/**
 * Matches returned lines to the lines of the sale: first by product and price, then by product and remaining quantity. Pass the lines of
 * all returns of the sale, so that the order of the returns does not matter.
 */
export function matchLines(sold: readonly SoldLine[], returned: readonly ReturnedLine[]): Matching {
  const leftMillionths = sold.map(({ quantityMillionths }) => quantityMillionths);
  const byProduct = new Map<string, number[]>();
  for (const [index, { productId }] of sold.entries()) byProduct.set(productId, [...(byProduct.get(productId) ?? []), index]);
  const openMillionths = returned.map((line) => {
    const samePrice = (byProduct.get(line.productId) ?? []).filter((index) => sold[index]?.unitKopecks === line.unitKopecks);
    return take(leftMillionths, samePrice, line.quantityMillionths);
  });
  for (const [nth, { productId }] of returned.entries()) {
    const indexes = byProduct.get(productId);
    if (indexes !== undefined && take(leftMillionths, indexes, openMillionths[nth] ?? 0) > 0) return { kind: "more-than-sold", productId };
  }
  const returnedMillionths = sold.map((line, index) => line.quantityMillionths - (leftMillionths[index] ?? 0));
  const foreign = returned.filter(({ productId }) => !byProduct.has(productId));
  return foreign.length > 0 ? { kind: "unmatched", returnedMillionths, foreign } : { kind: "matched", returnedMillionths };
}

/** Takes the quantity from the lines in their order. Returns the part that was not available. */
function take(leftMillionths: number[], indexes: readonly number[], wantedMillionths: number): number {
  let wanted = wantedMillionths;
  for (const index of indexes) {
    const taken = Math.min(wanted, leftMillionths[index] ?? 0);
    leftMillionths[index] = (leftMillionths[index] ?? 0) - taken;
    wanted -= taken;
  }
  return wanted;
}

/**
 * Returns the lines of a return with the money that was paid for their goods. A till may state any price, also the price of another line of
 * the product, and may divide goods until each part is worth less than half a kopeck. So the money of all returns of a product is computed
 * from the lines of the sale, and this return gets what earlier returns have not counted. The last return counts exactly the rest. Lines of
 * products that were not sold are returned unchanged. All lines are returned unchanged when more comes back than was sold.
 */
export function atSoldSums(
  returned: readonly ReturnedLine[],
  { sold, returnedBefore }: { sold: readonly SoldLine[]; returnedBefore: readonly ReturnedLine[] },
): ReturnedLine[] {
  const matching = matchLines(sold, [...returnedBefore, ...returned]);
  if (matching.kind === "more-than-sold") return [...returned];
  const lines = [...returned];
  const counted = paidByProduct(returnedBefore);
  const stated = paidByProduct(returned);
  for (const [productId, paid] of paidOfReturned(sold, matching.returnedMillionths)) {
    const wanted = Math.max(0, Number(divideHalfUp(paid.numerator, paid.denominator)) - (counted.get(productId) ?? 0));
    if ((stated.get(productId) ?? wanted) === wanted) continue;
    divide(lines, productId, wanted);
  }
  return lines;
}

/** Divides the money over the lines of the product by their quantities. The shares together are exactly the money. */
function divide(lines: ReturnedLine[], productId: string, kopecks: number): void {
  const ofProduct = (line: ReturnedLine) => line.productId === productId;
  const whole = lines.filter(ofProduct).reduce((sum, { quantityMillionths }) => sum + BigInt(quantityMillionths), 0n);
  let [passed, given] = [0n, 0];
  for (const [index, line] of lines.entries()) {
    if (!ofProduct(line)) continue;
    passed += BigInt(line.quantityMillionths);
    const upToHere = Number((BigInt(kopecks) * passed) / whole);
    lines[index] = { ...line, paidKopecks: upToHere - given };
    given = upToHere;
  }
}

function paidByProduct(lines: readonly ReturnedLine[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { productId, paidKopecks } of lines) sums.set(productId, (sums.get(productId) ?? 0) + paidKopecks);
  return sums;
}

/** Returns what was paid for the goods that came back, for each product of the sale. */
function paidOfReturned(sold: readonly SoldLine[], returnedMillionths: readonly number[]): Map<string, Fraction> {
  const parts = new Map<string, Fraction[]>();
  for (const [index, { productId, paidKopecks, quantityMillionths }] of sold.entries()) {
    const back = returnedMillionths[index] ?? 0;
    const list = parts.get(productId) ?? [];
    if (back > 0) list.push({ numerator: BigInt(paidKopecks) * BigInt(back), denominator: BigInt(quantityMillionths) });
    parts.set(productId, list);
  }
  return new Map([...parts].map(([productId, fractions]) => [productId, sumOfFractions(fractions)]));
}
