import { describe, expect, it } from "vitest";
import type { ReceiptLine } from "../../../../src/model/document.ts";
import { draftDocument, MAX_RECEIPT_LINES } from "../../../../src/model/draft/draft.ts";
import type { SoldPosition } from "../../../../src/model/operation.ts";
import { draft, mark, NOTHING_PAID, position, profile, receipt, refusal, trade } from "../builders.ts";

/** Price, sum, 1199, 1200: a row of the tables in fiscal-receipts 9. */
function row({ priceKopecks, sumKopecks, vat, vatKopecks }: ReceiptLine): number[] {
  return [priceKopecks, sumKopecks, vat, vatKopecks];
}

describe("VAT on top of the price", () => {
  const net = { vatIncluded: false, positions: [position({ priceKopecks: 1001, quantityMillionths: 3_000_000 })] };

  it("grosses the unit price first: three at 10.01 net and 22 % are 36.63", () => {
    const { lines } = receipt({ ...net, payments: { ...NOTHING_PAID, cashKopecks: 3663 } });
    expect(lines.map(row)).toEqual([[1221, 3663, 11, 661]]);
  });

  it("takes the kopeck by which the platform grossed the line instead", () => {
    const { lines, totalKopecks } = receipt({ ...net, payments: { ...NOTHING_PAID, cashKopecks: 3664 } });
    expect(lines.map((line) => [line.priceKopecks, line.sumKopecks])).toEqual([[1221, 3664]]);
    expect(totalKopecks).toBe(3664);
  });

  it("adds nothing where there is no VAT or it is 0 %", () => {
    const paid = { ...NOTHING_PAID, cashKopecks: 1001 };
    for (const without of [{ vatPercent: "0" }, { vatEnabled: false }]) {
      expect(receipt({ vatIncluded: false, positions: [position({ priceKopecks: 1001, ...without })], payments: paid }).totalKopecks).toBe(
        1001,
      );
    }
  });
});

describe("totals of VAT", () => {
  it("are turnover for 0 % and for no VAT, which are two different lines", () => {
    const positions = [position({ vatPercent: "0" }), position({ vatEnabled: false, priceKopecks: 20000 })];
    const sale = receipt({ positions, payments: { ...NOTHING_PAID, cashKopecks: 30000 } });
    expect(sale.vatTotals).toEqual([
      { vat: 5, sumKopecks: 10000 },
      { vat: 6, sumKopecks: 20000 },
    ]);
    expect(sale.lines.map((line) => line.vatKopecks)).toEqual([0, 0]);
  });

  it("are not computed anew when the total is rounded", () => {
    const positions = [position({ marks: [mark("A")] })];
    const sale = receipt({ positions, payments: { ...NOTHING_PAID, cashKopecks: 9995 } });
    expect([sale.totalKopecks, sale.roundingKopecks, sale.vatTotals[0]?.sumKopecks]).toEqual([9995, 5, 1803]);
  });
});

