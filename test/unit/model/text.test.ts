import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_MARK_LENGTH, readMark, repeatedMark } from "../../../src/model/marks.ts";
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

describe("a marking code", () => {
  it("is kept as it came, with its separators, signs and case", () => {
    for (const code of [
      "010460000000000821aB!\"%&'*+-./_,:;=<>?\u001d91EE10\u001d92x=",
      "RU-123456-ABCDEFGHIJ",
      "0104600↔91",
      "00000000000000aA",
    ]) {
      expect(readMark(code)).toEqual({ kind: "mark", value: code });
    }
  });

  it("cannot be read with Cyrillic letters, other characters, or nothing in it", () => {
    expect(readMark("0104600ФЫВ")).toEqual({ kind: "unreadable", problem: "keyboard-layout" });
    for (const code of ["", " ", "\u001d", "0104\n91", "0104\u000091", "0104é"]) {
      expect(readMark(code)).toEqual({ kind: "unreadable", problem: "characters" });
    }
    expect(readMark("A".repeat(MAX_MARK_LENGTH + 1))).toEqual({ kind: "unreadable", problem: "length" });
  });

  it("that occurs twice is named by its second place", () => {
    const marks = ["A", "B", "A"].map((value, place) => ({ value, parameter: `marks[${place}]` }));
    expect(repeatedMark(marks)).toEqual({ parameter: "marks[2]" });
    expect(repeatedMark(marks.slice(0, 2))).toBeUndefined();
  });
});
