import { createHmac, createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fiscalSign, signBytes } from "../../../../src/registers/virtual/signs.ts";

const secret = createSecretKey(Buffer.from("a drive's secret"));

describe("fiscal signs", () => {
  it("follow the recipe of fiscal-receipts 3.1", () => {
    const document = Buffer.from("a document");
    const first = createHmac("sha256", "a drive's secret").update(document).digest().readUInt32BE(0);
    expect(fiscalSign(secret, document)).toBe(String(1_000_000_000 + (first % 3_294_967_296)));
  });

  it("have ten digits and fit 32 bits, whatever the document", () => {
    for (let number = 0; number < 2_000; number += 1) {
      const sign = Number(fiscalSign(secret, Buffer.from(String(number))));
      expect(sign).toBeGreaterThanOrEqual(1_000_000_000);
      expect(sign).toBeLessThan(2 ** 32);
    }
  });

  it("are stored behind two service bytes with the highest byte first, as 1204745171 is 47 CE F3 D3", () => {
    expect(signBytes("1204745171").toString("hex")).toBe("000047cef3d3");
  });
});
