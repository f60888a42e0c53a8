import { describe, expect, it } from "vitest";
import { LOYALTY_KEY, LOYALTY_STORE } from "../../../support/loyalty-bench.ts";
import { BUYER, customer, store } from "../../../support/loyalty-contract.ts";
import { asked, goods, LoyaltyTill } from "../../../support/loyalty-till.ts";

const TEN = goods(1, 10, 100);
const THIEF = "c0ffee00-aaaa-4bbb-8ccc-00000000000a";
const STRANGER = "c0ffee00-aaaa-4bbb-8ccc-00000000000b";
const NEW_PHONE = "+7 999 000 00 02";
const CODED = { verification: { newCustomer: true } };

/** Returns the status of the answer. `statusCheck`: CHECKED unless it is stated. */
async function enrol(till: LoyaltyTill, changes: object): Promise<number> {
  return (await till.contract.post("/counterparty", customer(changes))).status;
}

function person(id: string, changes: object): object {
  return { meta: { href: "", id }, name: "Пётр", phone: NEW_PHONE, discountCardNumber: undefined, ...changes };
}

async function statusOf(till: LoyaltyTill, identity: object): Promise<number> {
  const body = { ...store(), meta: { href: "", id: STRANGER }, ...identity };
  return (await till.contract.post("/counterparty/detail", body)).status;
}

describe("a buyer with a confirmed phone who names the card of another", () => {
  it.each([
    ["beside the own phone", { phone: NEW_PHONE }],
    ["beside the own e-mail address", { phone: undefined, email: "thief@shop.example" }],
    ["alone", { phone: undefined }],
  ])("becomes a member without it: %s", async (_what, own) => {
    const till = await LoyaltyTill.open(CODED);
    await till.grant(500);
    expect(await enrol(till, person(THIEF, { ...own, discountCardNumber: "100-200" }))).toBe(201);
    expect([await till.balance(THIEF), await till.balance(), till.bench.anomalies]).toEqual([0, 500, ["identity-conflict"]]);
  });

  it("earns for nobody who has brought the card before it was handed out", async () => {
    const till = await LoyaltyTill.open(CODED);
    expect(await enrol(till, { discountCardNumber: "555-001", statusCheck: "UNCHECKED" })).toBe(201);
    await enrol(till, person(STRANGER, { discountCardNumber: "555-001" }));
    await till.sell("s1", [TEN], { by: STRANGER, earn: 50 });
    expect([await till.balance(), await till.balance(STRANGER)]).toEqual([0, 50]);
  });

  it("changes nothing of the card's member, and makes no new one, when nothing but the card is stated", async () => {
    const till = await LoyaltyTill.open(CODED);
    const nameless = { meta: null, name: "Пётр", phone: undefined, email: "thief@shop.example", discountCardNumber: "100-200" };
    for (let time = 0; time < 2; time++) expect(await enrol(till, nameless)).toBe(201);
    const rows = await till.bench.store.read((db) => db.selectFrom("loyalty_members").select("id").execute());
    const { email } = (await till.bench.members.personal(LOYALTY_KEY, rows[0]?.id ?? "")) ?? {};
    expect([rows.length, email]).toEqual([1, undefined]);
  });

  it.each([
    ["has a phone that cannot be read", { phone: "позвоните" }, { phone: NEW_PHONE }],
    ["has neither a phone nor an e-mail address", {}, { phone: NEW_PHONE }],
    ["has the confirmed e-mail address", { email: "Buyer@shop.example" }, { phone: undefined, email: "buyer@shop.example" }],
  ])("is the member of the card who %s", async (_what, known, stated) => {
    const till = await LoyaltyTill.open(CODED);
    await till.contract.enrol(person(STRANGER, { phone: undefined, discountCardNumber: "777", ...known }));
    await till.grant(500, STRANGER);
    await enrol(till, person(THIEF, { discountCardNumber: "777", ...stated }));
    expect(await till.balance(THIEF)).toBe(500);
  });
});

