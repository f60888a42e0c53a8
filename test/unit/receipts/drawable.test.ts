import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawable } from "../../../src/receipts/drawable.ts";
import { loadFont } from "../../../src/receipts/font.ts";

const font = loadFont();
const drawn = (text: string) => drawable(text, font.has);

describe("text that is drawn", () => {
  it("stays as it is when the font has all of it", () => {
    const text = 'Хлеб "Дарницкий" № 1 «Ёлка» — 5 ₽ ½ ×';
    expect(drawn(text)).toBe(text);
  });

  it("has one box for one emoji, however many code points it is made of", () => {
    expect(drawn("a👍🏽b👨‍👩‍👧‍👦c🇷🇺d")).toBe("a□b□c□d");
  });

  it("loses what cannot be seen and has single spaces", () => {
    expect(drawn("А\u200bБ\u00ad\ufeffВ\u00a0\t\n Г  Д")).toBe("АБВ Г Д");
  });

  it("joins letters and accents where one character exists, and drops the accent where none does", () => {
    expect(drawn("е\u0308ж и\u0306од")).toBe("ёж йод");
    expect(drawn("за\u0301мок")).toBe("замок");
  });

  it("is bounded, whatever a file that somebody made holds", () => {
    expect(drawn("а".repeat(1_000_000))).toHaveLength(4_096);
    expect(drawn("\u200b".repeat(1_000_000))).toBe("");
    expect(drawn(`а${"\u0315\u0316".repeat(500_000)}`)).toBe("а");
    expect(drawn(`b${`${"\u0316\u0315".repeat(4)}\u200d`.repeat(100_000)}`)).toBe("b");
  });

  it("takes plain forms of dressed-up characters", () => {
    expect(drawn("ﬁ Ｗｉｄｅ ① ㎏")).toBe("fi Wide (1) kg");
  });

  it("consists of characters of the font, each one column wide, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        for (const character of drawn(text)) expect(font.has(character.charCodeAt(0)) && character.length === 1).toBe(true);
      }),
    );
  });
});
