import { describe, expect, it } from "vitest";
import { fieldTable } from "../../../../../src/tools/sandbox/types/field.ts";
import { madeEan13, withCheckDigit } from "../../../../../src/tools/sandbox/types/goods/barcodes.ts";
import { isPersonalInn, withInnCheck } from "../../../../../src/tools/sandbox/types/parties/inn.ts";

describe("check digits", () => {
  it.each([
    ["400638133393", "4006381333931"],
    ["9638507", "96385074"],
    ["03600029145", "036000291452"],
  ])("a barcode of digits %s ends as the standard's sample does", (digits, whole) => {
    expect(withCheckDigit(digits)).toBe(whole);
  });

  it("a made barcode is an EAN-13 for a shop's own use, and the same for the same id", () => {
    const id = "5f0c1d2e-0000-4000-8000-000000000001";
    expect(madeEan13(id)).toMatch(/^2\d{12}$/);
    expect(madeEan13(id)).toBe(madeEan13(id));
    expect(withCheckDigit(madeEan13(id).slice(0, 12))).toBe(madeEan13(id));
  });

  it("a tax number's digits check one another", () => {
    expect(isPersonalInn("500100732259")).toBe(true);
    for (const wrong of ["500100732258", "50010073225", "5001007322590", "50010073225a"]) expect(isPersonalInn(wrong)).toBe(false);
    expect(withInnCheck("960012345")).toBe("9600123459");
  });
});

describe("a table of fields", () => {
  it.each([
    ["name string(255) ouch", "unknown flag"],
    ["name word", "unknown kind"],
    ["name object:nothing", "unknown shape"],
  ])("with the row '%s' is refused", (row, why) => {
    expect(() => fieldTable(row)).toThrow(why);
  });
});
