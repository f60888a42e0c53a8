import { describe, expect, it } from "vitest";
import { basketKopecks, lineKopecks, roubles } from "../../../../../src/tools/sandbox/caller/basket.ts";
import type { Goods } from "../../../../../src/tools/sandbox/caller/shop.ts";

function goods(priceKopecks: number): Goods {
  return { name: "Товар", type: "Product", unit: { name: "шт", code: "796" }, priceKopecks, vat: 22 };
}

describe("arithmetic of the till", () => {
  it.each([
    [14990, 3_000, 10_00, 40473],
    [1000, 3_000, 33_33, 2000],
    [9999, 3_000, 7_00, 27897],
    [99, 7_000, 5_00, 658],
    [2199, 47_800, 0, 105112],
    [89900, 356, 0, 32004],
  ])("a line of %i kopecks × %i thousandths less %i hundredths of a percent costs %i", (price, quantity, discount, sum) => {
    expect(lineKopecks({ goods: goods(price), quantityThousandths: quantity, discountHundredths: discount })).toBe(sum);
  });

  it("a negative discount makes the line dearer", () => {
    expect(lineKopecks({ goods: goods(10000), quantityThousandths: 1000, discountHundredths: -5_00 })).toBe(10500);
  });

  it("the worked example of the reference costs 834.57", () => {
    const lines = [
      { goods: goods(5490), quantityThousandths: 2000 },
      { goods: goods(89900), quantityThousandths: 356 },
      { goods: goods(14990), quantityThousandths: 3000, discountHundredths: 10_00 },
    ];
    expect(roubles(basketKopecks(lines))).toBe("834.57");
  });

  it("amounts below a rouble and below ten kopecks keep their zeros", () => {
    expect([roubles(0), roubles(5), roubles(99), roubles(100)]).toEqual(["0.00", "0.05", "0.99", "1.00"]);
  });
});
