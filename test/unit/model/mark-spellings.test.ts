import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GS } from "../../../src/model/marks/marking-code.ts";
import { readMark } from "../../../src/model/marks/marks.ts";

const GTIN = "04600000000008";
const HEAD = `01${GTIN}`;
const S44 = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789+/AbCdE=";
const S88 = `${S44.slice(0, 43)}x${S44}`;

/**
 * The shapes of the table in fiscal-receipts 4.7, split at their separators. `serial`: the beginning of the first part. "B of six"
 * and "A of six" are not in the table. They are the codes of rule 6 there: a serial number of six characters with 91 and 92.
 */
const SHAPES: Record<string, { parts: string[]; serial: string; length: number }> = {
  A: { parts: ["abcdefghijklm", "91EE10", `92${S88}`], serial: "abcdefghijklm", length: 127 },
  B: { parts: ["nopqrstuvwxyz", "91EE10", `92${S44}`], serial: "nopqrstuvwxyz", length: 83 },
  "B of six": { parts: ["abcdef", "91EE10", `92${S44}`], serial: "abcdef", length: 76 },
  "A of six": { parts: ["abcdef", "91EE10", `92${S88}`], serial: "abcdef", length: 120 },
  C: { parts: ["abcdef", "93abcd"], serial: "abcdef", length: 30 },
  "C+ with a day": { parts: ["abcdefghijklm17261231", "93abcd"], serial: "abcdefghijklm", length: 45 },
  "C+ with an hour": { parts: ["abcdefghijklm70032612311200", "93abcd"], serial: "abcdefghijklm", length: 51 },
  "D of seven": { parts: ["abcdefg", "93abcd"], serial: "abcdefg", length: 31 },
  "D of thirteen": { parts: ["abcdefghijklm", "93abcd"], serial: "abcdefghijklm", length: 37 },
  "W of six": { parts: ["abcdef", "93abcd", "3103000356"], serial: "abcdef", length: 40 },
  "W of seven": { parts: ["abcdefg", "93abcd", "3103000356"], serial: "abcdefg", length: 41 },
  "W of thirteen": { parts: ["abcdefghijklm", "93abcd", "3103000356"], serial: "abcdefghijklm", length: 47 },
  "W with a day": { parts: ["abcdefghijklm17261231", "93abcd", "3103000356"], serial: "abcdefghijklm", length: 55 },
  "T block": { parts: ["abcdefg", "8005020900", "93abcd"], serial: "abcdefg", length: 41 },
};
const NAMES = Object.keys(SHAPES);

function shapeOf(name: string) {
  const shape = SHAPES[name];
  if (shape === undefined) throw new Error(name);
  return shape;
}

/** The result of reading any spelling of the shape. */
function meant(name: string): unknown {
  const { parts, serial } = shapeOf(name);
  const text = `${HEAD}21${parts.join(GS)}`;
  return { kind: "mark", code: { shape: "gs1", full: parts[1]?.startsWith("91"), gtin: GTIN, serial, text } };
}

/** Returns the code with the separator. The separator is left out before element n, counted from 0, when bit n of `lost` is set. */
function written(name: string, separator: string, lost = 0): string {
  const [serial = "", ...elements] = shapeOf(name).parts;
  return `${HEAD}21${serial}${elements.map((element, at) => ((lost >> at) & 1 ? "" : separator) + element).join("")}`;
}

/** Spellings of the separator: by number, by name, as a screen shows it, or by a character that no code has. */
const SEPARATORS = [
  ...[GS, "\\u001d", "\\u1d", "\\x1d", "\\x001D", "\\u{1d}", "\\x{1D}", "\\035", "\\29", "\\d029", "\\G"],
  ...["<0x1D>", "<1D>", "<29>", "<GS>", "<gs>", "<FNC1>", "<F1>", "<U+001D>", "<\\u1d>", "<group separator>"],
  ...[
    "[GS]",
    "[0x1D]",
    "[29]",
    "[FNC1]",
    "{GS}",
    "{FNC1}",
    "{0x1D}",
    "(GS)",
    '"\\x1d"',
    "^]",
    "^FNC1",
    "#FNC1#",
    "~1",
    "~d029",
    "@29@",
    "$1D",
  ],
  ...["%1D", "%1d", "=1D", "0x1D", "x1D", "U+001D", "u001d", "FNC1"],
  ...["%251D", "%u001D", "%25u001d", "&amp;#29;", "&amp;#x1D;", "&lt;GS&gt;", "&lt;FNC1&gt;", "&lt;0x1D&gt;", "_x001D_", "_x001d_"],
  ...["CHR(29)", "chr(29)", "Chr$(29)", "CHAR(29)", "<<GS>>", "[[GS]]", "{{FNC1}}", "<ASCII 29>", "[ASC29]"],
  ...["ASCII29", "ascii29", "ASCII 29", "ASCII(29)", "ASCII-29", "ASCII_29", "ASC29", "CHR29"],
  ...["/GS/", "-GS-", "_GS_", "*GS*", ":gs:", ".GS.", "+GS+", "%GS%", "|GS|", "/FNC1/", "-FNC1-", "/0x1D/", "-x1D-"],
  ...["\u001d\u001d", "\\u001d\\u001d", "\\\\u001D\\\\u001D", "<GS><GS>", "{GS}{GS}", "&#29;&#29;", "/GS//GS/"],
  ...["&#29;", "&#29", "&#x1D;", "&#x001d;", "&gs;", "#29", "#x1D"],
  ...["\u241d", "↔", "|", "¦", "è", "ñ", "\ufffd", " ", "  ", "\t", "\r\n", "\u00a0", "\u001e", "\u0004"],
];

