import { describe, expect, it } from "vitest";
import { spentWords } from "../../../../src/loyalty/quote/trace-words.ts";
import { member, position, programme, quoted } from "../builders.ts";

describe("the sample of platform-contracts 6.9", () => {
  it("spends 50 points on three pieces of 96.00 as it is printed there", () => {
    const answer = quoted({
      programme: programme({ earnPercent: 3 }),
      member: member(120),
      positions: [position(9_600, 3)],
      transactionType: "SPENDING",
      preferredPoints: 50,
    });
    expect(answer.positions).toEqual([
      { ...position(9_600, 1), discountPercentHundredths: 1_738, discountedPriceKopecks: 7_932 },
      { ...position(9_600, 2), discountPercentHundredths: 1_735, discountedPriceKopecks: 7_934 },
    ]);
    expect(answer).toMatchObject({
      balancePoints: 120,
      spendPoints: 50,
      earnPoints: 7,
      balanceAfterPoints: 77,
      paidByPointsKopecks: 5_000,
      needVerification: false,
    });
    expect(spentWords(answer.spendPoints, "en")).toBe("Points used: 50");
    expect(spentWords(answer.spendPoints, "ru")).toBe("Списано баллов: 50");
  });
});

describe("points over goods of two VAT rates", () => {
  it("odoo/odoo PR 142738, 157125: pay each line its share, so each rate is lowered by its own part", () => {
    const positions = [position(30_000, 1, { productId: "bread at 10 %" }), position(10_000, 1, { productId: "soap at 22 %" })];
    const answer = quoted({ member: member(101), positions, transactionType: "SPENDING" });
    expect(answer.lines.map(({ pointsKopecks }) => pointsKopecks)).toEqual([7_575, 2_525]);
    expect(answer.positions.map((each) => each.discountedPriceKopecks)).toEqual([22_425, 7_475]);
  });
});
