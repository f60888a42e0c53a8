import { describe, expect, it } from "vitest";
import { productCode } from "../../../../src/registers/tags/product-code.ts";
import { encodeRequisites, readTlvs, readValue } from "../../../../src/registers/tags/tlv.ts";

const GS = "\u001d";
const ITEM = "010460000000000821abcdefghijklm";

/** Returns the tag and the value of the one requisite inside tag 1163. */
function stored(mark: string): [number | undefined, unknown] {
  const [outer] = readTlvs(encodeRequisites([productCode(mark, "1.2")])) ?? [];
  const [inner] = readTlvs(outer?.value ?? Buffer.alloc(0)) ?? [];
  return [inner?.tag, inner === undefined ? undefined : readValue(inner)];
}

function bytes1162(mark: string): string {
  return encodeRequisites([productCode(mark, "1.05")])
    .subarray(4)
    .toString("hex")
    .toUpperCase();
}

describe("the product code of a marked position", () => {
  it.each([
    ["shoes, full key", `${ITEM}${GS}91EE10${GS}92${"x".repeat(88)}`, 1305, ITEM],
    ["clothing behind a symbology prefix", `]d2${ITEM}${GS}91EE10${GS}92${"x".repeat(44)}`, 1305, ITEM],
    ["a separator shown as an arrow", `${ITEM}↔91EE10↔92${"x".repeat(44)}`, 1305, ITEM],
    ["a lost separator", `${ITEM}91EE1092${"x".repeat(44)}`, 1305, ITEM],
    ["dairy, short key", `010460000000000821abcdef${GS}93abcd`, 1306, "010460000000000821abcdef"],
    ["a pack of cigarettes", "04600000000008abcdefgADVUabcd", 1306, "04600000000008abcdefg"],
    ["fur", "RU-123456-ABCDEFGHIJ", 1307, "RU-123456-ABCDEFGHIJ"],
    ["a bar code of 13 digits", "4600000000008", 1302, "4600000000008"],
    ["a bar code of 8 digits", "46000019", 1301, "46000019"],
    ["a bar code of 14 digits", "04600000000008", 1303, "04600000000008"],
    ["an unknown shape", "RU-123456-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123", 1300, "RU-123456-ABCDEFGHIJKLMNOPQRSTUV"],
    ["a code that cannot be read, by the keys it was typed with", "Ы".repeat(40), 1300, "S".repeat(32)],
  ])("stores %s without its signature", (_, mark, tag, value) => {
    expect(stored(mark)).toEqual([tag, value]);
  });

  it("is the bytes of tag 1162 before format 1.2, as fiscal-receipts 4.7 gives them", () => {
    expect(bytes1162(`${ITEM}${GS}91EE10${GS}92${"x".repeat(88)}`)).toBe("444D042F055DB0086162636465666768696A6B6C6D");
  });

  it("is the prefix and number of shtrih-protocol's example for another product", () => {
    expect(bytes1162(`010460043993125621abcdefg${GS}93abcd`).slice(0, 16)).toBe("444D042F1F968178");
  });

  it.each([
    ["a pack of cigarettes with its price", "04600000000008abcdefgADVUabcd", "444D042F055DB008", "abcdefgADVU"],
    ["fur as its text", "RU-123456-ABCDEFGHIJ", "5246", "RU-123456-ABCDEFGHIJ"],
    ["what is not recognised, cut to thirty characters", "x".repeat(40), "0000", "x".repeat(30)],
  ])("keeps under format 1.05 %s", (_, mark, head, text) => {
    expect(bytes1162(mark)).toBe(head + Buffer.from(text, "ascii").toString("hex").toUpperCase());
  });

  it.each([
    ["46000019", "4508"],
    ["4600000000008", "450D"],
    ["04600000000008", "490E"],
  ])("tells the bar code %s by its prefix under format 1.05", (mark, prefix) => {
    expect(bytes1162(mark)).toBe(prefix + Number(mark).toString(16).toUpperCase().padStart(12, "0"));
  });
});