describe("payments", () => {
  const pay = (over: object, kind: "sale" | "sales-return" = "sale") => ({ kind, payments: { ...NOTHING_PAID, ...over } });

  it("of cards and by QR are non-cash, what was prepaid is offset", () => {
    expect(receipt(pay({ qrKopecks: 10000 })).tenders.nonCashKopecks).toBe(10000);
    expect(receipt(pay({ cashKopecks: 4000, cardKopecks: 6000 })).tenders).toMatchObject({ cashKopecks: 4000, nonCashKopecks: 6000 });
    expect(receipt(pay({ cardKopecks: 4000, prepaymentCashKopecks: 5000, prepaymentCardKopecks: 1000 })).tenders).toMatchObject({
      nonCashKopecks: 4000,
      prepaidKopecks: 6000,
    });
    expect(receipt(pay({ qrKopecks: 4000, prepaymentQrKopecks: 6000 })).tenders).toMatchObject({
      nonCashKopecks: 4000,
      prepaidKopecks: 6000,
    });
    expect(receipt(pay({ cashKopecks: 1, advanceKopecks: 9999 })).tenders.prepaidKopecks).toBe(9999);
  });

  it("that the platform never mixes are refused", () => {
    const rule = (over: object, kind?: "sales-return") => refusal(pay(over, kind)).details?.rule;
    expect(rule({ qrKopecks: 5000, cashKopecks: 5000 })).toBe("qr-with-cash-or-card");
    expect(rule({ qrKopecks: 5000, cardKopecks: 5000 })).toBe("qr-with-cash-or-card");
    expect(rule({ cardKopecks: 5000, prepaymentQrKopecks: 5000 })).toBe("qr-prepayment-with-others");
    expect(rule({ qrKopecks: 5000, prepaymentQrKopecks: 2500, prepaymentCashKopecks: 2500 })).toBe("qr-prepayment-with-others");
    expect(rule({ prepaymentCashKopecks: 5000, advanceKopecks: 5000 })).toBe("prepayment-with-advance");
    expect(rule({ cashKopecks: 5000, advanceKopecks: 5000 }, "sales-return")).toBe("prepayment-in-return");
    expect(refusal(pay({ qrKopecks: 5000, cashKopecks: 5000 }))).toMatchObject({ code: "payments-mixed", parameter: "payments" });
  });

  it("ten kopecks off the lines are refused with both sums", () => {
    expect(refusal(pay({ cashKopecks: 10010 }))).toEqual({
      code: "payments-differ",
      parameter: "payments",
      details: { paid: "100.10", due: "100.00" },
    });
  });

  it("less than ten kopecks off are spread, which is worth a warning", () => {
    const drafted = draft(pay({ cashKopecks: 10003 }));
    expect(drafted.kind === "document" && drafted.warnings).toEqual([{ code: "kopecks-moved", kopecks: 3 }]);
  });

  it("may be nothing at all for goods that cost nothing", () => {
    const sale = receipt({ positions: [position({ priceKopecks: 0 })], payments: NOTHING_PAID });
    expect([sale.totalKopecks, sale.lines[0]?.priceKopecks, sale.vatTotals]).toEqual([0, 0, [{ vat: 11, sumKopecks: 0 }]]);
  });
});

describe("marks", () => {
  const BOOT = "010460000000000821abcdefghijklm";
  const TWO_PIECES = { ...NOTHING_PAID, cashKopecks: 20000 };
  const marked = (marks: string[], over: Partial<SoldPosition> = {}) => [position({ marks, quantityMillionths: 2_000_000, ...over })];

  it("leave pieces without a mark in a line of their own, under the position's unit", () => {
    const unit = { name: "упак", code: "778" };
    const { lines } = receipt({ positions: marked([mark("A")], { unit }), payments: { ...NOTHING_PAID, cashKopecks: 20000 } });
    expect(lines.map((line) => [line.mark, line.quantityMillionths, line.unit.code, line.subject])).toEqual([
      [mark("A"), 1_000_000, 0, 33],
      [undefined, 1_000_000, 0, 1],
    ]);
  });

  it("are refused when there are more of them than pieces", () => {
    expect(refusal({ positions: marked(["A", "B", "C"].map(mark)) })).toEqual({
      code: "marks-exceed-quantity",
      parameter: "positions[0].marks",
      details: { quantity: "2", marks: "3" },
    });
  });

  it("are refused with a quantity that is not whole", () => {
    expect(refusal({ positions: marked([mark("A")], { quantityMillionths: 1_500_000 }) })).toEqual({
      code: "marks-need-pieces",
      parameter: "positions[0].quantity",
      details: { quantity: "1.5", marks: "1" },
    });
  });

  it("are refused when typed under the Russian layout, with the place of the mark", () => {
    expect(refusal({ positions: [position(), ...marked([mark("A"), "0104600ФЫВА"])] })).toEqual({
      code: "mark-unreadable",
      parameter: "positions[1].marks[1]",
      details: { problem: "keyboard-layout", name: "Хлеб" },
    });
  });

  it("are refused when one occurs twice in a receipt", () => {
    expect(refusal({ positions: [...marked([mark("A")]), ...marked([mark("B"), mark("A")])] })).toEqual({
      code: "mark-repeated",
      parameter: "positions[1].marks[1]",
    });
  });

  it("warn of the missing permit in a sale", () => {
    const drafted = draft({ positions: marked([`${BOOT}\u001d91EE10\u001d92${"x".repeat(88)}`]), payments: TWO_PIECES });
    expect(drafted.kind === "document" && drafted.warnings).toEqual([{ code: "permit-absent" }]);
  });

  it("of no known shape come back as such, with a warning", () => {
    const drafted = draft({ kind: "sales-return", positions: marked(["A"]), payments: TWO_PIECES });
    expect(drafted.kind === "document" && drafted.warnings).toEqual([{ code: "mark-unrecognised", parameter: "positions[0].marks" }]);
  });

  it("are refused when the same thing is spelled in two ways", () => {
    const spelled = [`${BOOT}\u001d91EE10\u001d92${"x".repeat(44)}`, `]d2${BOOT}91EE1092${"x".repeat(44)}`];
    expect(refusal({ positions: marked(spelled) })).toEqual({ code: "mark-repeated", parameter: "positions[0].marks[1]" });
  });

  it.each([
    ["a box", "00046000000000000014", "aggregate"],
    ["a product number with a wrong check digit", "010460000000000721abcdefghijklm\u001d91EE10", "check-digit"],
    ["the label of a scale", "2100001012345", "weight-label"],
  ])("are refused when they are %s", (_, mark, problem) => {
    expect(refusal({ positions: marked([mark]) })).toEqual({
      code: "mark-unreadable",
      parameter: "positions[0].marks[0]",
      details: { problem, name: "Хлеб" },
    });
  });
});

