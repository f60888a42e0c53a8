import { describe, expect, it } from "vitest";
import { dayProblem, FISCAL_DATA_SINCE, textProblem } from "../../../src/model/correction-limits.ts";
import type { ReceiptDocument } from "../../../src/model/document.ts";
import { ratesProblem, settlementProblem } from "../../../src/model/settlement-problem.ts";
import { markCode } from "../../support/marked-documents.ts";
import { receiptDocument, receiptLine, sampleSale, tendersOf } from "../../support/register-documents.ts";

/** A sale with one changed line. */
function withLine(more: Parameters<typeof receiptLine>[0]): ReceiptDocument {
  return receiptDocument({ lines: [receiptLine(more)] });
}

describe("a document that a person has changed", () => {
  it.each([
    ["one that registers made", sampleSale()],
    ["a marked piece with its permit", withLine({ mark: markCode("abcdefghijklm"), permit: permit() })],
    [
      "goods by measure under their mark, in two lines",
      receiptDocument({
        lines: [500_000, 500_000].map((quantityMillionths) =>
          receiptLine({ mark: markCode("keg0000000001"), unit: { code: 41, label: "л" }, quantityMillionths, sumKopecks: 5_000 }),
        ),
      }),
    ],
    ["a mark that could not be read when it was sold", withLine({ mark: "Ы", unreadMark: "keyboard-layout" })],
    [
      "a discount that comes to what it says",
      withLine({ discount: { fullPriceKopecks: 12_000, percent: "16.67", differenceKopecks: 2_000 } }),
    ],
    ["a buyer who can be reached", receiptDocument({ buyerContact: "+79001234567", senderEmail: "shop@example.org" })],
  ])("is taken as it is: %s", (_, document) => {
    expect(settlementProblem(document)).toBeUndefined();
  });

  it.each([
    ["no total", withSums(0), "totalKopecks: nothing was settled"],
    [
      "more lines than fit",
      receiptDocument({ lines: Array.from({ length: 1_001 }, () => receiptLine()) }),
      "lines: 1001, of which 1000 fit",
    ],
    ["a price below zero", withLine({ priceKopecks: -1 }), "lines.0.priceKopecks: expected 0 to"],
    ["no quantity", withLine({ quantityMillionths: 0 }), "lines.0.quantityMillionths: expected 1 to"],
    ["a quantity beyond all goods", withLine({ quantityMillionths: 2 ** 47 }), "lines.0.quantityMillionths: expected 1 to"],
    [
      "a name with a control character",
      withLine({ name: "Хлеб\u001b[31m" }),
      'lines.0.name: neither drive nor paper has all of these characters; what they can show is "Хлеб [31m"',
    ],
    ["a name that is too long", withLine({ name: "х".repeat(129) }), "lines.0.name: 129 characters, of which 128 fit"],
    ["no name", withLine({ name: " " }), "lines.0.name: nothing is left of it on paper"],
    ["a unit without a name", withLine({ unit: { code: 255, label: "" } }), "lines.0.unit.label: nothing is left"],
    ["a unit's code of two bytes", withLine({ unit: { code: 256, label: "шт." } }), "lines.0.unit.code: expected a code of tag 2108"],
    ["a subject that no format has", withLine({ subject: 28 }), "lines.0.subject: expected a code of tag 1212"],
    ["a method that no format has", withLine({ method: 0 }), "lines.0.method: expected a code of tag 1214"],
    ["a pack of nothing", withLine({ pack: { name: "ящик", quantityMillionths: 0 } }), "lines.0.pack.quantityMillionths: expected 1 to"],
    [
      "a permit longer than its tag",
      withLine({ permit: { ...permit(), authority: "0300" } }),
      "lines.0.permit.authority: 4 characters, of which 3 fit",
    ],
    [
      "a discount of words",
      withLine({ discount: { fullPriceKopecks: 1, percent: "half", differenceKopecks: 1 } }),
      "lines.0.discount.percent: expected a decimal number",
    ],
    [
      "a discount that no longer holds",
      withLine({ discount: { fullPriceKopecks: 12_000, percent: "10", differenceKopecks: 1 } }),
      "lines.0.discount.differenceKopecks: it comes to 20.00",
    ],
    ["a mark that is none", withLine({ mark: "Ы" }), "lines.0.mark: no marking code"],
    [
      "a mark on two pieces",
      withLine({ mark: markCode("abcdefghijklm"), quantityMillionths: 2_000_000, sumKopecks: 20_000 }),
      "lines.0.mark: a line with a marking code is one piece",
    ],
    [
      "a mark on half a piece",
      withLine({ mark: markCode("abcdefghijklm"), quantityMillionths: 500_000, sumKopecks: 5_000 }),
      "lines.0.mark: a line with a marking code is one piece",
    ],
    [
      "the label of a scale as a mark that could not be read",
      withLine({ mark: "2100001012345", unreadMark: "shape" }),
      "lines.0.mark: no marking",
    ],
    ["no mark that could not be read", withLine({ unreadMark: "shape" }), "lines.0.unreadMark: there is no mark"],
    [
      "one mark of a piece and of measured goods",
      receiptDocument({
        lines: [0, 41].map((code) => receiptLine({ mark: markCode("abcdefghijklm"), unit: { code, label: "л" } })),
      }),
      "lines.1.mark: the same code stands in a line above",
    ],
    [
      "a mark in a purchase",
      { ...withLine({ mark: markCode("abcdefghijklm") }), sign: 3 as const },
      "lines.0.mark: a purchase has no marking codes",
    ],
    [
      "one mark twice",
      receiptDocument({ lines: [1, 2].map(() => receiptLine({ mark: markCode("abcdefghijklm") })) }),
      "lines.1.mark: the same code stands in a line above",
    ],
    ["a rounding of a rouble", receiptDocument({ roundingKopecks: 100, totalKopecks: 9_900 }), "roundingKopecks: expected 0 to 99"],
    [
      "a payment below zero",
      receiptDocument({ tenders: tendersOf({ cashKopecks: 20_000, nonCashKopecks: -10_000 }) }),
      "tenders: they come to 100.00",
    ],
    ["a buyer whom nobody can reach", receiptDocument({ buyerContact: "8 900" }), "buyerContact: expected"],
    ["a sender who is no address", receiptDocument({ senderEmail: "shop" }), "senderEmail: expected"],
  ])("is named at its first field that cannot be: %s", (_, document, words) => {
    expect(settlementProblem(document)).toContain(words);
  });

  it.each([
    [11, "osn", "2025-12-31", { code: "not-begun", year: 2026, settledOn: "2025-12-31" }],
    [11, "osn", "2026-01-01", undefined],
    [1, "osn", "2026-01-01", { code: "ended", year: 2025 }],
    [1, "osn", "2025-12-31", undefined],
    [7, "osn", "2026-11-12", { code: "simplified-alone", taxSystem: "osn" }],
    [10, "usn-income", "2024-12-31", { code: "not-begun", year: 2025 }],
    [7, "usn-income-expense", "2026-11-12", undefined],
    [2, "patent", "2026-11-12", { code: "not-under", taxSystem: "patent" }],
    [6, "patent", "2026-11-12", undefined],
  ] as const)("has rate %i under %s on %s only as the law of that day has it", (vat, taxSystem, day, wrong) => {
    const problem = ratesProblem({ ...withLine({ vat }), taxSystem }, day);
    if (wrong === undefined) expect(problem).toBeUndefined();
    else expect(problem).toMatchObject({ line: 0, vat, ...wrong });
  });

  it.each([
    [1, 2],
    [3, 2],
    [1, 4],
    [3, 4],
  ] as const)("keeps rate %i in a return of any day, with sign %i", (vat, sign) => {
    expect(ratesProblem({ ...withLine({ vat }), sign }, "2026-11-12")).toBeUndefined();
  });

  it.each([
    [1, 1],
    [3, 1],
    [1, 3],
    [3, 3],
  ] as const)("has rate %i in no sale or purchase since 2026, with sign %i", (vat, sign) => {
    const document = { ...withLine({ vat }), sign };
    expect(ratesProblem(document, "2026-01-01")).toMatchObject({ code: "ended", year: 2025 });
    expect(ratesProblem(document, "2025-12-31")).toBeUndefined();
  });
});

describe("what a person types about a correction", () => {
  it.each([
    ["2026-11-13", undefined],
    [FISCAL_DATA_SINCE, undefined],
    ["2026-11-14", "not-come"],
    ["2016-07-14", "before-fiscal-data"],
    ["2026-02-30", "no-such-day"],
  ])("is a day that may be corrected on 13 November: %s", (day, problem) => {
    expect(dayProblem(day, "2026-11-13")).toBe(problem);
  });

  it("is a text that stands on paper as it was typed", () => {
    expect(textProblem("№ 2.16-42/1", 32)).toBeUndefined();
    expect(textProblem("«2»", 32)).toContain('what they can show is ""2""');
    expect(textProblem("\u0000\u0007", 32)).toContain("nothing is left of it");
  });
});

function permit() {
  return { authority: "030", ruleDate: "21.11.2023", ruleNumber: "1944", value: "UUID=1&Time=2" };
}

function withSums(kopecks: number): ReceiptDocument {
  return receiptDocument({
    lines: [receiptLine({ priceKopecks: kopecks, sumKopecks: kopecks })],
    totalKopecks: kopecks,
    tenders: tendersOf({ cashKopecks: kopecks }),
  });
}
