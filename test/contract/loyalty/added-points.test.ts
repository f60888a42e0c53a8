import { beforeEach, describe, expect, it } from "vitest";
import { LoyaltyBench } from "../../support/loyalty-bench.ts";
import { LoyaltyContract, returned, sale, sold } from "../../support/loyalty-contract.ts";

const GUM = "aa01b2c3-d4e5-46f7-8899-000000000001";
const TOBACCO = "aa01b2c3-d4e5-46f7-8899-000000000002";
/** A programme in which tobacco earns nothing, but a large receipt brings 500 points. */
const LARGE_RECEIPTS = [
  { id: "none", effect: "multiplier", value: 0, when: { products: [TOBACCO] } },
  { id: "large", effect: "points", value: 500, when: { leastTotalKopecks: 300_000 } },
];

let till: LoyaltyContract;

beforeEach(async () => {
  till = await LoyaltyContract.open(await LoyaltyBench.open());
  await till.enrol();
});

function of(id: string, line: object): object {
  return { ...line, assortment: { meta: { href: "", id } } };
}

function earning(bonusValueToEarn: number): object {
  return { bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn } };
}

describe("points that a rule adds", () => {
  it("go back with the goods that were paid for, when these earn nothing by themselves", async () => {
    await till.bench.programme({ rules: LARGE_RECEIPTS });
    const [gum, tobacco] = [of(GUM, sold(1, 1)), of(TOBACCO, sold(30, 100))];
    await till.post("/retaildemand", sale("s1", { positions: [gum, tobacco], ...earning(500) }));
    expect(await till.balance()).toBe(500);
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [tobacco] }));
    expect(await till.balance()).toBe(0);
    await till.post("/retailsalesreturn", returned("r2", "s1", { positions: [gum] }));
    expect(await till.balance()).toBe(0);
  });

  it("are not earned by goods that were not paid for", async () => {
    await till.bench.programme({ rules: LARGE_RECEIPTS });
    const positions = [of(GUM, sold(1, 1)), of(TOBACCO, sold(30, 100, 0))];
    await till.post("/retaildemand", sale("s1", { positions, ...earning(500) }));
    expect(await till.balance()).toBe(0);
  });

  it.each([
    ["nothing else earns", 0, 100],
    ["other goods earn too", 5, 605],
  ])("for one product go back with this product alone, when %s", async (_what, earnPercent, points) => {
    await till.bench.programme({ earnPercent, rules: [{ id: "x", effect: "points", value: 100, when: { products: [TOBACCO] } }] });
    const [dear, cheap] = [of(GUM, sold(1, 10_000)), of(TOBACCO, sold(1, 100))];
    await till.post("/retaildemand", sale("s1", { positions: [dear, cheap], ...earning(points) }));
    expect(await till.balance()).toBe(points);
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [cheap] }));
    expect(await till.balance()).toBe(points - 100 - earnPercent);
    await till.post("/retailsalesreturn", returned("r2", "s1", { positions: [dear] }));
    expect(await till.balance()).toBe(0);
  });
});
