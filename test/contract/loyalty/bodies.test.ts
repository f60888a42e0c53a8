import { beforeAll, describe, expect, it } from "vitest";
import { LoyaltyBench } from "../../support/loyalty-bench.ts";
import { agent, customer, LoyaltyContract, position, recalc, returned, sale, sold, store } from "../../support/loyalty-contract.ts";

let till: LoyaltyContract;

beforeAll(async () => {
  till = await LoyaltyContract.open(await LoyaltyBench.open());
  await till.bench.programme({ externalSearch: true });
  await till.enrol();
});

const POSTS = [
  "/counterparty",
  "/counterparty/detail",
  "/counterparty/verify",
  "/retaildemand/recalc",
  "/retaildemand/verify",
  "/retaildemand",
  "/retailsalesreturn",
];

describe("every call", () => {
  it.each(POSTS)("POST %s: key, body, type and size are looked at", async (path) => {
    const answers = [
      [await till.post(path, {}, { key: null }), 401, 999],
      [await till.post(path, {}, { key: "wrong" }), 401, 999],
      [await till.post(path, {}, { key: "x".repeat(5_000) }), 401, 999],
      [await till.post(path, '{"a":'), 400, 400],
      [await till.post(path, {}, { type: "text/plain" }), 415, 415],
      [await till.post(path, JSON.stringify({ name: "x".repeat(1_100_000) })), 413, 413],
      [await till.post(path, "[]"), 412, 999],
      [await till.post(path, {}), 412, 999],
    ] as const;
    for (const [answer, status, code] of answers) {
      expect({ status: answer.status, code: answer.body.errors[0].code }).toEqual({ status, code });
      expect(answer.body.errors[0].error_message).toMatch(/^[А-Я]/);
    }
  });

  it("is unknown at another path, and refused by another method", async () => {
    expect((await till.post("/counterparties", {})).body.errors[0].code).toBe(404);
    expect((await till.get("/retaildemand")).body.errors[0].code).toBe(405);
  });
});

describe("a field", () => {
  const OF_RECALC: [string, object, string][] = [
    ["no store", { retailStore: undefined }, "retailStore"],
    ["a store without an id", { retailStore: { meta: { href: "" } } }, "retailStore.meta.id"],
    ["no positions", { positions: undefined }, "positions"],
    ["a quantity of zero", { positions: [position(0, 1)] }, "positions.0.quantity"],
    ["a quantity with four decimals", { positions: [position(1.0001, 1)] }, "positions.0.quantity"],
    ["a price below zero", { positions: [position(1, -1)] }, "positions.0.price"],
    ["a price with three decimals", { positions: [position(1, 1.001)] }, "positions.0.price"],
    ["goods without meta", { positions: [{ ...position(1, 1), assortment: {} }] }, "positions.0.assortment.meta"],
    ["another kind of transaction", { bonusProgram: { transactionType: "GIVING" } }, "bonusProgram.transactionType"],
    ["a wish of zero", { preferredBonusToSpend: 0 }, "preferredBonusToSpend"],
    ["a negative wish", { preferredBonusToSpend: -5 }, "preferredBonusToSpend"],
    ["a broken wish", { preferredBonusToSpend: 1.5 }, "preferredBonusToSpend"],
    ["a wish as text", { preferredBonusToSpend: "5" }, "preferredBonusToSpend"],
    ["a price as text", { positions: [position(1, 1, { price: "1" })] }, "positions.0.price"],
  ];
  it.each(OF_RECALC)("of recalc: %s", async (_what, changes, parameter) => {
    const answer = await till.post("/retaildemand/recalc", recalc(changes));
    expect({ status: answer.status, error: answer.body.errors?.[0] }).toMatchObject({ status: 412, error: { code: 999, parameter } });
  });

  const OF_SALE: [string, object, string][] = [
    ["negative points", { bonusProgram: { bonusValueToEarn: -1 } }, "bonusProgram.bonusValueToEarn"],
    ["broken points", { bonusProgram: { bonusValueToSpend: 0.5 } }, "bonusProgram.bonusValueToSpend"],
    ["no moment", { moment: undefined }, "moment"],
    ["an impossible moment", { moment: "2026-02-31 10:00:00" }, "moment"],
    ["no name", { name: undefined }, "name"],
    ["a discount above 100 percent", { positions: [position(1, 1, { discountPercent: 100.01 })] }, "positions.0.discountPercent"],
    ["a gift card without a sum", { giftCards: [{ id: "1", name: "1" }] }, "giftCards.0.paymentSum"],
  ];
  it.each(OF_SALE)("of a sale: %s", async (_what, changes, parameter) => {
    const answer = await till.post("/retaildemand", sale("fields", changes));
    expect({ status: answer.status, error: answer.body.errors?.[0] }).toMatchObject({ status: 412, error: { code: 999, parameter } });
  });

  it("that nobody knows is passed over, and null means absence", async () => {
    const odd = recalc({ preferredBonusToSpend: null, bonusProgram: null, brandNew: { a: [1] } });
    expect((await till.post("/retaildemand/recalc", odd)).status).toBe(200);
    expect((await till.post("/counterparty", customer({ email: null, sex: null, birthDate: "", brandNew: 1 }))).status).toBe(201);
    expect(
      (await till.post("/retailsalesreturn", returned("odd", undefined, { noCashSum: "as text", agent: { id: "x", href: "y" } }))).status,
    ).toBe(201);
  });
});

