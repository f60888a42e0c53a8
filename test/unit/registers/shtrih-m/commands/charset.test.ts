import { describe, expect, it } from "vitest";
import { decodeCp1251, encodeCp1251 } from "../../../../../src/registers/shtrih-m/commands/charset.ts";

describe("Windows-1251 of the commands", () => {
  it("writes the bytes of the protocol document", () => {
    expect(encodeCp1251("Спасибо").toString("hex")).toBe("d1efe0f1e8e1ee");
    expect(encodeCp1251("Кофе").toString("hex")).toBe("caeef4e5");
    expect(decodeCp1251(Buffer.from("d8d2d0c8d52dd1ccc0d0d2cfced12dd4", "hex"))).toBe("ШТРИХ-СМАРТПОС-Ф");
  });

  it("gives every byte a character and the byte back", () => {
    for (let byte = 0; byte < 256; byte += 1) expect([...encodeCp1251(decodeCp1251(Uint8Array.of(byte)))]).toEqual([byte]);
  });

  it("keeps the signs that it has", () => {
    expect(decodeCp1251(encodeCp1251("«Ёлка» — 100 г № 5 „а“ ±1° €"))).toBe("«Ёлка» — 100 г № 5 „а“ ±1° €");
  });

  it("writes near letters for what it lacks, and a question mark where there are none", () => {
    expect(decodeCp1251(encodeCp1251("Café Müller ½ × ₽ − ﬁ ﹗"))).toBe("Cafe Muller 1/2 x руб. - fi !");
    expect(decodeCp1251(encodeCp1251("寿司 🍣"))).toBe("?? ?");
  });

  it("drops joiners and accents that stand alone, and joins those that have a letter of their own", () => {
    expect(decodeCp1251(encodeCp1251("a\u200db\u0301"))).toBe("ab");
    expect(decodeCp1251(encodeCp1251("и\u0306е\u0308"))).toBe("йё");
  });

  it("cuts at the limit of bytes, never above it", () => {
    expect(decodeCp1251(encodeCp1251("Товар", 3))).toBe("Тов");
    expect(decodeCp1251(encodeCp1251("a₽₽", 4))).toBe("aруб");
    expect(encodeCp1251("x".repeat(500), 128)).toHaveLength(128);
    expect(encodeCp1251("", 10)).toHaveLength(0);
  });
});
