import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atSoldSums, matchLines, type ReturnedLine, type SoldLine } from "../../../../src/loyalty/points/matching.ts";

const MILLIONTHS = 1_000_000;

/** Few products, prices and quantities, so that many lines are alike. `x` is never sold. */
const soldLine = fc
  .record({ productId: fc.constantFrom("a", "b", "c"), quantityMillionths: quantity(6), unitKopecks: fc.integer({ min: 0, max: 3 }) })
  .chain((line) => fc.nat(20).map((paidKopecks): SoldLine => ({ ...line, paidKopecks, ...NOT_READ, pointsKopecks: 0, earningKopecks: 0 })));
const returnedLine = fc
  .record({ productId: fc.constantFrom("a", "b", "c", "x"), quantityMillionths: quantity(3), unitKopecks: fc.integer({ min: 0, max: 3 }) })
  .chain((line) => fc.nat(9).map((paidKopecks): ReturnedLine => ({ ...line, paidKopecks, ...NOT_READ })));
const NOT_READ = { grossKopecks: 0 };

function quantity(most: number) {
  return fc.integer({ min: 1, max: most * 4 }).map((quarters) => (quarters * MILLIONTHS) / 4);
}

describe("the lines of a return", () => {
  it("match the lines of the sale as when each line is compared with each", () => {
    fc.assert(
      fc.property(fc.array(soldLine, { maxLength: 12 }), fc.array(returnedLine, { maxLength: 8 }), (sold, returned) => {
        expect(matchLines(sold, returned)).toEqual(slowMatch(sold, returned));
      }),
    );
  });

  it("get the money of the sale's lines as when each product is divided alone", () => {
    fc.assert(
      fc.property(
        fc.array(soldLine, { minLength: 4, maxLength: 12 }),
        fc.array(returnedLine, { maxLength: 4 }),
        fc.array(returnedLine, { maxLength: 4 }),
        (sold, returnedBefore, returned) => {
          expect(atSoldSums(returned, { sold, returnedBefore })).toEqual(slowSums(sold, returnedBefore, returned));
        },
      ),
    );
  });
});

/** Compares each returned line with each sold line, first those of one price, then all of the product. */
function slowMatch(sold: readonly SoldLine[], returned: readonly ReturnedLine[]): object {
  const left = sold.map((line) => line.quantityMillionths);
  const open = returned.map((line) => line.quantityMillionths);
  for (const isSame of [(a: ReturnedLine, b: ReturnedLine) => a.unitKopecks === b.unitKopecks, () => true])
    for (const [nth, back] of returned.entries())
      for (const [index, line] of sold.entries()) {
        if (line.productId !== back.productId || !isSame(line, back)) continue;
        const taken = Math.min(open[nth] ?? 0, left[index] ?? 0);
        open[nth] = (open[nth] ?? 0) - taken;
        left[index] = (left[index] ?? 0) - taken;
      }
  const isSold = ({ productId }: ReturnedLine) => sold.some((line) => line.productId === productId);
  const tooMuch = returned.find((line, nth) => isSold(line) && (open[nth] ?? 0) > 0);
  if (tooMuch !== undefined) return { kind: "more-than-sold", productId: tooMuch.productId };
  const returnedMillionths = sold.map((line, index) => line.quantityMillionths - (left[index] ?? 0));
  const foreign = returned.filter((line) => !isSold(line));
  return foreign.length > 0 ? { kind: "unmatched", returnedMillionths, foreign } : { kind: "matched", returnedMillionths };
}

/** Counts the money of each product by itself. The sums are small, so floating point is exact enough to round. */
function slowSums(sold: readonly SoldLine[], before: readonly ReturnedLine[], returned: readonly ReturnedLine[]): ReturnedLine[] {
  const matched = slowMatch(sold, [...before, ...returned]);
  if (!("returnedMillionths" in matched)) return [...returned];
  const back = matched.returnedMillionths as number[];
  const lines = returned.map((line) => ({ ...line }));
  for (const productId of new Set(sold.map((line) => line.productId))) {
    const own = lines.filter((line) => line.productId === productId);
    const paid = sumOf(
      sold.map((line, index) => (line.productId === productId ? (line.paidKopecks * (back[index] ?? 0)) / line.quantityMillionths : 0)),
    );
    const earlier = sumOf(before.filter((line) => line.productId === productId).map((line) => line.paidKopecks));
    const wanted = Math.max(0, Math.floor(paid + 0.5 + EXACT) - earlier);
    if (own.length === 0 || sumOf(own.map((line) => line.paidKopecks)) === wanted) continue;
    const whole = sumOf(own.map((line) => line.quantityMillionths));
    let [passed, given] = [0, 0];
    for (const line of own) {
      passed += line.quantityMillionths;
      line.paidKopecks = Math.floor((wanted * passed) / whole) - given;
      given += line.paidKopecks;
    }
  }
  return lines;
}

/** Less than any fraction of these sums differs from a half, and more than the error of a sum. */
const EXACT = 1e-9;

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
