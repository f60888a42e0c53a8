import { describe, expect, it } from "vitest";
import { asked, goods, LoyaltyTill, productId } from "../../../support/loyalty-till.ts";

const KOPECK_POINTS = { pointValueKopecks: 1, earnPercent: 100 };
const GIFT_OF_500 = { id: "gift", effect: "points", value: 500 };

describe("a cashier who states goods for which nothing was paid", () => {
  it.each([
    ["of a high price", goods(1, 1, 1_000_000, 0), {}],
    ["of the same product and price", goods(2, 1, 1_000, 0), {}],
    ["of a high price, where a rule adds points", goods(1, 1, 1_000_000, 0), { rules: [GIFT_OF_500] }],
    ["of a high price, where points earn as well", goods(1, 1, 1_000_000, 0), { earnOnPoints: true }],
  ])("leaves the buyer no points of the paid goods that came back: %s", async (_what, unpaid, programme) => {
    const till = await LoyaltyTill.open(programme);
    const paid = goods(2, 1, 1_000);
    await till.sell("s1", [unpaid, paid], { earn: 50 });
    expect(await till.balance()).toBe(50);
    await till.bringBack("r1", "s1", [paid]);
    expect(await till.balance()).toBe(0);
  });

  it("leaves half of the points with goods for which half of their money was paid", async () => {
    const till = await LoyaltyTill.open();
    const [half, whole] = [goods(1, 1, 1_000, 500), goods(2, 1, 1_000)];
    // 5 % of 2000 roubles, of which 1500 were paid with money.
    await till.sell("s1", [half, whole], { earn: 100 });
    expect(await till.balance()).toBe(75);
    await till.bringBack("r1", "s1", [whole]);
    expect(await till.balance()).toBe(25);
    await till.bringBack("r2", "s1", [half]);
    expect(await till.balance()).toBe(0);
  });

  it("moves no points to goods that cost much less than is said to be paid for them", async () => {
    const till = await LoyaltyTill.open();
    await till.grant(500);
    const bought = goods(1, 1, 1_000, 500);
    await till.sell("s1", [bought, goods(2, 1, 10, 1_000_000)], { spend: 500, earn: 25 });
    await till.bringBack("r1", "s1", [bought]);
    expect(await till.balance()).toBe(500);
  });
});

describe("a cashier who cuts goods until no part costs anything", () => {
  const parts = (count: number, nth = 1) => Array.from({ length: count }, () => goods(nth, 0.4, 0.01));

  it.each([
    ["without a quote", false],
    ["after a quote of the whole", true],
  ])("earns nothing for them, %s", async (_what, isQuoted) => {
    const till = await LoyaltyTill.open(KOPECK_POINTS);
    if (isQuoted) expect((await till.quote([asked(1, 400, 0.01)])).earn).toBe(400);
    await till.sell("s1", parts(1_000), { earn: 400 });
    expect(await till.balance()).toBe(0);
  });

  it("earns by the rouble that was paid for other goods", async () => {
    const till = await LoyaltyTill.open(KOPECK_POINTS);
    await till.sell("s1", [goods(1, 1, 1), ...parts(999, 2)], { earn: 500 });
    expect(await till.balance()).toBe(100);
  });
});

