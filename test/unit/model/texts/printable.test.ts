import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printable } from "../../../../src/model/texts/printable.ts";
import { decodeCp1251, encodeCp1251 } from "../../../../src/registers/shtrih-m/commands/charset.ts";
import { decodeCp866, encodeCp866 } from "../../../../src/registers/tags/cp866.ts";

/** The replacements of fiscal-receipts 1.2, letter for letter. */
const REFERENCE: readonly [string, string][] = [
  ["«Хлеб» “ржаной”", '"Хлеб" "ржаной"'],
  ["Чай – чёрный — байховый", "Чай - чёрный - байховый"],
  ["5₽", "5руб."],
  ["10×20", "10x20"],
  ["№ 5", "№ 5"],
];

/** Signs whose meaning depends on their neighbours. */
const NEIGHBOURS: Record<string, readonly [string, string][]> = {
  "a fraction stands apart from a whole number": [
    ['Труба 1½"', 'Труба 1 1/2"'],
    ["2¼", "2 1/4"],
    ["½ л", "1/2 л"],
    ["10⅜ дюйма", "10 3/8 дюйма"],
    ["½2", "1/2 2"],
    ["3⅟8", "3 1/8"],
    ["2¹⁄₂", "2 1/2"],
    ['Кран 1¹/2"', 'Кран 1 1/2"'],
    ['³/4"', '3/4"'],
    ["10³/4", "10^3/4"],
    ["1⁄2", "1/2"],
  ],
  "a raised number is a power behind a number and a measure behind a letter": [
    ["10²", "10^2"],
    ["10⁻³", "10^-3"],
    ["2ⁿ", "2^n"],
    ["(3)²", "(3)^2"],
    ["5 м²", "5 м2"],
    ["м³/ч", "м3/ч"],
    ["с⁻¹", "с^-1"],
    ["Ca²⁺", "Ca2+"],
    ["10¹⁰", "10^10"],
    ["(5)⁰", "(5)^0"],
  ],
  "a raised zero or o behind a number is a degree": [
    ["до +60⁰С", "до +60°С"],
    ["−18 ⁰C", "-18 °C"],
    ["угол 90⁰", "угол 90°"],
    ["200ᵒС", "200°С"],
  ],
  "a lowered number counts atoms, behind a number it names the base": [
    ["H₂O", "H2O"],
    ["CO₂", "CO2"],
    ["Fe₂O₃", "Fe2O3"],
    ["10₂", "10_2"],
  ],
  "micro takes its unit with it, and is a letter in a brand": [
    ["5µm", "5мкм"],
    ["5 μм", "5 мкм"],
    ["100µF", "100мкФ"],
    ["7µg", "7мкг"],
    ["100 µ", "100 мк"],
    ["µTorrent", "uTorrent"],
    ["5㎕", "5мкл"],
    ["10㎌", "10мкФ"],
    ["7 ㎍", "7 мкг"],
    ["0,3㎛", "0,3мкм"],
  ],
  "ohm takes its prefix with it, and Ω is a letter in a word": [
    ["10Ω", "10Ом"],
    ["10 мкΩ", "10 мкОм"],
    ["4,7 kΩ", "4,7 кОм"],
    ["1 MΩ", "1 МОм"],
    ["5 mΩ", "5 мОм"],
    ["3 µΩ", "3 мкОм"],
    ["ΩMEGA", "OMEGA"],
    ["4,7㏀", "4,7кОм"],
    ["1㏁", "1МОм"],
    ["Резистор 10Ω-5%", "Резистор 10Ом-5%"],
    ["50 Ω 5W", "50 Ом 5W"],
    ["кΩ 5", "кОм 5"],
  ],
  "a letter of Greek alone is spoken, in a word it is spelled": [
    ["β-каротин", "бета-каротин"],
    ["ω-3", "омега-3"],
    ["Ω-3", "Омега-3"],
    ["Ω–3", "Омега-3"],
    ["Ω\u20113-6-9", "Омега-3-6-9"],
    ["Ω3", "Омега3"],
    ["Ω 3", "Омега 3"],
    ["∆ 5", "Дельта 5"],
    ["∆t", "Dt"],
    ["α-липоевая", "альфа-липоевая"],
    ["ΑΒΓ", "ABG"],
    ["λόγος", "logos"],
  ],
  "other signs between numbers": [
    ["1∶2", "1:2"],
    ["5÷10", "5-10"],
    ["−20÷+40", "-20...+40"],
    ["Ø20", "диам.20"],
    ["20Ø", "20диам."],
    ["Øl", "Ol"],
    ["36º", "36°"],
    ["Nº5", "No5"],
    ["0,5ℓ", "0,5л"],
    ["5‰", "5 промилле"],
  ],
};

