import { beforeEach, describe, expect, it } from "vitest";
import { LOYALTY_KEY, LoyaltyBench } from "../../support/loyalty-bench.ts";
import { BUYER, customer, LoyaltyContract, recalc, returned, sale, sold } from "../../support/loyalty-contract.ts";

let till: LoyaltyContract;

beforeEach(async () => {
  till = await LoyaltyContract.open(await LoyaltyBench.open());
  await till.enrol();
});

describe("a sale whose prices are not those of its quote", () => {
  it.each([
    ["nothing was paid", 0, 0],
    ["half was paid", 50, 25],
    ["everything was paid", 100, 50],
  ])("earns by what was paid: %s", async (_what, paid, points) => {
    await till.post("/retaildemand/recalc", recalc({ positions: [sold(10, 100)] }));
    await till.post("/retaildemand", sale("s1", { positions: [sold(10, 100, paid)] }));
    const balance = await till.balance();
    expect(balance).toBeGreaterThanOrEqual(points);
    expect(balance).toBeLessThanOrEqual(points + (points === 0 ? 0 : 1));
  });
});

describe("a till that states a little more than the programme gives", () => {
  it("gets no point more on any number of small receipts", async () => {
    for (let nth = 0; nth < 20; nth++) {
      const positions = [sold(1, 10), sold(1, 10)];
      await till.post("/retaildemand", sale(`s${nth}`, { positions, bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 2 } }));
    }
    expect(await till.balance()).toBe(20);
  });

  it("earns by the half that was paid of a thousand lines of two kopecks", async () => {
    await till.bench.programme({ pointValueKopecks: 1, earnPercent: 100 });
    const positions = Array.from({ length: 1_000 }, () => sold(1, 0.02, 0.01));
    await till.post("/retaildemand", sale("s1", { positions, bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 2_000 } }));
    expect(await till.balance()).toBe(1_000);
  });
});

describe("a return that states other prices than its sale had", () => {
  beforeEach(async () => {
    await till.post("/retaildemand", sale("s1"));
    expect(await till.balance()).toBe(50);
  });

  it("takes back by the sale's prices", async () => {
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(10, 100, 0)] }));
    expect(await till.balance()).toBe(0);
  });

  it("takes back with goods beside them that were not sold", async () => {
    const strange = { ...sold(1, 0), assortment: { meta: { href: "", id: "aa01b2c3-d4e5-46f7-8899-000000000000" } } };
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(10, 0), strange] }));
    expect(await till.balance()).toBe(0);
  });

  it("moves by the goods that came back, whatever strange goods stand beside them", async () => {
    const id = (nth: string) => `aa01b2c3-d4e5-46f7-8899-00000000000${nth}`;
    const goods = (nth: string, line: object) => ({ ...line, assortment: { meta: { href: "", id: id(nth) } } });
    await till.bench.programme({ earnPercent: 10, rules: [{ id: "none", effect: "multiplier", value: 0, when: { products: [id("2")] } }] });
    const positions = [goods("1", sold(1, 500)), goods("2", sold(1, 500))];
    await till.post("/retaildemand", sale("s2", { positions, bonusProgram: { bonusValueToSpend: 0, bonusValueToEarn: 50 } }));
    await till.post("/retailsalesreturn", returned("r1", "s2", { positions: [positions[1], goods("3", sold(1, 0))] }));
    expect(await till.balance()).toBe(100);
    await till.post("/retailsalesreturn", returned("r2", "s2", { positions: [positions[0]] }));
    expect(await till.balance()).toBe(50);
  });

  it("gives back for strange goods by their price, not twice of it", async () => {
    await till.bench.programme({ earnPercent: 0, spend: { sharePercent: 100 } });
    await till.post(
      "/retaildemand",
      sale("s2", { positions: [sold(10, 100, 95)], bonusProgram: { bonusValueToSpend: 50, bonusValueToEarn: 0 } }),
    );
    const strange = { ...sold(5, 190), assortment: { meta: { href: "", id: "aa01b2c3-d4e5-46f7-8899-000000000000" } } };
    await till.post("/retailsalesreturn", returned("r1", "s2", { positions: [strange] }));
    expect(await till.balance()).toBe(48);
  });

  it("lowers by the sale's prices what counts towards a tier", async () => {
    await till.post("/retailsalesreturn", returned("r1", "s1", { positions: [sold(10, 0)] }));
    const rows = await till.bench.store.read((db) =>
      db.selectFrom("loyalty_orders").select(["type", "paid_kopecks"]).orderBy("id").execute(),
    );
    expect(rows).toEqual([
      { type: "sale", paid_kopecks: 100_000 },
      { type: "return", paid_kopecks: 100_000 },
    ]);
  });
});

describe("a customer who is made with somebody else's phone and card", () => {
  it("keeps what is the member's own, and is found by nothing of the other", async () => {
    const other = "c0ffee00-aaaa-4bbb-8ccc-000000000001";
    await till.enrol({ meta: { href: "", id: other }, name: "Пётр Сидоров", phone: "+79990000001", discountCardNumber: "777" });
    await till.enrol({ meta: { href: "", id: other }, name: "Пётр Сидоров", phone: "8 (903) 999-33-44", discountCardNumber: "100-200" });
    const found = await till.bench.members.search(LOYALTY_KEY, "Сидоров");
    expect(found).toMatchObject([{ platformId: other, personal: { phone: "+79990000001", card: "777" } }]);
    expect(await till.bench.members.search(LOYALTY_KEY, "9039993344")).toMatchObject([{ platformId: BUYER }]);
    expect(till.bench.anomalies).toContain("identity-conflict");
    expect(customer()).toMatchObject({ meta: { id: BUYER } });
  });
});

describe("lines that no receipt holds together", () => {
  it.each([
    ["by their prices", sold(1_000_000, 2_814_749_767_106.55), ["recalc", "sale", "return"]],
    ["by what is said to be paid", sold(1_000_000, 0, 2_814_749_767_106.55), ["sale", "return"]],
  ])("%s are refused, each call in its shape", async (_what, line, calls) => {
    const positions = [line, line, line];
    for (const [call, path, body] of [
      ["recalc", "/retaildemand/recalc", recalc({ positions })],
      ["sale", "/retaildemand", sale("s1", { positions })],
      ["return", "/retailsalesreturn", returned("r1", "s1", { positions })],
    ] as const) {
      if (!calls.includes(call)) continue;
      const answer = await till.post(path, body);
      expect({ status: answer.status, error: answer.body.errors?.[0] }).toMatchObject({
        status: 412,
        error: { code: 999, parameter: "positions" },
      });
    }
  });
});
