import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineKopecks, type QuotePosition } from "../../../../src/loyalty/quote/line.ts";
import { discountPercentHundredths, largestRemainder, priced } from "../../../../src/loyalty/quote/spread.ts";
import { extent } from "../../../support/extent.ts";
import { position } from "../builders.ts";

function sumOf(lines: readonly { discountedPriceKopecks: number; quantityMillionths: number }[]): number {
  return lines.reduce((sum, each) => sum + lineKopecks(each.discountedPriceKopecks, each.quantityMillionths), 0);
}

/** The time limit of the long run on a busy machine. */
const TIMEOUT_MS = 120_000;

/** A position and a sum that it may be reduced to. */
const reduced = fc
  .record({
    priceKopecks: fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 5_000_000 })),
    quantityMillionths: fc.oneof(
      fc.integer({ min: 1, max: 300 }).map((n) => n * 1_000_000),
      fc.integer({ min: 1, max: 120_000 }).map((n) => n * 1_000),
    ),
    share: fc.nat(1_000_000),
  })
  .map(({ priceKopecks, quantityMillionths, share }) => {
    const whole = lineKopecks(priceKopecks, quantityMillionths);
    return { sold: { ...position(priceKopecks, 1), quantityMillionths }, sumKopecks: Math.floor((whole * share) / 1_000_000) };
  });

describe("a line that points pay a part of", () => {
  it(
    "comes out at exactly its sum in one or two lines, whatever its price, quantity and sum",
    () => {
      fc.assert(
        fc.property(reduced, ({ sold, sumKopecks }) => {
          const lines = priced(sold, sold.priceKopecks, sumKopecks);
          expect(sumOf(lines)).toBe(sumKopecks);
          expect(lines.length).toBeLessThanOrEqual(2);
          expect(lines.reduce((sum, each) => sum + each.quantityMillionths, 0)).toBe(sold.quantityMillionths);
          for (const { quantityMillionths, discountedPriceKopecks, discountPercentHundredths: percent } of lines) {
            expect(quantityMillionths).toBeGreaterThan(0);
            expect(discountedPriceKopecks).toBeGreaterThanOrEqual(0);
            expect(discountedPriceKopecks).toBeLessThanOrEqual(sold.priceKopecks);
            expect(percent).toBeLessThanOrEqual(10_000);
          }
        }),
        { numRuns: extent({ short: 2_000, long: 20_000 }) },
      );
    },
    TIMEOUT_MS,
  );

  it("stays one line while one price gives the sum, and is split off one piece that bears the remainder otherwise", () => {
    expect(priced(position(10_000, 3), 10_000, 24_000)).toMatchObject([{ discountedPriceKopecks: 8_000 }]);
    expect(priced(position(10_000, 3), 10_000, 24_001)).toMatchObject([
      { quantityMillionths: 1_000_000, discountedPriceKopecks: 7_999 },
      { quantityMillionths: 2_000_000, discountedPriceKopecks: 8_001 },
    ]);
  });

  it("has some pieces at a kopeck more where one piece cannot bear the remainder", () => {
    expect(priced(position(1, 100), 1, 30)).toMatchObject([
      { quantityMillionths: 70_000_000, discountedPriceKopecks: 0 },
      { quantityMillionths: 30_000_000, discountedPriceKopecks: 1 },
    ]);
  });

  it("hands its serial numbers out in their order, one for each piece", () => {
    const serials = ["a", "b", "c", "d"];
    const lines = priced(position(9_600, 4, { serials }), 9_600, 33_399);
    expect(lines.map((each) => [each.quantityMillionths, each.serials])).toEqual([
      [1_000_000, ["a"]],
      [3_000_000, ["b", "c", "d"]],
    ]);
    expect(priced(position(9_600, 4, { serials }), 9_600, 33_400)).toMatchObject([{ serials }]);
  });

  it("keeps whatever else the position carries", () => {
    const sold: QuotePosition & { pack: string } = { ...position(9_600, 3), pack: "box" };
    expect(priced(sold, 9_600, 23_800).map(({ pack }) => pack)).toEqual(["box", "box"]);
  });

  it("is weighed as well as counted: goods by weight come out exactly too", () => {
    for (let sum = 0; sum <= lineKopecks(3_333, 1_570_000); sum++) {
      expect(sumOf(priced(position(3_333, 1.57), 3_333, sum))).toBe(sum);
    }
  });
});

