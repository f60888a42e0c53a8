import { beforeEach, describe, expect, it } from "vitest";
import { verifyLedger } from "../../../src/loyalty/ledger/verify.ts";
import { memberNamed } from "../../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../../src/operator/loyalty/grant-points.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { BUYER, LoyaltyContract, position, recalc, returned, sale, sold } from "../../support/loyalty-contract.ts";
import { VirtualClock } from "../../support/virtual-clock.ts";

const HOUR_MS = 3_600_000;
const OTHER_GOODS = { assortment: { meta: { href: "", id: "aa01b2c3-d4e5-46f7-8899-000000000002" } } };
/** The bench begins at noon. */
const AT_NOON = { hours: ["12:00-12:30"] };
const AT_ONE = { hours: ["13:00-14:00"] };
const GOODS = { positions: [position(10, 100)] };
/** Such a purchase adds no entry to the ledger. */
const FOR_NOTHING = { positions: [sold(1, 100, 0)], bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 0 } };

let bench: LoyaltyBench;
let till: LoyaltyContract;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  await till.enrol();
});

function moved(bonusValueToSpend: number, bonusValueToEarn: number): object {
  return { bonusProgram: { bonusValueToSpend, bonusValueToEarn } };
}

async function grant(points: number): Promise<void> {
  const found = await memberNamed(bench, LOYALTY_KEY, BUYER);
  if (found.kind === "found") await grantPoints(bench, { key: LOYALTY_KEY, actor: "test" }, found.row, { points, reason: "test" });
}

async function balance(): Promise<number> {
  expect((await verifyLedger(bench.store)).findings).toEqual([]);
  return till.balance();
}

