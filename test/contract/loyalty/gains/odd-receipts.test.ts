import { describe, expect, it } from "vitest";
import { asked, goods, LoyaltyTill, productId } from "../../../support/loyalty-till.ts";

const TEN = goods(1, 10, 100);
const HOUR_MS = 3_600_000;

describe("a cashier who lowers prices by hand beside the points", () => {
  it.each([
    ["the goods lowered by hand first", [1, 2], [50, 100]],
    ["the other goods first", [2, 1], [50, 100]],
  ])("gives each goods back the points that have paid for them: %s", async (_what, order, balances) => {
    const till = await LoyaltyTill.open({ earnPercent: 0 });
    await till.grant(100);
    expect((await till.quote([asked(1, 1, 1_000), asked(2, 1, 1_000)], { spend: 100 })).prices).toEqual([950, 950]);
    const lines = [goods(1, 1, 1_000, 50), goods(2, 1, 1_000, 950)];
    await till.sell("s1", lines, { spend: 100 });
    const left: number[] = [];
    for (const nth of order) {
      await till.bringBack(`r${nth}`, "s1", lines.slice(nth - 1, nth));
      left.push(await till.balance());
    }
    expect(left).toEqual(balances);
  });

  it("leaves the points with the goods that a till has paid with them, against the quote", async () => {
    const till = await LoyaltyTill.open({ earnPercent: 0 });
    await till.grant(100);
    const lines = [goods(1, 1, 1_000, 500), goods(2, 1, 1_000)];
    await till.sell("s1", lines, { spend: 100 });
    await till.bringBack("r1", "s1", [goods(2, 1, 1_000)]);
    expect(await till.balance()).toBe(0);
    await till.bringBack("r2", "s1", [goods(1, 1, 1_000, 500)]);
    expect(await till.balance()).toBe(100);
  });

  it("gives no points of goods that points cannot pay for", async () => {
    const till = await LoyaltyTill.open({ earnPercent: 0, spend: { sharePercent: 100, excluded: [productId(1)] } });
    await till.grant(100);
    await till.sell("s1", [goods(1, 1, 1_000, 50), goods(2, 1, 1_000, 900)], { spend: 100 });
    await till.bringBack("r1", "s1", [goods(1, 1, 1_000, 50)]);
    expect(await till.balance()).toBe(0);
  });
});

describe("a till that spends what no quote would offer, where a sale that spends earns nothing", () => {
  it.each([
    ["in no whole step", { step: 100 }],
    ["for goods that points cannot pay for", { excluded: [productId(1)] }],
    ["where points pay for no share", { sharePercent: 0 }],
    ["where more money must be paid", { leastMoneyKopecks: 99_000 }],
  ])("earns nothing: %s", async (_what, spend) => {
    const till = await LoyaltyTill.open({ earnWhileSpending: false, spend });
    await till.grant(500);
    await till.sell("s1", [goods(1, 10, 100, 95)], { spend: 50, earn: 47 });
    expect(await till.balance()).toBe(450);
  });

  it("earns when it has spent nothing", async () => {
    const till = await LoyaltyTill.open({ earnWhileSpending: false });
    await till.grant(500);
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.balance()).toBe(550);
  });
});

describe("a quote of a programme that knew folders", () => {
  const rules = [{ id: "tobacco", effect: "multiplier", value: 0, when: { groups: ["tobacco"] } }];

  it.each([
    ["nothing by its own goods", 500, 0],
    ["what it has offered", 250, 250],
  ])("earns after one that knows none: %s", async (_what, stated, points) => {
    const till = await LoyaltyTill.open({ earnPercent: 50, rules });
    till.bench.folders = new Map([[productId(1), ["tobacco"]]]);
    const positions = points === 0 ? [asked(1, 10, 100)] : [asked(1, 10, 100), asked(2, 5, 100)];
    expect((await till.quote(positions)).earn).toBe(points);
    await till.bench.programme({ earnPercent: 1 });
    await till.sell("s1", points === 0 ? [TEN] : [TEN, goods(2, 5, 100)], { earn: stated });
    expect(await till.balance()).toBe(points);
  });
});

/** Each with its programme, its goods, the points that the till states and those that are earned. */
const RECEIPTS: readonly [string, object, readonly object[], number, number][] = [
  [
    "less than half a kopeck, with points of a rule",
    { rules: [{ id: "g", effect: "points", value: 500, when: {} }] },
    [goods(1, 0.4, 0.01)],
    500,
    0,
  ],
  [
    "a dear line that covers a lowered one",
    { rules: [{ id: "ten", effect: "multiplier", value: 10, when: { products: [productId(1)] } }] },
    [goods(1, 1, 1_000, 0), goods(2, 1, 1_000, 2_000)],
    550,
    50,
  ],
  [
    "a quantity of which half was paid",
    { rules: [{ id: "ten", effect: "points", value: 500, when: { leastQuantity: 10 } }] },
    [goods(1, 5, 100), goods(1, 5, 100, 0)],
    550,
    275,
  ],
  [
    "a discount of all, beside points of another group",
    {
      rules: [
        { id: "free", effect: "percent", value: 100, when: {}, group: "a" },
        { id: "points", effect: "points", value: 500, when: {}, group: "b" },
      ],
    },
    [TEN],
    500,
    0,
  ],
];

describe("an odd receipt", () => {
  it.each(RECEIPTS)("earns no point too much: %s", async (_what, programme, positions, earn, points) => {
    const till = await LoyaltyTill.open(programme);
    await till.sell("s1", positions, { earn });
    expect(await till.balance()).toBe(points);
  });

  it("brings no points of a first purchase after one of nothing", async () => {
    const till = await LoyaltyTill.open({ rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
    await till.quote([asked(1, 10, 100)]);
    await till.sell("s0", []);
    await till.sell("s1", [TEN], { earn: 550 });
    expect(await till.balance()).toBe(50);
  });

  it("lives by the months of Moscow", async () => {
    const till = await LoyaltyTill.open({ expiry: { kind: "end-of-month" } });
    await till.bench.clock.advance(36 * HOUR_MS - 1_000);
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.balance()).toBe(50);
    await till.bench.clock.advance(1_000);
    expect(await till.balance()).toBe(0);
  });

  it("gives a forgotten debt back to nobody, also when debts are remembered by then", async () => {
    const till = await LoyaltyTill.open({ earnPercent: 0, returns: { debt: "forget" } });
    await till.grant(100);
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500 });
    await till.bench.programme({ earnPercent: 0 });
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 50)]);
    expect(await till.balance()).toBe(100);
  });

  it("of half a point rounded up leaves nothing when its last thousandth is back", async () => {
    const till = await LoyaltyTill.open({ rounding: "up" });
    await till.sell("s1", [goods(1, 1, 0.01)], { earn: 1 });
    const left: number[] = [];
    for (const [nth, part] of [0.499, 0.001].entries()) {
      await till.bringBack(`r${nth}`, "s1", [goods(1, part, 0.01)]);
      left.push(await till.balance());
    }
    expect(left).toEqual([1, 0]);
  });
});
