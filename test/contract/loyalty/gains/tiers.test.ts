import { describe, expect, it } from "vitest";
import { asked, goods, LoyaltyTill, OTHER } from "../../../support/loyalty-till.ts";

const DAY_MS = 86_400_000;
const TEN = goods(1, 10, 100);
const GOLD = { name: "gold", fromKopecks: 100_000, window: "lifetime", multiplier: 10 };

describe("a tier after goods came back that the sale did not have", () => {
  it.each([
    ["cost nothing in the return and have the price of all goods", [goods(9, 1, 1_000, 0)]],
    ["cost a kopeck in the return and have the price of all goods", [goods(9, 1, 1_000, 0.01)]],
    ["have a price above the price of all goods", [goods(9, 1, 5_000, 0)]],
    ["stand beside a part of the goods", [goods(1, 5, 100), goods(9, 1, 500, 0)]],
  ])("is lost at its review when these goods %s", async (_what, lines) => {
    const till = await LoyaltyTill.open({ tiers: [GOLD] });
    await till.sell("s1", [TEN], { earn: 50 });
    expect((await till.account()).tier).toBe("gold");
    expect(await till.bringBack("r1", "s1", lines)).toBe(201);
    expect(await till.balance()).toBe(0);
    expect(await tierAfterReview(till)).toBeNull();
  });

  it("is lost in parts as well, and costs no money of another sale", async () => {
    const till = await LoyaltyTill.open({ tiers: [GOLD] });
    await till.sell("s1", [TEN]);
    await till.sell("s2", [TEN]);
    for (const nth of [1, 2]) await till.bringBack(`r${nth}`, "s1", [goods(9, 1, 500, 0)]);
    // These goods take the same money once more: the purchase counts as nothing, and not as less.
    expect(await till.bringBack("r3", "s1", [TEN])).toBe(201);
    expect(await tierAfterReview(till)).toBe("gold");
    await till.bringBack("r4", "s2", [goods(9, 1, 0.01, 0)]);
    expect(await tierAfterReview(till)).toBeNull();
  });

  it("is lost when the return came before its sale", async () => {
    const till = await LoyaltyTill.open({ tiers: [GOLD] });
    await till.bringBack("r1", "s1", [goods(9, 1, 1_000, 0)]);
    await till.sell("s1", [TEN], { earn: 50 });
    expect([await till.balance(), await tierAfterReview(till)]).toEqual([0, null]);
  });

  it("is lost by whoever has bought, when the return came between a merge and its undoing", async () => {
    const till = await LoyaltyTill.open({ tiers: [GOLD] });
    await till.enrolOther();
    await till.sell("s1", [TEN]);
    const ids = await till.merge();
    await till.bringBack("r1", "s1", [goods(9, 1, 1_000, 0)]);
    await till.undoMerge(ids);
    expect([await tierAfterReview(till), (await till.account(OTHER)).tier]).toEqual([null, null]);
  });

  it("is kept where points have paid for everything, whatever money the return states", async () => {
    const till = await LoyaltyTill.open({ tiers: [GOLD], spend: { sharePercent: 100 } });
    await till.grant(1_000);
    await till.sell("s1", [TEN]);
    await till.sell("s2", [goods(2, 10, 100, 0)], { spend: 1_000 });
    expect(await till.bringBack("r1", "s2", [goods(9, 1, 1_000, 1_000)])).toBe(201);
    expect(await tierAfterReview(till)).toBe("gold");
  });
});

describe("a tier whose review is late", () => {
  it("is reviewed at the end of each period that has passed", async () => {
    const till = await LoyaltyTill.open({ tiers: [{ ...GOLD, window: "rolling" }] });
    await till.sell("s1", [TEN]);
    // The review on 29 November 2027 still finds the purchase in its twelve months. The review a year later does not.
    await till.bench.clock.advance(800 * DAY_MS);
    await till.bench.upkeep.run();
    expect((await till.account()).tier).toBeNull();
  });

  it("neither earns nor is quoted after the day of the review", async () => {
    const till = await LoyaltyTill.open({ tiers: [{ ...GOLD, window: "year" }] });
    await till.sell("s1", [TEN]);
    // The tier is kept to the end of 2027.
    await till.bench.clock.advance(397.5 * DAY_MS - 2_000);
    expect((await till.quote([asked(1, 5, 100)])).earn).toBe(250);
    await till.bench.clock.advance(1_000);
    expect((await till.quote([asked(1, 5, 100)])).earn).toBe(25);
    await till.sell("s2", [goods(1, 4, 100)], { earn: 200 });
    expect([await till.balance(), (await till.account()).tier]).toEqual([20, null]);
  });

  it("earns once more as a quote has promised before the day of the review", async () => {
    const till = await LoyaltyTill.open({ tiers: [{ ...GOLD, window: "year" }] });
    await till.sell("s1", [TEN]);
    await till.bench.clock.advance(397.5 * DAY_MS - 1_000);
    const { earn } = await till.quote([asked(1, 5, 100)]);
    for (const id of ["s2", "s3"]) await till.sell(id, [goods(1, 5, 100)], { earn });
    expect([earn, await till.balance()]).toEqual([250, 250 + 25]);
  });
});

async function tierAfterReview(till: LoyaltyTill): Promise<string | null> {
  await till.bench.clock.advance(400 * DAY_MS);
  await till.bench.upkeep.run();
  return (await till.account()).tier;
}
