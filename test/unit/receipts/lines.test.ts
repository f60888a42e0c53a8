import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../../src/receipts/lines.ts";
import { heading, pair, type Row, text as textRow } from "../../../src/receipts/rows.ts";

function laid(row: Row, columns: number): string[] {
  const receipt = { title: "", time: "2026-11-12 18:42:11", blocks: [{ edge: "none" as const, rows: [row] }] };
  return linesOf(receipt, columns, (text) => text).flatMap((group) => group.lines.map(({ text }) => text));
}

describe("lines on a grid", () => {
  it("wrap at words", () => {
    expect(laid(textRow("Средство для мытья посуды"), 12)).toEqual(["Средство для", "мытья посуды"]);
  });

  it("break a word longer than the grid, from where it begins", () => {
    expect(laid(textRow("арт. ABCDEFGHIJKLMNOP х"), 10)).toEqual(["арт. ABCDE", "FGHIJKLMNO", "P х"]);
  });

  it("of an even heading are of about one length, and as many as without that", () => {
    const words = "ПРЕВЫШЕНО ВРЕМЯ ОЖИДАНИЯ ОТВЕТА ОФД";
    expect(laid(heading(words), 32).map((text) => text.trim())).toEqual(["ПРЕВЫШЕНО ВРЕМЯ ОЖИДАНИЯ ОТВЕТА", "ОФД"]);
    expect(laid(heading(words, { even: true }), 32).map((text) => text.trim())).toEqual(["ПРЕВЫШЕНО ВРЕМЯ", "ОЖИДАНИЯ ОТВЕТА ОФД"]);
    expect(laid(heading("ВНЕСЕНИЕ", { even: true }), 32).map((text) => text.trim())).toEqual(["ВНЕСЕНИЕ"]);
  });

  it("put a value at the right end of its label's last line", () => {
    expect(laid(pair("ИТОГО СУММА НДС", "=1.00"), 12)).toEqual(["ИТОГО СУММА", "НДС    =1.00"]);
  });

  it("put a value alone on the next line when no label line leaves it room", () => {
    expect(laid(pair("НАЛИЧНЫМИ", "=12.00"), 12)).toEqual(["НАЛИЧНЫМИ", "      =12.00"]);
  });

  it("keep an indent on every line of a label", () => {
    expect(laid(pair("ПОСЛЕДУЮЩАЯ ОПЛАТА (КРЕДИТ)", "=1.00", { indent: 2 }), 20)).toEqual(["  ПОСЛЕДУЮЩАЯ ОПЛАТА", "  (КРЕДИТ)     =1.00"]);
  });

  it("are never longer than the columns and lose no character", () => {
    const word = fc.string({ unit: fc.constantFrom(..."абв12-"), minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.constantFrom(24, 32, 42, 48), word, (words, columns, value) => {
        const lines = laid(pair(words.join(" "), value), columns);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
        expect(lines.join("").replaceAll(" ", "")).toBe(words.join("") + value);
      }),
    );
  });
});
