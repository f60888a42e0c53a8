import { describe, expect, it } from "vitest";
import { doneAtOnce } from "../../../src/kernel/work/stepped.ts";
import { undone } from "../../../src/model/correction.ts";
import type { TradeDocument } from "../../../src/model/document.ts";
import type { TradeOperation } from "../../../src/model/operation.ts";
import { excessOf } from "../../../src/model/returned.ts";
import { NOTHING_PAID, position, receipt } from "./builders.ts";

const BASIS = { kind: "own", settledOn: "2026-11-12" } as const;

function goods(name: string, pieces: number, priceKopecks: number, discountPercent = "0") {
  return position({ assortment: { name }, quantityMillionths: Math.round(pieces * 1_000_000), priceKopecks, discountPercent });
}

function settled(kind: TradeOperation["kind"], cashKopecks: number, ...positions: ReturnType<typeof goods>[]): TradeDocument {
  return receipt({ kind, positions, payments: { ...NOTHING_PAID, cashKopecks } });
}

const excessesOf = (...documents: Parameters<typeof excessOf>) => doneAtOnce(excessOf(...documents));

const SALE = settled("sale", 31_000, goods("Хлеб", 3, 5_000), goods("Сыр", 0.2, 80_000));

describe("a return beside its sale", () => {
  it("that gives back what was sold, at once or piece by piece, is nothing to tell of", () => {
    expect(excessesOf([SALE], [], settled("sales-return", 31_000, goods("Хлеб", 3, 5_000), goods("Сыр", 0.2, 80_000)))).toEqual([]);
    const one = settled("sales-return", 5_000, goods("Хлеб", 1, 5_000));
    expect(excessesOf([SALE], [one, one], one)).toEqual([]);
    expect(excessesOf([SALE], [one], settled("sales-return", 16_000, goods("Сыр", 0.2, 80_000)))).toEqual([]);
  });

  it("exceeds the quantity of a position, by itself or with those before it, also by a gram", () => {
    const four = settled("sales-return", 20_000, goods("Хлеб", 4, 5_000));
    expect(excessesOf([SALE], [], four)).toEqual([{ kind: "quantity", position: 1, name: "Хлеб", sold: 3_000_000, returned: 4_000_000 }]);
    const two = settled("sales-return", 10_000, goods("Хлеб", 2, 5_000));
    expect(excessesOf([SALE], [two], two)).toEqual([{ kind: "quantity", position: 1, name: "Хлеб", sold: 3_000_000, returned: 4_000_000 }]);
    const gram = settled("sales-return", 16_080, goods("Сыр", 0.201, 80_000));
    expect(excessesOf([SALE], [], gram)).toEqual([{ kind: "quantity", position: 1, name: "Сыр", sold: 200_000, returned: 201_000 }]);
  });

  it("exceeds the sum of a position whose quantity is right", () => {
    const dear = settled("sales-return", 15_500, goods("Хлеб", 1, 15_500));
    expect(excessesOf([SALE], [], dear)).toEqual([{ kind: "sum", position: 1, name: "Хлеб", sold: 15_000, returned: 15_500 }]);
  });

  it("exceeds the receipt's sum where each position is right: what was rounded off was never paid", () => {
    const rounded = { ...SALE, totalKopecks: 30_950, roundingKopecks: 50 };
    const whole = settled("sales-return", 31_000, goods("Хлеб", 3, 5_000), goods("Сыр", 0.2, 80_000));
    expect(excessesOf([rounded], [], whole)).toEqual([{ kind: "total", sold: 30_950, returned: 31_000 }]);
  });

  it("tells of goods that the sale does not hold, and of nothing but them", () => {
    const other = settled("sales-return", 9_000, goods("Хлеб", 1, 5_000), goods("Масло", 1, 4_000));
    expect(excessesOf([SALE], [], other)).toEqual([{ kind: "goods", position: 2, name: "Масло" }]);
  });

  it("may be off by the kopeck that each of its lines was rounded by", () => {
    const sale = settled("sale", 2_000, goods("Спички", 3, 1_000, "33.33"));
    const piece = settled("sales-return", 667, goods("Спички", 1, 1_000, "33.33"));
    expect(sale.totalKopecks - 3 * piece.totalKopecks).toBe(-1);
    expect(excessesOf([sale], [piece, piece], piece)).toEqual([]);
  });

  it("tells nothing again of what an earlier return gave back too much of", () => {
    const tooMuch = settled("sales-return", 20_000, goods("Хлеб", 4, 5_000));
    expect(excessesOf([SALE], [tooMuch], settled("sales-return", 8_000, goods("Сыр", 0.1, 80_000)))).toEqual([]);
  });

  it("counts corrections by their signs: what undoes a return gives its goods free again, what undoes the sale leaves nothing", () => {
    const three = settled("sales-return", 15_000, goods("Хлеб", 3, 5_000));
    const correction = (document: TradeDocument) => undone(document, BASIS, "0000000001");
    expect(excessesOf([SALE], [three], three)).toHaveLength(1);
    expect(excessesOf([SALE], [three, correction(three)], three)).toEqual([]);
    expect(excessesOf([SALE, correction(SALE)], [], three)).toEqual([{ kind: "nothing-sold" }]);
    const right = settled("sale", 10_000, goods("Хлеб", 2, 5_000));
    expect(excessesOf([SALE, correction(SALE), right], [], three)).toMatchObject([
      { kind: "quantity", sold: 2_000_000 },
      { kind: "total" },
    ]);
    expect(excessesOf([], [], three)).toEqual([{ kind: "nothing-sold" }]);
  });

  it("of goods that were given away counts them, although nothing was paid", () => {
    const gift = settled("sale", 0, goods("Пакет", 1, 500, "100"));
    expect(excessesOf([gift], [], settled("sales-return", 0, goods("Пакет", 1, 500, "100")))).toEqual([]);
    expect(excessesOf([gift], [], settled("sales-return", 0, goods("Пакет", 2, 500, "100")))).toMatchObject([{ kind: "quantity" }]);
  });

  it("is counted in steps of at most a thousand lines, however many returns the sale has", () => {
    const lines = Array.from({ length: 1_000 }, (_, at) => goods(`Хлеб ${at}`, 1, 100));
    const large = settled("sales-return", 100_000, ...lines);
    const counting = excessOf([large], Array<TradeDocument>(100).fill(large), large);
    let steps = 0;
    for (let step = counting.next(); step.done !== true; step = counting.next(), steps += 1) expect(step.value).toBeLessThanOrEqual(5_000);
    expect(steps).toBe(102);
  });
});
