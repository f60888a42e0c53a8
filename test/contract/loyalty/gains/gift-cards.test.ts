import { describe, expect, it } from "vitest";
import { verifyLedger } from "../../../../src/loyalty/ledger/verify.ts";
import { LOYALTY_KEY, LOYALTY_STORE } from "../../../support/loyalty-bench.ts";
import { goods, LoyaltyTill } from "../../../support/loyalty-till.ts";

const TEN = goods(1, 10, 100);
const STRANGER = "c0ffee00-aaaa-4bbb-8ccc-000000000009";
const ELSEWHERE = { ...LOYALTY_KEY, accountId: "11111111-0000-4000-8000-000000000002" };

/** A till with the card G1 of 500 roubles. */
async function withCard(): Promise<{ till: LoyaltyTill; id: string }> {
  const till = await LoyaltyTill.open();
  await till.bench.giftCards.issue(LOYALTY_KEY, "G1", 50_000);
  return { till, id: (await till.bench.giftCards.find(LOYALTY_KEY, "G1"))?.id ?? "" };
}

async function left(till: LoyaltyTill, name = "G1", key = LOYALTY_KEY): Promise<number | undefined> {
  return (await till.bench.giftCards.find(key, name))?.balanceKopecks;
}

function paidWith(...giftCards: { id: string; name?: string; paymentSum: number }[]) {
  return { earn: 50, changes: { giftCards: giftCards.map((card) => ({ name: "G1", ...card })) } };
}

describe("a gift card", () => {
  it("that is named twice in one sale pays what it holds", async () => {
    const { till, id } = await withCard();
    await till.sell("s1", [TEN], paidWith({ id, paymentSum: 40_000 }, { id, paymentSum: 40_000 }));
    expect([await left(till), till.bench.anomalies]).toEqual([0, ["gift-card-short"]]);
  });

  it.each([
    ["unknown", () => "c0ffee00-0000-4000-8000-000000000000"],
    ["in capital letters", (id: string) => id.toUpperCase()],
  ])("pays by its name when its id is %s", async (_what, spelled) => {
    const { till, id } = await withCard();
    for (const sale of ["s1", "s2", "s3"]) await till.sell(sale, [TEN], paidWith({ id: spelled(id), paymentSum: 20_000 }));
    expect([await left(till), till.bench.anomalies]).toEqual([0, ["gift-card-short"]]);
  });

  it("names the order that it has paid, and a verification misses that order when its rows are gone", async () => {
    const { till, id } = await withCard();
    await till.sell("s1", [TEN], { ...paidWith({ id, paymentSum: 20_000 }), by: STRANGER, earn: 0 });
    const lost = await till.bench.store.commit(async (tx) => {
      const { id: order } = await tx.selectFrom("loyalty_orders").select("id").executeTakeFirstOrThrow();
      await tx.deleteFrom("loyalty_order_lines").execute();
      await tx.deleteFrom("loyalty_orders").execute();
      return order;
    });
    expect((await verifyLedger(till.bench.store)).findings).toEqual([
      { table: "loyalty_orders", row: String(lost), fault: { code: "missing" } },
    ]);
  });

  it("is the one of the id when the name is another card's", async () => {
    const { till, id } = await withCard();
    await till.bench.giftCards.issue(LOYALTY_KEY, "G2", 50_000);
    await till.sell("s1", [TEN], paidWith({ id, name: "G2", paymentSum: 20_000 }));
    expect([await left(till), await left(till, "G2")]).toEqual([30_000, 50_000]);
  });

  it("of another account pays nothing, by its id and by its name", async () => {
    const till = await LoyaltyTill.open();
    await till.bench.giftCards.issue(ELSEWHERE, "G1", 50_000);
    const id = (await till.bench.giftCards.find(ELSEWHERE, "G1"))?.id ?? "";
    await till.sell("s1", [TEN], paidWith({ id, paymentSum: 20_000 }));
    expect([await left(till, "G1", ELSEWHERE), till.bench.anomalies]).toEqual([50_000, ["gift-card-short"]]);
  });

  it("pays each of two sales that have neither an id nor positions and state other sums", async () => {
    const { till, id } = await withCard();
    const meta = { href: "", id: "" };
    for (const cashSum of [100, 100, 200]) {
      const { changes } = paidWith({ id, paymentSum: 20_000 });
      await till.sell("s1", [], { changes: { ...changes, meta, positions: undefined, cashSum } });
    }
    expect(await left(till)).toBe(10_000);
  });

  it("is charged once by one document, whatever sum it states later", async () => {
    const { till, id } = await withCard();
    expect(await till.sell("s1", [TEN], paidWith({ id, paymentSum: 10_000 }))).toBe(201);
    expect(await till.sell("s1", [TEN], paidWith({ id, paymentSum: 10_000 }))).toBe(201);
    expect(await till.sell("s1", [TEN], paidWith({ id, paymentSum: 1 }))).toBe(409);
    expect(await left(till)).toBe(40_000);
  });

  it("gets no money of goods that came back, which the till has paid out", async () => {
    const { till, id } = await withCard();
    await till.sell("s1", [TEN], paidWith({ id, paymentSum: 50_000 }));
    await till.bringBack("r1", "s1", [TEN], { giftCards: [{ id, name: "G1", paymentSum: 50_000 }] });
    expect([await left(till), await till.balance()]).toEqual([0, 0]);
  });

  it.each([
    ["negative", "-100"],
    ["a fraction", "0.5"],
    ["a text", '"100"'],
    ["larger than any sum", "1e30"],
  ])("is not charged a sum that is %s", async (_what, sum) => {
    const { till, id } = await withCard();
    expect(await till.sell("s1", [TEN], { changes: { giftCards: [{ id, name: "G1", paymentSum: JSON.parse(sum) }] } })).toBe(412);
    expect(await left(till)).toBe(50_000);
  });

  it.each(["g1", "G1%20", "G%25", "G1%00"])("is not shown by another name: %s", async (name) => {
    const { till } = await withCard();
    expect((await till.contract.get(`/giftcard?name=${name}&retailStoreId=${LOYALTY_STORE}`)).status).toBe(404);
  });
});
