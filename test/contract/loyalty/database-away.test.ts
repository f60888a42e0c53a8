import { beforeEach, describe, expect, it } from "vitest";
import { LoyaltyBench } from "../../support/loyalty-bench.ts";
import { BUYER, customer, LoyaltyContract, recalc, returned, sale, store } from "../../support/loyalty-contract.ts";

let till: LoyaltyContract;
let bench: LoyaltyBench;

beforeEach(async () => {
  bench = await LoyaltyBench.open();
  till = await LoyaltyContract.open(bench);
  await till.enrol();
});

const OTHERS: [string, () => ReturnType<LoyaltyContract["post"]>][] = [
  ["create", () => till.post("/counterparty", customer())],
  ["search", () => till.get("/counterparty?search=a&retailStoreId=a")],
  ["detail", () => till.post("/counterparty/detail", { ...store(), meta: { href: "", id: BUYER } })],
  ["a code for a customer", () => till.post("/counterparty/verify", customer())],
  ["a code for a sale", () => till.post("/retaildemand/verify", { ...store(), counterpartyId: BUYER })],
  ["a sale", () => till.post("/retaildemand", sale("s1"))],
  ["a return", () => till.post("/retailsalesreturn", returned("r1", "s1"))],
  ["a gift card", () => till.get("/giftcard?name=a&retailStoreId=a")],
];

describe("with the database away", () => {
  it("recalc is answered undiscounted, and the log says so", async () => {
    await till.post("/retaildemand/recalc", recalc());
    await bench.store.close();
    const answer = await till.post("/retaildemand/recalc", recalc());
    expect(answer.status).toBe(200);
    expect(answer.body.positions).toMatchObject([{ quantity: 3, price: 96, discountPercent: 0, discountedPrice: 96 }]);
    expect(bench.lines.some(({ level, text }) => level === "error" && text.includes("undiscounted"))).toBe(true);
  });

  it("recalc is refused where the programme wants that", async () => {
    await bench.programme({ neverBlockSales: false });
    await till.post("/retaildemand/recalc", recalc());
    await bench.store.close();
    const answer = await till.post("/retaildemand/recalc", recalc());
    expect({ status: answer.status, code: answer.body.errors[0].code }).toEqual({ status: 500, code: 28_099 });
  });

  it.each(OTHERS)("%s is refused in the contract's shape", async (_what, call) => {
    await till.post("/retaildemand/recalc", recalc());
    await bench.store.close();
    const answer = await call();
    expect({ status: answer.status, code: answer.body.errors[0].code }).toEqual({ status: 500, code: 28_099 });
    expect(answer.body.errors[0].error_message).toMatch(/^[А-Я]/);
  });

  it("a key that was never seen is not taken on trust", async () => {
    const fresh = (await bench.keys.make(bench.account.key)).reveal();
    await bench.store.close();
    expect((await till.post("/retaildemand/recalc", recalc(), { key: fresh })).status).toBe(500);
  });
});

describe("with a database that does not answer", () => {
  it("recalc is answered undiscounted within a second", async () => {
    await till.post("/retaildemand/recalc", recalc());
    const { store: database, clock } = bench;
    const whole = database.read;
    const arrived = new Promise<void>((resolve) => {
      database.read = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const answer = till.post("/retaildemand/recalc", recalc()).then((response) => response);
    await arrived;
    // The clock moves only by a second, so with a longer limit the till would get no answer.
    await clock.advance(400);
    await clock.advance(600);
    expect((await answer).status).toBe(200);
    database.read = whole;
  });
});