describe("positions", () => {
  it("of services are settled as services", () => {
    expect(receipt({ positions: [position({ assortment: { name: "Доставка", type: "Service" } })] }).lines[0]?.subject).toBe(4);
  });

  it("are what the point of sale sells where their card tells nothing, services by their card", () => {
    const positions = [position(), position({ assortment: { name: "Доставка", type: "service" } }), position({ marks: [mark("A")] })];
    const payments = { ...NOTHING_PAID, cashKopecks: 30000 };
    const subjects = (store: Parameters<typeof receipt>[1]) => receipt({ positions, payments }, store).lines.map((line) => line.subject);
    expect(subjects({})).toEqual([1, 4, 33]);
    expect(subjects({ itemKind: "excisable" })).toEqual([2, 4, 31]);
    expect(subjects({ itemKind: "other" })).toEqual([13, 4, 33]);
  });

  it("carry the name of their pack for people, and are never multiplied by it", () => {
    const packed = position({ pack: { name: "Коробка «большая»", quantityMillionths: 6_000_000 } });
    const [line] = receipt({ positions: [packed] }).lines;
    expect(line).toMatchObject({ quantityMillionths: 1_000_000, sumKopecks: 10_000 });
    expect(line?.pack).toEqual({ name: 'Коробка "большая"', quantityMillionths: 6_000_000 });
  });

  it("hand the policy of the point of sale on only where there are marks", () => {
    expect(receipt({}, { markPolicy: "checked" })).not.toHaveProperty("markPolicy");
    expect(receipt({ positions: [position({ marks: [mark("A")] })] }, { markPolicy: "checked" }).markPolicy).toBe("checked");
  });

  it("with a discount above 100 % or a sum beyond six bytes are refused by name", () => {
    expect(refusal({ positions: [position({ discountPercent: "100.01" })] })).toEqual({
      code: "field-invalid",
      parameter: "positions[0].discount",
      details: { problem: "range" },
    });
    const huge = position({ priceKopecks: 2 ** 48 - 1, quantityMillionths: 1_000_000_000_000 });
    expect(refusal({ positions: [huge] }).parameter).toBe("positions[0].price");
  });

  it("whose sums are possible one by one but not together are refused", () => {
    const payments = { ...NOTHING_PAID, cardKopecks: 2 * (2 ** 48 - 1) };
    const positions = [position({ priceKopecks: 2 ** 48 - 1 }), position({ priceKopecks: 2 ** 48 - 1 })];
    expect(refusal({ positions, payments })).toMatchObject({ code: "field-invalid", parameter: "payments" });
  });

  it("of 300 different goods make one receipt, of more than the bound none", () => {
    const many = (count: number) => Array.from({ length: count }, () => position({ priceKopecks: 1 }));
    expect(receipt({ positions: many(300), payments: { ...NOTHING_PAID, cashKopecks: 300 } }).lines).toHaveLength(300);
    expect(refusal({ positions: many(MAX_RECEIPT_LINES + 1) })).toMatchObject({ parameter: "positions", details: { problem: "too-many" } });
  });

  it("weighed finer than scales do are taken with a warning", () => {
    const positions = [position({ quantityMillionths: 1_234_567, priceKopecks: 100 })];
    const drafted = draft({ positions, payments: { ...NOTHING_PAID, cashKopecks: 123 } });
    expect(drafted.kind === "document" && drafted.warnings).toEqual([{ code: "quantity-fine", parameter: "positions[0].quantity" }]);
  });

  it("have names as a drive can hold them", () => {
    const name = `«Ёж» — ${"очень ".repeat(40)}`;
    const [line] = receipt({ positions: [position({ assortment: { name } })] }).lines;
    expect(line?.name).toMatch(/^"Ёж" - очень .* очень$/);
    expect(line?.name.length).toBeLessThanOrEqual(128);
  });
});