/** Signs that have the same meaning everywhere. */
const SIGNS: Record<string, readonly [string, string][]> = {
  comparison: [
    ["≥5", ">=5"],
    ["≤5", "<=5"],
    ["≠", "!="],
    ["≈5", "~5"],
    ["20±2", "20+/-2"],
  ],
  "signs with a stroke through them, which say the opposite": [
    ["≯5", "<=5"],
    ["≮5", ">=5"],
    ["≰5", ">5"],
    ["≱5", "<5"],
    [">\u03385", "<=5"],
    ["≢", "!="],
    ["≉5", "не ~5"],
    ["↛", "не ->"],
    ["⇏", "не =>"],
    ["⩾\u03385", "не >=5"],
  ],
  arrows: [
    ["→", "->"],
    ["←", "<-"],
    ["↔", "<->"],
    ["⇒", "=>"],
    ["⇐", "<-"],
  ],
  "numbers in rings": [
    ["①②", "(1)(2)"],
    ["5①", "5(1)"],
    ["❷", "(2)"],
    ["⑳", "(20)"],
    ["Ⓐ", "(A)"],
  ],
  "Roman numbers": [
    ["Ⅳ", "IV"],
    ["ⅻ", "xii"],
    ["Том Ⅷ", "Том VIII"],
    ["Ⅹ", "X"],
  ],
  "quotes and dashes": [
    ["‘а’", "'а'"],
    ["„а‟", '"а"'],
    ["5″ 3′", "5\" 3'"],
    ["а‑б−в", "а-б-в"],
    ["а…", "а..."],
  ],
  "degrees and money": [
    ["20℃", "20°C"],
    ["℉", "°F"],
    ["5€", "5EUR"],
    ["£3", "GBP3"],
    ["7₸", "7тенге"],
    ["9₴", "9грн"],
  ],
  ligatures: [
    ["ﬁлин", "fiлин"],
    ["Straße", "Strasse"],
    ["Œuf", "Oeuf"],
    ["æ", "ae"],
    ["ĳ", "ij"],
  ],
  "wide characters": [
    ["ＡＢ１２", "AB12"],
    ["５²", "5^2"],
    ["㎏", "kg"],
    ["㎡", "m2"],
    ["𝐀𝟓", "A5"],
  ],
  "other alphabets": [
    ["Қазақ", "Казак"],
    ["Київ", "Київ"],
    ["Ґанок", "Ганок"],
    ["ӯ", "у"],
    ["Ł", "L"],
    ["٣٤", "34"],
  ],
  emoji: [
    ["Сок 🍎 1 л", "Сок ? 1 л"],
    ["👨‍👩‍👧‍👦", "?"],
    ["👍🏽!", "?!"],
    ["1️⃣", "1"],
    ["™️", "(TM)"],
  ],
  "what cannot be seen": [
    ["Хл\u00adеб\u200b", "Хлеб"],
    ["а\u0301б", "аб"],
    ["\ufeffа", "а"],
    ["и\u0306од", "йод"],
    ["Café naïve", "Cafe naive"],
  ],
};

/** Characters that a property test puts together: signs whose meaning depends on their neighbours, with digits and letters. */
const SIGNS_OF_SHOPS = [..."½²⁻₂µΩωØ÷º‰0459 -()amkмАяё≥①Ⅳ→«₽ﬁＡәѣ🍎\u200b\u0301"];

