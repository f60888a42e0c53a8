import { describe, expect, it } from "vitest";
import { importMembers } from "../../../../src/loyalty/transfers/import.ts";
import { LOYALTY_KEY } from "../../../support/loyalty-bench.ts";
import { asked, goods, LoyaltyTill, OTHER } from "../../../support/loyalty-till.ts";

const DAY_MS = 86_400_000;
const TEN = goods(1, 10, 100);
const ROLLING = { earnPercent: 0, expiry: { kind: "rolling", days: 30 } };

type Deed = (till: LoyaltyTill) => Promise<unknown>;

/** Acts on the last day of the points that are no purchase and no return of the member. */
const DEEDS: readonly [string, Deed][] = [
  ["a quote", (till) => till.quote([asked(1, 10, 100)])],
  ["a look at the balance", (till) => till.balance()],
  ["the same sale again", (till) => till.sell("s1", [TEN])],
  ["another sale under the same id", (till) => till.sell("s1", [goods(1, 5, 100)])],
  ["a sale to nobody", (till) => till.sell("s2", [TEN], { changes: { agent: undefined } })],
  ["a return without its sale", (till) => till.bringBack("r1", undefined, [TEN])],
  ["a return of a sale that has not come", (till) => till.bringBack("r1", "s9", [TEN])],
  ["a return of more than was sold", (till) => till.bringBack("r1", "s1", [goods(1, 11, 100)])],
  ["a return of less than nothing", (till) => till.bringBack("r1", "s1", [goods(1, -1, 100)])],
  ["a sale that states a part of a point", (till) => till.sell("s2", [TEN], { earn: 0.5 })],
  ["a sale that states points below zero", (till) => till.sell("s2", [TEN], { spend: -100 })],
  ["the data of the member", (till) => till.contract.enrol()],
];

describe("a buyer whose visits prolong points", () => {
  it.each(DEEDS)("gets no day more by %s", async (_what, deed) => {
    const till = await LoyaltyTill.open(ROLLING);
    await till.grant(500);
    await till.sell("s1", [TEN]);
    await till.bench.clock.advance(30 * DAY_MS);
    await deed(till);
    expect(await till.balance()).toBe(500);
    await till.bench.clock.advance(DAY_MS);
    expect(await till.balance()).toBe(0);
  });

  it("gets no day more by points that are granted", async () => {
    const till = await LoyaltyTill.open(ROLLING);
    await till.grant(500);
    await till.sell("s1", [TEN]);
    await till.bench.clock.advance(30 * DAY_MS);
    await till.grant(1);
    await till.bench.clock.advance(DAY_MS);
    expect(await till.balance()).toBe(1);
  });

  it("gets no ended points back by being merged into somebody who has just bought, or parted again", async () => {
    const till = await LoyaltyTill.open(ROLLING);
    await till.enrolOther();
    await till.grant(500);
    await till.sell("s1", [TEN]);
    await till.bench.clock.advance(31 * DAY_MS);
    await till.sell("s2", [TEN], { by: OTHER });
    const ids = await till.merge();
    expect(await till.balance(OTHER)).toBe(0);
    await till.undoMerge(ids);
    expect([await till.balance(), await till.balance(OTHER)]).toEqual([0, 0]);
  });

  it("gets no ended points back by a merge between two rules", async () => {
    const till = await LoyaltyTill.open({ ...ROLLING, expiry: { kind: "days", days: 30 } });
    await till.enrolOther();
    await till.grant(500);
    await till.sell("s1", [TEN]);
    await till.bench.clock.advance(40 * DAY_MS);
    await till.bench.programme({ ...ROLLING, expiry: { kind: "rolling", days: 365 } });
    await till.sell("s2", [TEN], { by: OTHER });
    const ids = await till.merge();
    expect(await till.balance(OTHER)).toBe(0);
    await till.undoMerge(ids);
    expect([await till.balance(), await till.balance(OTHER)]).toEqual([0, 0]);
  });

  it.each([
    ["ended yesterday", "2026-11-28", 0],
    ["end today", "2026-11-29", 500],
  ])("is given no points by an import that have ended: they %s", async (_what, expiresAt, points) => {
    const till = await LoyaltyTill.open(ROLLING);
    await till.sell("s1", [TEN]);
    const row = JSON.stringify({ key: "k1", name: "Иван", phone: "+79039993344", points: 500, expiresAt });
    const { members, programmes, services } = till.bench;
    const result = await importMembers({ ...services, programmes, members }, LOYALTY_KEY, [row], { dry: false, actor: "test" });
    expect(result).toMatchObject({ kind: "imported", points: 500 });
    expect(await till.balance()).toBe(points);
  });
});

describe("a buyer who brings goods back", () => {
  it.each([
    ["address alone", { meta: { href: "https://api.platform.example/entity/retaildemand/s1" } }],
    ["address alone, which ends with a slash", { meta: { href: "https://api.platform.example/entity/retaildemand/s1/?expand=agent" } }],
    ["address without meta", { href: "https://api.platform.example/entity/retaildemand/s1" }],
    ["id without meta", { id: "s1" }],
    ["id beside an empty meta", { id: "s1", meta: { href: "", id: "" } }],
  ])("owes the points of a sale that is named by its %s", async (_what, demand) => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.bringBack("r1", undefined, [TEN], { demand })).toBe(201);
    expect(await till.balance()).toBe(0);
  });

  it.each([0, -5])("may bring back no quantity of %i, to bring back more later", async (quantity) => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.bringBack("r1", "s1", [goods(1, quantity, 100)])).toBe(412);
    expect(await till.bringBack("r2", "s1", [TEN])).toBe(201);
    expect(await till.balance()).toBe(0);
  });

  it("gets the points that were spent, whatever a point is worth since", async () => {
    const till = await LoyaltyTill.open({ earnPercent: 0 });
    await till.grant(50);
    await till.sell("s1", [goods(1, 10, 100, 95)], { spend: 50 });
    await till.bench.programme({ earnPercent: 0, pointValueKopecks: 1 });
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 95)]);
    expect(await till.balance()).toBe(50);
  });

  it("gets no ended points back by a programme that restores them, when that of the sale did not", async () => {
    const days = { earnPercent: 0, expiry: { kind: "days", days: 10 } };
    const till = await LoyaltyTill.open({ ...days, returns: { expired: "forfeit" } });
    await till.grant(50);
    await till.sell("s1", [goods(1, 10, 100, 95)], { spend: 50 });
    await till.bench.programme({ ...days, returns: { expired: "full" } });
    await till.bench.clock.advance(12 * DAY_MS);
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 95)]);
    expect(await till.balance()).toBe(0);
  });
});

describe("a cashier who needs a code", () => {
  it("does not get round it by a quote of a programme that asked for none, after another purchase", async () => {
    const till = await LoyaltyTill.open({ earnPercent: 0, verification: { spending: "never" } });
    await till.grant(100);
    await till.quote([asked(1, 10, 100)], { spend: 50 });
    await till.bench.programme({ earnPercent: 0, verification: { spending: "always" } });
    await till.sell("s1", [TEN]);
    await till.sell("s2", [goods(1, 10, 100, 95)], { spend: 50 });
    expect(till.bench.anomalies).toContain("unverified-spend");
  });
});
