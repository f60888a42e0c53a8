import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import jsqr from "jsqr";
import { describe, expect, it } from "vitest";
import { QrEncoder } from "../../../../src/receipts/qr-code/encoder.ts";
import type { Modules } from "../../../../src/receipts/qr-code/modules.ts";

// The golden symbols were made by the package qrcode 1.5.4 with level M: its matrices, with `#` for dark.
const GOLDEN = new URL("../../../golden/qr/", import.meta.url);

const encoder = new QrEncoder();

describe("a QR code", () => {
  for (const name of ["receipt", "receipt-long", "version-7"]) {
    it(`is, module by module, the golden one of ${name}`, () => {
      const [text = "", ...rows] = readFileSync(new URL(`${name}.txt`, GOLDEN), "utf8")
        .trimEnd()
        .split("\n");
      expect(rowsOf(encoder.encode(text))).toEqual(rows);
    });
  }

  it("is the golden one in each of the forty versions, filled to the last byte", () => {
    for (const [version, bytes, digest] of readFileSync(new URL("all-versions.txt", GOLDEN), "utf8").trimEnd().split("\n").map(fields)) {
      const rows = rowsOf(encoder.encode(letters(Number(bytes))));
      expect({ version, size: rows.length }).toEqual({ version, size: 17 + 4 * Number(version) });
      expect({ version, digest: createHash("sha256").update(rows.join("\n")).digest("hex") }).toEqual({ version, digest });
    }
  });

  // ISO/IEC 18004, table 7, level M.
  for (const { version, digits, alphanumeric, bytes } of [
    { version: 1, digits: 34, alphanumeric: 20, bytes: 14 },
    { version: 4, digits: 149, alphanumeric: 90, bytes: 62 },
    { version: 9, digits: 432, alphanumeric: 262, bytes: 180 },
    { version: 26, digits: 2544, alphanumeric: 1542, bytes: 1059 },
    { version: 40, digits: 5596, alphanumeric: 3391, bytes: 2331 },
  ]) {
    it(`of version ${version} holds ${digits} digits, ${alphanumeric} alphanumeric characters or ${bytes} bytes, and no more`, () => {
      for (const [character, count] of [
        ["7", digits],
        ["A", alphanumeric],
        ["a", bytes],
      ] as const) {
        expect(encoder.encode(character.repeat(count)).size).toBe(17 + 4 * version);
        const longer = () => encoder.encode(character.repeat(count + 1)).size;
        if (version === 40) expect(longer).toThrow(expect.objectContaining({ code: "qr-too-long" }));
        else expect(longer()).toBe(17 + 4 * (version + 1));
      }
    });
  }

  it("is read back as the text of any receipt", () => {
    fc.assert(
      fc.property(receiptText, (text) => {
        expect(read(encoder.encode(text))).toBe(text);
      }),
      { numRuns: 25, seed: 18004 },
    );
  });

  it("is read back whatever characters the text mixes", () => {
    const piece = fc.oneof(
      fc.stringMatching(/^\d{1,9}$/),
      fc.stringMatching(/^[A-Z $%*+./:-]{1,9}$/),
      fc.stringMatching(/^[а-яё=&€😀]{1,5}$/u),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
        expect(read(encoder.encode(pieces.join("")))).toBe(pieces.join(""));
      }),
      { numRuns: 25, seed: 18004 },
    );
  });

  it("is the same whatever was encoded before it", () => {
    const text = "t=20261112T1842&s=834.57&fn=9999078900001234&i=318&fp=1204745171&n=1";
    const first = rowsOf(new QrEncoder().encode(text));
    encoder.encode("t=20261112T1842&s=1.00&fn=9999078900001234&i=319&fp=4294967295&n=2");
    expect(rowsOf(encoder.encode(text))).toEqual(first);
  });
});

/** The text of a receipt's code (fiscal-receipts 2). */
const receiptText = fc
  .record({
    day: fc.date({ min: new Date("2020-01-01"), max: new Date("2039-12-31"), noInvalidDate: true }),
    kopecks: fc.integer({ min: 0, max: 99_999_999_99 }),
    drive: fc.stringMatching(/^\d{16}$/),
    number: fc.integer({ min: 1, max: 250_000 }),
    sign: fc.integer({ min: 0, max: 4_294_967_295 }),
    kind: fc.constantFrom(1, 2, 3, 4),
  })
  .map(({ day, kopecks, drive, number, sign, kind }) => {
    const time = day.toISOString().slice(0, 16).replaceAll(/[-:]/g, "");
    return `t=${time}&s=${(kopecks / 100).toFixed(2)}&fn=${drive}&i=${number}&fp=${sign}&n=${kind}`;
  });

function rowsOf(modules: Modules): string[] {
  const indexes = Array.from({ length: modules.size }, (_, index) => index);
  return indexes.map((row) => indexes.map((column) => (modules.isDark(row, column) ? "#" : ".")).join(""));
}

function letters(count: number): string {
  return "abcdefghijklmnopqrstuvwxyz".repeat(Math.ceil(count / 26)).slice(0, count);
}

function fields(line: string): string[] {
  return line.split(" ");
}

const MODULE_PIXELS = 3;
const MARGIN = 4;

/** Reads the printed symbol with a library that shares no code with the encoder. */
function read(modules: Modules): string | undefined {
  const width = (modules.size + 2 * MARGIN) * MODULE_PIXELS;
  const data = new Uint8ClampedArray(4 * width * width).fill(255);
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) {
      const [row, column] = [Math.floor(y / MODULE_PIXELS) - MARGIN, Math.floor(x / MODULE_PIXELS) - MARGIN];
      const inside = row >= 0 && column >= 0 && row < modules.size && column < modules.size;
      if (inside && modules.isDark(row, column)) data.fill(0, 4 * (y * width + x), 4 * (y * width + x) + 3);
    }
  }
  return jsqr.default(data, width, width)?.data;
}