describe("the percent of a line", () => {
  it("agrees with its price within a hundredth", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), fc.nat(1_000_000), (price, share) => {
        const discounted = Math.floor((price * share) / 1_000_000);
        const percent = discountPercentHundredths(price, discounted);
        const off = (BigInt(price - discounted) * 10_000n - BigInt(percent) * BigInt(price)) * 100n;
        expect((off < 0n ? -off : off) <= 100n * BigInt(price)).toBe(true);
      }),
    );
  });

  it("odoo/odoo PR 271032: is 100 only where nothing is left, and 0 only where nothing is taken off", () => {
    expect(discountPercentHundredths(1_000_000, 1)).toBe(9_999);
    expect(discountPercentHundredths(1_000_000, 0)).toBe(10_000);
    expect(discountPercentHundredths(1_000_000, 999_999)).toBe(1);
    expect(discountPercentHundredths(0, 0)).toBe(0);
  });
});

describe("largest remainder", () => {
  it("gives whole shares within one of the exact ones, in sum the amount, none above its weight", () => {
    const weights = fc.array(fc.nat(2 ** 40), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(weights, fc.nat(1_000), (of, share) => {
        const whole = of.reduce((sum, each) => sum + each, 0);
        const amount = Number((BigInt(whole) * BigInt(share)) / 1_000n);
        const shares = largestRemainder(amount, of);
        expect(shares.reduce((sum, each) => sum + each, 0)).toBe(amount);
        for (const [index, each] of shares.entries()) {
          const weight = of[index] ?? 0;
          expect(each).toBeLessThanOrEqual(weight);
          const off = BigInt(each) * BigInt(whole) - BigInt(amount) * BigInt(weight);
          expect((off < 0n ? -off : off) < BigInt(whole === 0 ? 1 : whole)).toBe(true);
        }
      }),
    );
  });

  it("gives what is left to the earlier one of equals", () => {
    expect(largestRemainder(2, [1, 1, 1])).toEqual([1, 1, 0]);
  });
});

describe("an amount divided by weights", () => {
  const weights = fc.array(fc.oneof(fc.nat(5), fc.nat(100_000), fc.nat(2 ** 31 - 1), fc.maxSafeNat()), { minLength: 1, maxLength: 12 });

  it("gives the shares of exact fractions, the largest remainders rounded up, however large the numbers are", () => {
    const cases = weights.chain((each) => fc.tuple(fc.constant(each), fc.oneof(fc.nat(20), fc.nat(2 ** 31 - 1), fc.maxSafeNat())));
    fc.assert(
      fc.property(cases, ([each, amount]) => {
        expect(largestRemainder(amount, each)).toEqual(exactShares(BigInt(amount), each.map(BigInt)));
      }),
    );
  });

  it("gives the shares of exact fractions just below the largest sum of a receipt", () => {
    const large = fc.array(fc.integer({ min: 2 ** 43, max: 2 ** 44 - 1 }), { minLength: 2, maxLength: 15 });
    fc.assert(
      fc.property(large, fc.integer({ min: 0, max: 2 ** 48 - 1 }), (each, amount) => {
        expect(largestRemainder(amount, each)).toEqual(exactShares(BigInt(amount), each.map(BigInt)));
      }),
    );
  });
});

/** Gives one more to the largest remainder that has none yet, the earlier of equal ones, until nothing is left. */
function exactShares(amount: bigint, weights: readonly bigint[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  if (whole === 0n) return weights.map(() => 0);
  const shares = weights.map((weight) => (amount * weight) / whole);
  const remainders = weights.map((weight) => (amount * weight) % whole);
  for (let left = amount - shares.reduce((sum, share) => sum + share, 0n); left > 0n; left -= 1n) {
    const [most = -1n] = remainders.toSorted((a, b) => (a > b ? -1 : 1));
    const index = remainders.indexOf(most);
    shares[index] = (shares[index] ?? 0n) + 1n;
    remainders[index] = -1n;
  }
  return shares.map(Number);
}
