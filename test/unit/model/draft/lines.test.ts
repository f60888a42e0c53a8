import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Decimal, parseDecimal } from "../../../../src/kernel/decimal.ts";
import { quantityMillionths } from "../../../../src/kernel/quantity.ts";
import { excessOf, meetsOneKopeckRule, type PricedLine, positionSum, priceLines } from "../../../../src/model/draft/lines.ts";

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(text);
  return value;
}

function millionths(text: string): number {
  return quantityMillionths(decimal(text)) ?? Number.NaN;
}

function price(priceKopecks: number, quantity: string, discount: string, marks: string[] = []): PricedLine[] {
  const lines = priceLines({ priceKopecks, quantityMillionths: millionths(quantity), discount: decimal(discount), marks });
  if (lines === undefined) throw new Error("out of range");
  return lines;
}

/** Lines in the form of the vectors: `3 × 134.91`. */
function written(lines: PricedLine[]): string {
  return lines.map((line) => `${line.quantityMillionths / 1e6} × ${(line.priceKopecks / 100).toFixed(2)}`).join(" + ");
}

function sumOf(lines: PricedLine[]): number {
  return lines.reduce((sum, line) => sum + line.sumKopecks, 0);
}

describe("lines for a register that takes sums as given", () => {
  it("stay whole where their price cannot meet the sum", () => {
    const pricing = { priceKopecks: 14990, quantityMillionths: 3_000_000, discount: decimal("9.99"), marks: [] };
    expect(priceLines(pricing, "within-kopeck")).toHaveLength(2);
    expect(priceLines(pricing, "as-given")).toEqual([{ quantityMillionths: 3_000_000, priceKopecks: 13492, sumKopecks: 40477 }]);
  });

  it("are taken apart by marks all the same", () => {
    const pricing = { priceKopecks: 14990, quantityMillionths: 3_000_000, discount: decimal("9.99"), marks: ["A"] };
    expect(priceLines(pricing, "as-given")).toEqual(priceLines(pricing, "within-kopeck"));
  });
});

describe("the split vectors of fiscal-receipts 5", () => {
  const vectors = [
    [14990, "3", "10", 40473, "3 × 134.91"],
    [1000, "3", "33.33", 2000, "1 × 6.66 + 2 × 6.67"],
    [9999, "3", "7", 27897, "3 × 92.99"],
    [99, "7", "5", 658, "7 × 0.94"],
    [2199, "47.8", "0", 105112, "47.8 × 21.99"],
  ] as const;
  for (const [priceKopecks, quantity, discount, sum, positions] of vectors) {
    it(`turn ${quantity} at ${priceKopecks} kopecks less ${discount} % into ${positions}`, () => {
      const lines = price(priceKopecks, quantity, discount);
      expect(sumOf(lines)).toBe(sum);
      expect(written(lines)).toBe(positions);
    });
  }
});

describe("lines of a position", () => {
  it("keep the given price without a discount, though the sum would lead to another one", () => {
    expect(price(89900, "0.356", "0")).toEqual([{ quantityMillionths: 356_000, priceKopecks: 89900, sumKopecks: 32004 }]);
  });

  it("round the sum once, halves up", () => {
    expect(sumOf(price(1, "0.5", "0"))).toBe(1);
    expect(sumOf(price(1, "0.499999", "0"))).toBe(0);
    expect(sumOf(price(333, "3", "12.5"))).toBe(874);
  });

  it("read a discount to its last decimal", () => {
    const discount = decimal("33.333333333333333333333333");
    expect(positionSum({ priceKopecks: 281474976710655, quantityMillionths: 1_000_000, discount })).toBe(187649984473770n);
  });

  it("take a negative discount as a mark-up and a discount of 100 % as free goods", () => {
    expect(written(price(10000, "2", "-12.5"))).toBe("2 × 112.50");
    expect(price(10000, "2", "100")).toEqual([{ quantityMillionths: 2_000_000, priceKopecks: 0, sumKopecks: 0 }]);
  });

  it("meet the sum of discounted weighed goods with two prices where one cannot", () => {
    const lines = price(2199, "147.8", "3.3");
    expect(sumOf(lines)).toBe(314287);
    expect(written(lines)).toBe("83.8 × 21.26 + 64 × 21.27");
  });

  it("give each mark a line of quantity 1 and leave the rest together", () => {
    expect(price(1000, "4", "0", ["A", "B"])).toEqual([
      { quantityMillionths: 1_000_000, priceKopecks: 1000, sumKopecks: 1000, mark: "A" },
      { quantityMillionths: 1_000_000, priceKopecks: 1000, sumKopecks: 1000, mark: "B" },
      { quantityMillionths: 2_000_000, priceKopecks: 1000, sumKopecks: 2000 },
    ]);
  });

  it("let marks keep their unit's price when the pieces do not divide", () => {
    const lines = price(1000, "3", "33.33", ["A", "B"]);
    expect(lines.map((line) => [line.mark, line.priceKopecks, line.quantityMillionths])).toEqual([
      ["A", 666, 1_000_000],
      ["B", 667, 1_000_000],
      [undefined, 667, 1_000_000],
    ]);
  });

  it("are undefined when the sum or the price leaves six bytes", () => {
    const pricing = { discount: decimal("0"), marks: [] };
    expect(priceLines({ ...pricing, priceKopecks: 2 ** 48 - 1, quantityMillionths: 2_000_000 })).toBeUndefined();
    expect(priceLines({ ...pricing, priceKopecks: 2 ** 48 + 1, quantityMillionths: 1 })).toBeUndefined();
    expect(priceLines({ ...pricing, priceKopecks: 2 ** 48 - 1, quantityMillionths: 1, discount: decimal("-100") })).toBeUndefined();
    expect(priceLines({ ...pricing, priceKopecks: 2 ** 48 - 1, quantityMillionths: 1_000_000 })).toHaveLength(1);
  });
});

