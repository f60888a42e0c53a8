import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GS, hasCheckDigit } from "../../../../src/model/marks/marking-code.ts";
import { identityOf, MAX_MARK_LENGTH, readMark, repeatedMark } from "../../../../src/model/marks/marks.ts";

/** Every sign that is no letter or digit (fiscal-receipts 4.7). */
const SIGNS = "!\"%&'*+-./_,:;=<>?";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const GTIN = "04600000000008";
const ITEM = `01${GTIN}21`;
const SIGNATURE_88 = `${SIGNS}${LETTERS}`.padEnd(88, "z");
const SIGNATURE_44 = SIGNATURE_88.slice(0, 44);

/** The shapes of the table in fiscal-receipts 4.7, each with its separators. */
const SHAPES = {
  A: `${ITEM}abcdefghijklm${GS}91EE10${GS}92${SIGNATURE_88}`,
  B: `${ITEM}nopqrstuvwxyz${GS}91EE10${GS}92${SIGNATURE_44}`,
  C: `${ITEM}abcdef${GS}93abcd`,
  "C+ with a day": `${ITEM}abcdefghijklm17261231${GS}93abcd`,
  "C+ with an hour": `${ITEM}abcdefghijklm70032612311200${GS}93abcd`,
  "D of seven": `${ITEM}abcdefg${GS}93abcd`,
  "D of thirteen": `${ITEM}abcdefghijklm${GS}93abcd`,
  W: `${ITEM}abcdef${GS}93abcd${GS}3103000356`,
  "T block": `${ITEM}abcdefg${GS}8005020900${GS}93abcd`,
} as const;

const SERIALS: Record<keyof typeof SHAPES, string> = {
  A: "abcdefghijklm",
  B: "nopqrstuvwxyz",
  C: "abcdef",
  "C+ with a day": "abcdefghijklm",
  "C+ with an hour": "abcdefghijklm",
  "D of seven": "abcdefg",
  "D of thirteen": "abcdefghijklm",
  W: "abcdef",
  "T block": "abcdefg",
};

/** The lengths that the table gives. They do not count the separators. */
const LENGTHS: Record<keyof typeof SHAPES, number> = {
  A: 127,
  B: 83,
  C: 30,
  "C+ with a day": 45,
  "C+ with an hour": 51,
  "D of seven": 31,
  "D of thirteen": 37,
  W: 40,
  "T block": 41,
};

const shapes = Object.keys(SHAPES) as (keyof typeof SHAPES)[];

