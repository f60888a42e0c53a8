import { describe, expect, it } from "vitest";
import { asked, goods, LoyaltyTill } from "../../../support/loyalty-till.ts";

const DAY_MS = 86_400_000;
const TEN = goods(1, 10, 100);
const rolling = (days: number) => ({ earnPercent: 0, expiry: { kind: "rolling", days }, spend: { sharePercent: 100 } });
const DAYS = { earnPercent: 0, expiry: { kind: "days", days: 30 }, spend: { sharePercent: 100 } };
/** What a till can get from the points: the balance, the points that a quote offers, and the debt after a sale that spends 500 points. */
async function spendable(till: LoyaltyTill): Promise<number[]> {
  const balance = await till.balance();
  const { spend } = await till.quote([asked(1, 10, 100)], { spend: "most" });
  await till.sell("last", [goods(1, 10, 100, 50)], { spend: 500 });
  return [balance, spend, (await till.account()).debt_points];
}

describe("points that have ended before the rule of their end was changed", () => {
  it.each([
    ["from days to visits", DAYS, [rolling(365)], false],
    ["from days to visits", DAYS, [rolling(365)], true],
    ["to a longer time after visits", rolling(30), [rolling(365)], false],
    ["to a longer time after visits", rolling(30), [rolling(365)], true],
    ["twice, and back to what it was", DAYS, [rolling(20), DAYS, rolling(365)], false],
  ])("stay ended, also when the upkeep is late: %s", async (_what, first, later, isKept) => {
    const till = await LoyaltyTill.open(first);
    await till.grant(500);
    // Under a rolling rule this visit gives the lots a new end.
    await till.sell("s1", [TEN]);
    await till.bench.clock.advance(40 * DAY_MS);
    expect(await till.balance()).toBe(0);
    if (isKept) await till.bench.upkeep.run();
    for (const programme of later) {
      await till.bench.programme(programme);
      await till.bench.clock.advance(1_000);
    }
    expect(await spendable(till)).toEqual([0, 0, 500]);
  });

  it.each([
    ["late", false],
    ["in time", true],
  ])("stay ended when a rule that ends them at once is in force for a day, and the upkeep is %s", async (_what, isKept) => {
    const till = await LoyaltyTill.open(rolling(365));
    await till.grant(500);
    await till.sell("s1", [TEN]);
    await till.bench.clock.advance(400 * DAY_MS - 40 * DAY_MS);
    await till.bench.programme(rolling(30));
    await till.bench.clock.advance(DAY_MS);
    expect(await till.balance()).toBe(500);
    // The end that the visit gives under this rule is long past, so the lot's own end counts. It comes within these ten days.
    await till.bench.clock.advance(10 * DAY_MS);
    if (isKept) await till.bench.upkeep.run();
    await till.bench.programme(rolling(3_650));
    expect(await spendable(till)).toEqual([0, 0, 500]);
  });

  it("live on by the new rule when they had not ended", async () => {
    const till = await LoyaltyTill.open(DAYS);
    await till.grant(500);
    await till.bench.clock.advance(20 * DAY_MS);
    await till.sell("s1", [TEN]);
    await till.bench.programme(rolling(365));
    await till.bench.clock.advance(300 * DAY_MS);
    expect(await spendable(till)).toEqual([500, 500, 0]);
  });

  it("give nothing back but the days of grace, when what they have paid for comes back", async () => {
    const till = await LoyaltyTill.open({ ...DAYS, returns: { graceDays: 3 } });
    await till.grant(500);
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500 });
    await till.bench.clock.advance(40 * DAY_MS);
    await till.bench.programme(rolling(365));
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 50)]);
    expect(await till.balance()).toBe(500);
    await till.bench.programme(DAYS);
    await till.bench.clock.advance(5 * DAY_MS);
    expect(await till.balance()).toBe(0);
  });

  it.each([
    ["late", false],
    ["in time", true],
  ])("repay what became active before the rule ended them, when the upkeep is %s", async (_what, isKept) => {
    const waits = { earnPercent: 5, activation: { kind: "days", days: 10 } };
    const till = await LoyaltyTill.open({ ...rolling(365), ...waits });
    await till.sell("s1", [TEN], { earn: 50 });
    await till.sell("s2", [goods(2, 1, 100, 70)], { spend: 30 });
    await till.bench.clock.advance(20 * DAY_MS);
    if (isKept) await till.bench.upkeep.run();
    await till.bench.programme({ ...rolling(15), ...waits });
    await till.bench.clock.advance(400 * DAY_MS);
    await till.bench.upkeep.run();
    expect([await till.balance(), (await till.account()).debt_points]).toEqual([0, 0]);
  });
});
