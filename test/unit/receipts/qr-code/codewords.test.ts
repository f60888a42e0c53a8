import { describe, expect, it } from "vitest";
import { codewordsOf } from "../../../../src/receipts/qr-code/codewords.ts";

describe("the codewords of a QR code", () => {
  it("are those of the standard's worked example", () => {
    // ISO/IEC 18004, annex I: 01234567 in version 1-M, sixteen codewords of data and ten that correct them.
    const { version, bytes } = codewordsOf("01234567");
    expect(version).toBe(1);
    expect(Buffer.from(bytes).toString("hex")).toBe("10200c566180ec11ec11ec11ec11ec11" + "a524d4c1ed36c7872c55");
  });

  it("take a receipt's digits as digits, so that its text of 68 characters fits into version 4", () => {
    expect(codewordsOf("t=20261112T1842&s=834.57&fn=9999078900001234&i=318&fp=1204745171&n=1").version).toBe(4);
  });

  it("hold letters and some signs in eleven bits for two, as in the standard's example", () => {
    // ISO/IEC 18004, 7.4.4: AC-42 is mode 0010, count 5, twice two characters and one.
    const bits = ["0010", "000000101", "00111001110", "11100111001", "000010"].join("");
    expect(bitsOf("AC-42").slice(0, bits.length)).toBe(bits);
  });

  it("hold no terminator where there is no room for one", () => {
    // 34 digits fill sixteen codewords: a head of fourteen bits, eleven times three digits in ten bits, and one digit in four.
    const bits = ["0001", "0000100010", "1111100111".repeat(11), "1001"].join("");
    expect(bitsOf("9".repeat(34)).slice(0, 128)).toBe(bits);
  });

  it("hold a terminator that just fits", () => {
    // Fourteen bytes after the head of twelve bits leave four bits in sixteen codewords: as many as the terminator has (7.4.9).
    const { bytes } = codewordsOf("a".repeat(14));
    expect(Buffer.from(bytes.subarray(0, 16)).toString("hex")).toBe(`40e${"61".repeat(14)}0`);
  });
});

function bitsOf(text: string): string {
  return [...codewordsOf(text).bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
}