describe("a marking code of a known shape", () => {
  it.each(shapes)("%s is read with its separators, and has the length of the table", (shape) => {
    const full = shape === "A" || shape === "B";
    expect(readMark(SHAPES[shape])).toEqual({
      kind: "mark",
      code: { shape: "gs1", full, gtin: GTIN, serial: SERIALS[shape], text: SHAPES[shape] },
    });
    expect(SHAPES[shape].replaceAll(GS, "")).toHaveLength(LENGTHS[shape]);
  });

  it.each(shapes)("%s gets back the separators that a scanner lost", (shape) => {
    expect(readMark(SHAPES[shape].replaceAll(GS, ""))).toEqual(readMark(SHAPES[shape]));
  });

  it.each(["\\u001d", "\\x1d", "&#x1D;", "&#29;", "<GS>", "{GS}", "↔", "|", "<gs>", "\\U001D"])(
    "has separators where %s stands for them",
    (standIn) => {
      for (const shape of shapes) expect(readMark(SHAPES[shape].replaceAll(GS, standIn))).toEqual(readMark(SHAPES[shape]));
    },
  );

  it.each([
    ...["%5Cu001d", "%5cx1d", "%255Cx1d", "%x1D", "&#9245;", "&#x241D;", "%E2%90%9D", "<\\035>", "<CHR29>", "<chr(29)>", "«GS»", "【GS】"],
    ...["⟨FNC1⟩", "<GROUP_SEPARATOR>", "<Group-Separator>", "<ctrl-]>", "Ctrl+]", "<FNC_1>"],
  ])("loses no sign and gains none where %s stands for separators", (standIn) => {
    for (const shape of shapes) expect(readMark(SHAPES[shape].replaceAll(GS, standIn))).toEqual(readMark(SHAPES[shape]));
  });

  it.each(["\0", "\r\0", "\\r\\n", "\\n", "^M", "{CR}{LF}", "[CR]", "\u0003", "\\x0d\\x0a", "\\u000d"])(
    "is read before the end of a line (%j)",
    (end) => {
      for (const shape of shapes) expect(readMark(SHAPES[shape] + end)).toEqual(readMark(SHAPES[shape]));
    },
  );

  it.each(["]d2", "]C1", "]Q3", GS, `]C1${GS}`])("is read behind a prefix of scanners (%j)", (prefix) => {
    for (const shape of shapes) expect(readMark(prefix + SHAPES[shape])).toEqual(readMark(SHAPES[shape]));
  });

  it("is read from the form for people", () => {
    expect(readMark(`(01)${GTIN}(21)abcdefghijklm(91)EE10(92)${SIGNATURE_88}`)).toEqual(readMark(SHAPES.A));
    expect(readMark(`(01)${GTIN}(21)abcdef(93)abcd(3103)000356`)).toEqual(readMark(SHAPES.W));
  });

  it("is read when the scanner typed it under the Russian layout", () => {
    const typed = `${ITEM}фисвуапршолдь${GS}91УУ10${GS}92`;
    const meant = `${ITEM}abcdefghijklm${GS}91EE10${GS}92`;
    expect(readMark(typed + "я".repeat(44))).toEqual(readMark(meant + "z".repeat(44)));
    expect(readMark(`${typed}ю,б?хЪ${"Й".repeat(38)}`)).toEqual(readMark(`${meant}.?,&[}${"Q".repeat(38)}`));
  });

  it("may hold characters in its serial number that elsewhere stand for a separator", () => {
    const serial = "a<GS>&b";
    const code = `${ITEM}${serial}${GS}91EE10${GS}92${SIGNATURE_44}`;
    expect(readMark(code)).toMatchObject({ kind: "mark", code: { serial, text: code } });
  });

  it("keeps case and every sign of its alphabet", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...(LETTERS + SIGNS)), minLength: 13, maxLength: 13 }), (serial) => {
        const code = `${ITEM}${serial}${GS}91EE10${GS}92${SIGNATURE_88}`;
        expect(readMark(code)).toEqual({ kind: "mark", code: { shape: "gs1", full: true, gtin: GTIN, serial, text: code } });
      }),
    );
  });

  it("is a pack of cigarettes by its 29 characters without any separator", () => {
    expect(readMark(`${GTIN}abcdefgADVUabcd`)).toEqual({
      kind: "mark",
      code: { shape: "tobacco-pack", gtin: GTIN, serial: "abcdefg", price: "ADVU", text: `${GTIN}abcdefgADVUabcd` },
    });
  });

  it("is fur, or a bar code of the product alone", () => {
    expect(readMark("RU-123456-ABCDEFGHIJ")).toMatchObject({ code: { shape: "fur" } });
    expect(readMark("46000019")).toMatchObject({ code: { shape: "ean-8" } });
    expect(readMark("4600000000008")).toMatchObject({ code: { shape: "ean-13" } });
    expect(readMark(GTIN)).toMatchObject({ code: { shape: "itf-14" } });
  });
});

describe("a marking code of no known shape", () => {
  it.each([
    ["a serial number that is too short for its table", `${ITEM}abcde93abcd`],
    ["a signature that lost a character with its separators", SHAPES.A.replaceAll(GS, "").slice(0, -1)],
    ["a key alone", `${ITEM}abcdefghijklm${GS}21xyz`],
    ["an alcohol code", "A".repeat(150)],
    ["a space in the serial number", `${ITEM}abcdef ghijkl${GS}91EE10`],
  ])("(%s) is taken as it is", (_, code) => {
    expect(readMark(code)).toEqual({ kind: "mark", code: { shape: "unrecognised", text: code } });
  });
});