describe("the buyer's contact", () => {
  it("brings the sender's address along, and only then", () => {
    const store = { senderEmail: "shop@example.ru" };
    expect(receipt({ email: "Ivan@Example.RU" }, store)).toMatchObject({
      buyerContact: "Ivan@example.ru",
      senderEmail: "shop@example.ru",
    });
    expect(receipt({}, store)).not.toHaveProperty("senderEmail");
  });

  it("is dropped with a warning when nobody can be reached by it", () => {
    const drafted = draft({ email: "нет почты" });
    expect(drafted).toMatchObject({ kind: "document", warnings: [{ code: "contact-dropped", parameter: "email" }] });
    expect(drafted.kind === "document" && drafted.document).not.toHaveProperty("buyerContact");
  });
});

describe("shifts and cash", () => {
  const { document, shift, storeId, name, moment } = trade();
  const head = { document, shift, storeId, name, moment, cashier: { lastName: "Петрова", firstName: "Ольга" } };
  const store = profile({ address: "000000, г. Образцов", place: "Магазин «Образец № 1»" });

  it("become documents with the cashier and the place of settlement", () => {
    expect(draftDocument({ kind: "open-shift", ...head }, store, { reference: "r", lineSums: "within-kopeck" })).toEqual({
      kind: "document",
      document: {
        kind: "open-shift",
        reference: "r",
        cashierName: "Петрова О.",
        address: "000000, г. Образцов",
        place: 'Магазин "Образец № 1"',
      },
      warnings: [],
    });
    expect(
      draftDocument({ kind: "cash-out", ...head, sumKopecks: 50000 }, profile(), { reference: "r", lineSums: "within-kopeck" }),
    ).toEqual({
      kind: "document",
      document: { kind: "cash-out", reference: "r", cashierName: "Петрова О.", sumKopecks: 50000 },
      warnings: [],
    });
  });
});

describe("a report in between", () => {
  it.each(["x-report", "state-report"] as const)("that is an %s has a head and nothing else to compute", (kind) => {
    const { document, shift, storeId, name, moment } = trade();
    const store = profile({ address: "г. Образцов", place: "Ларёк" });
    const drafted = draftDocument({ kind, document, shift, storeId, name, moment }, store, { reference: "r1", lineSums: "within-kopeck" });
    expect(drafted).toEqual({
      kind: "document",
      document: { kind, reference: "r1", address: "г. Образцов", place: "Ларёк" },
      warnings: [],
    });
  });
});
