import { describe, expect, it } from "vitest";
import { decodeCp866, encodeCp866 } from "../../../../src/registers/tags/cp866.ts";
import { fits, readTlvs, readValue, tlv } from "../../../../src/registers/tags/tlv.ts";

const hex = (bytes: Buffer) => bytes.toString("hex");

describe("code page 866", () => {
  it("encodes «Хлеб» as fiscal-receipts 1.2 gives it", () => {
    expect(hex(encodeCp866("Хлеб"))).toBe("95aba5a1");
  });

  it("keeps every byte of the page through text and back", () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(encodeCp866(decodeCp866(all)).equals(all)).toBe(true);
  });

  it.each([
    ["Сыр «Российский» — 5 ₽", 'Сыр "Российский" - 5 руб.'],
    ["2×3 №1 ёлка Ё", "2x3 №1 ёлка Ё"],
    ["кофе ☕😀!", "кофе ??!"],
    ["", ""],
  ])("stores «%s» with what the page has", (text, stored) => {
    expect(decodeCp866(encodeCp866(text))).toBe(stored);
  });
});

describe("TLV", () => {
  it.each([
    ["a sum of 834.57", tlv(1020, 83_457), "fc030300014601"],
    ["a quantity of 0.356", tlv(1023, 356_000), "ff030300036401"],
    ["a quantity of one", tlv(1023, 1_000_000), "ff0302000001"],
    ["a sum of nothing", tlv(1031, 0), "0704010000"],
    ["a name", tlv(1030, "Хлеб"), "0604040095aba5a1"],
    ["an INN padded to twelve", tlv(1018, "9600123459"), "fa030c0039363030313233343539".concat("2020")],
    ["a wall time as if it hung in UTC", tlv(1012, "1970-01-01 00:01:00"), "f40304003c000000"],
    ["a number of a document", tlv(1040, 318), "100404003e010000"],
    ["a rate", tlv(1199, 11), "af0401000b"],
  ])("encodes %s", (_, bytes, expected) => {
    expect(hex(bytes)).toBe(expected);
  });

  it("nests the totals of the new rates", () => {
    const nested = tlv(1115, [tlv(1119, [tlv(1199, 11), tlv(1120, 7_298)])]);
    expect(hex(nested)).toBe("5b040f005f040b00af0401000b60040200821c");
  });

  it("reads back what it wrote", () => {
    const bytes = Buffer.concat([
      tlv(1030, "Сыр"),
      tlv(1023, 356_000),
      tlv(1043, 32_004),
      tlv(1012, "2026-11-12 18:42:11"),
      tlv(1018, "9600123459"),
    ]);
    const read = readTlvs(bytes)?.map((found) => [found.tag, readValue(found)]);
    expect(read).toEqual([
      [1030, "Сыр"],
      [1023, 356_000],
      [1043, 32_004],
      [1012, "2026-11-12 18:42:11"],
      [1018, "9600123459"],
    ]);
  });

  it("does not read bytes that end inside a requisite", () => {
    const bytes = tlv(1030, "Сыр");
    expect(readTlvs(bytes.subarray(0, -1))).toBeUndefined();
    expect(readTlvs(Buffer.concat([bytes, Buffer.of(1, 2)]))).toBeUndefined();
  });

  it("leaves unknown tags as bytes", () => {
    expect(readValue({ tag: 9_999, value: Buffer.of(1, 2) })).toEqual(Buffer.of(1, 2));
  });

  it("measures a name in bytes of the code page, replacements included", () => {
    expect(fits(1030, "ж".repeat(128))).toBe(true);
    expect(fits(1030, "ж".repeat(129))).toBe(false);
    expect(fits(1030, `${"ж".repeat(125)}₽`)).toBe(false);
  });

  it("holds its limits as a mistake of the caller", () => {
    expect(() => tlv(1030, "ж".repeat(129))).toThrow(/tag 1030/);
    expect(() => tlv(1020, 2 ** 48)).toThrow(/tag 1020/);
    expect(() => tlv(1020, -1)).toThrow(/whole number/);
    expect(() => tlv(1199, 256)).toThrow(/tag 1199/);
    expect(() =>
      tlv(
        1059,
        Array.from({ length: 9 }, () => tlv(1030, "ж".repeat(128))),
      ),
    ).toThrow(/tag 1059/);
  });
});

describe("requisites that no drive writes", () => {
  const repeated = (count: number) => Buffer.concat(Array.from({ length: count }, () => raw(1085, Buffer.alloc(0))));

  it("are refused when they are longer than the largest document", () => {
    expect(readTlvs(raw(1059, Buffer.alloc(32_768)))).toHaveLength(1);
    expect(readTlvs(raw(1059, Buffer.alloc(32_769)))).toBeUndefined();
  });

  it("are refused when they are more than the positions of the largest document", () => {
    expect(readTlvs(repeated(2_048))).toHaveLength(2_048);
    expect(readTlvs(repeated(2_049))).toBeUndefined();
  });

  it.each([
    ["a sum", 1020, Buffer.alloc(65_528, 255)],
    ["a sum that no number holds exactly", 1020, Buffer.alloc(8, 255)],
    ["a byte", 1054, Buffer.alloc(9, 1)],
    ["a number", 1040, Buffer.alloc(30_000, 1)],
    ["a time", 1012, Buffer.alloc(30_000, 255)],
    ["a time after every date", 1012, Buffer.alloc(8, 255)],
    ["a quantity", 1023, Buffer.alloc(30_000, 3)],
    ["a quantity finer than a millionth", 1023, Buffer.of(255, 1)],
  ])("stay bytes when the value is none of its tag: %s", (_what, tag, value) => {
    expect(readValue({ tag, value })).toBe(value);
  });

  it("have texts of their length at most", () => {
    expect(readValue({ tag: 1021, value: Buffer.alloc(30_000, "a") })).toBe("a".repeat(64));
    expect(readValue({ tag: 1018, value: Buffer.alloc(30_000, "1") })).toBe("1".repeat(12));
  });

  it("may be wider than needed, as some devices write them", () => {
    expect(readValue({ tag: 1054, value: Buffer.of(1, 0, 0, 0) })).toBe(1);
    expect(readValue({ tag: 1020, value: Buffer.of(1, 0, 0, 0, 0, 0, 0, 0) })).toBe(1);
  });
});

function raw(tag: number, value: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(tag, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}
