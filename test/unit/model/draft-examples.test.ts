import { describe, expect, it } from "vitest";
import type { ReceiptLine } from "../../../src/model/document.ts";
import { draftDocument } from "../../../src/model/draft/draft.ts";
import type { SoldPosition } from "../../../src/model/operation.ts";
import { NOTHING_PAID, position, profile, receipt, trade } from "./builders.ts";

const BREAD: Partial<SoldPosition> = {
  assortment: { name: 'Хлеб "Дарницкий" 400 г', type: "Product" },
  quantityMillionths: 2_000_000,
  priceKopecks: 5490,
  vatPercent: "10",
};
const CHEESE: Partial<SoldPosition> = {
  assortment: { name: 'Сыр "Российский" весовой', type: "Product" },
  unit: { name: "кг", code: "166" },
  quantityMillionths: 356_000,
  priceKopecks: 89900,
  vatPercent: "10",
};
const SOAP: Partial<SoldPosition> = {
  assortment: { name: 'Средство для мытья посуды "Образец", лимон, 1 л', type: "Product" },
  quantityMillionths: 3_000_000,
  priceKopecks: 14990,
  discountPercent: "10",
};

/** Price, sum, 1199, 1200: a row of the tables in fiscal-receipts 9. */
function row({ priceKopecks, sumKopecks, vat, vatKopecks }: ReceiptLine): number[] {
  return [priceKopecks, sumKopecks, vat, vatKopecks];
}

describe("the sale of fiscal-receipts 9.1", () => {
  const sale = receipt({
    positions: [BREAD, CHEESE, SOAP].map(position),
    payments: { ...NOTHING_PAID, cashKopecks: 83457 },
    phone: "+70000000000",
    email: "",
    cashier: { firstName: "Мария", middleName: "Петровна", lastName: "Иванова" },
  });

  it("has the lines, totals and tags of the example to the kopeck", () => {
    expect(sale.lines.map(row)).toEqual([
      [5490, 10980, 2, 998],
      [89900, 32004, 2, 2909],
      [13491, 40473, 11, 7298],
    ]);
    expect(sale.vatTotals).toEqual([
      { vat: 2, sumKopecks: 3907 },
      { vat: 11, sumKopecks: 7298 },
    ]);
    expect(sale.totalKopecks).toBe(83457);
    expect(sale.roundingKopecks).toBe(0);
    expect(sale.tenders).toEqual({ cashKopecks: 83457, nonCashKopecks: 0, prepaidKopecks: 0, creditKopecks: 0, otherKopecks: 0 });
    expect([sale.sign, sale.taxSystem, sale.buyerContact, sale.cashierName]).toEqual([1, "osn", "+70000000000", "Иванова М.П."]);
    expect(sale.lines.map((line) => [line.unit.code, line.unit.label, line.subject, line.method])).toEqual([
      [0, "шт.", 1, 4],
      [11, "кг", 1, 4],
      [0, "шт.", 1, 4],
    ]);
  });

  it("shows the discount of the third line and none beside the others", () => {
    expect(sale.lines.map((line) => line.discount)).toEqual([
      undefined,
      undefined,
      { fullPriceKopecks: 14990, percent: "10", differenceKopecks: 4497 },
    ]);
  });
});

describe("the return of fiscal-receipts 9.2", () => {
  const marks = ["010460000000000821abcdefghijklm\u001d91EE10", "010460000000000821nopqrstuvwxyz\u001d91EE10"];
  const boots = position({
    assortment: { name: "Ботинки мужские, арт. 1234, р. 42", type: "Product" },
    quantityMillionths: 2_000_000,
    priceKopecks: 299000,
    discountPercent: "15",
    vatPercent: "5",
    marks,
  });
  const cream = position({ assortment: { name: "Крем для обуви" }, priceKopecks: 34900, vatPercent: "5" });
  const operation = trade({ kind: "sales-return", positions: [boots, cream], payments: { ...NOTHING_PAID, cardKopecks: 543200 } });
  const drafted = draftDocument(operation, profile({ taxSystem: "usn-income" }), {
    reference: "r",
    lineSums: "within-kopeck",
    originalSign: "2710897188",
  });

  it("has one line a mark, its amounts and totals as the example", () => {
    if (drafted.kind !== "document" || drafted.document.kind !== "receipt") throw new Error(JSON.stringify(drafted));
    const { lines, vatTotals, totalKopecks, tenders, sign, originalSign } = drafted.document;
    expect(lines.map(row)).toEqual([
      [254150, 254150, 7, 12102],
      [254150, 254150, 7, 12102],
      [34900, 34900, 7, 1662],
    ]);
    expect(lines.map((line) => [line.quantityMillionths, line.subject, line.mark])).toEqual([
      [1_000_000, 33, marks[0]],
      [1_000_000, 33, marks[1]],
      [1_000_000, 1, undefined],
    ]);
    expect(vatTotals).toEqual([{ vat: 7, sumKopecks: 25866 }]);
    expect([totalKopecks, tenders.nonCashKopecks, sign, originalSign]).toEqual([543200, 543200, 2, "2710897188"]);
  });

  it("asks for no permit, which only sales carry", () => {
    expect(drafted.kind === "document" && drafted.warnings).toEqual([]);
  });
});

describe("the card sale and the cash return of the shift in fiscal-receipts 9.3", () => {
  it("hold 220.00 of VAT in 1220.00 at 22 % and 9.98 in 109.80 at 10 %", () => {
    const sale = receipt({ positions: [position({ priceKopecks: 122000 })], payments: { ...NOTHING_PAID, cardKopecks: 122000 } });
    expect(sale.vatTotals).toEqual([{ vat: 11, sumKopecks: 22000 }]);
    const back = receipt({ kind: "sales-return", positions: [position(BREAD)], payments: { ...NOTHING_PAID, cashKopecks: 10980 } });
    expect(back.vatTotals).toEqual([{ vat: 2, sumKopecks: 998 }]);
  });
});

describe("VAT amounts of real receipts in fiscal-receipts 5", () => {
  const vectors = [
    [433483, 78169],
    [168038, 30302],
    [180988, 32637],
    [80730, 14558],
  ] as const;
  for (const [sum, vat] of vectors) {
    it(`take ${vat} kopecks out of ${sum} at 22 %`, () => {
      const sale = receipt({ positions: [position({ priceKopecks: sum })], payments: { ...NOTHING_PAID, cardKopecks: sum } });
      expect(sale.lines[0]?.vatKopecks).toBe(vat);
    });
  }
});
