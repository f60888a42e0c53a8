import { describe, expect, it } from "vitest";
import { asked, goods, LoyaltyTill } from "../../../support/loyalty-till.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const TEN = goods(1, 10, 100);
/** The bench begins on Sunday, 29 November, at noon. */
const NOON = { id: "noon", effect: "multiplier", value: 10, when: { hours: ["12:00-12:30"] } };
const GOLD = { name: "gold", fromKopecks: 100_000, multiplier: 10 };

describe("a buyer who waits for the last moment", () => {
  it.each([
    ["a day", { kind: "days", days: 1 }],
    ["the month", { kind: "end-of-month" }],
  ])("spends points at 23:59:59 and not at midnight, when they live for %s", async (_what, expiry) => {
    const till = await LoyaltyTill.open({ expiry });
    await till.sell("s1", [TEN], { earn: 50 });
    await till.bench.clock.advance(36 * HOUR_MS - 1);
    expect(await till.balance()).toBe(50);
    await till.bench.clock.advance(1);
    expect(await till.balance()).toBe(0);
    await till.sell("s2", [goods(1, 1, 100, 50)], { spend: 50 });
    expect((await till.account()).debt_points).toBe(50);
  });

  it("spends no points before the day on which they become active, and pays with them what it has spent", async () => {
    const till = await LoyaltyTill.open({ activation: { kind: "days", days: 2 } });
    await till.sell("s1", [TEN], { earn: 50 });
    await till.bench.clock.advance(36 * HOUR_MS - 1);
    expect((await till.quote([asked(1, 1, 100)], { spend: 50 })).spend).toBe(0);
    const early = await LoyaltyTill.open({ activation: { kind: "days", days: 2 } });
    await early.sell("s1", [TEN], { earn: 50 });
    await early.sell("s2", [goods(1, 1, 100, 50)], { spend: 50 });
    await early.bench.clock.advance(2 * DAY_MS);
    await early.bench.upkeep.run();
    expect([await early.balance(), (await early.account()).debt_points]).toEqual([0, 0]);
  });

  it("keeps no pending points of goods that came back", async () => {
    const till = await LoyaltyTill.open({ activation: { kind: "days", days: 14 }, returns: { debt: "forget" } });
    await till.sell("s1", [TEN], { earn: 50 });
    await till.bringBack("r1", "s1", [TEN]);
    await till.bench.clock.advance(20 * DAY_MS);
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 0]);
  });

  it("spends no expired points, however late the upkeep is", async () => {
    const till = await LoyaltyTill.open({ expiry: { kind: "days", days: 10 } });
    await till.grant(500);
    await till.bench.clock.advance(100 * DAY_MS);
    expect((await till.quote([asked(1, 10, 100)], { spend: "most" })).spend).toBe(0);
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500 });
    await till.bench.upkeep.run();
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 500]);
  });

  it("revives no points by a visit after their end, where every visit prolongs them", async () => {
    const till = await LoyaltyTill.open({ expiry: { kind: "rolling", days: 30 }, earnPercent: 0 });
    await till.grant(500);
    await till.bench.clock.advance(31 * DAY_MS);
    await till.sell("s1", [TEN]);
    await till.bench.programme({ expiry: { kind: "rolling", days: 365 }, earnPercent: 0 });
    await till.sell("s2", [TEN]);
    expect(await till.balance()).toBe(0);
  });

  it("owes what a quote has offered and has ended since", async () => {
    const till = await LoyaltyTill.open({ expiry: { kind: "days", days: 1 } });
    await till.grant(500);
    expect((await till.quote([asked(1, 10, 100)], { spend: "most" })).spend).toBe(500);
    await till.bench.clock.advance(36 * HOUR_MS);
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500, earn: 25 });
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 475]);
  });
});