describe("a cashier who changes where codes are sent", () => {
  it.each([
    ["a new e-mail address", { email: "thief@shop.example" }],
    ["a new e-mail address beside an unreadable phone", { email: "thief@shop.example", phone: "позвоните мне" }],
  ])("is asked for a code: %s", async (_what, changes) => {
    const till = await LoyaltyTill.open(CODED);
    expect(await enrol(till, { ...changes, statusCheck: "UNCHECKED" })).toBe(412);
  });

  it("is asked for none with the address that the member has", async () => {
    const till = await LoyaltyTill.open(CODED);
    await enrol(till, { email: "Buyer@shop.example" });
    expect(await enrol(till, { email: "buyer@shop.example ", statusCheck: "UNCHECKED" })).toBe(201);
  });

  it("leaves the phone in force by one that cannot be read", async () => {
    const till = await LoyaltyTill.open();
    await enrol(till, { phone: "позвоните мне", email: "thief@shop.example" });
    await till.contract.post("/retaildemand/verify", { retailStore: { meta: { href: "", id: LOYALTY_STORE } }, counterpartyId: BUYER });
    expect(till.bench.messages.map(({ phone }) => phone)).toEqual(["+79039993344"]);
  });
});

describe("a member with a new phone", () => {
  it("shares no points with whoever gets the number before it", async () => {
    const till = await LoyaltyTill.open(CODED);
    await till.grant(500);
    await enrol(till, { phone: NEW_PHONE });
    await enrol(till, person(STRANGER, { phone: "+7 903 999-33-44" }));
    await till.sell("s1", [TEN], { by: STRANGER, earn: 50 });
    expect([await till.balance(), await till.balance(STRANGER), await statusOf(till, { phone: NEW_PHONE })]).toEqual([500, 50, 200]);
  });

  it("keeps the phone beside one that another member has, and both phones after a merge", async () => {
    const till = await LoyaltyTill.open();
    await till.enrolOther();
    await enrol(till, { phone: "+79990000001" });
    expect(await statusOf(till, { phone: "+79039993344" })).toBe(200);
    await till.merge();
    for (const phone of ["+79039993344", "+79990000001"]) await enrol(till, { phone });
    expect([await statusOf(till, { phone: "+79039993344" }), await statusOf(till, { phone: "+79990000001" })]).toEqual([200, 200]);
  });
});

describe("a buyer who is enrolled on sight", () => {
  it("takes no phone and no card of somebody who joins later, where new customers need a code", async () => {
    const till = await LoyaltyTill.open({ ...CODED, enrolOnSight: true });
    const agent = { meta: { href: "", id: THIEF }, phone: NEW_PHONE, discountCardNumber: "777" };
    await till.sell("s1", [TEN], { earn: 50, changes: { agent } });
    expect([await statusOf(till, { phone: NEW_PHONE }), await statusOf(till, { discountCardNumber: "777" })]).toEqual([404, 404]);
    await enrol(till, person(STRANGER, { discountCardNumber: "777" }));
    await till.sell("s2", [TEN], { by: STRANGER, earn: 50 });
    expect([await till.balance(THIEF), await till.balance(STRANGER)]).toEqual([50, 50]);
  });
});

describe("a phone or a card in another spelling", () => {
  it.each([
    ["+7\u00a0903\u2009999\u201133\u201144", 200],
    ["8(903)9993344", 200],
    ["007 903 999 33 44", 200],
    ["810 7 903 9993344", 200],
    ["９０３９９９３３４４", 404],
    ["903\u200b9993344", 404],
    ["19039993344", 404],
    ["+7903999334", 404],
  ])("is the member's phone or nobody's: %s", async (phone, status) => {
    expect(await statusOf(await LoyaltyTill.open(), { phone })).toBe(status);
  });

  it.each([
    [" 1 0 0-2 0 0", 200],
    ["100\u00a0200", 200],
    ["100–200", 404],
    ["1OO200", 404],
  ])("is the member's card or nobody's: %s", async (discountCardNumber, status) => {
    expect(await statusOf(await LoyaltyTill.open(), { discountCardNumber })).toBe(status);
  });
});

describe("a birthday that no calendar has", () => {
  it.each(["1900-00-00", "1990-11-31", "2000-13-01", "2001-02-30"])("brings nothing on any day: %s", async (birthDate) => {
    const rules = [{ id: "birthday", effect: "points", value: 500, when: { birthdayWithinDays: 183 } }];
    const till = await LoyaltyTill.open({ rules });
    await till.contract.enrol({ birthDate });
    expect((await till.quote([asked(1, 10, 100)])).earn).toBe(50);
  });
});
