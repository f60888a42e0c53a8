import { divideHalfUp } from "../../kernel/decimal.ts";

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
 * Returns the line with the sums at which its product was sold, when the sale has the product only at other prices. This is needed because
 * a till may state any price. A line with a price of the sale, and a line of a product that was not sold, are returned unchanged.
 */
export function atSoldSums(line: ReturnedLine, sold: readonly SoldLine[]): ReturnedLine {
  const same = sold.filter(({ productId }) => productId === line.productId);
  if (same.length === 0 || same.some(({ unitKopecks }) => unitKopecks === line.unitKopecks)) return line;
  const of = (sum: (each: SoldLine) => number) => BigInt(same.reduce((total, each) => total + sum(each), 0));
  const quantity = of(({ quantityMillionths }) => quantityMillionths);
  if (quantity === 0n) return line;
  const part = (whole: bigint) => Number(divideHalfUp(whole * BigInt(line.quantityMillionths), quantity));
  return { ...line, paidKopecks: part(of(({ paidKopecks }) => paidKopecks)), grossKopecks: part(of(({ grossKopecks }) => grossKopecks)) };
}
