import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balance, totalOf } from "../../../../src/model/draft/balance.ts";
import { meetsOneKopeckRule, type PricedLine } from "../../../../src/model/draft/lines.ts";

function line(priceKopecks: number, quantity = 1, mark?: string): PricedLine {
  const sum = { quantityMillionths: Math.round(quantity * 1e6), priceKopecks, sumKopecks: Math.round(priceKopecks * quantity) };
  return mark === undefined ? sum : { ...sum, mark };
}

function written(lines: PricedLine[]): string[] {
  return lines.map((one) => `${one.quantityMillionths / 1e6} × ${one.priceKopecks} = ${one.sumKopecks}`);
}

function balanced(lines: PricedLine[], paid: number) {
  const result = balance(lines, paid);
  if (result.kind === "differs") throw new Error("differs");
  return result;
}

describe("balancing lines with payments", () => {
  it("leaves lines that already meet them alone", () => {
    const lines = [line(5490, 2)];
    expect(balance(lines, 10980)).toEqual({ kind: "balanced", lines, roundingKopecks: 0, movedKopecks: 0 });
  });

  it("puts one kopeck into the sum of the largest line, whose price can bear it", () => {
    const { lines, movedKopecks } = balanced([line(5490, 2), line(1221, 30)], 10980 + 36631);
    expect(written(lines)).toEqual(["2 × 5490 = 10980", "30 × 1221 = 36631"]);
    expect(movedKopecks).toBe(1);
  });

  it("splits one unit off the largest line for more than one kopeck", () => {
    expect(written(balanced([line(5490, 2), line(14990, 3)], 10980 + 44970 + 9).lines)).toEqual([
      "2 × 5490 = 10980",
      "2 × 14990 = 29980",
      "1 × 14999 = 14999",
    ]);
    expect(written(balanced([line(14990, 3)], 44970 - 7).lines)).toEqual(["2 × 14990 = 29980", "1 × 14983 = 14983"]);
  });

  it("puts it whole into the largest line of a register that takes sums as given", () => {
    const { lines } = balance([line(5490, 2), line(14990, 3)], 10980 + 44970 + 9, "as-given") as { lines: PricedLine[] };
    expect(written(lines)).toEqual(["2 × 5490 = 10980", "3 × 14990 = 44979"]);
  });

  it("changes the price of a single piece, which is never split", () => {
    expect(written(balanced([line(100)], 105).lines)).toEqual(["1 × 105 = 105"]);
  });

  it("changes the price of less than one unit, where no unit can be split off", () => {
    expect(written(balanced([line(89900, 0.356)], 32009).lines)).toEqual(["0.356 × 89913 = 32009"]);
  });

  it("splits a unit off weighed goods of more than one unit", () => {
    expect(written(balanced([line(89900, 2.356)], 211804 + 5).lines)).toEqual(["1.356 × 89900 = 121904", "1 × 89905 = 89905"]);
  });

  it("passes over marked lines, however large", () => {
    expect(written(balanced([line(99999, 1, "A"), line(100)], 100092).lines)).toEqual(["1 × 99999 = 99999", "1 × 93 = 93"]);
  });

  it("rounds the total down when every line is marked and less was paid", () => {
    const lines = [line(5000, 1, "A"), line(5000, 1, "B")];
    expect(balance(lines, 9991)).toEqual({ kind: "balanced", lines, roundingKopecks: 9, movedKopecks: 0 });
  });

  it("refuses when every line is marked and more was paid", () => {
    expect(balance([line(5000, 1, "A")], 5001)).toEqual({ kind: "differs" });
  });

  it("rounds instead of letting the split unit fall below zero", () => {
    const lines = [line(3, 100)];
    expect(balance(lines, 295)).toEqual({ kind: "balanced", lines, roundingKopecks: 5, movedKopecks: 0 });
    expect(written(balanced(lines, 297).lines)).toEqual(["99 × 3 = 297", "1 × 0 = 0"]);
  });

  it("gives kopecks to goods that cost nothing", () => {
    expect(written(balanced([line(0, 3)], 4).lines)).toEqual(["2 × 0 = 0", "1 × 4 = 4"]);
  });

  it("refuses a difference of ten kopecks either way", () => {
    expect(balance([line(1000, 5)], 5010)).toEqual({ kind: "differs" });
    expect(balance([line(1000, 5)], 4990)).toEqual({ kind: "differs" });
    expect(balance([line(1000, 5)], 5009).kind).toBe("balanced");
    expect(balance([line(1000, 5)], 4991).kind).toBe("balanced");
  });

  it("need not be paid for what lines are above their positions: it goes where other differences go, and up to a rouble", () => {
    const keg = { ...line(2_127, 147.8, "KEG"), sumKopecks: 314_370 };
    expect(balance([keg], 314_287, "within-kopeck", 83)).toEqual({
      kind: "balanced",
      lines: [keg],
      roundingKopecks: 83,
      movedKopecks: 0,
    });
    expect(balance([keg, line(5_000)], 314_287 + 5_000, "within-kopeck", 83)).toMatchObject({ roundingKopecks: 0, movedKopecks: -83 });
    expect(balance([keg], 314_287 + 10, "within-kopeck", 83)).toEqual({ kind: "differs" });
    expect(balance([keg], 314_287 - 10, "within-kopeck", 83)).toEqual({ kind: "differs" });
    expect(balance([keg], 314_370 - 100, "within-kopeck", 100)).toEqual({ kind: "differs" });
  });

  it("always ends with lines that meet the payments, each within one kopeck, the quantities kept", () => {
    const anyLine = fc
      .record({
        priceKopecks: fc.nat(200_000),
        quantityMillionths: fc.oneof(
          fc.integer({ min: 1, max: 30 }).map((n) => n * 1e6),
          fc.integer({ min: 1, max: 30e6 }),
        ),
        marked: fc.boolean(),
      })
      .map(({ priceKopecks, quantityMillionths, marked }) =>
        marked ? line(priceKopecks, 1, "M") : line(priceKopecks, quantityMillionths / 1e6),
      );
    fc.assert(
      fc.property(fc.array(anyLine, { minLength: 1, maxLength: 8 }), fc.integer({ min: -12, max: 12 }), (lines, difference) => {
        const paid = totalOf(lines) + difference;
        if (paid < 0) return;
        const result = balance(lines, paid);
        if (Math.abs(difference) >= 10) expect(result.kind).toBe("differs");
        if (result.kind === "differs") return;
        expect(totalOf(result.lines) - result.roundingKopecks).toBe(paid);
        expect(result.lines.every((one) => meetsOneKopeckRule(one) && one.sumKopecks >= 0 && one.priceKopecks >= 0)).toBe(true);
        const quantity = (all: PricedLine[]) => all.reduce((sum, one) => sum + one.quantityMillionths, 0);
        expect(quantity(result.lines)).toBe(quantity(lines));
        expect(result.lines.filter((one) => one.mark !== undefined)).toEqual(lines.filter((one) => one.mark !== undefined));
      }),
    );
  });
});
