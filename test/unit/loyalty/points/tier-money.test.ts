import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { returnedLineOf } from "../../../../src/loyalty/orders/order-lines.ts";
import { atSoldSums, type ReturnedLine, type SoldLine } from "../../../../src/loyalty/points/matching.ts";
import { sharesOf } from "../../../../src/loyalty/points/shares.ts";
import { paid, paidBack, type SlowLine, share } from "../../../support/slow-shares.ts";

const POLICY = { giveBack: true, clawBack: true };

/** Lines whose money is the price, a part of it, or nothing. The last two products are in no sale. */
function lines(products: readonly string[], least: number) {
  const line = fc
    .record({
      productId: fc.constantFrom(...products),
      quantityMillionths: fc.constantFrom(1_000, 333_000, 1_000_000, 2_000_000),
      priceKopecks: fc.constantFrom(0, 1, 333, 10_000),
      hundredths: fc.constantFrom(0, 0, 1, 50, 100, 100),
    })
    .map(({ hundredths, ...rest }): SlowLine => ({ ...rest, discountedKopecks: Math.floor((rest.priceKopecks * hundredths) / 100) }));
  return fc.array(line, { minLength: least, maxLength: 3 });
}

describe("the money that the returns of a sale take from a tier", () => {
  it("is what the slow model counts, at most the money of the sale, and no more of it is refused", () => {
    fc.assert(
      fc.property(lines(["a", "b"], 1), fc.array(lines(["a", "b", "x", "y"], 1), { maxLength: 4 }), (soldLines, returns) => {
        const sold = soldLines.map((line): SoldLine => ({ ...returnedLineOf(line), pointsKopecks: 0, earningKopecks: 0 }));
        const all = sold.reduce((sum, { paidKopecks }) => sum + paidKopecks, 0);
        let [before, slowBefore]: [readonly ReturnedLine[], readonly SlowLine[]] = [[], []];
        for (const returned of returns) {
          const counted = atSoldSums(returned.map(returnedLineOf), { sold, returnedBefore: before });
          const moved = { spentPoints: 0, earnedPoints: 0, givenBackPoints: 0, clawedBackPoints: 0 };
          const shares = sharesOf({ ...moved, lines: sold, returnedBefore: before }, counted, POLICY);
          const slow = [...slowBefore, ...returned];
          const isMore = share(soldLines, slow, paid, "larger") === undefined;
          expect(shares.kind).toBe(isMore ? "more-than-sold" : "shared");
          if (shares.kind !== "shared") continue;
          [before, slowBefore] = [[...before, ...shares.lines], slow];
          const taken = before.reduce((sum, { paidKopecks }) => sum + paidKopecks, 0);
          expect(Math.min(all, taken)).toBe(Number(paidBack(soldLines, slow)));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
