import { describe, expect, it } from "vitest";
import { agent } from "../../../support/loyalty-contract.ts";
import { goods, LoyaltyTill, OTHER, productId } from "../../../support/loyalty-till.ts";

const TEN = goods(1, 10, 100);

describe("a buyer who returns", () => {
  it("the same goods under five documents gets rid of the points once", async () => {
    const till = await LoyaltyTill.open();
    await till.grant(500);
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500, earn: 25 });
    const statuses: number[] = [];
    for (const id of ["r1", "r2", "r3", "r4", "r5"]) statuses.push(await till.bringBack(id, "s1", [goods(1, 10, 100, 50)]));
    expect([statuses, await till.balance()]).toEqual([[201, 412, 412, 412, 412], 500]);
  });

  it("parts, and then more than was left, keeps what is left", async () => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.bringBack("r1", "s1", [goods(1, 7, 100)])).toBe(201);
    expect(await till.bringBack("r2", "s1", [goods(1, 3.001, 100)])).toBe(412);
    expect(await till.balance()).toBe(15);
  });

  it("goods in another member's name gets nothing", async () => {
    const till = await LoyaltyTill.open();
    await till.enrolOther();
    await till.grant(100);
    await till.sell("s1", [goods(1, 10, 100, 90)], { spend: 100 });
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 90)], agent(OTHER));
    expect([await till.balance(OTHER), await till.balance()]).toEqual([0, 100]);
  });

  it("goods by weight in three parts, the last of a gram, keeps nothing", async () => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [goods(1, 1, 1_000)], { earn: 50 });
    const left: number[] = [];
    for (const [nth, part] of [0.5, 0.499, 0.001].entries()) {
      await till.bringBack(`r${nth}`, "s1", [goods(1, part, 1_000)]);
      left.push(await till.balance());
    }
    // The points that have been taken back after each part: 25, then 49.95 rounded half up, which is all.
    expect(left).toEqual([25, 0, 0]);
  });

  it("one of three pieces of a point together keeps less than half a point too much", async () => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [goods(1, 3, 6.67)], { earn: 1 });
    const left: number[] = [];
    for (const id of ["r1", "r2", "r3"]) {
      await till.bringBack(id, "s1", [goods(1, 1, 6.67)]);
      left.push(await till.balance());
    }
    expect(left).toEqual([1, 0, 0]);
  });

  it("cheap goods at the price of dear ones moves the points of the cheap ones", async () => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [goods(1, 1, 900), goods(2, 1, 100)], { earn: 50 });
    await till.bringBack("r1", "s1", [goods(2, 1, 900)]);
    expect(await till.balance()).toBe(45);
  });

  it("goods that earn tenfold keeps the points of the others alone", async () => {
    const when = { products: [productId(1)] };
    const till = await LoyaltyTill.open({ rules: [{ id: "ten", effect: "multiplier", value: 10, when }] });
    await till.sell("s1", [goods(1, 1, 1_000), goods(2, 1, 1_000)], { earn: 550 });
    await till.bringBack("r1", "s1", [goods(1, 1, 1_000)]);
    expect(await till.balance()).toBe(50);
  });

  it("strange goods for the whole sum, and then the bought ones, gets the points back once", async () => {
    const till = await LoyaltyTill.open();
    await till.grant(500);
    await till.sell("s1", [goods(1, 1, 1_000, 500)], { spend: 500, earn: 25 });
    expect(await till.bringBack("r1", "s1", [goods(9, 1, 1_000, 500)])).toBe(201);
    expect(await till.balance()).toBe(500);
    expect(await till.bringBack("r2", "s1", [goods(1, 1, 1_000, 500)])).toBe(412);
    expect(await till.balance()).toBe(500);
  });

  it("strange goods of no price moves nothing, and takes no place of the bought ones", async () => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [TEN], { earn: 50 });
    await till.bringBack("r1", "s1", [goods(9, 1, 0)]);
    expect(await till.balance()).toBe(50);
    await till.bringBack("r2", "s1", [TEN]);
    expect(await till.balance()).toBe(0);
  });

  it("what points alone have paid gets the same points, part by part", async () => {
    const till = await LoyaltyTill.open({ spend: { sharePercent: 100 } });
    await till.grant(1_000);
    await till.sell("s1", [goods(1, 10, 100, 0)], { spend: 1_000, earn: 0 });
    const left: number[] = [];
    for (const [nth, pieces] of [3, 7].entries()) {
      await till.bringBack(`r${nth}`, "s1", [goods(1, pieces, 100, 0)]);
      left.push(await till.balance());
    }
    expect(left).toEqual([300, 1_000]);
  });
});

describe("a buyer who returns before the sale is told", () => {
  it("twice the whole keeps nothing", async () => {
    const till = await LoyaltyTill.open();
    for (const id of ["r1", "r2"]) expect(await till.bringBack(id, "s1", [TEN])).toBe(201);
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.balance()).toBe(0);
  });

  it("more than is sold moves nothing, and is told", async () => {
    const till = await LoyaltyTill.open();
    await till.bringBack("r1", "s1", [goods(1, 11, 100)]);
    await till.sell("s1", [TEN], { earn: 50 });
    expect([await till.balance(), till.bench.anomalies]).toEqual([50, ["returned-more"]]);
  });

  it("a sale to nobody gets nothing, also when the sale comes again in the member's name", async () => {
    const till = await LoyaltyTill.open();
    await till.bringBack("r1", "s1", [goods(1, 4, 100)]);
    expect(await till.sell("s1", [TEN], { earn: 50, changes: { agent: {} } })).toBe(201);
    expect(await till.sell("s1", [TEN], { earn: 50 })).toBe(409);
    expect(await till.balance()).toBe(0);
  });
});

describe("a buyer who joins after the purchase", () => {
  it("gets no points for it, however often it is told again", async () => {
    const till = await LoyaltyTill.open();
    expect(await till.sell("s1", [TEN], { by: OTHER, earn: 50 })).toBe(201);
    await till.enrolOther();
    expect(await till.sell("s1", [TEN], { by: OTHER, earn: 50 })).toBe(201);
    expect(await till.balance(OTHER)).toBe(0);
  });
});

describe("a buyer who spends what a purchase has earned, and returns", () => {
  it("the first purchase owes the points, and the next ones repay them", async () => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [TEN], { earn: 50 });
    await till.sell("s2", [goods(2, 1, 100, 50)], { spend: 50 });
    await till.bringBack("r1", "s1", [TEN]);
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 50]);
    await till.sell("s3", [TEN], { earn: 50 });
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 0]);
  });

  it.each([
    ["the first purchase first", ["s1", "s2"]],
    ["the second purchase first", ["s2", "s1"]],
  ])("both has nothing left: %s", async (_what, order) => {
    const till = await LoyaltyTill.open();
    const lines = new Map([
      ["s1", TEN],
      ["s2", goods(2, 1, 100, 50)],
    ]);
    await till.sell("s1", [TEN], { earn: 50 });
    await till.sell("s2", [goods(2, 1, 100, 50)], { spend: 50 });
    for (const id of order) await till.bringBack(`r-${id}`, id, [lines.get(id) ?? {}]);
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 0]);
  });

  it("a first purchase gets its points once", async () => {
    const till = await LoyaltyTill.open({ rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
    await till.sell("s1", [TEN], { earn: 550 });
    expect(await till.balance()).toBe(550);
    await till.bringBack("r1", "s1", [TEN]);
    await till.sell("s2", [TEN], { earn: 550 });
    expect(await till.balance()).toBe(50);
  });
});
