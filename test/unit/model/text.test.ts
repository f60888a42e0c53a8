import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "../../../src/model/printable.ts";

describe("text for a fiscal drive", () => {
  it("replaces what its code page lacks", () => {
    expect(printable("«Ёлка» — 5₽ × 2…", 128)).toBe('"Ёлка" - 5руб. x 2...');
    expect(printable("№ 1 Café naïve", 128)).toBe("№ 1 Cafe naive");
    expect(printable("Сок 🍎 1 л", 128)).toBe("Сок ? 1 л");
  });

  it("joins letters that came in two parts, and drops invisible ones", () => {
    expect(printable("\u0438\u0306од", 128)).toBe("йод");
    expect(printable("Хл\u00adеб\u200b", 128)).toBe("Хлеб");
  });

  it("makes one space of tabs, line breaks and runs of spaces", () => {
    expect(printable("  Хлеб\t\tчёрный\r\n нарезной\u00a0", 128)).toBe("Хлеб чёрный нарезной");
  });

  it("is cut between words, and within a word only where there is no other way", () => {
    expect(printable("Хлеб чёрный нарезной", 12)).toBe("Хлеб чёрный");
    expect(printable("Хлеб чёрный нарезной", 11)).toBe("Хлеб чёрный");
    expect(printable("Абракадабра", 5)).toBe("Абрак");
  });

  it("never leaves the code page or the limit, whatever comes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.integer({ min: 1, max: 128 }), (text, limit) => {
        const result = printable(text, limit);
        expect(result.length).toBeLessThanOrEqual(limit);
        expect(result).toMatch(/^[ -~А-яЁёЄєЇїЎў°∙·√№¤■─-╿▀-▓]*$/);
      }),
    );
  });
});