describe("a cashier who sells what costs nothing", () => {
  it("brings no points of a rule, however often", async () => {
    const till = await LoyaltyTill.open({ rules: [GIFT_OF_500] });
    expect((await till.quote([asked(1, 1, 0)])).earn).toBe(0);
    for (const id of ["s1", "s2", "s3"]) await till.sell(id, [goods(1, 1, 0)], { earn: 500 });
    expect(await till.balance()).toBe(0);
  });

  it("brings no points of a rule for goods that another rule gives away", async () => {
    const free = { id: "free", effect: "percent", value: 100, when: { products: [productId(1)] } };
    const till = await LoyaltyTill.open({ rules: [free, GIFT_OF_500] });
    expect(await till.quote([asked(1, 1, 300)])).toMatchObject({ earn: 0, prices: [0] });
    await till.sell("s1", [goods(1, 1, 300, 0)], { earn: 500 });
    expect(await till.balance()).toBe(0);
  });

  it("brings no points of a rule for it beside goods that were paid for", async () => {
    const till = await LoyaltyTill.open({ rules: [{ ...GIFT_OF_500, when: { products: [productId(2)] } }] });
    await till.sell("s1", [goods(1, 1, 100), goods(2, 1, 0)], { earn: 505 });
    expect(await till.balance()).toBe(5);
  });

  it.each([
    ["the quantity of a discount", { effect: "percent", value: 50, when: { leastQuantity: 3 } }],
    ["a set of so many pieces", { effect: "bundle", value: 30_000, when: { leastQuantity: 3 } }],
  ])("does not complete %s with it", async (_what, rule) => {
    const till = await LoyaltyTill.open({ rules: [{ id: "three", ...rule }] });
    expect((await till.quote([asked(1, 2, 200), asked(1, 1, 0)])).prices).toEqual([200, 0]);
    expect((await till.quote([asked(1, 3, 200)])).prices).toEqual([100]);
  });
});

describe("a cashier who states points that nobody has", () => {
  it("takes no more than the prices were lowered by", async () => {
    const till = await LoyaltyTill.open();
    await till.grant(100);
    await till.sell("s1", [goods(1, 1, 1_000, 990)], { spend: 100 });
    expect(await till.balance()).toBe(90);
  });

  it("earns no points of a rule where nothing was paid and debts are forgotten", async () => {
    const till = await LoyaltyTill.open({ returns: { debt: "forget" }, spend: { sharePercent: 100 }, rules: [GIFT_OF_500] });
    await till.sell("s1", [goods(1, 1, 1_000, 0)], { spend: 1_000, earn: 500 });
    expect(await till.balance()).toBe(0);
  });

  it.each([
    ["forgotten", "forget", 25, 0],
    ["remembered", "remember", 0, 450],
  ])("earns on points that became a debt only where the debt is %s", async (_what, debt, points, owed) => {
    const till = await LoyaltyTill.open({ returns: { debt }, earnOnPoints: true });
    await till.sell("s1", [goods(1, 1, 1_000, 500)], { spend: 500, earn: 50 });
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([points, owed]);
  });

  it("spends nothing at full prices", async () => {
    const till = await LoyaltyTill.open({ earnOnPoints: true });
    await till.grant(500);
    await till.sell("s1", [goods(1, 1, 1_000)], { spend: 500, earn: 50 });
    expect(await till.balance()).toBe(550);
  });
});

describe("a cashier who uses a quote for other receipts", () => {
  it("earns in two halves what each half earns", async () => {
    const till = await LoyaltyTill.open({ rules: [{ ...GIFT_OF_500, when: { leastQuantity: 10 } }] });
    expect((await till.quote([asked(1, 10, 100)])).earn).toBe(550);
    for (const id of ["s1", "s2"]) await till.sell(id, [goods(1, 5, 100)], { earn: 525 });
    expect(await till.balance()).toBe(50);
  });

  it("earns nothing more at a point of sale where the rule does not hold", async () => {
    const till = await LoyaltyTill.open({ rules: [{ id: "ten", effect: "multiplier", value: 10, when: { stores: ["elsewhere"] } }] });
    await till.sell("s1", [goods(1, 1, 1_000)], { earn: 500 });
    expect(await till.balance()).toBe(50);
  });

  it("earns, and comes nearer to a tier, by the price of the goods, whatever more is said to be paid", async () => {
    const till = await LoyaltyTill.open({ tiers: [{ name: "gold", fromKopecks: 101, window: "lifetime" }] });
    await till.sell("s1", [goods(1, 1, 1, 1_000_000)], { earn: 50_000 });
    expect([await till.balance(), (await till.account()).tier]).toEqual([0, null]);
    await till.sell("s2", [goods(1, 1, 0.01)]);
    expect((await till.account()).tier).toBe("gold");
  });
});