describe("a marking code of no known shape that a scanner has shown", () => {
  it("gets its separators back: no code holds the arrow that stands for them", () => {
    expect(readMark(`${ITEM}abc↔21xyz`)).toEqual({ kind: "mark", code: { shape: "unrecognised", text: `${ITEM}abc${GS}21xyz` } });
  });
});

describe("a marking code that is none of one piece", () => {
  it.each([
    ["a transport package", "00146000000000000012"],
    ["a transport package in brackets", "(00)146000000000000012"],
    ["the contents of a package", `02${GTIN}37000012`],
    ["the contents of a package in brackets", `(02)${GTIN}(37)000012`],
  ])("is refused as %s", (_, code) => {
    expect(readMark(code)).toEqual({ kind: "unreadable", problem: "aggregate" });
  });

  it("is refused when a check digit is wrong", () => {
    for (const code of [SHAPES.A.replace(GTIN, "04600000000007"), SHAPES.C.replace(GTIN, "04600000000080"), "46000018", "4600000000009"]) {
      expect(readMark(code)).toEqual({ kind: "unreadable", problem: "check-digit" });
    }
  });

  it("is refused as the label of a scale", () => {
    expect(readMark("2100001012345")).toEqual({ kind: "unreadable", problem: "weight-label" });
  });

  it("is refused under the Russian layout where no layout makes a code of it", () => {
    for (const code of ["0104600ФЫВ", "Ы", `${ITEM}фисвуапршолд${GS}91УУ10`.slice(0, 20)]) {
      expect(readMark(code)).toEqual({ kind: "unreadable", problem: "keyboard-layout" });
    }
  });

  it("is refused with letters that stand on no key of the Russian board", () => {
    for (const code of ["є", `${ITEM}ґѣ`, "Ѣ".repeat(MAX_MARK_LENGTH)]) {
      expect(readMark(code)).toEqual({ kind: "unreadable", problem: "keyboard-layout" });
    }
  });

  it("is refused with characters that no code has, or nothing in it", () => {
    for (const code of ["", " ", GS, "0104\n91", "0104\u000091", "0104é"]) {
      expect(readMark(code)).toEqual({ kind: "unreadable", problem: "characters" });
    }
    expect(readMark("A".repeat(MAX_MARK_LENGTH + 1))).toEqual({ kind: "unreadable", problem: "length" });
  });
});

describe("the check digit of a product number", () => {
  it("is that of fiscal-receipts 4.7 and of shtrih-protocol's example", () => {
    expect(hasCheckDigit("04600000000008")).toBe(true);
    expect(hasCheckDigit("04600439931256")).toBe(true);
    expect(hasCheckDigit("04600439931257")).toBe(false);
  });
});

describe("marks of a receipt", () => {
  it("are named by the second place of one that occurs twice", () => {
    const marks = ["A", "B", "A"].map((identity, place) => ({ identity, parameter: `marks[${place}]` }));
    expect(repeatedMark(marks)).toEqual({ parameter: "marks[2]" });
    expect(repeatedMark(marks.slice(0, 2))).toBeUndefined();
  });

  it("may occur again where the goods are sold by measure, and never beside a piece of the same code", () => {
    const at = (identity: string, measured: boolean, place: number) => ({ identity, measured, parameter: `marks[${place}]` });
    expect(repeatedMark([at("A", true, 0), at("B", false, 1), at("A", true, 2), at("A", true, 3)])).toBeUndefined();
    expect(repeatedMark([at("A", true, 0), at("A", false, 1)])).toEqual({ parameter: "marks[1]" });
    expect(repeatedMark([at("A", false, 0), at("A", true, 1)])).toEqual({ parameter: "marks[1]" });
  });

  it("are one thing when product and serial number agree, whatever the rest looks like", () => {
    const identities = [SHAPES.A, SHAPES.A.replaceAll(GS, ""), `]d2${SHAPES.A.replaceAll(GS, "<GS>")}`].map((raw) => {
      const read = readMark(raw);
      return read.kind === "mark" ? identityOf(read.code) : read.problem;
    });
    expect(new Set(identities).size).toBe(1);
  });
});
