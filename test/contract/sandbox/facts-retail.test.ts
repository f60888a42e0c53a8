import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxAnswer, TestSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopOnShift } from "../../support/sandbox-shop.ts";

// Rules of json-api 12 and 13.9 that are not in the files of the documents.

describe("retail documents and orders", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let shift: { meta: unknown; href: string };
  beforeAll(async () => {
    ({ sandbox, shop, shift } = await shopOnShift());
  });
  afterAll(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown) => sandbox.call(method, path, body);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const line = (more: object = {}) => ({ assortment: shop.product, quantity: 2, price: 10000, ...more });
  const sell = (more: object = {}) =>
    call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions: [line()], ...more });
  const giveBack = (more: object = {}) =>
    call("POST", "entity/retailsalesreturn", {
      ...{ organization: shop.organization, store: shop.store, retailStore: shop.retailStore, agent: shop.buyer },
      ...{ retailShift: { meta: shift.meta }, positions: [line()], cashSum: 20000, noCashSum: 0 },
      ...more,
    });
  const withAccounts = async (type: string) => {
    const made = await call("POST", `entity/${type}?expand=accounts`, {
      name: "Со счётом",
      accounts: [{ accountNumber: "1" }, { accountNumber: "2" }],
    });
    const account = (at: number) => ({ meta: made.at("accounts", "rows", at, "meta") });
    return { reference: { meta: made.at("meta") }, accounts: [account(0), account(1)] as const };
  };

  describe("a shift", () => {
    it("is open while it has no closeDate, is closed by PUT with one, and opened again by null (D25)", async () => {
      const { href } = await openShift(sandbox, shop);
      expect((await call("GET", href)).at("closeDate")).toBeUndefined();
      expect((await call("PUT", href, { closeDate: "2099-12-31 23:59:00" })).at("closeDate")).toBe("2099-12-31 23:59:00");
      expect((await call("PUT", href, { closeDate: null })).at("closeDate")).toBeUndefined();
    });

    it("may be opened beside another open one of its point of sale (D25)", async () => {
      expect((await openShift(sandbox, shop)).href).not.toBe((await openShift(sandbox, shop)).href);
    });

    it("keeps what a register said of its opening and closing, and is {} again after null", async () => {
      const { href } = await openShift(sandbox, shop);
      const start = { fnNumber: "9999078900001234", kktRegNumber: "0000000001012345", fiscalDocSign: "1234567890" };
      const cheque = {
        start: { ...start, shiftNumber: "1", fiscalDocNumber: "5", time: "2026-01-05 09:00:07" },
        end: { ...start, shiftNumber: "1", fiscalDocNumber: "9", time: "2026-01-05 21:00:07", chequesTotal: 3, fiscalDocsTotal: 5 },
      };
      expect((await call("PUT", href, { cheque })).at("cheque")).toEqual(cheque);
      expect((await call("PUT", href, { cheque: null })).at("cheque")).toEqual({});
    });

    it.each([
      [{ start: [] }, 2002],
      [{ end: "закрыта" }, 2002],
      [{ start: { fnNumber: 9999078900001234 } }, 2016],
      [{ start: { time: "вчера" } }, 2015],
      [{ end: { chequesTotal: "3" } }, 2016],
      [{ end: { fiscalDocsTotal: 1.5 } }, 2016],
    ])("has no cheque like %j: %i", async (cheque, code) => {
      expect(faultOf(await call("PUT", shift.href, { cheque }))).toEqual([400, code]);
    });

    it("has no fee and nothing received below zero (3002)", async () => {
      for (const name of ["bankComission", "qrBankComission", "receivedCash", "receivedNoCash"]) {
        const answer = await call("PUT", shift.href, { [name]: -1 });
        expect([...faultOf(answer), answer.at("errors", 0, "parameter")]).toEqual([412, 3002, name]);
      }
    });

    it("has percents from 0 to 100, and a fee for QR not above its QR turnover (12026)", async () => {
      const own = await openShift(sandbox, shop);
      const put = (body: object) => call("PUT", own.href, body);
      for (const name of ["bankPercent", "qrBankPercent"]) {
        for (const good of [0, 2.5, 100]) expect((await put({ [name]: good })).at(name)).toBe(good);
        for (const bad of [-1, 100.1]) expect([name, bad, (await put({ [name]: bad })).status]).toEqual([name, bad, 412]);
      }
      expect(faultOf(await put({ qrBankComission: 1 }))).toEqual([412, 12026]);
      await sell({ retailShift: { meta: own.meta }, qrSum: 20000 });
      expect((await put({ qrBankComission: 20000 })).at("qrBankComission")).toBe(20000);
      expect(faultOf(await put({ bankComission: 1 }))).toEqual([412, 12026]);
    });

    it("lists sales, returns and drawer operations in operations, and has no payments of its own", async () => {
      const own = await openShift(sandbox, shop);
      const retailShift = { meta: own.meta };
      await sell({ retailShift });
      await giveBack({ retailShift });
      for (const type of ["retaildrawercashin", "retaildrawercashout"]) {
        await call("POST", `entity/${type}`, { organization: shop.organization, agent: shop.employee, retailShift, sum: 100 });
      }
      const read = await call("GET", own.href);
      expect((read.at("operations") as { meta: { type: string } }[]).map(({ meta }) => meta.type).sort()).toEqual([
        "retaildemand",
        "retaildrawercashin",
        "retaildrawercashout",
        "retailsalesreturn",
      ]);
      expect(read.at("paymentOperations")).toEqual([]);
      expect(read.body).toMatchObject({ proceedsCash: 0, receivedCash: 0 });
    });
  });

  describe("a sale", () => {
    it("has a line without a price, a quantity and VAT at their defaults", async () => {
      const sale = await call("POST", "entity/retaildemand?expand=positions", {
        ...{ retailShift: { meta: shift.meta }, positions: [{ assortment: shop.service }] },
      });
      expect(sale.at("positions", "rows", 0)).toMatchObject({ quantity: 1, price: 0, discount: 0, vat: 0, vatEnabled: false });
    });

    it("tells 0 % from no VAT by vatEnabled", async () => {
      const positions = [line({ vat: 0, vatEnabled: true }), line({ vat: 0, vatEnabled: false })];
      const sale = await call("POST", "entity/retaildemand?expand=positions", { retailShift: { meta: shift.meta }, positions });
      const lines = sale.at("positions", "rows") as { vat: number; vatEnabled: boolean }[];
      expect(lines.map(({ vat, vatEnabled }) => [vat, vatEnabled])).toEqual([
        [0, true],
        [0, false],
      ]);
      expect(sale.at("vatSum")).toBe(0);
    });

    it("that is unposted counts in no sum of its shift, and posted again it does", async () => {
      const own = await openShift(sandbox, shop);
      const sale = await sell({ retailShift: { meta: own.meta }, applicable: false });
      expect((await call("GET", own.href)).at("proceedsCash")).toBe(0);
      await call("PUT", String(sale.at("meta", "href")), { applicable: true });
      expect((await call("GET", own.href)).at("proceedsCash")).toBe(20000);
    });

    it("keeps gift cards with their names; what a card paid is not for a body to say", async () => {
      expect((await sell({ giftCards: [{ name: "К-1", paymentSum: 500 }] })).at("giftCards")).toEqual([{ name: "К-1" }]);
      expect(faultOf(await sell({ giftCards: [{ name: 5 }] }))).toEqual([400, 2016]);
    });

    it.each([
      ["pack", "коробка", 2002],
      ["pack", [], 2002],
      ["pack", { quantity: "6" }, 2016],
      ["pack", { id: "коробка" }, 1052],
      ["pack", { uom: {} }, 2014],
      ["trackingCodes", "код", 2003],
      ["trackingCodes", ["код"], 3012],
      ["trackingCodes_1162", {}, 2003],
      ["trackingCodes_1162", [5], 3012],
    ])("has no line whose %s is %j: %i", async (name, value, code) => {
      const answer = await sell({ positions: [{ assortment: shop.product, quantity: 1, price: 100, [name]: value }] });
      expect(faultOf(answer)[1]).toBe(code);
    });

    it("has the tax system of its point of sale unless it says otherwise", async () => {
      const store = (shop.retailStore.meta as { href: string }).href;
      const own = (await call("GET", store)).at("defaultTaxSystem");
      expect((await sell()).at("taxSystem")).toBe(own);
      expect((await sell({ taxSystem: "PATENT_BASED" })).at("taxSystem")).toBe("PATENT_BASED");
      expect(faultOf(await sell({ taxSystem: "TAX_SYSTEM_SAME_AS_GROUP" }))).toEqual([400, 2029]);
    });
  });

  describe("a return", () => {
    it("has the organization and currency of its sale (3004)", async () => {
      const demand = { meta: (await sell()).at("meta") };
      const other = await call("POST", "entity/organization", { name: "Другая" });
      const organization = await giveBack({ demand, organization: { meta: other.at("meta") } });
      expect([...faultOf(organization), organization.at("errors", 0, "parameter")]).toEqual([412, 3004, "organization"]);
      const currency = await call("POST", "entity/currency", { name: "юань", isoCode: "CNY", code: "156", rate: 12 });
      const rate = { currency: { meta: currency.at("meta") }, value: 12 };
      expect(faultOf(await giveBack({ demand, rate }))).toEqual([412, 3004]);
    });

    it("on a change keeps its buyer's account and its sale (3001), and takes no line of another document (1046)", async () => {
      const sale = await sell();
      const made = await giveBack({ demand: { meta: sale.at("meta") } });
      const href = String(made.at("meta", "href"));
      expect(faultOf(await call("PUT", href, { demand: { meta: (await sell()).at("meta") } }))).toEqual([412, 3001]);
      expect(faultOf(await call("PUT", href, { demand: null }))).toEqual([412, 3001]);
      const foreign = (await call("GET", `${String(sale.at("meta", "href"))}/positions`)).at("rows", 0, "id");
      expect(faultOf(await call("PUT", href, { positions: [{ id: foreign, quantity: 1 }] }))).toEqual([412, 1046]);
    });

    it("whose organization changes needs that one's account too (17000)", async () => {
      const { reference, accounts } = await withAccounts("organization");
      const made = await giveBack();
      const href = String(made.at("meta", "href"));
      expect(faultOf(await call("PUT", href, { organization: reference }))).toEqual([412, 17000]);
      expect((await call("PUT", href, { organization: reference, organizationAccount: accounts[0] })).status).toBe(200);
    });

    it("has no prepayment, advance, gift cards, customer order or receipt data: such fields are ignored", async () => {
      const sent = {
        prepaymentCashSum: 5,
        advancePaymentSum: 5,
        giftCards: [{ name: "К" }],
        customerOrder: {},
        cheque: {},
        checkNumber: 1,
      };
      const made = await giveBack(sent);
      expect(made.status).toBe(200);
      for (const name of Object.keys(sent)) expect([name, made.at(name)]).toEqual([name, undefined]);
    });

    it("may go without a number of its own (D30)", async () => {
      expect((await giveBack()).at("name")).toMatch(/^\d{5}$/);
      expect((await giveBack({ name: "В-77" })).at("name")).toBe("В-77");
    });
  });

  describe("a bank account of somebody else", () => {
    it("is refused in every document that names one: 17000 of an organization, 17001 of a buyer", async () => {
      const firm = await withAccounts("organization");
      const buyer = await withAccounts("counterparty");
      const order = (more: object) => call("POST", "entity/customerorder", { organization: shop.organization, agent: shop.buyer, ...more });
      const opening = (more: object) =>
        call("POST", "entity/retailshift", { organization: shop.organization, retailStore: shop.retailStore, ...more });
      for (const make of [order, sell, giveBack, opening]) {
        const foreign = await make({ organizationAccount: firm.accounts[0] });
        expect([...faultOf(foreign), foreign.at("errors", 0, "parameter")]).toEqual([412, 17000, "organizationAccount"]);
        const own = await make({ organization: firm.reference, organizationAccount: firm.accounts[1] });
        expect(own.status, own.text).toBe(200);
      }
      for (const make of [order, sell, giveBack]) {
        const foreign = await make({ agentAccount: buyer.accounts[0] });
        expect([...faultOf(foreign), foreign.at("errors", 0, "parameter")]).toEqual([412, 17001, "agentAccount"]);
        expect((await make({ agent: buyer.reference, agentAccount: buyer.accounts[1] })).status).toBe(200);
        expect(faultOf(await make({ agentAccount: firm.accounts[0] }))).toEqual([412, 17001]);
      }
    });

    it("is looked at only when it or its party changes", async () => {
      const buyer = await withAccounts("counterparty");
      const made = await sell({ agent: buyer.reference, agentAccount: buyer.accounts[0] });
      const href = String(made.at("meta", "href"));
      expect(faultOf(await call("PUT", href, { agent: shop.buyer }))).toEqual([412, 17001]);
      await call("DELETE", String((buyer.accounts[0].meta as { href: string }).href));
      expect((await call("PUT", href, { description: "Счёт закрыт" })).status).toBe(200);
    });
  });

  describe("drawer operations", () => {
    const put = (type: string, more: object = {}) =>
      call("POST", `entity/${type}`, {
        organization: shop.organization,
        agent: shop.employee,
        retailShift: { meta: shift.meta },
        sum: 5000,
        ...more,
      });

    it("have a code on cash-out only", async () => {
      expect((await put("retaildrawercashin", { code: "К-1" })).at("code")).toBeUndefined();
      expect((await put("retaildrawercashout", { code: "К-1" })).at("code")).toBe("К-1");
    });

    it.each(["retaildrawercashin", "retaildrawercashout"])(
      "a %s needs a sum above zero (D33), and keeps it over a change of other fields",
      async (type) => {
        for (const sum of [0, -1]) expect(faultOf(await put(type, { sum }))).toEqual([412, 3003]);
        expect((await put(type, { sum: undefined })).status).toBe(412);
        const made = await put(type);
        expect((await call("PUT", String(made.at("meta", "href")), { description: "сдача" })).body).toMatchObject({
          sum: 5000,
          description: "сдача",
        });
        expect((await call("PUT", String(made.at("meta", "href")), { sum: 6000 })).at("sum")).toBe(6000);
      },
    );
  });

  describe("a customer order", () => {
    const order = (more: object = {}) =>
      call("POST", "entity/customerorder", { organization: shop.organization, agent: shop.buyer, ...more });

    it("needs organization and agent, and nothing of retail", async () => {
      const refused = await call("POST", "entity/customerorder", {});
      expect((refused.at("errors") as { parameter: string }[]).map(({ parameter }) => parameter).sort()).toEqual(["agent", "organization"]);
      expect((await order()).status).toBe(200);
    });

    it("whose organization or agent changes needs the matching account in the same request (17000, 17001)", async () => {
      const [ours, theirs] = [await withAccounts("organization"), await withAccounts("counterparty")];
      const made = await order({
        ...{
          organization: ours.reference,
          organizationAccount: ours.accounts[0],
          agent: theirs.reference,
          agentAccount: theirs.accounts[0],
        },
      });
      expect(made.status, made.text).toBe(200);
      const href = String(made.at("meta", "href"));
      expect(faultOf(await call("PUT", href, { organization: shop.organization }))).toEqual([412, 17000]);
      expect(faultOf(await call("PUT", href, { agent: shop.buyer }))).toEqual([412, 17001]);
      expect(
        (await call("PUT", href, { agent: shop.buyer, agentAccount: null, organization: shop.organization, organizationAccount: null }))
          .status,
      ).toBe(200);
    });

    it("reserves no more than the line's quantity (17003), and adds the reserves up", async () => {
      expect(faultOf(await order({ positions: [line({ reserve: 3 })] }))).toEqual([412, 17003]);
      const made = await order({ positions: [line({ reserve: 1 }), line({ reserve: 2 })] });
      expect(made.body).toMatchObject({ sum: 40000, reservedSum: 30000, shippedSum: 0, payedSum: 0, invoicedSum: 0 });
    });

    it("has lines with shipped 0, whatever a body says, and a tax system of their own", async () => {
      const made = await call("POST", "entity/customerorder?expand=positions", {
        ...{ organization: shop.organization, agent: shop.buyer, positions: [line({ shipped: 1, taxSystem: "PATENT_BASED" })] },
      });
      expect(made.at("positions", "rows", 0)).toMatchObject({
        meta: { type: "customerorderposition" },
        shipped: 0,
        taxSystem: "PATENT_BASED",
      });
    });

    it("is no stranger to a sale: the sale names it", async () => {
      const made = await order({ positions: [line()] });
      const sale = await sell({ customerOrder: { meta: made.at("meta") } });
      expect(sale.at("customerOrder", "meta", "href")).toBe(made.at("meta", "href"));
      expect((await call("DELETE", String(made.at("meta", "href")))).status).toBe(409);
    });
  });

  it("system units cannot be changed (1024) or deleted (1025)", async () => {
    const { href } = shopReference(sandbox, "uom", "шт").meta;
    expect(faultOf(await call("PUT", href, { name: "штука" }))).toEqual([412, 1024]);
    expect(faultOf(await call("DELETE", href))).toEqual([412, 1025]);
  });
});
