import { describe, expect, it } from "vitest";
import { type Decimal, parseDecimal } from "../../../src/kernel/decimal.ts";
import { formatKopecks, kopecksFromKopecks, kopecksFromRoubles, MAX_KOPECKS, scaleKopecks } from "../../../src/kernel/money.ts";
import { formatQuantity, isWhole, MAX_QUANTITY_MILLIONTHS, quantityMillionths } from "../../../src/kernel/quantity.ts";

function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new Error(text);
  return value;
}

describe("kopecks", () => {
  it("are read from roubles with a point and from kopecks without", () => {
    expect(kopecksFromRoubles(decimal("834.57"))).toBe(83457);
    expect(kopecksFromRoubles(decimal("0.1"))).toBe(10);
    expect(kopecksFromRoubles(decimal("1e3"))).toBe(100_000);
    expect(kopecksFromKopecks(decimal("83457.00"))).toBe(83457);
  });

  it("are never parts of one", () => {
    expect(kopecksFromRoubles(decimal("0.001"))).toBeUndefined();
    expect(kopecksFromKopecks(decimal("0.5"))).toBeUndefined();
  });

  it("fit into six bytes", () => {
    expect(kopecksFromRoubles(decimal("2814749767106.55"))).toBe(MAX_KOPECKS);
    expect(kopecksFromRoubles(decimal("2814749767106.56"))).toBeUndefined();
    expect(kopecksFromKopecks(decimal("-281474976710656"))).toBeUndefined();
    expect(kopecksFromRoubles(decimal("99999999999999999999"))).toBeUndefined();
  });

  it("are written with two decimals and a point", () => {
    expect([0, 5, 83457, 100, -5, -12345, MAX_KOPECKS].map(formatKopecks)).toEqual([
      "0.00",
      "0.05",
      "834.57",
      "1.00",
      "-0.05",
      "-123.45",
      "2814749767106.55",
    ]);
  });

  it("are scaled in one rounding step, halves up", () => {
    expect(scaleKopecks(40473, 22n, 122n)).toBe(7298);
    expect(scaleKopecks(1, 1n, 2n)).toBe(1);
    expect(scaleKopecks(-1, 1n, 2n)).toBe(-1);
  });
});

describe("a quantity", () => {
  it("is exact to six decimals and no further", () => {
    expect(quantityMillionths(decimal("0.356"))).toBe(356_000);
    expect(quantityMillionths(decimal("0.000001"))).toBe(1);
    expect(quantityMillionths(decimal("0.0000001"))).toBeUndefined();
    expect(quantityMillionths(decimal("1000000"))).toBe(MAX_QUANTITY_MILLIONTHS);
    expect(quantityMillionths(decimal("1000000.000001"))).toBeUndefined();
  });

  it("is written with every decimal that says something", () => {
    expect([356_000, 3_000_000, 1, 0, 1_500_000, -500_000].map(formatQuantity)).toEqual(["0.356", "3", "0.000001", "0", "1.5", "-0.5"]);
  });

  it("is whole or not", () => {
    expect([0, 2_000_000, 2_000_001].map(isWhole)).toEqual([true, true, false]);
  });
});