describe("text for register, drive and paper", () => {
  it.each(REFERENCE)("is what the reference gives: %s", (text, plain) => {
    expect(printable(text, 128)).toBe(plain);
  });

  describe.each(Object.entries(NEIGHBOURS))("%s", (_title, examples) => {
    it.each(examples)("%s becomes %s", (text, plain) => {
      expect(printable(text, 128)).toBe(plain);
    });
  });

  describe.each(Object.entries(SIGNS))("knows %s", (_title, examples) => {
    it.each(examples)("%s becomes %s", (text, plain) => {
      expect(printable(text, 128)).toBe(plain);
    });
  });

  it("makes one space of tabs, line breaks and runs of spaces", () => {
    expect(printable("  Хлеб\t\tчёрный\r\n нарезной\u00a0", 128)).toBe("Хлеб чёрный нарезной");
  });

  it("is cut between words, and within a word only where there is no other way", () => {
    expect(printable("Хлеб чёрный нарезной", 12)).toBe("Хлеб чёрный");
    expect(printable("Хлеб чёрный нарезной", 11)).toBe("Хлеб чёрный");
    expect(printable("Абракадабра", 5)).toBe("Абрак");
  });

  it("is as long as what it becomes: the limit counts what is stored", () => {
    expect(printable("½".repeat(128), 128)).toHaveLength(128);
    expect(printable(`${"а".repeat(127)}₽`, 128)).toHaveLength(128);
    expect(printable(`${"а".repeat(100)} ${"б".repeat(20)} 5 ₽/м²`, 128)).toBe(`${"а".repeat(100)} ${"б".repeat(20)} 5`);
    expect(printable("Ω".repeat(64), 128)).toHaveLength(64);
  });

  it("ends where nothing is seen for hundreds of characters", () => {
    expect(printable("\u200b".repeat(1_000_000), 128)).toBe("");
    expect(printable(`Хлеб${"\u0306\u0316".repeat(500_000)}`, 128)).toMatch(/^Хлеб/);
    expect(printable("½".repeat(1_000_000), 128)).toHaveLength(128);
  });

  it("is read further than it is printed only where characters disappear", () => {
    expect(printable(`${"e\u0301".repeat(100)} хлеб`, 128)).toBe(`${"e".repeat(100)} хлеб`);
    expect(printable(`${"а\u2061".repeat(100)} хлеб`, 128)).toBe(`${"а".repeat(100)} хлеб`);
    expect(printable(`${"я".repeat(127)}½`, 128)).toBe(`${"я".repeat(127)}1`);
    expect(printable(`${"가".repeat(200)}`, 128)).toBe("?".repeat(128));
  });

  it("is stored by every code page as it stands, is itself the second time, within the limit, and never nothing", () => {
    const units = fc.oneof(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...SIGNS_OF_SHOPS), maxLength: 60 }),
    );
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 128 }), (text, limit) => {
        const plain = printable(text, limit);
        expect(plain.length).toBeLessThanOrEqual(limit);
        expect(printable(plain, limit)).toBe(plain);
        expect(decodeCp866(encodeCp866(plain))).toBe(plain);
        expect(decodeCp1251(encodeCp1251(plain))).toBe(plain);
        if (/[\p{L}\p{N}]/u.test(text)) expect(plain).not.toBe("");
      }),
      { numRuns: 400 },
    );
  });

  it("is the text itself where it holds nothing else", () => {
    const all = Array.from({ length: 256 }, (_, byte) => decodeCp1251(Uint8Array.of(byte))).filter(
      (sign) => decodeCp866(encodeCp866(sign)) === sign,
    );
    const kept = all.filter((sign) => /[^\p{Cc}\p{Z}]/u.test(sign));
    for (const sign of kept) expect(printable(sign, 1)).toBe(sign);
    expect(kept).toHaveLength(94 + 64 + "ЁёЄєЇїЎў°·№¤".length);
  });
});