describe("a quote", () => {
  it("of a first purchase serves one sale of twenty", async () => {
    await bench.programme({ rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
    await till.post("/retaildemand/recalc", recalc(GOODS));
    await bench.clock.advance(1_000);
    for (let nth = 1; nth <= 20; nth += 1) await till.post("/retaildemand", sale(`s${nth}`, moved(0, 550)));
    expect(await balance()).toBe(550 + 19 * 50);
  });

  it("of a first purchase serves no sale after another one", async () => {
    await bench.programme({ rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
    for (const pieces of [1, 2, 3]) await till.post("/retaildemand/recalc", recalc({ positions: [position(pieces, 100)] }));
    for (const pieces of [1, 2, 3]) {
      await bench.clock.advance(1_000);
      await till.post("/retaildemand", sale(`s${pieces}`, { positions: [sold(pieces, 100)], ...moved(0, 500 + 5 * pieces) }));
    }
    expect(await balance()).toBe(505 + 10 + 15);
  });

  it("of an hour with more points serves one sale after it", async () => {
    await bench.programme({ rules: [{ id: "noon", effect: "multiplier", value: 10, when: AT_NOON }] });
    await till.post("/retaildemand/recalc", recalc(GOODS));
    await bench.clock.advance(HOUR_MS);
    for (const id of ["s1", "s2", "s3"]) await till.post("/retaildemand", sale(id, moved(0, 500)));
    expect(await balance()).toBe(500 + 2 * 50);
  });

  it("serves one sale, also when the clock of the process that made it is ahead", async () => {
    await bench.programme({ rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
    const ahead = await LoyaltyBench.open({ store: bench.store, clock: new VirtualClock(bench.clock.nowMs() + 5_000) });
    const quoting = till.beside(ahead);
    for (const pieces of [1, 2, 3]) await quoting.post("/retaildemand/recalc", recalc({ positions: [position(pieces, 100)] }));
    await ahead.quotes.flush();
    for (const pieces of [1, 2, 3]) {
      await bench.clock.advance(1_000);
      await till.post("/retaildemand", sale(`s${pieces}`, { positions: [sold(pieces, 100)], ...moved(0, 500 + 5 * pieces) }));
    }
    expect(await balance()).toBe(505 + 10 + 15);
  });

  it.each([
    ["a purchase for nothing", () => till.post("/retaildemand", sale("s1", FOR_NOTHING))],
    ["a return of such a purchase", () => till.post("/retailsalesreturn", returned("r0", "s0", FOR_NOTHING))],
  ])("serves no sale after %s, also when the clock of the process that made it is ahead", async (_what, between) => {
    await bench.programme({ rules: [{ id: "noon", effect: "multiplier", value: 10, when: AT_NOON }] });
    await till.post("/retaildemand", sale("s0", FOR_NOTHING));
    const ahead = await LoyaltyBench.open({ store: bench.store, clock: new VirtualClock(bench.clock.nowMs() + 5_000) });
    await till.beside(ahead).post("/retaildemand/recalc", recalc(GOODS));
    await ahead.quotes.flush();
    await bench.programme({});
    await bench.clock.advance(1_000);
    await between();
    await till.post("/retaildemand", sale("s2", moved(0, 500)));
    expect(await balance()).toBe(50);
  });

  it("serves one sale, also when the clock was set back after it", async () => {
    await bench.programme({ rules: [{ id: "first", effect: "points", value: 500, when: { firstPurchase: true } }] });
    const before = till.beside(await LoyaltyBench.open({ store: bench.store, clock: new VirtualClock(bench.clock.nowMs() - HOUR_MS) }));
    await till.post("/retaildemand/recalc", recalc(GOODS));
    await bench.quotes.flush();
    for (let nth = 1; nth <= 3; nth += 1) await before.post("/retaildemand", sale(`s${nth}`, moved(0, 550)));
    expect(await balance()).toBe(550 + 2 * 50);
  });

  it("earns nothing when nothing was paid, also when the hour of its points is over", async () => {
    await bench.programme({ earnPercent: 0, rules: [{ id: "noon", effect: "points", value: 500, when: AT_NOON }] });
    await till.post("/retaildemand/recalc", recalc(GOODS));
    await bench.clock.advance(HOUR_MS);
    await till.post("/retaildemand", sale("s1", { positions: [sold(10, 100, 0)], ...moved(0, 500) }));
    expect(await balance()).toBe(0);
  });

  it.each([
    ["an hour of discounts begins", false],
    ["an hour of discounts begins and another sale comes between", true],
  ])("takes the points that it has offered, when %s", async (_what, isBetween) => {
    const rules = [{ id: "one", effect: "percent", value: 50, when: AT_ONE }];
    await bench.programme({ spend: { sharePercent: 50 }, earnPercent: 0, rules });
    await grant(500);
    const quoted = await till.post("/retaildemand/recalc", recalc({ ...GOODS, bonusProgram: { transactionType: "SPENDING" } }));
    expect(quoted.body.bonusProgram.bonusValueToSpend).toBe(500);
    await bench.clock.advance(HOUR_MS);
    if (isBetween) await till.post("/retaildemand", sale("s0", moved(0, 0)));
    await till.post("/retaildemand", sale("s1", { positions: [sold(10, 100, 50)], ...moved(500, 0) }));
    expect(await balance()).toBe(0);
  });

  it("says what its goods have earned, when they come back after its hour", async () => {
    const when = { ...AT_NOON, products: [OTHER_GOODS.assortment.meta.id] };
    await bench.programme({ rules: [{ id: "noon", effect: "multiplier", value: 10, when }] });
    await till.post("/retaildemand/recalc", recalc({ positions: [position(10, 100), position(10, 100, OTHER_GOODS)] }));
    await bench.clock.advance(HOUR_MS);
    const positions = [sold(10, 100), { ...sold(10, 100), ...OTHER_GOODS }];
    await till.post("/retaildemand", sale("s1", { positions, ...moved(0, 550) }));
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: positions.slice(1) }));
    expect(await balance()).toBe(50);
  });
});

describe("the largest quote", () => {
  it("offers no more points than its sale may state", async () => {
    await bench.programme({ pointValueKopecks: 1, earnPercent: 100 });
    const goods = position(1_000, 2_000_000);
    const { bonusValueToEarn } = (await till.post("/retaildemand/recalc", recalc({ positions: [goods] }))).body.bonusProgram;
    const answer = await till.post("/retaildemand", sale("s1", { positions: [sold(1_000, 2_000_000)], ...moved(0, bonusValueToEarn) }));
    expect([answer.status, await balance()]).toEqual([201, 100_000_000]);
  });
});

describe("a position that its quote has sold as two lines", () => {
  const programmes = [
    ["has a fixed price", { effect: "fixed-price", value: 30_000 }],
    ["earns tenfold", { effect: "multiplier", value: 10 }],
  ] as const;

  it.each(programmes)("earns what was quoted when it %s, and comes back whole", async (_what, rule) => {
    await bench.programme({ pointValueKopecks: 1, earnPercent: 100, rules: [{ id: "rule", ...rule }] });
    await grant(1_000);
    // A sum in kopecks that no single price of this quantity gives.
    const asked = { positions: [position(1.618, 333.33)], bonusProgram: { transactionType: "SPENDING" }, preferredBonusToSpend: 402 };
    const { positions, bonusProgram } = (await till.post("/retaildemand/recalc", recalc(asked))).body;
    expect(positions).toHaveLength(2);
    const { bonusValueToSpend, bonusValueToEarn, agentBonusBalanceAfter } = bonusProgram;
    await till.post("/retaildemand", sale("s1", { positions, ...moved(bonusValueToSpend, bonusValueToEarn) }));
    expect([await balance(), bench.anomalies]).toEqual([agentBonusBalanceAfter, []]);
    for (const [nth, line] of positions.entries()) await till.post("/retailsalesreturn", returned(`r${nth}`, "s1", { positions: [line] }));
    expect(await balance()).toBe(1_000);
  });
});

describe("a sale of goods that earn nothing by themselves", () => {
  it.each([
    ["nothing was paid", 0, 0],
    ["everything was paid", 100, 40],
  ])("gets the points of a rule by what was paid: %s", async (_what, paid, points) => {
    const rules = [
      { id: "none", effect: "multiplier", value: 0 },
      { id: "gift", effect: "points", value: 40 },
    ];
    await bench.programme({ rules });
    await till.post("/retaildemand", sale("s1", { positions: [sold(10, 100, paid)], ...moved(0, 40) }));
    expect(await balance()).toBe(points);
  });
});