describe("recalc", () => {
  it("answers the printed example to the last digit", async () => {
    await till.post("/retaildemand", sale("fill", { positions: [sold(24, 100)], bonusProgram: { bonusValueToEarn: 120 } }));
    const asked = recalc({ bonusProgram: { transactionType: "SPENDING" }, preferredBonusToSpend: 50 });
    const answer = await till.post("/retaildemand/recalc", asked);
    expect(answer.body.positions.map(({ assortment: _, ...position }: { assortment: object }) => position)).toEqual([
      { quantity: 1, price: 96, discountPercent: 17.38, discountedPrice: 79.32 },
      { quantity: 2, price: 96, discountPercent: 17.35, discountedPrice: 79.34 },
    ]);
    expect(answer.body.bonusProgram).toMatchObject({
      transactionType: "SPENDING",
      agentBonusBalance: 120,
      bonusValueToSpend: 50,
      agentBonusBalanceAfter: 120 - 50 + answer.body.bonusProgram.bonusValueToEarn,
      paidByBonusPoints: 50,
    });
    expect(answer.body.needVerification).toBe(false);
    expect(await till.balance()).toBe(120);
  });

  it("gives agent, goods, pack and serial numbers back as they came, numbers in their own spelling", async () => {
    const text = JSON.stringify(
      recalc({ positions: [position(2, 5, { sn: [{ name: "a" }, { name: "b" }], pack: { id: "p", name: "box", quantity: 6 } })] }),
    ).replace('"quantity":6', '"quantity":6.500');
    const answer = await till.post("/retaildemand/recalc", text);
    expect(answer.text).toContain('"pack":{"id":"p","name":"box","quantity":6.500}');
    expect(answer.body.positions[0].sn).toEqual([{ name: "a" }, { name: "b" }]);
    expect(answer.body.agent).toEqual(Reflect.get(recalc(), "agent"));
  });

  it.each([
    ["nobody", { agent: undefined }],
    ["an empty object", { agent: {} }],
    ["somebody unknown", agent("c0ffee00-aaaa-4bbb-8ccc-000000000000")],
  ])("for %s changes nothing, and has zeros", async (_who, changes) => {
    const answer = await till.post("/retaildemand/recalc", recalc(changes));
    expect(answer.status).toBe(200);
    expect(answer.body.positions).toMatchObject([{ quantity: 3, price: 96, discountPercent: 0, discountedPrice: 96 }]);
    expect(answer.body.bonusProgram).toMatchObject({
      agentBonusBalance: 0,
      bonusValueToSpend: 0,
      bonusValueToEarn: 0,
      agentBonusBalanceAfter: 0,
    });
  });

  it("takes a wish above the limit for the most there is", async () => {
    const most = await till.post("/retaildemand/recalc", recalc({ bonusProgram: { transactionType: "SPENDING" } }));
    const more = await till.post(
      "/retaildemand/recalc",
      recalc({ bonusProgram: { transactionType: "SPENDING" }, preferredBonusToSpend: 99_999 }),
    );
    expect(more.body).toEqual(most.body);
    expect(most.body.bonusProgram.bonusValueToSpend).toBe(120);
  });
});

describe("the search", () => {
  it.each([
    ["ten digits of the phone", "9039993344"],
    ["the phone with an eight and brackets", "8 (903) 999-33-44"],
    ["the card", "100200"],
    ["the beginning of the card", "1002"],
    ["a word of the name", "ПЕТРОВ"],
    ["the beginning of a word", "пет"],
    ["both words in another order", "петров иван"],
  ])("finds a member by %s", async (_by, text) => {
    const answer = await till.get(`/counterparty?search=${encodeURIComponent(text)}&retailStoreId=a`);
    expect(answer.body.rows).toMatchObject([{ name: "Иван Петров", phone: "+79039993344", discountCardNumber: "100-200" }]);
    expect(answer.body.rows[0].id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(["сидоров", "79039993345", "пе", "999"])("finds nobody by %s", async (text) => {
    const answer = await till.get(`/counterparty?search=${encodeURIComponent(text)}&retailStoreId=a`);
    expect(answer.body).toEqual({ rows: [] });
  });

  it("needs a text and a point of sale", async () => {
    expect((await till.get("/counterparty?search=a")).body.errors[0]).toMatchObject({ code: 999, parameter: "retailStoreId" });
    expect((await till.get("/counterparty?retailStoreId=a")).body.errors[0]).toMatchObject({ code: 999, parameter: "search" });
  });
});

describe("a gift card", () => {
  it("is told with its sums in minor units, and spent with a sale", async () => {
    await till.bench.giftCards.issue(till.bench.account.key, "GIFT-1", 50_000);
    const card = (await till.get("/giftcard?name=GIFT-1&retailStoreId=a")).body;
    expect(card).toMatchObject({ name: "GIFT-1", status: "CAN_BE_USED", currentBalance: 50_000, initialBalance: 50_000 });
    await till.post("/retaildemand", sale("with-card", { giftCards: [{ id: card.id, name: "GIFT-1", paymentSum: 20_000 }] }));
    const left = (await till.get("/giftcard?name=GIFT-1&retailStoreId=a")).body;
    expect(left).toMatchObject({ status: "PARTIALLY_REDEEMED", currentBalance: 30_000 });
    const none = await till.get("/giftcard?name=GIFT-2&retailStoreId=a");
    expect({ status: none.status, code: none.body.errors[0].code }).toEqual({ status: 404, code: 28_010 });
  });
});

describe("an unknown customer", () => {
  it("has no balance, and gets no code", async () => {
    const meta = { href: "", id: "c0ffee00-aaaa-4bbb-8ccc-000000000000" };
    const detail = await till.post("/counterparty/detail", { ...store(), meta });
    expect({ status: detail.status, code: detail.body.errors[0].code }).toEqual({ status: 404, code: 28_002 });
    const code = await till.post("/retaildemand/verify", { ...store(), counterpartyId: meta.id });
    expect({ status: code.status, code: code.body.errors[0].code }).toEqual({ status: 404, code: 28_002 });
  });
});
