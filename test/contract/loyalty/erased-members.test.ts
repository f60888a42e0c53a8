import { describe, expect, it } from "vitest";
import { BUYER, customer, sold } from "../../support/loyalty-contract.ts";
import { goods, LoyaltyTill, OTHER } from "../../support/loyalty-till.ts";

const TEN = goods(1, 10, 100);
const OTHER_PHONE = "+79990000001";
const NEW_PHONE = "+79990000002";

/** A till whose usual buyer was erased. Another member stands beside. */
async function erased(): Promise<{ till: LoyaltyTill; id: string }> {
  const till = await LoyaltyTill.open({ enrolOnSight: true });
  await till.enrolOther();
  const { id } = await till.member();
  await till.erase();
  return { till, id };
}

const buyer = (id: string, phone: string) => ({ agent: { meta: { href: "", id }, phone } });

describe("this server's id of an erased member", () => {
  it("beside another member's phone books the sale of that member", async () => {
    const { till, id } = await erased();
    expect(await till.sell("s1", [TEN], { earn: 50, changes: buyer(id, OTHER_PHONE) })).toBe(201);
    expect(await till.balance(OTHER)).toBe(50);
  });

  it("beside another member's phone enrols that member again", async () => {
    const { till, id } = await erased();
    const body = customer({ meta: { href: "", id }, phone: OTHER_PHONE, discountCardNumber: "888" });
    expect((await till.contract.post("/counterparty", body)).status).toBe(201);
    expect((await till.member(OTHER_PHONE)).id).toBe((await till.member("888")).id);
  });

  it("beside a phone that nobody has makes a new member, who is found by it from then on", async () => {
    const { till, id } = await erased();
    for (const sale of ["s1", "s2"]) expect(await till.sell(sale, [TEN], { earn: 50, changes: buyer(id, NEW_PHONE) })).toBe(201);
    expect(await till.balance(id)).toBe(100);
  });
});

describe("an identifier that damaged rows leave with an erased member", () => {
  it("goes to the buyer who states it, and does not hold up the sale", async () => {
    const { till, id } = await erased();
    await till.bench.store.commit((tx) => tx.updateTable("loyalty_members").set({ status: "erased" }).where("id", "!=", id).execute());
    expect(await till.sell("s1", [sold(10, 100)], { earn: 50, changes: buyer(BUYER, OTHER_PHONE) })).toBe(201);
    expect((await till.member(OTHER_PHONE)).id).toBe((await till.member()).id);
  });
});