describe("a buyer whose points have ended when goods come back", () => {
  it("gets the days of grace from each return, and no day more", async () => {
    const till = await LoyaltyTill.open({ expiry: { kind: "days", days: 10 }, earnPercent: 0, returns: { graceDays: 3 } });
    await till.grant(100);
    await till.sell("s1", [goods(1, 10, 100, 90)], { spend: 100 });
    const left: number[] = [];
    // The moments: days 12 and 14, then the last of day 15 and the first of day 16, the last of day 17 and the first of day 18.
    const returns = new Map([
      [12 * DAY_MS, "r1"],
      [14 * DAY_MS, "r2"],
    ]);
    let passedMs = 0;
    for (const atMs of [12 * DAY_MS, 14 * DAY_MS, 15.5 * DAY_MS - 1, 15.5 * DAY_MS, 17.5 * DAY_MS - 1, 17.5 * DAY_MS]) {
      await till.bench.clock.advance(atMs - passedMs);
      passedMs = atMs;
      const id = returns.get(atMs);
      if (id !== undefined) await till.bringBack(id, "s1", [goods(1, 5, 100, 90)]);
      left.push(await till.balance());
    }
    expect(left).toEqual([50, 100, 100, 50, 50, 0]);
  });

  it("gets a full life as the programme in force gives it, not as that of the sale", async () => {
    const years = { earnPercent: 0, expiry: { kind: "days", days: 3_650 } };
    const till = await LoyaltyTill.open(years);
    // The spent points become a debt, and the grant repays it.
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500 });
    await till.bench.programme({ ...years, expiry: { kind: "days", days: 10 } });
    await till.grant(500);
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 50)]);
    expect(await till.balance()).toBe(500);
    await till.bench.clock.advance(11 * DAY_MS);
    expect(await till.balance()).toBe(0);
  });

  it("owes what was spent of earned points, and not what has ended of them", async () => {
    const till = await LoyaltyTill.open({ expiry: { kind: "days", days: 10 } });
    await till.sell("s1", [TEN], { earn: 50 });
    await till.sell("s2", [goods(2, 1, 100, 70)], { spend: 30 });
    await till.bench.clock.advance(12 * DAY_MS);
    await till.bringBack("r1", "s1", [TEN]);
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 30]);
    await till.sell("s3", [TEN], { earn: 50 });
    expect(await till.balance()).toBe(20);
  });
});

describe("a till that keeps a quote", () => {
  it.each([
    ["a day old", DAY_MS, 500],
    ["older than a day", DAY_MS + 1, 50],
  ])("earns by its hour once when it is %s", async (_what, ageMs, points) => {
    const till = await LoyaltyTill.open({ rules: [NOON] });
    expect((await till.quote([asked(1, 10, 100)])).earn).toBe(500);
    await till.bench.quotes.flush();
    await till.bench.clock.advance(ageMs - 1_000 - HOUR_MS);
    await till.bench.clock.advance(HOUR_MS);
    await till.bench.programme({});
    await till.sell("s1", [TEN], { earn: 500 });
    await till.sell("s2", [TEN], { earn: 500 });
    expect(await till.balance()).toBe(points + 50);
  });

  it("earns by the version of its quote for the next purchase alone", async () => {
    const till = await LoyaltyTill.open({ earnPercent: 50 });
    for (const pieces of [10, 20]) await till.quote([asked(1, pieces, 100)]);
    await till.bench.programme({ earnPercent: 5 });
    await till.sell("s1", [TEN], { earn: 500 });
    await till.sell("s2", [goods(1, 20, 100)], { earn: 1_000 });
    expect(await till.balance()).toBe(500 + 100);
  });

  it("takes back by the version of the sale, whatever programme is set before the return", async () => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [TEN], { earn: 50 });
    await till.bench.programme({ returns: { clawBack: false } });
    await till.bringBack("r1", "s1", [TEN]);
    expect(await till.balance()).toBe(0);
  });
});

describe("a till whose documents come late or early", () => {
  it.each([
    ["after a day and no upkeep", false, 0],
    ["after a day and the upkeep", true, 50],
  ])("takes the points of a return that has waited for its sale: %s", async (_what, isKept, points) => {
    const till = await LoyaltyTill.open();
    await till.bringBack("r1", "s1", [TEN]);
    await till.bench.clock.advance(DAY_MS + 1);
    if (isKept) await till.bench.upkeep.run();
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.balance()).toBe(points);
  });

  it("lifts nobody into a tier of this year by a purchase of the years before, and keeps nobody in it by one of the years to come", async () => {
    const till = await LoyaltyTill.open({ tiers: [{ ...GOLD, window: "year" }] });
    await till.sell("s1", [TEN], { changes: { moment: "2025-12-31 23:59:59" } });
    expect((await till.account()).tier).toBeNull();
    await till.sell("s2", [TEN], { changes: { moment: "2029-01-01 12:00:00" } });
    expect((await till.account()).tier).toBe("gold");
    // The tier is reached in 2026 and kept through 2027.
    await till.bench.clock.advance(397 * DAY_MS);
    await till.bench.upkeep.run();
    expect((await till.account()).tier).toBe("gold");
    await till.bench.clock.advance(DAY_MS);
    await till.bench.upkeep.run();
    expect((await till.account()).tier).toBeNull();
  });

  it("lifts nobody into a tier by a purchase that came back before the next one", async () => {
    const till = await LoyaltyTill.open({ tiers: [{ ...GOLD, fromKopecks: 150_000, window: "rolling" }] });
    await till.sell("s1", [TEN], { earn: 50 });
    await till.bringBack("r1", "s1", [TEN], { moment: "2020-01-01 00:00:00" });
    await till.sell("s2", [TEN], { earn: 50 });
    expect((await till.account()).tier).toBeNull();
  });
});