/** Characters that scanners and people put before a code: symbology identifiers, FNC1 and its E8h in a code page, blanks. */
const PREFIXES = [
  ...["]d2", "]C1", "]Q3", "]Q1", "]e0", "]J1", "]d1"],
  ...[GS, "]C1\u001d", "è", "\u00e8", "\\u00e8", "\\xe8", "%E8", "&#232;", "&egrave;", "<E8>", "<0xE8>", "[E8]", "0xE8"],
  ...["Ã¨", "и", "ш", "Х", "ñ", "{FNC1}", "<FNC1>", "[FNC1]", "FNC1", "~1", "^]", "\u241d", "<GS>", "\\x1d", "|"],
  ...[" ", "\t", "\ufeff", "\u200b", "è]d2", "]d2è", " ]C1"],
];

const cases = (name: string) => Array.from({ length: 2 ** (shapeOf(name).parts.length - 1) }, (_, lost) => lost);

describe("a separator", () => {
  it.each(NAMES)("of the shape %s has the length of the table between it and the next", (name) => {
    expect(written(name, "")).toHaveLength(shapeOf(name).length);
  });

  it.each(SEPARATORS)("spelled %j is read in every shape, whichever others are lost", (separator) => {
    for (const name of NAMES) {
      for (const lost of cases(name)) expect(readMark(written(name, separator, lost)), `${name}, ${lost} lost`).toEqual(meant(name));
    }
  });

  it.each(SEPARATORS)("spelled %j between product number and 21 is dropped", (separator) => {
    for (const name of NAMES) {
      const code = written(name, separator);
      expect(readMark(HEAD + separator + code.slice(HEAD.length)), name).toEqual(meant(name));
    }
  });

  it("may be spelled in several ways in one code", () => {
    for (const name of NAMES) {
      const [serial = "", ...elements] = shapeOf(name).parts;
      for (let turn = 0; turn < SEPARATORS.length; turn += 1) {
        const mixed = elements.map((element, at) => `${SEPARATORS[(turn + 7 * at) % SEPARATORS.length]}${element}`).join("");
        expect(readMark(`${HEAD}21${serial}${mixed}`), mixed).toEqual(meant(name));
      }
    }
  });
});

describe("a prefix", () => {
  it.each(PREFIXES)("%j comes off, whatever separators follow and whether they are there", (prefix) => {
    for (const name of NAMES) {
      for (const separator of [GS, "", "<0x1D>", "^]", "\\u1d"]) {
        expect(readMark(prefix + written(name, separator)), `${name} ${separator}`).toEqual(meant(name));
      }
    }
  });

  it.each(PREFIXES)("%j comes off a pack of cigarettes and a fur", (prefix) => {
    expect(readMark(`${prefix}${GTIN}abcdefgADVUabcd`)).toMatchObject({ code: { shape: "tobacco-pack", serial: "abcdefg" } });
    expect(readMark(`${prefix}RU-123456-ABCDEFGHIJ`)).toEqual({ kind: "mark", code: { shape: "fur", text: "RU-123456-ABCDEFGHIJ" } });
  });

  it("does not hide a box or a misread number", () => {
    expect(readMark("è00146000000000000012")).toEqual({ kind: "unreadable", problem: "aggregate" });
    expect(readMark(`{FNC1}010460000000000721abcdef${GS}93abcd`)).toEqual({ kind: "unreadable", problem: "check-digit" });
  });
});

