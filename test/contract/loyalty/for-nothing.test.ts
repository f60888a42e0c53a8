import { beforeEach, describe, expect, it } from "vitest";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { agent, BUYER, customer, LoyaltyContract, returned, sale, sold } from "../../support/loyalty-contract.ts";

const STRANGER = "c0ffee00-aaaa-4bbb-8ccc-000000000000";

let bench: LoyaltyBench;
let till: LoyaltyContract;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  await till.enrol();
});

describe("a gift card", () => {
  it.each([
    ["nobody", { agent: undefined }],
    ["an agent without an id", { agent: {} }],
    ["somebody unknown", agent(STRANGER)],
    ["a member", {}],
  ])("pays the sale to %s once", async (_who, buyer) => {
    await bench.giftCards.issue(LOYALTY_KEY, "G1", 50_000);
    const card = await bench.giftCards.find(LOYALTY_KEY, "G1");
    const giftCards = [{ id: card?.id, name: "G1", paymentSum: 40_000 }];
    for (const id of ["s1", "s1", "s2"]) expect((await till.post("/retaildemand", sale(id, { ...buyer, giftCards }))).status).toBe(201);
    expect(await bench.giftCards.find(LOYALTY_KEY, "G1")).toMatchObject({ balanceKopecks: 0, status: "REDEEMED" });
    expect(bench.anomalies).toContain("gift-card-short");
  });
});

describe("a gift card of a programme that is off", () => {
  it("is not shown, because no sale would take anything from it", async () => {
    await bench.giftCards.issue(LOYALTY_KEY, "G1", 50_000);
    await bench.store.commit((tx) => tx.updateTable("settings").set({ value: "off" }).execute());
    const answer = await till.get("/giftcard?name=G1&retailStoreId=22222222-0000-4000-8000-000000000001");
    expect({ status: answer.status, code: answer.body.errors?.[0].code }).toEqual({ status: 404, code: 28_010 });
  });
});

describe("a sale that earns nothing", () => {
  it.each([
    ["no goods", []],
    ["goods that cost nothing", [sold(1, 0)]],
    ["goods of a kopeck", [sold(1, 0.01)]],
  ])("because it has %s brings no point, however often it comes", async (_what, positions) => {
    const bonusProgram = { bonusValueToSpend: 0, bonusValueToEarn: 1 };
    for (const id of ["s1", "s2", "s3"]) await till.post("/retaildemand", sale(id, { positions, bonusProgram }));
    expect(await till.balance()).toBe(0);
  });
});

describe("somebody who names a phone or a card of a member", () => {
  it.each([
    ["phone", { discountCardNumber: undefined }],
    ["card", { phone: undefined }],
  ])("is asked for a code before the %s leads to the member's points", async (_what, changes) => {
    await bench.programme({ verification: { newCustomer: true, spending: "never" } });
    await till.post("/retaildemand", sale("s1"));
    const meta = { href: `https://api.platform.example/entity/counterparty/${STRANGER}`, id: STRANGER };
    const answer = await till.post("/counterparty", customer({ ...changes, meta, statusCheck: "UNCHECKED" }));
    expect({ status: answer.status, code: answer.body.errors?.[0].code }).toEqual({ status: 412, code: 28_001 });
    expect(
      (await till.post("/counterparty/detail", { ...(customer({}) as object), phone: undefined, discountCardNumber: undefined, meta }))
        .status,
    ).toBe(404);
    expect(await till.balance(BUYER)).toBe(50);
  });
});

describe("a return that waits for its sale", () => {
  it("is not ended once its sale has come", async () => {
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(4, 100)] }));
    const { returnsWaitingSince, endWaiting } = await import("../../../src/loyalty/orders/waiting-queries.ts");
    const [waiting] = await bench.store.read((db) => returnsWaitingSince(db, bench.clock.nowMs() + 1, 10));
    await till.post("/retaildemand", sale("s1"));
    expect(await till.balance()).toBe(30);
    expect(await bench.store.commit((tx) => endWaiting(tx, waiting?.id ?? 0, []))).toBe(false);
    const again = await till.post("/retailsalesreturn", returned("r2", "s1", { positions: [sold(7, 100)] }));
    expect(again.status).toBe(412);
  });
});
