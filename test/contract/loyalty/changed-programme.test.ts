import { beforeEach, describe, expect, it } from "vitest";
import { memberNamed } from "../../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../../src/operator/loyalty/grant-points.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { BUYER, LoyaltyContract, position, recalc, returned, sale, sold } from "../../support/loyalty-contract.ts";

const DAY_MS = 86_400_000;
const NOTHING = { bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 0 } };

let bench: LoyaltyBench;
let till: LoyaltyContract;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  await till.enrol();
});

function goldFrom(fromKopecks: number): object {
  return { tiers: [{ name: "gold", fromKopecks, window: "lifetime", multiplier: 10, percent: 5 }] };
}

async function grant(points: number): Promise<void> {
  const found = await memberNamed(bench, LOYALTY_KEY, BUYER);
  if (found.kind === "found") await grantPoints(bench, { key: LOYALTY_KEY, actor: "test" }, found.row, { points, reason: "test" });
}

/** The points that ten pieces earn now. */
async function earned(): Promise<number> {
  return (await till.post("/retaildemand/recalc", recalc({ positions: [position(10, 100)] }))).body.bonusProgram.bonusValueToEarn;
}

describe("a programme that was changed since", () => {
  it("lifts nobody into a tier of its old version, by a return of what was sold by it", async () => {
    await bench.programme(goldFrom(150_000));
    await till.post("/retaildemand", sale("s1"));
    await bench.programme(goldFrom(100_000_000));
    await bench.clock.advance(1_000);
    await till.post("/retaildemand", sale("s2"));
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(1, 100)] }));
    expect(await earned()).toBe(50);
  });

  it("lifts nobody into a tier of its old version, by a quote that was made by it", async () => {
    await bench.programme(goldFrom(100_000));
    await till.post("/retaildemand/recalc", recalc({ positions: [position(10, 100)] }));
    await bench.programme(goldFrom(100_000_000));
    await bench.clock.advance(1_000);
    await till.post("/retaildemand", sale("s1"));
    expect(await earned()).toBe(50);
  });

  it("takes no tier away, by a return of what was sold before there were tiers", async () => {
    await till.post("/retaildemand", sale("s1"));
    await bench.programme(goldFrom(150_000));
    await bench.clock.advance(1_000);
    await till.post("/retaildemand", sale("s2"));
    expect(await earned()).toBe(500);
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(1, 100)] }));
    expect(await earned()).toBe(500);
  });

  it("ends no lot by its old version, by a return of what was sold by it", async () => {
    await bench.programme({ expiry: { kind: "days", days: 30 }, earnPercent: 0 });
    await till.post("/retaildemand", sale("s1", NOTHING));
    await bench.programme({ expiry: { kind: "rolling", days: 30 }, earnPercent: 0 });
    await grant(500);
    await bench.clock.advance(20 * DAY_MS);
    await till.post("/retaildemand", sale("s2", NOTHING));
    await bench.clock.advance(20 * DAY_MS);
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(1, 100)] }));
    expect(await till.balance()).toBe(500);
  });

  it("spends no lot that has ended, by a quote of a version under which it lived", async () => {
    await bench.programme({ expiry: { kind: "rolling", days: 30 }, earnPercent: 0, spend: { sharePercent: 100 } });
    await grant(500);
    await bench.clock.advance(20 * DAY_MS);
    await till.post("/retaildemand", sale("s1", NOTHING));
    await bench.clock.advance(15 * DAY_MS);
    const spending = { positions: [position(10, 100)], bonusProgram: { transactionType: "SPENDING" } };
    expect((await till.post("/retaildemand/recalc", recalc(spending))).body.bonusProgram.bonusValueToSpend).toBe(500);
    await bench.programme({ expiry: { kind: "days", days: 30 }, earnPercent: 0 });
    const spent = { positions: [sold(10, 100, 50)], bonusProgram: { bonusValueToSpend: 500, bonusValueToEarn: 0 } };
    await till.post("/retaildemand", sale("s2", spent));
    expect(bench.anomalies).toContain("short-balance");
  });
});

describe("points that every visit prolongs", () => {
  it("live from visit to visit, and end when nobody has come for so long", async () => {
    await bench.programme({ expiry: { kind: "rolling", days: 30 }, earnPercent: 0 });
    await grant(500);
    for (const id of ["s1", "s2", "s3", "s4"]) {
      await bench.clock.advance(20 * DAY_MS);
      await till.post("/retaildemand", sale(id, NOTHING));
      await bench.upkeep.run();
    }
    expect(await till.balance()).toBe(500);
    await bench.clock.advance(31 * DAY_MS);
    await till.post("/retaildemand", sale("s5", NOTHING));
    expect(await till.balance()).toBe(0);
  });
});
