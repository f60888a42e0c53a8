import { describe, expect, it } from "vitest";
import { BUYER, sale, sold } from "../../../support/loyalty-contract.ts";
import { goods, LoyaltyTill, productId } from "../../../support/loyalty-till.ts";

const TEN = goods(1, 10, 100);

describe("goods that a body spells in an odd way", () => {
  it.each([
    ["ten lines of a piece", Array.from({ length: 10 }, () => goods(1, 1, 100))],
    ["a hundred lines of a tenth", Array.from({ length: 100 }, () => goods(1, 0.1, 100))],
    ["a million pieces of a tenth of a kopeck together", [goods(1, 100_000, 0.01)]],
    ["another kind of goods", [{ ...TEN, assortment: { meta: { href: "", id: productId(1), idType: "sync", type: "bundle" } } }]],
    ["goods beside ones of no price", [TEN, goods(2, 1_000_000, 0)]],
  ])("earn what the programme gives and no point more, and leave nothing when they come back: %s", async (_what, positions) => {
    const till = await LoyaltyTill.open();
    expect(await till.sell("s1", positions, { earn: 60 })).toBe(201);
    expect(await till.balance()).toBe(50);
    expect(await till.bringBack("r1", "s1", positions)).toBe(201);
    expect(await till.balance()).toBe(0);
  });

  it("earn nothing in a thousand lines of a thousandth of a kopeck's worth", async () => {
    const till = await LoyaltyTill.open({ pointValueKopecks: 1, earnPercent: 100 });
    await till.sell(
      "s1",
      Array.from({ length: 1_000 }, () => goods(1, 0.001, 0.01)),
      { earn: 1 },
    );
    expect(await till.balance()).toBe(0);
  });

  it.each([
    ["all of it", 100, 0],
    ["half of it", 50, 25],
    ["a tenth of a percent less than all of it", 99.9, 0],
  ])("earn by the discount where no discounted price stands: %s", async (_what, discountPercent, points) => {
    const till = await LoyaltyTill.open();
    const { discountedPrice: _, ...line } = { ...sold(10, 100), discountPercent } as Record<string, unknown>;
    await till.sell("s1", [line], { earn: 50 });
    expect(await till.balance()).toBe(points);
  });
});

describe("points that a body spells in an odd way", () => {
  it.each([
    ["5e1", 201, 50],
    ["50.00", 201, 50],
    ["500000e-4", 201, 50],
    ["50.5", 412, 0],
    ["-50", 412, 0],
    ["1e12", 412, 0],
    ['"50"', 412, 0],
    ["null", 412, 0],
  ])("%s are read exactly or refused", async (text, status, points) => {
    const till = await LoyaltyTill.open();
    const body = JSON.stringify(sale("s1", { positions: [TEN], bonusProgram: { bonusValueToEarn: "POINTS" } })).replace('"POINTS"', text);
    expect((await till.contract.post("/retaildemand", body)).status).toBe(status);
    expect(await till.balance()).toBe(points);
  });

  it("count at most as the programme gives when they stand there twice", async () => {
    const till = await LoyaltyTill.open();
    const body = JSON.stringify(sale("s1", { positions: [TEN], bonusProgram: { bonusValueToEarn: 50 } }));
    const twice = body.replace('"bonusValueToEarn":50', '"bonusValueToEarn":50,"bonusValueToEarn":5000');
    await till.contract.post("/retaildemand", twice);
    expect(await till.balance()).toBe(50);
  });

  it.each([
    ["absent", undefined],
    ["null", null],
    ["empty", {}],
  ])("are none when the bonus part is %s", async (_what, bonusProgram) => {
    const till = await LoyaltyTill.open();
    await till.grant(100);
    expect(await till.sell("s1", [goods(1, 1, 1_000, 900)], { changes: { bonusProgram } })).toBe(201);
    expect(await till.balance()).toBe(100);
  });
});

