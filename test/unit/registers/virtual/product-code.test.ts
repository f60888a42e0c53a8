import { describe, expect, it } from "vitest";
import { readTlvs, readValue } from "../../../../src/registers/tags/tlv.ts";
import { productCodeTlv } from "../../../../src/registers/virtual/product-code.ts";

const GS = "\u001d";
const ITEM = "010460000000000821abcdefghijklm";

function stored(mark: string): [number | undefined, unknown] {
  const [outer] = readTlvs(productCodeTlv(mark)) ?? [];
  const [inner] = readTlvs(outer?.value ?? Buffer.alloc(0)) ?? [];
  return [inner?.tag, inner === undefined ? undefined : readValue(inner)];
}

describe("the product code of a marked position", () => {
  it.each([
    ["shoes, full key", `${ITEM}${GS}91EE10${GS}92${"x".repeat(88)}`, 1305, ITEM],
    ["clothing behind a symbology prefix", `]d2${ITEM}${GS}91EE10${GS}92${"x".repeat(44)}`, 1305, ITEM],
    ["a separator shown as an arrow", `${ITEM}↔91EE10↔92${"x".repeat(44)}`, 1305, ITEM],
    ["a lost separator", `${ITEM}91EE1092${"x".repeat(44)}`, 1305, ITEM],
    ["dairy, short key", `010460000000000821abcdef${GS}93abcd`, 1306, "010460000000000821abcdef"],
    ["a pack of cigarettes", "04600000000008abcdefgADVUabcd", 1306, "04600000000008abcdefg"],
    ["an unknown shape", "RU-123456-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123", 1300, "RU-123456-ABCDEFGHIJKLMNOPQRSTUV"],
  ])("stores %s without its signature", (_, mark, tag, value) => {
    expect(stored(mark)).toEqual([tag, value]);
  });
});
