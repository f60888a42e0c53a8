import { beforeEach, describe, expect, it } from "vitest";
import { verifyLedger } from "../../../src/loyalty/ledger/verify.ts";
import { LoyaltyBench } from "../../support/loyalty-bench.ts";
import { agent, LoyaltyContract, position, recalc, returned, sale, sold } from "../../support/loyalty-contract.ts";

let till: LoyaltyContract;

beforeEach(async () => {
  till = await LoyaltyContract.open(await LoyaltyBench.open());
  await till.enrol();
});

describe("a sale", () => {
  it("earns what it states, once, however often it comes", async () => {
    for (let time = 0; time < 3; time++) {
      const answer = await till.post("/retaildemand", sale("s1"));
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 201, text: "" });
    }
    expect(await till.balance()).toBe(50);
  });

  it("is the same document in another spelling of its numbers and with its members in another order", async () => {
    await till.post("/retaildemand", sale("s1"));
    const other = JSON.stringify(Object.fromEntries(Object.entries(sale("s1")).reverse())).replaceAll(":100,", ":1.00e2,");
    expect((await till.post("/retaildemand", other)).status).toBe(201);
    expect(await till.balance()).toBe(50);
  });

  it.each([
    ["another quantity", { positions: [sold(9, 100)] }],
    ["another price", { positions: [sold(10, 99)] }],
    ["other points", { bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 49 } }],
    ["another buyer", agent("c0ffee00-aaaa-4bbb-8ccc-000000000000")],
  ])("with %s under the same id is refused, and moves nothing", async (_what, changes) => {
    await till.post("/retaildemand", sale("s1"));
    const answer = await till.post("/retaildemand", sale("s1", changes));
    expect({ status: answer.status, code: answer.body.errors[0].code }).toEqual({ status: 409, code: 28_003 });
    expect(await till.balance()).toBe(50);
  });

  it("without an id is told from others by what it states", async () => {
    const nameless = { meta: { href: "", id: "" } };
    for (const name of ["1", "1", "2"]) expect((await till.post("/retaildemand", sale("", { ...nameless, name }))).status).toBe(201);
    expect(await till.balance()).toBe(100);
  });

  it.each([
    ["nobody", { agent: undefined }],
    ["an empty object", { agent: {} }],
    ["somebody unknown", agent("c0ffee00-aaaa-4bbb-8ccc-000000000000")],
  ])("to %s is stored, and moves nothing", async (_who, changes) => {
    expect((await till.post("/retaildemand", sale("s1", changes))).status).toBe(201);
    expect(await till.balance()).toBe(0);
  });

  it("of a programme that is switched off, or of a suspended account, moves nothing", async () => {
    const { store } = till.bench;
    await store.commit((tx) => tx.updateTable("settings").set({ value: "off" }).execute());
    expect((await till.post("/retaildemand", sale("s1"))).status).toBe(201);
    await store.commit((tx) => tx.updateTable("settings").set({ value: "on" }).execute());
    await store.commit((tx) => tx.updateTable("installations").set({ state: "suspended" }).execute());
    expect((await till.post("/retaildemand", sale("s2"))).status).toBe(201);
    await store.commit((tx) => tx.updateTable("installations").set({ state: "active" }).execute());
    expect(await till.balance()).toBe(0);
  });

  it("that states more than the programme gives earns what the programme gives", async () => {
    await till.post("/retaildemand", sale("s1", { bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 5_000 } }));
    expect(await till.balance()).toBe(50);
    expect(till.bench.anomalies).toContain("earn-above-programme");
  });

  it("spends a lot whose kind cannot be read, and the check of the ledger names it", async () => {
    await till.post("/retaildemand", sale("s1"));
    await till.bench.store.commit((tx) => tx.updateTable("loyalty_lots").set({ kind: "blue" }).execute());
    const spending = { positions: [sold(10, 100, 95)], bonusProgram: { bonusValueToSpend: 50, bonusValueToEarn: 0 } };
    expect((await till.post("/retaildemand", sale("s2", spending))).status).toBe(201);
    expect([await till.balance(), till.bench.anomalies]).toEqual([0, []]);
    expect((await verifyLedger(till.bench.store)).findings).toMatchObject([{ table: "loyalty_entries", fault: { code: "altered" } }]);
  });

  it("spends what the account holds; the rest is a debt that the next points repay", async () => {
    await till.post("/retaildemand", sale("s1"));
    const spending = { positions: [sold(10, 100, 90)], bonusProgram: { bonusValueToSpend: 100, bonusValueToEarn: 45 } };
    expect((await till.post("/retaildemand", sale("s2", spending))).status).toBe(201);
    expect(till.bench.anomalies).toContain("short-balance");
    expect(await till.balance()).toBe(0);
    await till.post("/retaildemand", sale("s3"));
    expect(await till.balance()).toBe(45);
  });
});

