import { describe, expect, it } from "vitest";
import { closeReceipt, command, openReceipt, position } from "./driver/requests.ts";
import { fromHex, toHex } from "./protocol/bytes.ts";
import { dataOf, frameOf } from "./protocol/frame.ts";
import { textTag } from "./protocol/tlv.ts";

/**
 * Compares the requests of the independent driver with shtrih-protocol 14, so that a difference that another test finds is no mistake of
 * this driver.
 */
describe("the independent driver's requests", () => {
  const cases: readonly (readonly [string, Buffer, string])[] = [
    ["a short status", command("10", 30), "02 05 10 1E 00 00 00 0B"],
    ["the opening of a shift", command("E0", 30), "02 05 E0 1E 00 00 00 FB"],
    [
      "the cashier's name in CP866",
      command("FF0C", 30, textTag(1021, "Иванов И.И.")),
      "02 15 FF 0C 1E 00 00 00 FD 03 0B 00 88 A2 A0 AD AE A2 20 88 2E 88 2E 06",
    ],
    ["the opening of a sale", openReceipt("income"), "02 06 8D 01 00 00 00 00 8A"],
    [
      "a weighed position",
      position("income", { name: "Кофе", quantityMillionths: 1_500_000, priceKopecks: 9_990, totalKopecks: 14_985, rate: 1 }),
      "02 24 FF 46 01 00 00 00 01 60 E3 16 00 00 00 06 27 00 00 00 89 3A 00 00 00 FF FF FF FF FF 01 00 04 01 CA EE F4 E5 54",
    ],
    [
      "the closing of a receipt",
      closeReceipt({ cashKopecks: 10_000, cardKopecks: 4_985, taxSystem: 1 }),
      `02 76 FF 45 01 00 00 00 10 27 00 00 00 79 13 00 00 00 ${"00 ".repeat(101)} 01 91`,
    ],
  ];

  it.each(cases)("carries %s as chapter 14 prints it", (_, data, frame) => {
    expect(toHex(frameOf(data))).toBe(toHex(fromHex(frame)));
    expect(dataOf(fromHex(frame))).toEqual(data);
  });

  it("takes no frame whose check byte is wrong", () => {
    expect(dataOf(fromHex("02 05 10 1E 00 00 00 0C"))).toBeUndefined();
  });
});
