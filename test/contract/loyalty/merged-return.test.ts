import { beforeEach, describe, expect, it } from "vitest";
import { verifyLedger } from "../../../src/loyalty/ledger/verify.ts";
import { mergeMembers, undoMerge } from "../../../src/loyalty/transfers/merge.ts";
import { memberNamed } from "../../../src/operator/loyalty/find-member.ts";
import { grantPoints } from "../../../src/operator/loyalty/grant-points.ts";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { BUYER, LoyaltyContract, returned, sale, sold } from "../../support/loyalty-contract.ts";

const DAY_MS = 86_400_000;
const KEPT = "c0ffee00-aaaa-4bbb-8ccc-000000000001";
const HALF_BY_POINTS = { positions: [sold(10, 100, 50)], bonusProgram: { bonusValueToSpend: 500, bonusValueToEarn: 0 } };
const PROGRAMME = { expiry: { kind: "days", days: 30 }, spend: { sharePercent: 100 } };

let bench: LoyaltyBench;
let till: LoyaltyContract;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  await till.enrol();
  await till.enrol({ meta: { href: "", id: KEPT }, name: "Пётр", phone: "+79990000001", discountCardNumber: "777" });
});

async function rowOf(platformId: string) {
  const found = await memberNamed(bench, LOYALTY_KEY, platformId);
  if (found.kind !== "found") throw new Error(found.kind);
  return found.row;
}

async function grant(points: number): Promise<void> {
  await grantPoints(bench, { key: LOYALTY_KEY, actor: "test" }, await rowOf(BUYER), { points, reason: "test" });
}

async function pair(): Promise<{ keptId: string; goneId: string }> {
  return { keptId: (await rowOf(KEPT)).id, goneId: (await rowOf(BUYER)).id };
}

async function merge(): Promise<void> {
  const result = await mergeMembers({ ...bench.services, programmes: bench.programmes }, LOYALTY_KEY, await pair(), "test");
  expect(result.kind).toBe("merged");
}

async function balance(): Promise<number> {
  expect((await verifyLedger(bench.store)).findings).toEqual([]);
  return till.balance(KEPT);
}

describe("a return of what somebody has bought who was merged into another member since", () => {
  it("gives nothing back that has expired, when the programme forfeits it", async () => {
    await bench.programme({ ...PROGRAMME, returns: { expired: "forfeit" } });
    await grant(500);
    await till.post("/retaildemand", sale("s1", HALF_BY_POINTS));
    await merge();
    await bench.clock.advance(40 * DAY_MS);
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(10, 100, 50)] }));
    expect(await balance()).toBe(0);
  });

  it("gives what has expired back for the days of grace only", async () => {
    await bench.programme({ ...PROGRAMME, returns: { expired: "grace", graceDays: 3 } });
    await grant(500);
    await till.post("/retaildemand", sale("s1", HALF_BY_POINTS));
    await merge();
    await bench.clock.advance(40 * DAY_MS);
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(10, 100, 50)] }));
    expect(await balance()).toBe(500);
    await bench.clock.advance(4 * DAY_MS);
    expect(await balance()).toBe(0);
  });

  it("gives points back with the dates that they had", async () => {
    await bench.programme(PROGRAMME);
    await grant(500);
    await till.post("/retaildemand", sale("s1", HALF_BY_POINTS));
    await merge();
    await bench.clock.advance(29 * DAY_MS);
    for (const id of ["r1", "r2"]) await till.post("/retailsalesreturn", returned(id, "s1", { positions: [sold(5, 100, 50)] }));
    expect(await balance()).toBe(500);
    await bench.clock.advance(2 * DAY_MS);
    expect(await balance()).toBe(0);
  });

  it("takes the points first that the sale has earned, and not those that have expired", async () => {
    await bench.programme(PROGRAMME);
    await till.post("/retaildemand", sale("s1"));
    await merge();
    await bench.clock.advance(31 * DAY_MS);
    await till.post("/retaildemand", sale("s2", { agent: { meta: { href: "", id: KEPT } } }));
    expect(await balance()).toBe(50);
    await till.post("/retailsalesreturn", returned("r1", "s1"));
    expect(await balance()).toBe(50);
  });
});

describe("a merge", () => {
  it("is undone by nobody of another account", async () => {
    await grant(500);
    const ids = await pair();
    await merge();
    const services = { ...bench.services, programmes: bench.programmes };
    const stranger = { ...LOYALTY_KEY, accountId: "11111111-0000-4000-8000-000000000002" };
    expect(await undoMerge(services, stranger, ids, "test")).toMatchObject({ kind: "refused", because: { code: "not-merged" } });
    expect(await undoMerge(services, LOYALTY_KEY, ids, "test")).toMatchObject({ kind: "undone", points: 500 });
  });

  it("that is undone leaves points alive that visits have prolonged since", async () => {
    await bench.programme({ expiry: { kind: "rolling", days: 20 }, earnPercent: 0 });
    await grant(500);
    const ids = await pair();
    await merge();
    const bought = { agent: { meta: { href: "", id: KEPT } }, bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 0 } };
    await bench.clock.advance(15 * DAY_MS);
    await till.post("/retaildemand", sale("s1", bought));
    await bench.clock.advance(10 * DAY_MS);
    await undoMerge({ ...bench.services, programmes: bench.programmes }, LOYALTY_KEY, ids, "test");
    expect((await verifyLedger(bench.store)).findings).toEqual([]);
    expect(await till.balance(BUYER)).toBe(500);
  });
});
