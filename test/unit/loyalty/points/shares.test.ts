import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReturnedLine, SoldLine } from "../../../../src/loyalty/points/matching.ts";
import { type ReturnedSale, sharesOf } from "../../../../src/loyalty/points/shares.ts";

const POLICY = { giveBack: true, clawBack: true };

function sold(productId: string, pieces: number, unitKopecks: number, over: Partial<SoldLine> = {}): SoldLine {
  const paidKopecks = unitKopecks * pieces;
  return {
    productId,
    quantityMillionths: pieces * 1_000_000,
    unitKopecks,
    paidKopecks,
    grossKopecks: paidKopecks,
    pointsKopecks: 0,
    earningKopecks: paidKopecks,
    ...over,
  };
}

function sale(lines: SoldLine[], over: Partial<ReturnedSale> = {}): ReturnedSale {
  return { spentPoints: 0, earnedPoints: 0, givenBackPoints: 0, clawedBackPoints: 0, lines, returnedBefore: [], ...over };
}

function back(productId: string, pieces: number, unitKopecks: number): ReturnedLine {
  const paidKopecks = unitKopecks * pieces;
  return { productId, quantityMillionths: pieces * 1_000_000, unitKopecks, paidKopecks, grossKopecks: paidKopecks };
}

/** Books a return as a ledger would. */
function booked(before: ReturnedSale, lines: readonly ReturnedLine[]): ReturnedSale {
  const shares = sharesOf(before, lines, POLICY);
  if (shares.kind !== "shared") throw new Error(shares.kind);
  return {
    ...before,
    givenBackPoints: before.givenBackPoints + shares.giveBackPoints,
    clawedBackPoints: before.clawedBackPoints + shares.clawBackPoints,
    returnedBefore: [...before.returnedBefore, ...lines],
  };
}

describe("a return", () => {
  it("moves what its own lines have spent and earned", () => {
    const lines = [sold("a", 2, 5_000, { pointsKopecks: 3_000, earningKopecks: 0 }), sold("b", 1, 10_000, { pointsKopecks: 1_000 })];
    const of = sale(lines, { spentPoints: 40, earnedPoints: 10 });
    expect(sharesOf(of, [back("a", 1, 5_000)], POLICY)).toMatchObject({ by: "lines", giveBackPoints: 15, clawBackPoints: 0 });
    expect(sharesOf(of, [back("b", 1, 10_000)], POLICY)).toMatchObject({ by: "lines", giveBackPoints: 10, clawBackPoints: 10 });
  });

  it("finds its line by price where one position was sold as two, and by what is left otherwise", () => {
    const lines = [sold("a", 1, 7_932, { pointsKopecks: 1_668 }), sold("a", 2, 7_934, { pointsKopecks: 3_332 })];
    const of = sale(lines, { spentPoints: 5_000 });
    expect(sharesOf(of, [back("a", 1, 7_932)], POLICY)).toMatchObject({ giveBackPoints: 1_668 });
    expect(sharesOf(of, [back("a", 1, 7_934)], POLICY)).toMatchObject({ giveBackPoints: 1_666 });
    expect(sharesOf(of, [back("a", 3, 7_933)], POLICY)).toMatchObject({ by: "lines", giveBackPoints: 5_000 });
  });

  it("goes by the total where a product was not in the sale", () => {
    const of = sale([sold("a", 1, 30_000)], { spentPoints: 30, earnedPoints: 9 });
    expect(sharesOf(of, [back("x", 1, 10_000)], POLICY)).toEqual({
      kind: "shared",
      by: "total",
      giveBackPoints: 10,
      clawBackPoints: 3,
      lines: [back("x", 1, 10_000)],
    });
    expect(sharesOf(of, [back("x", 1, 30_001)], POLICY)).toEqual({ kind: "more-than-sold" });
  });

  it("counts the sale's own goods by what was paid for them, whatever is stated beside goods that were not sold", () => {
    const of = sale([sold("a", 10, 10_000), sold("a", 1, 1)], { earnedPoints: 500 });
    const stated = Array.from({ length: 11 }, () => back("a", 1, 1));
    expect(sharesOf(of, [...stated, back("x", 1, 0)], POLICY)).toMatchObject({ by: "total", clawBackPoints: 500 });
    expect(sharesOf(of, [...stated, back("x", 1, 1)], POLICY)).toEqual({ kind: "more-than-sold" });
  });

  it("goes by what the goods cost where points have paid for everything", () => {
    const free = { paidKopecks: 0, unitKopecks: 0, grossKopecks: 20_000 };
    const of = sale([sold("a", 1, 0, free)], { spentPoints: 200 });
    expect(sharesOf(of, [{ ...back("x", 1, 0), grossKopecks: 5_000 }], POLICY)).toMatchObject({ by: "total", giveBackPoints: 50 });
    expect(sharesOf(of, [{ ...back("a", 1, 0), grossKopecks: 20_000 }], POLICY)).toMatchObject({ by: "lines", giveBackPoints: 200 });
  });

  it("of more than was sold is refused, together with earlier returns", () => {
    const of = booked(sale([sold("a", 3, 100)]), [back("a", 2, 100)]);
    expect(sharesOf(of, [back("a", 2, 100)], POLICY)).toEqual({ kind: "more-than-sold", productId: "a" });
    expect(sharesOf(of, [back("a", 2, 99)], POLICY)).toEqual({ kind: "more-than-sold", productId: "a" });
    expect(sharesOf(of, [back("a", 1, 100)], POLICY)).toMatchObject({ kind: "shared" });
  });

  it("moves nothing that the programme keeps", () => {
    const of = sale([sold("a", 1, 100)], { spentPoints: 30, earnedPoints: 9 });
    const shares = sharesOf(of, [back("a", 1, 100)], { giveBack: false, clawBack: false });
    expect(shares).toMatchObject({ giveBackPoints: 0, clawBackPoints: 0 });
  });

  it("frappe/erpnext#32951: moves no negative points, and the sign of what it moves is in its name", () => {
    const of = sale([sold("a", 2, 100)], { spentPoints: 30, earnedPoints: 9, givenBackPoints: 30, clawedBackPoints: 9 });
    expect(sharesOf(of, [back("a", 1, 100)], POLICY)).toMatchObject({ giveBackPoints: 0, clawBackPoints: 0 });
  });

  it("FreeOpenSourcePOS/FloCafe#62, #720: of everything takes everything back that the sale has earned", () => {
    const of = sale([sold("a", 2, 333), sold("b", 1, 7)], { spentPoints: 5, earnedPoints: 13 });
    expect(sharesOf(of, [back("a", 2, 333), back("b", 1, 7)], POLICY)).toMatchObject({ giveBackPoints: 5, clawBackPoints: 13 });
  });

  it("wpswings points-and-rewards#112, spree-loyalty-points#8: in any split and order squares exactly, and on the way stays within what was moved", () => {
    const line = fc.record({
      product: fc.constantFrom("a", "b", "c"),
      pieces: fc.integer({ min: 1, max: 6 }),
      unit: fc.nat(50_000),
      points: fc.nat(9_000),
      earning: fc.nat(9_000),
    });
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 5 }),
        fc.nat(3_000),
        fc.nat(3_000),
        fc.infiniteStream(fc.nat(100)),
        (of, spentPoints, earnedPoints, order) => {
          const lines = of.map(({ product, pieces, unit, points, earning }) =>
            sold(product, pieces, unit, { pointsKopecks: points, earningKopecks: earning }),
          );
          const pieces = lines.flatMap((each) =>
            Array.from({ length: each.quantityMillionths / 1_000_000 }, () => back(each.productId, 1, each.unitKopecks)),
          );
          let returning = sale(lines, { spentPoints, earnedPoints });
          while (pieces.length > 0) {
            const [one] = pieces.splice((order.next().value ?? 0) % pieces.length, 1);
            if (one === undefined) break;
            returning = booked(returning, [one]);
            expect(returning.givenBackPoints).toBeLessThanOrEqual(spentPoints);
            expect(returning.clawedBackPoints).toBeLessThanOrEqual(earnedPoints);
          }
          expect([returning.givenBackPoints, returning.clawedBackPoints]).toEqual([spentPoints, earnedPoints]);
        },
      ),
    );
  });

  it("by lines after one by the total gives no more than the whole", () => {
    let of = sale([sold("a", 1, 10_000), sold("b", 1, 10_000, { pointsKopecks: 5_000 })], { spentPoints: 50 });
    of = booked(of, [back("x", 1, 10_000)]);
    expect(of.givenBackPoints).toBe(25);
    expect(sharesOf(of, [back("b", 1, 10_000)], POLICY)).toMatchObject({ by: "total", giveBackPoints: 25 });
  });
});

