import { describe, expect, it } from "vitest";
import type { TaxSystem } from "../../../src/model/tax.ts";
import { draft, position, receipt, refusal } from "./builders.ts";

function codeOf(vatPercent: string, taxSystem: TaxSystem = "osn"): number | undefined {
  return receipt({ positions: [position({ vatPercent })] }, { taxSystem }).lines[0]?.vat;
}

function refusedWith(vatPercent: string, taxSystem: TaxSystem = "osn", over: Parameters<typeof refusal>[0] = {}) {
  return refusal({ positions: [position({ vatPercent })], ...over }, { taxSystem });
}

describe("the VAT rate of a position", () => {
  it("is 22, 10 or 0 % under general taxation", () => {
    expect([codeOf("22"), codeOf("10"), codeOf("0")]).toEqual([11, 2, 5]);
  });

  it("is also 5 or 7 % with a simplified system, and only there", () => {
    for (const taxSystem of ["usn-income", "usn-income-expense"] as const) {
      expect(["5", "7", "22", "10", "0"].map((rate) => codeOf(rate, taxSystem))).toEqual([7, 8, 11, 2, 5]);
    }
    for (const taxSystem of ["osn", "eshn"] as const) {
      expect(refusedWith("5", taxSystem)).toEqual({ code: "vat-rate", parameter: "positions[0].vat", details: { rate: "5" } });
      expect(refusedWith("7", taxSystem).code).toBe("vat-rate");
    }
  });

  it("is never one that does not exist", () => {
    for (const rate of ["18", "12", "21.99", "-10", "1000000"]) expect(refusedWith(rate).details).toEqual({ rate });
  });

  it("may be 20 % in sales before 2026 and in any return, but not in a sale of 2026", () => {
    const positions = [position({ vatPercent: "20" })];
    expect(receipt({ positions, moment: "2025-12-31 23:59:59" }).lines[0]?.vat).toBe(1);
    expect(receipt({ positions, moment: "2026-11-12 10:00:00", kind: "sales-return" }).lines[0]?.vat).toBe(1);
    expect(refusal({ positions, moment: "2026-01-01 00:00:00" })).toMatchObject({ code: "vat-rate", details: { rate: "20" } });
  });

  it("does not matter where VAT is off for the position or the document", () => {
    expect(receipt({ positions: [position({ vatEnabled: false, vatPercent: "18" })] }).lines[0]?.vat).toBe(6);
    expect(receipt({ vatEnabled: false, positions: [position({ vatPercent: "18" })] }).lines[0]?.vat).toBe(6);
  });

  it("has to be there when the position says it is taxed", () => {
    const { vatPercent: _, ...taxed } = position();
    expect(refusal({ positions: [taxed] })).toEqual({
      code: "field-invalid",
      parameter: "positions[0].vat",
      details: { problem: "missing" },
    });
  });
});

describe("a seller without VAT", () => {
  it("under a patent is refused any rate", () => {
    expect(refusedWith("22", "patent")).toEqual({
      code: "vat-seller",
      parameter: "positions[0].vat",
      details: { rate: "22", taxSystem: "Патент" },
    });
    expect(refusedWith("0", "patent").code).toBe("vat-seller");
    expect(receipt({ positions: [position({ vatEnabled: false })] }, { taxSystem: "patent" }).lines[0]?.vat).toBe(6);
  });

  it("by the setting has БЕЗ НДС on every line, with a warning where a rate was sent", () => {
    const drafted = draft({ positions: [position(), position({ vatEnabled: false })], payments: paid(20000) }, { vatPayer: false });
    if (drafted.kind !== "document" || drafted.document.kind !== "receipt") throw new Error("refused");
    expect(drafted.document.lines.map((line) => [line.vat, line.vatKopecks])).toEqual([
      [6, 0],
      [6, 0],
    ]);
    expect(drafted.document.vatTotals).toEqual([{ vat: 6, sumKopecks: 20000 }]);
    expect(drafted.warnings).toEqual([{ code: "vat-forced-none", parameter: "positions[0].vat" }]);
  });

  it("by the setting may be under a patent too, whatever rate is sent", () => {
    const store = { vatPayer: false, taxSystem: "patent" } as const;
    expect(receipt({ positions: [position({ vatPercent: "18" })] }, store).lines[0]?.vat).toBe(6);
  });
});

function paid(cashKopecks: number) {
  return {
    cashKopecks,
    cardKopecks: 0,
    qrKopecks: 0,
    prepaymentCashKopecks: 0,
    prepaymentCardKopecks: 0,
    prepaymentQrKopecks: 0,
    advanceKopecks: 0,
  };
}
