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
  const byProduct = new Map<string, SoldProduct>();
  for (const [index, { productId, unitKopecks }] of sold.entries()) {
    const product = valueIn(byProduct, productId, () => ({ all: unusedLines(), byPrice: new Map() }));
    product.all.indexes.push(index);
    valueIn(product.byPrice, unitKopecks, unusedLines).indexes.push(index);
  }
  const openMillionths = returned.map(({ productId, unitKopecks, quantityMillionths }) => {
    const samePrice = byProduct.get(productId)?.byPrice.get(unitKopecks);
    return samePrice === undefined ? quantityMillionths : take(leftMillionths, samePrice, quantityMillionths);
  });
  for (const [nth, { productId }] of returned.entries()) {
    const product = byProduct.get(productId);
    if (product !== undefined && take(leftMillionths, product.all, openMillionths[nth] ?? 0) > 0)
      return { kind: "more-than-sold", productId };
  }
  const returnedMillionths = sold.map((line, index) => line.quantityMillionths - (leftMillionths[index] ?? 0));
  const foreign = returned.filter(({ productId }) => !byProduct.has(productId));
  return foreign.length > 0 ? { kind: "unmatched", returnedMillionths, foreign } : { kind: "matched", returnedMillionths };
}

/** The lines of a sale with one product. */
interface SoldProduct {
  all: UnusedLines;
  byPrice: Map<number, UnusedLines>;
}

/** Line numbers of the sale in order. The lines before `next` are used up and are not looked at again. */
interface UnusedLines {
  indexes: number[];
  next: number;
}

function unusedLines(): UnusedLines {
  return { indexes: [], next: 0 };
}

/** Takes the quantity from the lines in their order. Returns the missing quantity. */
function take(leftMillionths: number[], lines: UnusedLines, wantedMillionths: number): number {
  let wanted = wantedMillionths;
  while (wanted > 0) {
    const index = lines.indexes[lines.next];
    if (index === undefined) return wanted;
    const left = leftMillionths[index] ?? 0;
    const taken = Math.min(wanted, left);
    leftMillionths[index] = left - taken;
    wanted -= taken;
    if (taken === left) lines.next += 1;
  }
  return wanted;
}

function valueIn<Key, Value>(map: Map<Key, Value>, key: Key, made: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = made();
  map.set(key, value);
  return value;
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
  const counted = paidByProduct(returnedBefore);
  const stated = paidByProduct(returned);
  const wantedOf = new Map<string, number>();
  for (const [productId, paid] of paidOfReturned(sold, matching.returnedMillionths)) {
    const wanted = Math.max(0, Number(divideHalfUp(paid.numerator, paid.denominator)) - (counted.get(productId) ?? 0));
    if ((stated.get(productId) ?? wanted) !== wanted) wantedOf.set(productId, wanted);
  }
  return divided(returned, ({ productId }) => productId, wantedOf);
}

/**
 * Divides the kopecks of each part over the lines of this part by their quantities. The shares of a part add up to exactly its kopecks.
 * Lines of other parts stay unchanged.
 */
export function divided<Part>(
  lines: readonly ReturnedLine[],
  partOf: (line: ReturnedLine) => Part,
  kopecksOf: ReadonlyMap<Part, number>,
): ReturnedLine[] {
  const shares = new Map([...kopecksOf].map(([part, kopecks]) => [part, { kopecks: BigInt(kopecks), whole: 0n, passed: 0n, given: 0 }]));
  for (const line of lines) {
    const share = shares.get(partOf(line));
    if (share !== undefined) share.whole += BigInt(line.quantityMillionths);
  }
  return lines.map((line) => {
    const share = shares.get(partOf(line));
    if (share === undefined) return line;
    share.passed += BigInt(line.quantityMillionths);
    const upToHere = Number((share.kopecks * share.passed) / share.whole);
    const paidKopecks = upToHere - share.given;
    share.given = upToHere;
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
    const list = valueIn(parts, productId, () => []);
    if (back > 0) list.push({ numerator: BigInt(paidKopecks) * BigInt(back), denominator: BigInt(quantityMillionths) });
  }
  return new Map([...parts].map(([productId, fractions]) => [productId, sumOfFractions(fractions)]));
}
