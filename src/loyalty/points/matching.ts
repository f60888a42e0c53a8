import { divideHalfUp } from "../../kernel/decimal.ts";
import { type Fraction, sumOfFractions } from "./fraction.ts";

export interface SoldLine {
  productId: string;
  quantityMillionths: number;
  unitKopecks: number;
  paidKopecks: number;
  /** The price of the line without discounts and points. */
  grossKopecks: number;
  /** The line's shares in the sale's points: kopecks paid with points, and kopecks that earn points. */
  pointsKopecks: number;
  earningKopecks: number;
}

export type ReturnedLine = Pick<SoldLine, "productId" | "quantityMillionths" | "unitKopecks" | "paidKopecks" | "grossKopecks">;

/**
 * `returnedMillionths`: the returned quantity of each line of the sale. `unmatched`: the products in `foreign` were not in the sale; all
 * other lines are matched. `more-than-sold`: more of this product was returned than was sold.
 */
type Matching =
  | { kind: "matched"; returnedMillionths: number[] }
  | { kind: "unmatched"; returnedMillionths: number[]; foreign: ReturnedLine[] }
  | { kind: "more-than-sold"; productId: string };

/**
 * Matches returned lines to the lines of the sale: first by product and price, then the rest to any line of the product that has quantity
 * left. Pass the lines of all returns of the sale, so that their order does not matter.
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

/** Takes the quantity from the lines in their order. Returns the missing quantity. */
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
 * Returns the lines of a return with the money that was paid for their goods.
 *
 * A till may state any price, or split goods into parts of less than half a kopeck. So the money of all returns of a product is computed
 * from the lines of the sale. This return gets what earlier returns did not count, and the last return gets the exact rest.
 *
 * Lines of products that the sale did not contain stay unchanged. All lines stay unchanged when more comes back than was sold.
 */
export function atSoldSums(
  returned: readonly ReturnedLine[],
  { sold, returnedBefore }: { sold: readonly SoldLine[]; returnedBefore: readonly ReturnedLine[] },
): ReturnedLine[] {
  const matching = matchLines(sold, [...returnedBefore, ...returned]);
  if (matching.kind === "more-than-sold") return [...returned];
  let lines: readonly ReturnedLine[] = returned;
  const counted = paidByProduct(returnedBefore);
  const stated = paidByProduct(returned);
  for (const [productId, paid] of paidOfReturned(sold, matching.returnedMillionths)) {
    const wanted = Math.max(0, Number(divideHalfUp(paid.numerator, paid.denominator)) - (counted.get(productId) ?? 0));
    if ((stated.get(productId) ?? wanted) === wanted) continue;
    lines = divided(lines, (line) => line.productId === productId, wanted);
  }
  return [...lines];
}

/** Divides `kopecks` over the chosen lines by their quantities. The shares add up to exactly `kopecks`. */
export function divided(lines: readonly ReturnedLine[], isChosen: (line: ReturnedLine) => boolean, kopecks: number): ReturnedLine[] {
  const whole = lines.filter(isChosen).reduce((sum, { quantityMillionths }) => sum + BigInt(quantityMillionths), 0n);
  let [passed, given] = [0n, 0];
  return lines.map((line) => {
    if (!isChosen(line)) return line;
    passed += BigInt(line.quantityMillionths);
    const upToHere = Number((BigInt(kopecks) * passed) / whole);
    const paidKopecks = upToHere - given;
    given = upToHere;
    return { ...line, paidKopecks };
  });
}

function paidByProduct(lines: readonly ReturnedLine[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { productId, paidKopecks } of lines) sums.set(productId, (sums.get(productId) ?? 0) + paidKopecks);
  return sums;
}

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