describe("a code that can be read in several ways", () => {
  it("has a serial number of a length of the table before any other", () => {
    expect(readMark(`${HEAD}21abcdefg<0x1D>93abcd`)).toMatchObject({ code: { serial: "abcdefg" } });
    expect(readMark(`${HEAD}21abcdefghij%1D93abcd`)).toMatchObject({ code: { serial: "abcdefghij%1D" } });
    expect(readMark(`${HEAD}21abcdefghij%1D93abcd${GS}3103000356`)).toMatchObject({ code: { serial: "abcdefghij" } });
  });

  it("has a serial number that ends before a spelling and not inside of it", () => {
    expect(readMark(`${HEAD}21abcdef&#29;93abcd`)).toMatchObject({ code: { serial: "abcdef" } });
    expect(readMark(`${HEAD}21abcdef0x1D93abcd`)).toMatchObject({ code: { serial: "abcdef" } });
  });

  it("keeps what its own separators say, whatever its serial number looks like", () => {
    for (const serial of ["abcdef<GS>93a", "abcde=1D", "a%1D91E", "<0x1D>", "abcdefg<0x1D>", "fnc1", "abcdef&"]) {
      const code = `${HEAD}21${serial}${GS}93abcd`;
      expect(readMark(code), serial).toMatchObject({ code: { shape: "gs1", serial, text: code } });
    }
  });

  it("is not read when a separator is spelled as a serial number may be", () => {
    for (const spelled of ["GS", "29", "-29-", "/1D/", "-GS", "GS-", "/GS-"]) {
      const code = written("B", spelled);
      expect(readMark(code), spelled).toEqual({ kind: "mark", code: { shape: "unrecognised", text: code } });
    }
  });

  it("keeps a serial number that holds a word for a separator", () => {
    for (const serial of ["abc/GS/defghi", "ASCII29abcdef", "abcdefg-GS-93", "a-GS-bc", "-FNC1-"]) {
      expect(readMark(`${HEAD}21${serial}${GS}93abcd`), serial).toMatchObject({ code: { shape: "gs1", serial } });
    }
  });

  it("is not read at all when something is left over", () => {
    for (const code of [
      written("C", "\\u1d").slice(0, -1),
      `${written("C", "\\u1d")}x`,
      written("A", "").slice(0, -1),
      written("T block", "x"),
    ]) {
      expect(readMark(code)).toEqual({ kind: "mark", code: { shape: "unrecognised", text: code } });
    }
  });
});

/** The eighty characters of fiscal-receipts 4.7, in its order. */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!\"%&'*+-./_,:;=<>?";
const signs = (length: number) => fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: length, maxLength: length });
const digits = (length: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length });

/** Random codes of the shapes of fiscal-receipts 4.7, each as its parts and its serial number. */
const anyCode = fc
  .record({
    serial: fc.constantFrom(13, 7, 6).chain(signs),
    key: signs(4),
    signature: fc.constantFrom(44, 88).chain(signs),
    weight: digits(6),
    day: digits(6),
    shape: fc.constantFrom("full", "short", "weighed", "dated", "block"),
  })
  .map(({ serial, key, signature, weight, day, shape }) => {
    if (shape === "full" && serial.length !== 7) return { serial, parts: [serial, `91${key}`, `92${signature}`] };
    if (shape === "weighed") return { serial, parts: [serial, `93${key}`, `3103${weight}`] };
    if (shape === "dated" && serial.length === 13) return { serial, parts: [`${serial}17${day}`, `93${key}`] };
    if (shape === "block" && serial.length === 7) return { serial, parts: [serial, `8005${weight}`, `93${key}`] };
    return { serial, parts: [serial, `93${key}`] };
  });

describe("whatever its serial number, a code", () => {
  it("with separators, as they are or in a spelling of fiscal-receipts 4.7, is read byte for byte", () => {
    const spellings = fc.constantFrom(GS, "\\u001d", "\\x1d", "&#x1D;", "&#29;", "<GS>", "{GS}", "↔", "|", "[GS]", "^]", "\u241d", " ");
    fc.assert(
      fc.property(anyCode, spellings, fc.constantFrom("", "]d2", "]C1", "è", GS), ({ serial, parts }, separator, prefix) => {
        const text = `${HEAD}21${parts.join(GS)}`;
        expect(readMark(`${prefix}${HEAD}21${parts.join(separator)}`)).toMatchObject({ kind: "mark", code: { serial, text } });
      }),
      { numRuns: 1_000 },
    );
  });

  it("without separators gets them back", () => {
    fc.assert(
      fc.property(anyCode, ({ serial, parts }) => {
        const text = `${HEAD}21${parts.join(GS)}`;
        expect(readMark(`${HEAD}21${parts.join("")}`)).toMatchObject({ kind: "mark", code: { serial, text } });
      }),
      { numRuns: 1_000 },
    );
  });

  it("is read the same once it has been read", () => {
    fc.assert(
      fc.property(anyCode, fc.constantFrom(...SEPARATORS, ""), ({ parts }, separator) => {
        const read = readMark(`${HEAD}21${parts.join(separator)}`);
        if (read.kind === "mark") expect(readMark(read.code.text)).toEqual(read);
      }),
      { numRuns: 1_000 },
    );
  });

  it("that is no code at all never stops the reader", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.constantFrom("", HEAD, `${HEAD}21`), (text, head) => {
        expect(["mark", "unreadable"]).toContain(readMark(head + text).kind);
      }),
    );
    // These Cyrillic letters have no key in the Russian layout.
    expect(readMark("Ꙁїґ")).toEqual({ kind: "unreadable", problem: "keyboard-layout" });
  });
});
