import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineKopecks, type QuotePosition } from "../../../../src/loyalty/quote/line.ts";
import { quote, unchanged } from "../../../../src/loyalty/quote/quote.ts";
import { at, lot, member, NOW_MS, position, programme, quoted, ZONE } from "../builders.ts";

const SPENDING = "SPENDING";

function spent(file: object, points: number, over: Partial<Parameters<typeof quoted>[0]> = {}) {
  return quoted({ programme: programme(file), member: member(points), transactionType: SPENDING, ...over });
}

describe("a quote", () => {
  it("leaves the positions of nobody and of somebody blocked as they are, with zeros", () => {
    const positions = [position(9_999, 3), position(3_333, 0.356)];
    const rules = [{ id: "r", effect: "percent", value: 10 }];
    const of = programme({ rules });
    const asked = { storeId: "store", zone: ZONE, nowMs: NOW_MS, positions, programme: of, transactionType: SPENDING } as const;
    expect(quote(asked)).toEqual(unchanged(positions));
    const blocked = quote({ ...asked, member: member(100, { status: "blocked" }) });
    expect(blocked).toEqual(unchanged(positions));
    expect(blocked).toMatchObject({ balancePoints: 0, spendPoints: 0, earnPoints: 0, balanceAfterPoints: 0, needVerification: false });
    expect(blocked.positions.map((each) => each.discountedPriceKopecks)).toEqual([9_999, 3_333]);
  });

  it("spends nothing while points are earned", () => {
    expect(quoted({ member: member(500) })).toMatchObject({
      spendPoints: 0,
      paidByPointsKopecks: 0,
      earnPoints: 50,
      balanceAfterPoints: 550,
    });
  });

  it("spends the maximum without a wish and for a wish above it, and else what is wished", () => {
    expect(spent({}, 10_000).spendPoints).toBe(500);
    expect(spent({}, 10_000, { preferredPoints: 501 }).spendPoints).toBe(500);
    expect(spent({}, 10_000, { preferredPoints: 77 }).spendPoints).toBe(77);
    expect(spent({}, 120).spendPoints).toBe(120);
  });

  it("odoo/odoo PR 274951: charges no more points than the receipt is worth, whatever a point is worth", () => {
    const whole = { spend: { sharePercent: 100 } };
    expect(spent(whole, 10_000)).toMatchObject({
      spendPoints: 1_000,
      positions: [{ discountedPriceKopecks: 0, discountPercentHundredths: 10_000 }],
    });
    const odd = spent({ ...whole, pointValueKopecks: 300 }, 10_000, { positions: [position(1_000, 1)] });
    expect(odd).toMatchObject({ spendPoints: 3, paidByPointsKopecks: 900, positions: [{ discountedPriceKopecks: 100 }] });
  });

  it("keeps to the share, the least money, the step and the excluded goods", () => {
    expect(spent({ spend: { sharePercent: 30 } }, 10_000).spendPoints).toBe(300);
    expect(spent({ spend: { sharePercent: 100, leastMoneyKopecks: 99_001 } }, 10_000).spendPoints).toBe(9);
    expect(spent({ spend: { step: 100 } }, 450).spendPoints).toBe(400);
    expect(spent({ spend: { step: 100 } }, 450, { preferredPoints: 250 }).spendPoints).toBe(200);
    const positions = [
      position(10_000, 1, { productId: "tobacco" }),
      position(10_000, 1, { productId: "tea", groupIds: ["drinks"] }),
      position(2_000, 1),
    ];
    const excluded = spent({ spend: { sharePercent: 100, excluded: ["tobacco", "drinks"] } }, 10_000, { positions });
    expect(excluded.positions.map((each) => each.discountedPriceKopecks)).toEqual([10_000, 10_000, 0]);
    expect(excluded.spendPoints).toBe(20);
  });

  it("cannot spend pending and expired points", () => {
    const nowMs = at("2026-03-18 12:00:00");
    const lots = [
      lot(1, 10, { activeFromMs: nowMs + 1 }),
      lot(2, 20, { expiresAtMs: nowMs }),
      lot(3, 40, { activeFromMs: nowMs, expiresAtMs: nowMs + 1 }),
    ];
    expect(spent({}, 0, { nowMs, member: member(0, { lots }) })).toMatchObject({ balancePoints: 40, spendPoints: 40 });
  });

  it("shows a debt as nothing to spend, and earned points repay it first", () => {
    expect(quoted({ member: member(0, { debtPoints: 12 }) })).toMatchObject({ balancePoints: 0, earnPoints: 50, balanceAfterPoints: 38 });
  });

  it("leaves points that become active later out of the balance after", () => {
    const of = programme({ activation: { kind: "days", days: 14 } });
    expect(quoted({ programme: of, member: member(7) })).toMatchObject({ earnPoints: 50, balanceAfterPoints: 7 });
  });

  it("prolongs lots by the last visit under rolling expiry", () => {
    const of = programme({ expiry: { kind: "rolling", days: 30 } });
    const lots = [lot(1, 10, { expiresAtMs: at("2026-03-10 00:00:00") })];
    expect(quoted({ programme: of, member: member(0, { lots }) }).balancePoints).toBe(0);
    expect(quoted({ programme: of, member: member(0, { lots, lastVisitMs: at("2026-03-01 12:00:00") }) }).balancePoints).toBe(10);
    // The visit before the last one has prolonged the lot too: each visit first takes out what has expired, and this lot still
    // holds points.
    expect(quoted({ programme: of, member: member(0, { lots, lastVisitMs: at("2026-03-11 12:00:00") }) }).balancePoints).toBe(10);
    expect(quoted({ programme: of, member: member(0, { lots, lastVisitMs: at("2026-02-15 12:00:00") }) }).balancePoints).toBe(0);
  });

  it("asks for a code as the programme says", () => {
    const asks = (spending: unknown, points: number) =>
      spent({ verification: { spending } }, 0, { member: member(points) }).needVerification;
    expect([asks("never", 500), asks("always", 500), asks("always", 0), asks(100, 100), asks(100, 101)]).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(quoted({ programme: programme({ verification: { spending: "always" } }), member: member(500) }).needVerification).toBe(false);
  });

  it("keeps its promises for whatever is asked", () => {
    const sold = fc.array(
      fc.record({ price: fc.nat(100_000), thousandths: fc.integer({ min: 1, max: 9_000 }), product: fc.constantFrom("a", "b", "c") }),
      { minLength: 1, maxLength: 8 },
    );
    const file = fc.record({
      pointValueKopecks: fc.integer({ min: 1, max: 500 }),
      earnPercent: fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100),
      earnOnPoints: fc.boolean(),
      earnWhileSpending: fc.boolean(),
      rounding: fc.constantFrom("down", "half-up", "up"),
      spend: fc.record({ sharePercent: fc.integer({ min: 0, max: 10_000 }).map((n) => n / 100), step: fc.integer({ min: 1, max: 50 }) }),
      rules: fc.uniqueArray(
        fc.record({
          id: fc.constantFrom("r1", "r2", "r3", "r4"),
          effect: fc.constantFrom("percent", "fixed-price", "bundle", "multiplier", "points"),
          value: fc.integer({ min: 1, max: 100 }),
          group: fc.constantFrom("", "g"),
          when: fc.record({ products: fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 }) }),
        }),
        { selector: ({ id }) => id },
      ),
    });
    fc.assert(
      fc.property(sold, file, fc.nat(5_000), fc.option(fc.integer({ min: 1, max: 5_000 })), (goods, rules, points, wish) => {
        const positions: QuotePosition[] = goods.map(({ price, thousandths, product }) =>
          position(price, thousandths / 1_000, { productId: product }),
        );
        const asked = { positions, ...(wish === null ? {} : { preferredPoints: wish }) };
        const answer = spent(rules, points, asked);
        const total = positions.reduce((sum, each) => sum + lineKopecks(each.priceKopecks, each.quantityMillionths), 0);
        const left = answer.positions.reduce((sum, each) => sum + lineKopecks(each.discountedPriceKopecks, each.quantityMillionths), 0);
        expect(left + answer.paidByPointsKopecks).toBe(total - answer.discountKopecks);
        expect(answer.discountKopecks).toBeGreaterThanOrEqual(0);
        expect(answer.balanceAfterPoints).toBe(answer.balancePoints - answer.spendPoints + answer.earnPoints);
        expect(answer.paidByPointsKopecks).toBe(answer.spendPoints * rules.pointValueKopecks);
        expect(answer.spendPoints).toBeLessThanOrEqual(Math.min(points, wish ?? points));
        expect(answer.trace).toHaveLength(rules.rules.length);
        expect(spent(rules, points, asked)).toEqual(answer);
      }),
    );
  });
});