describe("the worked example of the model", () => {
  it("ends as it began: a sale that spends 200 points, and two returns of it", async () => {
    await till.bench.programme({ spend: { sharePercent: 100, leastMoneyKopecks: 0, step: 1, excluded: [] } });
    await till.post(
      "/retaildemand",
      sale("before", { positions: [sold(50, 100)], bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 250 } }),
    );
    expect(await till.balance()).toBe(250);
    const quote = await till.post(
      "/retaildemand/recalc",
      recalc({ positions: [position(10, 100)], bonusProgram: { transactionType: "SPENDING" }, preferredBonusToSpend: 200 }),
    );
    expect(quote.body.bonusProgram).toMatchObject({
      agentBonusBalance: 250,
      bonusValueToSpend: 200,
      bonusValueToEarn: 40,
      agentBonusBalanceAfter: 90,
    });
    const spending = { positions: [sold(10, 100, 80)], bonusProgram: { bonusValueToSpend: 200, bonusValueToEarn: 40 } };
    await till.post("/retaildemand", sale("s1", spending));
    expect(await till.balance()).toBe(90);
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(3, 100, 80)] }));
    expect(await till.balance()).toBe(138);
    await till.post("/retailsalesreturn", returned("r2", "s1", { positions: [sold(7, 100, 80)] }));
    expect(await till.balance()).toBe(250);
    const more = await till.post("/retailsalesreturn", returned("r3", "s1", { positions: [sold(1, 100, 80)] }));
    expect({ status: more.status, code: more.body.errors[0].code }).toEqual({ status: 412, code: 28_004 });
    expect(await till.balance()).toBe(250);
  });
});

describe("a return", () => {
  it("before its sale waits, and is booked with it", async () => {
    expect((await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(4, 100)] }))).status).toBe(201);
    await till.post("/retaildemand", sale("s1"));
    expect(await till.balance()).toBe(30);
  });

  it("whose sale never comes moves nothing, and is told", async () => {
    await till.post("/retailsalesreturn", returned("r1", "never"));
    await till.bench.clock.advance(25 * 3_600_000);
    expect(await till.bench.upkeep.run()).toMatchObject({ waiting: 1 });
    expect(till.bench.anomalies).toContain("sale-never-came");
  });

  it.each([
    ["without a sale", undefined],
    ["of an anonymous sale", "anonymous"],
  ])("%s is stored, and moves nothing", async (_what, saleId) => {
    await till.post("/retaildemand", sale("anonymous", { agent: {} }));
    expect((await till.post("/retailsalesreturn", returned("r1", saleId))).status).toBe(201);
    expect(await till.balance()).toBe(0);
  });

  it("is the same once, and another under its id is refused", async () => {
    await till.post("/retaildemand", sale("s1"));
    const back = returned("r1", "s1", { positions: [sold(2, 100)] });
    for (let time = 0; time < 2; time++) expect((await till.post("/retailsalesreturn", back)).status).toBe(201);
    expect(await till.balance()).toBe(40);
    expect((await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(3, 100)] }))).status).toBe(409);
    expect(await till.balance()).toBe(40);
  });
});
