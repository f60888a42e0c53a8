import { describe, expect, it } from "vitest";
import { goods, LoyaltyTill } from "../../../support/loyalty-till.ts";

const TEN = goods(1, 10, 100);
const SALE = "5a1e0000-abcd-4bbb-8ccc-00000000000a";
const RETURN = "4e704000-abcd-4bbb-8ccc-00000000000b";
const ENTITY = "https://api.platform.example/entity";

describe("a document that comes again in another spelling", () => {
  it.each([
    ["its id in capital letters", { href: "", id: SALE.toUpperCase() }],
    ["its address alone", { href: `${ENTITY}/retaildemand/${SALE}`, id: "" }],
    ["its address with parameters alone", { href: `${ENTITY}/retaildemand/${SALE}/?expand=agent`, id: "" }],
  ])("earns once, by %s", async (_what, meta) => {
    const till = await LoyaltyTill.open();
    await till.sell(SALE, [TEN], { earn: 50 });
    expect(await till.sell(SALE, [TEN], { earn: 50, changes: { meta } })).toBe(201);
    expect(await till.balance()).toBe(50);
  });

  it.each([
    ["its id in capital letters", { href: "", id: RETURN.toUpperCase() }],
    ["its address alone", { href: `${ENTITY}/retailsalesreturn/${RETURN}`, id: "" }],
  ])("gives points back once, by %s", async (_what, meta) => {
    const till = await LoyaltyTill.open();
    await till.grant(500);
    await till.sell(SALE, [goods(1, 10, 100, 50)], { spend: 500 });
    await till.bringBack(RETURN, SALE, [goods(1, 5, 100, 50)]);
    expect(await till.bringBack(RETURN, SALE, [goods(1, 5, 100, 50)], { meta })).toBe(201);
    expect(await till.balance()).toBe(250);
  });

  it.each([
    ["the address of all sales", `${ENTITY}/retaildemand`],
    ["the address of the account's sales", `https://api.platform.example/${RETURN}/retaildemand/`],
    ["the address of the point of sale", `${ENTITY}/retailstore/${RETURN}`],
  ])("is still told from others when nothing is stated but %s", async (_what, href) => {
    const till = await LoyaltyTill.open();
    const meta = { href, id: "" };
    for (const name of ["1", "2"]) expect(await till.sell("", [TEN], { earn: 50, changes: { meta, name } })).toBe(201);
    expect(await till.balance()).toBe(100);
  });
});

describe("a return that names its sale in another spelling", () => {
  it.each([
    ["by the id in capital letters", { meta: { href: "", id: SALE.toUpperCase() } }],
    ["by an address in capital letters", { meta: { href: `${ENTITY}/retaildemand/${SALE.toUpperCase()}` } }],
    ["by an address between blanks", { meta: { href: ` ${ENTITY}/retaildemand/${SALE} ` } }],
    ["by the address of its positions", { href: `${ENTITY}/retaildemand/${SALE}/positions` }],
    ["by an encoded address", { href: `${ENTITY}/retaildemand/%35${SALE.slice(1)}` }],
    ["by the address of its page", { href: `https://online.platform.example/app/#retaildemand/edit?id=${SALE}` }],
  ])("takes the points back: %s", async (_what, demand) => {
    const till = await LoyaltyTill.open();
    await till.sell(SALE, [TEN], { earn: 50 });
    expect(await till.bringBack(RETURN, undefined, [TEN], { demand })).toBe(201);
    expect(await till.balance()).toBe(0);
  });

  it("takes the points back of a sale that was told by its address alone", async () => {
    const till = await LoyaltyTill.open();
    await till.sell(SALE, [TEN], { earn: 50, changes: { meta: { href: `${ENTITY}/retaildemand/${SALE}`, id: "" } } });
    await till.bringBack(RETURN, SALE, [TEN]);
    expect(await till.balance()).toBe(0);
  });

  it("moves nothing and is stored when the address cannot be read", async () => {
    const till = await LoyaltyTill.open();
    await till.sell(SALE, [TEN], { earn: 50 });
    expect(await till.bringBack(RETURN, undefined, [TEN], { demand: { href: "%%%" } })).toBe(201);
    expect(await till.balance()).toBe(50);
  });
});