/** Any position, with at most as many marks as whole pieces. */
const pricings = fc
  .record({
    priceKopecks: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 100_000_000 })),
    quantityMillionths: fc.oneof(
      fc.integer({ min: 1, max: 40 }).map((pieces) => pieces * 1_000_000),
      fc.integer({ min: 1, max: 500_000 }).map((grams) => grams * 1_000),
      fc.integer({ min: 1, max: 1_000_000_000_000 }),
    ),
    discountUnits: fc.oneof(fc.constant(0n), fc.bigInt(-200_000_000_000n, 100_000_000_000n)),
    marked: fc.nat(40),
  })
  .map(({ discountUnits, marked, ...rest }) => {
    const pieces = rest.quantityMillionths % 1_000_000 === 0 ? Math.min(rest.quantityMillionths / 1_000_000, 40) : 0;
    const marks = Array.from({ length: Math.min(marked, pieces) }, (_, index) => `mark ${index}`);
    return { ...rest, discount: { units: discountUnits, decimals: 9 }, marks };
  });

describe("whatever the position, its lines", () => {
  it("add up to price × quantity less the discount, rounded once", () => {
    fc.assert(
      fc.property(pricings, (pricing) => {
        const lines = priceLines(pricing);
        // With a surcharge a large sum may be more kopecks than six bytes hold. Then there are no lines.
        fc.pre(lines !== undefined);
        expect(BigInt(sumOf(lines))).toBe(positionSum(pricing));
      }),
    );
  });

  it("are each within one kopeck of their price × quantity, and nowhere below zero", () => {
    fc.assert(
      fc.property(pricings, (pricing) => {
        for (const line of priceLines(pricing) ?? []) {
          expect(meetsOneKopeckRule(line)).toBe(true);
          expect(Math.min(line.sumKopecks, line.priceKopecks, line.quantityMillionths - 1)).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it("keep the quantity and every mark, one a line of quantity 1", () => {
    fc.assert(
      fc.property(pricings, (pricing) => {
        const lines = priceLines(pricing);
        fc.pre(lines !== undefined);
        expect(lines.reduce((quantity, line) => quantity + line.quantityMillionths, 0)).toBe(pricing.quantityMillionths);
        const marked = lines.filter((line) => line.mark !== undefined);
        expect(marked.map((line) => line.mark)).toEqual(pricing.marks);
        expect(marked.every((line) => line.quantityMillionths === 1_000_000)).toBe(true);
      }),
    );
  });

  it("are at most two without marks", () => {
    fc.assert(
      fc.property(pricings, (pricing) => {
        const unmarked = (priceLines(pricing) ?? []).filter((line) => line.mark === undefined);
        expect(unmarked.length).toBeLessThanOrEqual(2);
      }),
    );
  });
});

describe("goods that are sold by measure under a mark", () => {
  const measured = (priceKopecks: number, quantity: string, discount: string) => ({
    priceKopecks,
    quantityMillionths: millionths(quantity),
    discount: decimal(discount),
    marks: ["KEG"],
    counting: "measure" as const,
  });

  it.each([
    [18_000, "0.5", "0", 18_000, 9_000],
    [89_900, "0.356", "0", 89_900, 32_004],
    [18_000, "2", "0", 18_000, 36_000],
    [12_990, "1.333", "10", 11_691, 15_584],
  ])("for %i at %s less %s %% are one line with the mark and the whole of it", (price, quantity, discount, unitPrice, sum) => {
    const pricing = measured(price, quantity, discount);
    const lines = priceLines(pricing);
    const line = { quantityMillionths: pricing.quantityMillionths, priceKopecks: unitPrice, sumKopecks: sum, mark: "KEG" };
    expect(lines).toEqual([line]);
    expect(excessOf(lines ?? [], pricing)).toBe(0);
  });

  it("are not split where no price meets the sum: the line is above it by as little as the register takes", () => {
    // 21.99 less 3.3 % is 21.26433, and 147.8 of them cost 3142.87. At 21.27 they cost 3143.71, and the register also takes 3143.70.
    const pricing = measured(2_199, "147.8", "3.3");
    expect(priceLines(pricing)).toEqual([{ quantityMillionths: 147_800_000, priceKopecks: 2_127, sumKopecks: 314_370, mark: "KEG" }]);
    expect(excessOf(priceLines(pricing) ?? [], pricing)).toBe(83);
    expect(priceLines(pricing, "as-given")).toEqual([
      { quantityMillionths: 147_800_000, priceKopecks: 2_126, sumKopecks: 314_287, mark: "KEG" },
    ]);
  });

  it("are always one line that a register takes, never below what they cost", () => {
    fc.assert(
      fc.property(pricings, (pricing) => {
        const one = { ...pricing, marks: ["KEG"], counting: "measure" as const };
        const lines = priceLines(one);
        fc.pre(lines !== undefined);
        expect(lines).toHaveLength(1);
        const [line] = lines;
        if (line === undefined) throw new Error("no line");
        expect(line.quantityMillionths).toBe(pricing.quantityMillionths);
        expect(meetsOneKopeckRule(line)).toBe(true);
        const excess = excessOf(lines, one);
        expect(excess).toBeGreaterThanOrEqual(0);
        // The excess is at most a kopeck for each begun unit of the quantity.
        expect(excess).toBeLessThanOrEqual(Math.ceil(pricing.quantityMillionths / 1e6));
      }),
    );
  });
});
