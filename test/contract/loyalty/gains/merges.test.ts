import { describe, expect, it } from "vitest";
import { BUYER, customer } from "../../../support/loyalty-contract.ts";
import { asked, goods, LoyaltyTill, OTHER } from "../../../support/loyalty-till.ts";

const DAY_MS = 86_400_000;
const TEN = goods(1, 10, 100);
const FIRST = { id: "first", effect: "points", value: 500, when: { firstPurchase: true } };
const STRANGER = "c0ffee00-aaaa-4bbb-8ccc-000000000002";

async function two(programme: object = {}): Promise<LoyaltyTill> {
  const till = await LoyaltyTill.open(programme);
  await till.enrolOther();
  return till;
}

/** The points less the debts of the usual buyer and of the other member. */
async function sums(till: LoyaltyTill): Promise<number[]> {
  await till.balance();
  const accounts = [await till.account(), await till.account(OTHER)];
  return accounts.map(({ points, debt_points }) => points - debt_points);
}

describe("a merge that is undone", () => {
  const tiers = [{ name: "gold", fromKopecks: 100_000, window: "lifetime", multiplier: 10 }];

  it("leaves nobody the money for a tier of goods that came back meanwhile", async () => {
    const till = await two({ tiers });
    await till.sell("s1", [TEN], { earn: 50 });
    const ids = await till.merge();
    await till.bringBack("r1", "s1", [TEN]);
    await till.undoMerge(ids);
    await till.sell("s2", [goods(1, 1, 100)], { by: OTHER });
    await till.bench.clock.advance(400 * DAY_MS);
    await till.bench.upkeep.run();
    expect([(await till.account()).tier, (await till.account(OTHER)).tier]).toEqual([null, null]);
  });

  it("takes nobody the money for a tier of goods that another has brought back meanwhile", async () => {
    const till = await two({ tiers });
    await till.sell("s1", [TEN], { earn: 50 });
    await till.sell("s2", [TEN], { by: OTHER, earn: 50 });
    const ids = await till.merge();
    await till.bringBack("r1", "s1", [TEN]);
    await till.undoMerge(ids);
    await till.bench.clock.advance(400 * DAY_MS);
    await till.bench.upkeep.run();
    expect([(await till.account()).tier, (await till.account(OTHER)).tier]).toEqual([null, "gold"]);
  });

  it("keeps the tiers that were reached before it, by oneself or by the purchases of both, to their review", async () => {
    const till = await two({ tiers });
    await till.sell("s1", [TEN], { earn: 50 });
    const ids = await till.merge();
    await till.undoMerge(ids);
    expect([(await till.account()).tier, (await till.account(OTHER)).tier]).toEqual(["gold", "gold"]);
    await till.bench.clock.advance(400 * DAY_MS);
    await till.bench.upkeep.run();
    expect([(await till.account()).tier, (await till.account(OTHER)).tier]).toEqual(["gold", null]);
  });

  it("gives back no points that were spent meanwhile, and gives them to one of both when the goods come back", async () => {
    const till = await two({ earnPercent: 0 });
    await till.grant(500);
    const ids = await till.merge();
    await till.sell("s1", [goods(1, 10, 100, 50)], { by: OTHER, spend: 500 });
    await till.undoMerge(ids);
    expect(await sums(till)).toEqual([0, 0]);
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 50)]);
    expect(await sums(till)).toEqual([0, 500]);
  });

  it("gives back once what a sale before it has spent", async () => {
    const till = await two({ earnPercent: 0 });
    await till.grant(500);
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500 });
    const ids = await till.merge();
    await till.bringBack("r1", "s1", [goods(1, 4, 100, 50)]);
    await till.undoMerge(ids);
    await till.bringBack("r2", "s1", [goods(1, 6, 100, 50)]);
    expect(await till.bringBack("r3", "s1", [goods(1, 1, 100, 50)])).toBe(412);
    expect(await sums(till)).toEqual([300, 200]);
  });

  it("takes back from the one who has earned it, what was bought in the other's name meanwhile", async () => {
    const till = await two();
    const ids = await till.merge();
    await till.sell("s1", [TEN], { earn: 50 });
    await till.undoMerge(ids);
    await till.bringBack("r1", "s1", [TEN]);
    expect(await sums(till)).toEqual([0, 0]);
  });

  it("leaves no pending points of goods that came back, when it was made and undone twenty-one times", async () => {
    const till = await two({ activation: { kind: "days", days: 14 }, returns: { debt: "forget" } });
    await till.sell("s1", [TEN], { earn: 50 });
    for (let nth = 0; nth < 21; nth += 1) await till.undoMerge(await till.merge());
    await till.bringBack("r1", "s1", [TEN]);
    await till.bench.clock.advance(20 * DAY_MS);
    expect(await sums(till)).toEqual([0, 0]);
  });

  it("takes no points of an older lot for those of a sale that came back to the lot from which it had moved the rest", async () => {
    const till = await two({ expiry: { kind: "days", days: 30 } });
    await till.grant(500);
    await till.bench.clock.advance(20 * DAY_MS);
    await till.sell("s1", [TEN], { earn: 50 });
    await till.sell("s2", [goods(2, 10, 106, 53)], { spend: 530 });
    await till.undoMerge(await till.merge());
    await till.bringBack("r2", "s2", [goods(2, 10, 106, 53)]);
    await till.bringBack("r1", "s1", [TEN]);
    expect(await sums(till)).toEqual([500, 0]);
    await till.bench.clock.advance(15 * DAY_MS);
    expect(await till.balance()).toBe(0);
  });

  it("loses no debt, and leaves no points that have repaid one", async () => {
    const till = await two({ earnPercent: 0 });
    await till.sell("s1", [goods(1, 10, 100, 80)], { by: OTHER, spend: 200 });
    await till.grant(500);
    const ids = await till.merge();
    await till.undoMerge(ids);
    expect(await sums(till)).toEqual([300, 0]);
    expect(await till.undoMerge(ids)).toBe("refused");
    expect(await sums(till)).toEqual([300, 0]);
  });

  it("returns a debt that was moved", async () => {
    const till = await two({ earnPercent: 0 });
    await till.sell("s1", [goods(1, 10, 100, 80)], { spend: 200 });
    const ids = await till.merge();
    expect(await sums(till)).toEqual([-200, -200]);
    await till.grant(50, OTHER);
    await till.undoMerge(ids);
    expect(await sums(till)).toEqual([-150, 0]);
  });

  it("is refused after thirty days", async () => {
    const till = await two();
    await till.grant(500);
    const ids = await till.merge();
    await till.bench.clock.advance(30 * DAY_MS + 1);
    expect(await till.undoMerge(ids)).toBe("refused");
    expect(await till.balance()).toBe(500);
  });
});

