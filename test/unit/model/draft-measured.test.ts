import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ReceiptLine } from "../../../src/model/document.ts";
import { meetsOneKopeckRule } from "../../../src/model/draft/lines.ts";
import type { SoldPosition } from "../../../src/model/operation.ts";
import { draft, mark, NOTHING_PAID, position, receipt, refusal } from "./builders.ts";

const LITRE = { name: "л", code: "112" };
const KILOGRAM = { name: "кг", code: "166" };
const KEG = mark("keg");

function paid(cashKopecks: number) {
  return { ...NOTHING_PAID, cashKopecks };
}

/** A position of the given amount from a keg at 180.00 a litre. */
function tapped(millilitres: number, over: Partial<SoldPosition> = {}): SoldPosition {
  return position({ unit: LITRE, quantityMillionths: millilitres * 1_000, priceKopecks: 18_000, marks: [KEG], ...over });
}

function summary(lines: readonly ReceiptLine[]): unknown[] {
  return lines.map(({ mark: code, unit, quantityMillionths, sumKopecks, subject }) => [
    code,
    unit.label,
    quantityMillionths / 1e6,
    sumKopecks,
    subject,
  ]);
}

describe("marked goods that are sold by measure", () => {
  it.each([
    ["half a litre on tap", tapped(500), [[KEG, "л", 0.5, 9_000, 33]]],
    ["two litres of one keg", tapped(2_000), [[KEG, "л", 2, 36_000, 33]]],
    [
      "cheese by weight",
      position({ unit: KILOGRAM, quantityMillionths: 356_000, priceKopecks: 89_900, marks: [KEG] }),
      [[KEG, "кг", 0.356, 32_004, 33]],
    ],
    [
      "perfume on tap",
      position({ unit: { name: "мл", code: "111" }, quantityMillionths: 30_000_000, priceKopecks: 1_500, marks: [KEG] }),
      [[KEG, "мл", 30, 45_000, 33]],
    ],
    [
      "a unit that nobody knows, and no whole of it",
      position({ unit: { name: "стакан" }, quantityMillionths: 1_500_000, priceKopecks: 10_000, marks: [KEG] }),
      [[KEG, "стакан", 1.5, 15_000, 33]],
    ],
  ])("(%s) are one line with the mark, its quantity and its measure", (_, sold, lines) => {
    const total = (lines as [string, string, number, number, number][]).reduce((sum, [, , , kopecks]) => sum + kopecks, 0);
    expect(summary(receipt({ positions: [sold], payments: paid(total) }).lines)).toEqual(lines);
    const back = receipt({ kind: "sales-return", positions: [sold], payments: paid(total) });
    expect(summary(back.lines)).toEqual(lines);
  });

  it("have their measure from the card where the request has none, and are pieces where nobody knows one", () => {
    const sold = position({ quantityMillionths: 500_000, priceKopecks: 18_000, marks: [KEG] });
    delete sold.unit;
    const known = { goods: [{ unit: LITRE, marked: true as const }] };
    expect(summary(receipt({ positions: [sold], payments: paid(9_000), known }).lines)).toEqual([[KEG, "л", 0.5, 9_000, 33]]);
    expect(refusal({ positions: [sold], payments: paid(9_000) })).toMatchObject({ code: "marks-need-pieces" });
  });

  it("may have the same mark in several positions, whatever is between them", () => {
    const positions = [tapped(500), position(), tapped(1_000)];
    expect(summary(receipt({ positions, payments: paid(9_000 + 10_000 + 18_000) }).lines)).toEqual([
      [KEG, "л", 0.5, 9_000, 33],
      [undefined, "шт.", 1, 10_000, 1],
      [KEG, "л", 1, 18_000, 33],
    ]);
  });

  it("are refused with more than one mark a position, the same twice included", () => {
    for (const marks of [
      [KEG, mark("other")],
      [KEG, KEG],
    ]) {
      expect(refusal({ positions: [position(), tapped(2_000, { marks })] })).toEqual({
        code: "marks-of-measure",
        parameter: "positions[1].marks",
        details: { quantity: "2", marks: "2" },
      });
    }
  });

  it("are refused when their mark is that of a piece in the same receipt, before or behind", () => {
    const whole = position({ marks: [KEG] });
    expect(refusal({ positions: [whole, tapped(500)] })).toEqual({ code: "mark-repeated", parameter: "positions[1].marks[0]" });
    expect(refusal({ positions: [tapped(500), whole] })).toEqual({ code: "mark-repeated", parameter: "positions[1].marks[0]" });
  });

  it("are missed when they come without their mark, and by no quantity with it", () => {
    const known = { goods: [{ marked: true as const }] };
    const codes = (marks: string[]) => {
      const drafted = draft({ positions: [tapped(2_000, { marks })], payments: paid(36_000), known });
      return drafted.kind === "document" ? drafted.warnings.map(({ code }) => code) : [];
    };
    expect(codes([KEG])).toEqual(["permit-absent"]);
    expect(codes([])).toEqual(["mark-absent"]);
  });

  it("are never split: what no price can meet is rounded off the total, or goes into other goods", () => {
    const sold = tapped(147_800, { priceKopecks: 2_199, discountPercent: "3.3" });
    const alone = receipt({ positions: [sold], payments: paid(314_287) });
    expect([alone.lines.length, alone.totalKopecks, alone.roundingKopecks]).toEqual([1, 314_287, 83]);
    const beside = receipt({ positions: [sold, position()], payments: paid(314_287 + 10_000) });
    expect([beside.lines.map(({ sumKopecks }) => sumKopecks), beside.roundingKopecks]).toEqual([[314_370, 9_917], 0]);
  });

  it("come to what was paid whatever is sold, in lines that a register takes and of which none with a mark is split", () => {
    const anySold = fc
      .record({ measured: fc.boolean(), thousandths: fc.integer({ min: 1, max: 15_000 }), price: fc.nat(200_000), discount: fc.nat(2_000) })
      .map(({ measured, thousandths, price, discount }) => {
        const goods = { priceKopecks: price, discountPercent: String(discount / 100) };
        if (measured) return position({ ...goods, unit: LITRE, quantityMillionths: thousandths * 1_000, marks: [KEG] });
        return position({ ...goods, quantityMillionths: Math.ceil(thousandths / 1_000) * 1_000_000 });
      });
    fc.assert(
      fc.property(fc.array(anySold, { minLength: 1, maxLength: 5 }), (positions) => {
        const unpaid = draft({ positions, payments: NOTHING_PAID });
        const due = unpaid.kind === "refused" ? Math.round(Number(unpaid.refusal.details?.due) * 100) : 0;
        fc.pre(due > 0);
        const drafted = draft({ positions, payments: paid(due) });
        if (drafted.kind === "refused" || drafted.document.kind !== "receipt") throw new Error(JSON.stringify(drafted));
        const { lines, roundingKopecks, totalKopecks } = drafted.document;
        expect(totalKopecks).toBe(due);
        expect(lines.reduce((sum, { sumKopecks }) => sum + sumKopecks, 0) - roundingKopecks).toBe(due);
        expect(lines.every(meetsOneKopeckRule)).toBe(true);
        expect(lines.filter((line) => line.mark !== undefined)).toHaveLength(positions.filter(({ marks }) => marks.length > 0).length);
      }),
    );
  });
});
