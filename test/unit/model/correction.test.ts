import { describe, expect, it } from "vitest";
import { isSumsOnly, mayCorrect, settledAgain, undone, withTaxes } from "../../../src/model/correction.ts";
import type { SettlementSign } from "../../../src/model/document.ts";
import { denialOf } from "../../../src/model/marks/mark-check.ts";
import { receiptDocument, receiptLine, sampleSale, tendersOf } from "../../support/register-documents.ts";

const BASIS = { kind: "own", settledOn: "2026-11-12" } as const;
const SIGN = "1204745171";

describe("what undoes a receipt", () => {
  it.each<[SettlementSign, SettlementSign]>([
    [1, 2],
    [2, 1],
    [3, 4],
    [4, 3],
  ])("of sign %i has sign %i and all of its data, the rates of its day included", (sign, opposite) => {
    const wrong = sampleSale({ sign, buyerContact: "+79001234567", markPolicy: "checked" });
    const { reference: _, cashierName: __, markPolicy: ___, kind: ____, ...data } = wrong;
    expect(undone(wrong, BASIS, SIGN)).toEqual({ ...data, sign: opposite, basis: BASIS, originalSign: SIGN });
  });

  it("carries no permit to sell, which the right data keep", () => {
    const permit = { authority: "030", ruleDate: "21.11.2023", ruleNumber: "1944", value: "UUID=1&Time=2" };
    const wrong = receiptDocument({ lines: [receiptLine({ permit })] });
    expect(undone(wrong, BASIS, SIGN).lines[0]).not.toHaveProperty("permit");
    expect(settledAgain(wrong, BASIS, SIGN).lines[0]).toHaveProperty("permit");
    expect(undone({ ...wrong, sign: 2 }, BASIS, SIGN).lines[0]).toHaveProperty("permit");
  });
});

describe("what settles the right data", () => {
  it("keeps their sign, and has no sign of another receipt where there was none", () => {
    expect(settledAgain(receiptDocument(), BASIS, undefined)).not.toHaveProperty("originalSign");
    expect(settledAgain(receiptDocument({ sign: 2 }), BASIS, SIGN)).toMatchObject({ sign: 2, originalSign: SIGN });
  });

  it("has its taxes worked out from its sums", () => {
    const put = receiptDocument({
      lines: [receiptLine({ vat: 2 }), receiptLine({ vat: 6 })],
      totalKopecks: 20_000,
      tenders: tendersOf({ cashKopecks: 20_000 }),
    });
    expect(withTaxes(put)).toMatchObject({
      lines: [{ vatKopecks: 909 }, { vatKopecks: 0 }],
      vatTotals: [
        { vat: 2, sumKopecks: 909 },
        { vat: 6, sumKopecks: 10_000 },
      ],
    });
  });
});

describe("a correction of format 1.05", () => {
  it("has sums only, and corrects no returns", () => {
    expect([
      isSumsOnly({ kind: "correction" }, "1.05"),
      isSumsOnly({ kind: "receipt" }, "1.05"),
      isSumsOnly({ kind: "correction" }, "1.1"),
    ]).toEqual([true, false, false]);
    expect(([1, 2, 3, 4] as const).map((sign) => mayCorrect(sign, "1.05"))).toEqual([true, false, true, false]);
    expect(([1, 2, 3, 4] as const).every((sign) => mayCorrect(sign, "1.1") && mayCorrect(sign, "1.2"))).toBe(true);
  });
});

describe("why a mark is not sold", () => {
  it("is told apart: checked and wrong, or not checked to the end", () => {
    expect(denialOf("checked-correct", 0b1101)).toBe("код маркировки не прошёл проверку");
    expect(denialOf("checked-correct", 0b0011)).toBe("код маркировки не удалось проверить");
    expect(denialOf("checked", 0)).toBe("код маркировки не удалось проверить");
    expect([denialOf("checked-correct", 0b1111), denialOf("all", 0), denialOf(undefined, 0b0001)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