describe("a receipt whose quantities have no common divisor", () => {
  it("is shared in numbers that stay small enough to count with", () => {
    const isPrime = (number: number) => {
      for (let divisor = 3; divisor * divisor <= number; divisor += 2) if (number % divisor === 0) return false;
      return true;
    };
    const primes: number[] = [];
    for (let number = 1_000_001; primes.length < 1_000; number += 2) if (isPrime(number)) primes.push(number);
    const lines = primes.map((thousandths, nth) => ({ ...sold(`p${nth}`, 1, 100), quantityMillionths: thousandths * 1_000 }));
    const before = sale(lines, { earnedPoints: 1_000_000 });
    const halves = lines.map(({ productId, quantityMillionths }, nth) => {
      const half = (quantityMillionths + (nth % 2 === 0 ? 1_000 : -1_000)) / 2;
      return { ...back(productId, 1, 100), quantityMillionths: half };
    });
    const started = process.cpuUsage();
    const first = booked(before, halves);
    expect(first.clawedBackPoints).toBe(500_000);
    // With greatest common divisors the same sum would take more than a minute.
    expect(process.cpuUsage(started).user).toBeLessThan(5_000_000);
  });
});

describe("goods that were not in a sale of which points have paid a half", () => {
  const half = sold("a", 10, 5_000, { grossKopecks: 100_000, pointsKopecks: 50_000 });
  const of = sale([half], { spentPoints: 500, earnedPoints: 20 });

  it("give back by their price and take back by their money, when they cost as much as was paid", () => {
    expect(sharesOf(of, [back("x", 5, 10_000)], POLICY)).toMatchObject({ by: "total", giveBackPoints: 250, clawBackPoints: 20 });
  });

  it("give all back when they are the same goods under another id", () => {
    const same = { ...back("x", 10, 5_000), grossKopecks: 100_000 };
    expect(sharesOf(of, [same], POLICY)).toMatchObject({ by: "total", giveBackPoints: 500, clawBackPoints: 20 });
  });

  it("give nothing back when nothing is refunded for them", () => {
    const free = { ...back("x", 10, 0), grossKopecks: 100_000 };
    expect(sharesOf(of, [free], POLICY)).toMatchObject({ by: "total", giveBackPoints: 0, clawBackPoints: 20 });
  });
});