describe("a member who was merged into one who has bought before", () => {
  it("gets no points of a first purchase, by no quote that was made before", async () => {
    const till = await two({ rules: [FIRST] });
    await till.sell("s1", [goods(1, 1, 100)], { by: OTHER, earn: 505 });
    await till.bench.clock.advance(1_000);
    expect((await till.quote([asked(1, 10, 100)])).earn).toBe(550);
    await till.merge();
    await till.sell("s2", [TEN], { earn: 550 });
    expect(await till.balance(OTHER)).toBe(505 + 50);
  });
});

describe("a member who is erased", () => {
  it("spends nothing by an old id, and joins anew without points", async () => {
    const till = await LoyaltyTill.open();
    await till.grant(500);
    const { id } = await till.member();
    await till.erase();
    for (const by of [BUYER, id]) {
      expect((await till.quote([asked(1, 10, 100)], { by, spend: "most" })).spend).toBe(0);
      await till.sell(`s-${by.length}-${by.slice(0, 4)}`, [goods(1, 10, 100, 50)], { by, spend: 500, earn: 25 });
    }
    await till.contract.enrol();
    expect(await till.balance()).toBe(0);
  });

  it("gets nothing of a sale before it, and neither does whoever joins with the same phone", async () => {
    const till = await LoyaltyTill.open({ earnPercent: 0 });
    await till.grant(500);
    await till.sell("s1", [goods(1, 10, 100, 50)], { spend: 500 });
    await till.erase();
    await till.contract.enrol();
    await till.bringBack("r1", "s1", [goods(1, 10, 100, 50)]);
    expect(await till.balance()).toBe(0);
  });

  it("takes along who was merged into it", async () => {
    const till = await two();
    await till.grant(500);
    await till.merge();
    await till.erase(OTHER);
    for (const id of [BUYER, OTHER]) {
      const { body } = await till.contract.post("/counterparty/detail", { ...customer(), meta: { href: "", id }, phone: undefined });
      expect(body.errors?.[0].code).toBe(28_002);
    }
  });
});

describe("a member who brings the phone of somebody who has not joined yet", () => {
  const LATER = "+7 999 000 00 02";

  it("is asked for a code, so whoever joins with it later earns for nobody else", async () => {
    const till = await LoyaltyTill.open({ verification: { newCustomer: true } });
    const stolen = await till.contract.post("/counterparty", customer({ phone: LATER, statusCheck: "UNCHECKED" }));
    expect([stolen.status, stolen.body.errors?.[0].code]).toEqual([412, 28_001]);
    const joined = { meta: { href: "", id: STRANGER }, name: "Пётр", phone: LATER, discountCardNumber: undefined };
    await till.contract.enrol(joined);
    await till.sell("s1", [TEN], { by: STRANGER, earn: 50 });
    expect([await till.balance(), await till.balance(STRANGER)]).toEqual([0, 50]);
  });

  it("is not asked for a code with the own phone, nor with one that stays another member's", async () => {
    const till = await LoyaltyTill.open({ verification: { newCustomer: true } });
    await till.enrolOther();
    for (const phone of ["8 (903) 999-33-44", "+79990000001", undefined])
      expect((await till.contract.post("/counterparty", customer({ phone, statusCheck: "UNCHECKED" }))).status).toBe(201);
    await till.sell("s1", [TEN], { earn: 50, changes: { agent: { phone: "+79990000001" } } });
    expect([await till.balance(), await till.balance(OTHER)]).toEqual([0, 50]);
  });
});