describe("a buyer whom a body names in an odd way", () => {
  it.each([
    ["nobody", undefined],
    ["null", null],
    ["an empty object", {}],
    ["an empty id", { meta: { href: "", id: "" } }],
    ["a name alone", { name: "Иван Петров" }],
    ["spaces for a phone and dashes for a card", { phone: "  ", discountCardNumber: "---" }],
  ])("is nobody: %s", async (_what, agent) => {
    const till = await LoyaltyTill.open();
    await till.contract.enrol({ meta: { href: "", id: "0" }, name: "Пустой", phone: undefined, discountCardNumber: "--" });
    expect(await till.sell("s1", [TEN], { earn: 50, changes: { agent } })).toBe(201);
    expect([await till.balance(), await till.balance("0")]).toEqual([0, 0]);
  });

  it("earns once, first by the phone and then by the id", async () => {
    const till = await LoyaltyTill.open();
    expect(await till.sell("s1", [TEN], { earn: 50, changes: { agent: { phone: "+7 (903) 999 33 44" } } })).toBe(201);
    expect(await till.sell("s1", [TEN], { earn: 50 })).toBe(409);
    expect(await till.sell("s1", [TEN], { earn: 50, changes: { agent: { href: "", id: BUYER } } })).toBe(409);
    expect(await till.balance()).toBe(50);
  });

  it("is one of two whose long cards differ in the last character", async () => {
    const till = await LoyaltyTill.open();
    const ids = ["c0ffee00-aaaa-4bbb-8ccc-000000000011", "c0ffee00-aaaa-4bbb-8ccc-000000000012"];
    for (const [nth, id] of ids.entries()) {
      const discountCardNumber = `https://cards.shop.example/of/members/${nth}`;
      await till.contract.enrol({ meta: { href: "", id }, name: "Имя", phone: undefined, discountCardNumber });
    }
    await till.grant(500, ids[0]);
    expect([await till.balance(ids[0]), await till.balance(ids[1])]).toEqual([500, 0]);
    await till.sell("s1", [TEN], { earn: 50, changes: { agent: { discountCardNumber: "https://cards.shop.example/of/members/1" } } });
    expect([await till.balance(ids[0]), await till.balance(ids[1])]).toEqual([500, 50]);
  });
});

describe("documents that are named in an odd way", () => {
  it("are one while they say the same, and another by their name", async () => {
    const till = await LoyaltyTill.open();
    for (const meta of [{ href: "", id: "" }, null, undefined, {}]) await till.sell("s1", [TEN], { earn: 50, changes: { meta } });
    expect(await till.balance()).toBe(50);
    await till.sell("s1", [TEN], { earn: 50, changes: { meta: null, name: "s2" } });
    expect(await till.balance()).toBe(100);
  });

  it("earn once, also when their lines come again in another order", async () => {
    const till = await LoyaltyTill.open();
    const lines = [TEN, goods(2, 1, 1_000)];
    expect(await till.sell("s1", lines, { earn: 100 })).toBe(201);
    expect(await till.sell("s1", lines.toReversed(), { earn: 100 })).toBe(409);
    expect(await till.balance()).toBe(100);
  });

  it.each([
    ["null", null],
    ["empty", {}],
    ["without an id", { meta: { href: "", id: "" } }],
  ])("move nothing when the returned sale is %s", async (_what, demand) => {
    const till = await LoyaltyTill.open();
    await till.sell("s1", [TEN], { earn: 50 });
    expect(await till.bringBack("r1", "s1", [TEN], { demand })).toBe(201);
    expect(await till.balance()).toBe(50);
    expect(await till.bringBack("r2", "s1", [TEN])).toBe(201);
    expect(await till.balance()).toBe(0);
  });

  it("take back once, though a sale and its return have one id", async () => {
    const till = await LoyaltyTill.open();
    expect(await till.bringBack("same", "same", [goods(1, 4, 100)])).toBe(201);
    await till.sell("same", [TEN], { earn: 50 });
    expect(await till.bringBack("same", "same", [goods(1, 4, 100)])).toBe(201);
    expect(await till.balance()).toBe(30);
  });
});
