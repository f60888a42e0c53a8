import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

describe("shifts, drawer and returns of the sandbox", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => sandbox.close());

  const line = (more: object = {}) => ({ assortment: shop.product, quantity: 2, price: 10000, ...more });
  const sell = async (shift: { meta: unknown }, more: object = {}) => {
    const sale = await sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions: [line()], ...more });
    expect(sale.status, sale.text).toBe(200);
    return { meta: sale.at("meta"), href: String(sale.at("meta", "href")) };
  };
  const giveBack = (shift: { meta: unknown }, more: object = {}) =>
    sandbox.call("POST", "entity/retailsalesreturn", {
      organization: shop.organization,
      store: shop.store,
      retailStore: shop.retailStore,
      retailShift: { meta: shift.meta },
      agent: shop.buyer,
      ...more,
    });

  it("a shift needs organization and point of sale, and takes its warehouse from there", async () => {
    const refused = await sandbox.call("POST", "entity/retailshift", {});
    expect([0, 1].map((at) => refused.at("errors", at, "parameter"))).toEqual(["organization", "retailStore"]);
    const shift = await openShift(sandbox, shop);
    const read = await sandbox.call("GET", shift.href);
    expect(read.at("store", "meta", "type")).toBe("store");
    expect(read.body).toMatchObject({
      shared: false,
      printed: false,
      published: false,
      cheque: {},
      operations: [],
      bankComission: 0,
      bankPercent: 0,
    });
    expect(read.at("name")).toMatch(/^\d{5}$/);
    expect(read.at("closeDate")).toBeUndefined();
    for (const absent of ["applicable", "state", "sum", "code"]) expect(read.at(absent), absent).toBeUndefined();
  });

  it("its sums are posted sales less posted returns, and operations lists its documents", async () => {
    const shift = await openShift(sandbox, shop);
    const sale = await sell(shift, { noCashSum: 5000 });
    await sell(shift, { applicable: false });
    await sell(shift, { qrSum: 20000 });
    await giveBack(shift, { demand: { meta: sale.meta }, positions: [line({ quantity: 1 })] });
    const read = await sandbox.call("GET", shift.href);
    expect(read.body).toMatchObject({ proceedsCash: 5000, proceedsNoCash: 25000, receivedCash: 5000, receivedNoCash: 25000 });
    expect(read.at("operations")).toHaveLength(4);
    expect(read.at("operations", 3, "meta", "type")).toBe("retailsalesreturn");
  });

  it("a closed shift takes no sale and no drawer operation, and no return with its own code", async () => {
    const shift = await openShift(sandbox, shop);
    const sale = await sell(shift);
    expect((await sandbox.call("PUT", shift.href, { closeDate: "2099-01-01 00:00:00" })).at("closeDate")).toBe("2099-01-01 00:00:00");
    const late = await sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions: [line()] });
    expect([late.status, late.at("errors", 0, "code")]).toEqual([412, 3007]);
    expect((await giveBack(shift, { demand: { meta: sale.meta }, positions: [line()] })).at("errors", 0, "code")).toBe(19000);
    const drawer = { organization: shop.organization, agent: shop.employee, retailShift: { meta: shift.meta }, sum: 100 };
    expect((await sandbox.call("POST", "entity/retaildrawercashin", drawer)).at("errors", 0, "code")).toBe(3007);
    // json-api D25: null opens the shift again.
    expect((await sandbox.call("PUT", shift.href, { closeDate: null })).at("closeDate")).toBeUndefined();
    await sell(shift);
  });

  it("a syncId of a closed shift is 12001, of one in the bin 12000", async () => {
    const syncId = "11111111-2222-4333-8444-000000000001";
    const shift = await openShift(sandbox, shop, { syncId });
    expect((await openShift(sandbox, shop, { syncId })).href).toBe(shift.href);
    await sandbox.call("PUT", shift.href, { closeDate: "2099-01-01 00:00:00" });
    const body = { organization: shop.organization, retailStore: shop.retailStore, syncId };
    expect((await sandbox.call("POST", "entity/retailshift", body)).at("errors", 0, "code")).toBe(12001);
    await sandbox.call("POST", `${shift.href}/trash`);
    expect((await sandbox.call("POST", "entity/retailshift", body)).at("errors", 0, "code")).toBe(12000);
  });

  it("a fee above the turnover is 12026", async () => {
    const shift = await openShift(sandbox, shop);
    await sell(shift, { noCashSum: 20000 });
    expect((await sandbox.call("PUT", shift.href, { bankComission: 20001 })).at("errors", 0, "code")).toBe(12026);
    expect((await sandbox.call("PUT", shift.href, { bankComission: 20000 })).status).toBe(200);
  });

  it("created, receivedCash and receivedNoCash are taken when sent, proceeds are not", async () => {
    const shift = await openShift(sandbox, shop, { created: "2024-05-06 07:08:09", receivedCash: 5, proceedsCash: 7 });
    expect((await sandbox.call("GET", shift.href)).body).toMatchObject({
      created: "2024-05-06 07:08:09",
      receivedCash: 5,
      proceedsCash: 0,
    });
  });

  it("drawer operations need an employee and a sum above zero", async () => {
    const shift = await openShift(sandbox, shop);
    const put = (type: string, more: object) =>
      sandbox.call("POST", `entity/${type}`, {
        organization: shop.organization,
        agent: shop.employee,
        retailShift: { meta: shift.meta },
        sum: 50000,
        ...more,
      });
    expect((await put("retaildrawercashin", {})).body).toMatchObject({ sum: 50000, applicable: true });
    expect((await put("retaildrawercashout", { code: "A" })).body).toMatchObject({ sum: 50000, code: "A" });
    expect((await put("retaildrawercashin", { sum: 0 })).at("errors", 0, "code")).toBe(3003);
    expect((await put("retaildrawercashout", { agent: shop.buyer })).at("errors", 0, "code")).toBe(2027);
  });

  it("a return needs its parties, and without a sale also both sums", async () => {
    const bare = await sandbox.call("POST", "entity/retailsalesreturn", {});
    const missing = (bare.at("errors") as { parameter: string }[]).map(({ parameter }) => parameter);
    expect(missing.sort()).toEqual(["agent", "organization", "retailShift", "retailStore", "store"]);
    const shift = await openShift(sandbox, shop);
    expect((await giveBack(shift, { positions: [line()] })).at("errors", 0, "code")).toBe(19001);
    expect((await giveBack(shift, { positions: [line()], cashSum: 15000, noCashSum: 5000 })).body).toMatchObject({
      sum: 20000,
      cashSum: 15000,
    });
  });

  it("sums of a return may differ from its total by less than ten minor units", async () => {
    const shift = await openShift(sandbox, shop);
    expect((await giveBack(shift, { positions: [line()], cashSum: 19991, noCashSum: 0 })).status).toBe(200);
    expect((await giveBack(shift, { positions: [line()], cashSum: 19990, noCashSum: 0 })).at("errors", 0, "code")).toBe(19002);
  });

  it("a return has the buyer of its sale, only its goods, and over all returns no more than was sold", async () => {
    const shift = await openShift(sandbox, shop);
    const sale = await sell(shift);
    const demand = { meta: sale.meta };
    expect((await giveBack(shift, { demand, agent: shop.otherBuyer, positions: [line()] })).at("errors", 0)).toMatchObject({
      code: 3004,
      parameter: "agent",
    });
    expect((await giveBack(shift, { demand, positions: [line({ assortment: shop.otherProduct })] })).at("errors", 0, "code")).toBe(3007);
    expect((await giveBack(shift, { demand, positions: [line({ quantity: 1 })] })).status).toBe(200);
    expect((await giveBack(shift, { demand, positions: [line({ quantity: 2 })] })).at("errors", 0, "code")).toBe(3007);
    expect((await giveBack(shift, { demand, positions: [line({ quantity: 1 })] })).status).toBe(200);
  });

  it("a sale by QR goes back by QR only, one by card not above what the card paid", async () => {
    const shift = await openShift(sandbox, shop);
    const byQr = { meta: (await sell(shift, { qrSum: 20000 })).meta };
    expect((await giveBack(shift, { demand: byQr, positions: [line()], cashSum: 20000 })).at("errors", 0, "code")).toBe(19003);
    expect((await giveBack(shift, { demand: byQr, positions: [line()] })).body).toMatchObject({ qrSum: 20000, cashSum: 0 });
    const byCard = { meta: (await sell(shift, { noCashSum: 5000 })).meta };
    expect((await giveBack(shift, { demand: byCard, positions: [line()], qrSum: 20000 })).at("errors", 0, "code")).toBe(19004);
    expect((await giveBack(shift, { demand: byCard, positions: [line()], cashSum: 10000, noCashSum: 10000 })).at("errors", 0, "code")).toBe(
      19005,
    );
  });

  it("over all its returns a card gets back no more than it paid", async () => {
    const shift = await openShift(sandbox, shop);
    const demand = { meta: (await sell(shift, { noCashSum: 10000 })).meta };
    const half = { demand, positions: [line({ quantity: 1 })], noCashSum: 10000, cashSum: 0 };
    expect((await giveBack(shift, half)).status).toBe(200);
    expect((await giveBack(shift, half)).at("errors", 0, "code")).toBe(19005);
  });

  it("a change of a return moves neither buyer nor sale", async () => {
    const shift = await openShift(sandbox, shop);
    const made = await giveBack(shift, { positions: [line()], cashSum: 20000, noCashSum: 0 });
    const href = String(made.at("meta", "href"));
    expect((await sandbox.call("PUT", href, { agent: shop.otherBuyer })).at("errors", 0)).toMatchObject({ code: 3001, parameter: "agent" });
    expect((await sandbox.call("PUT", href, { description: "брак" })).at("description")).toBe("брак");
  });

  it("a point of sale with documents is in use: 409 and 1028 with references", async () => {
    const shift = await openShift(sandbox, shop);
    const sale = await sell(shift);
    const refused = await sandbox.call("DELETE", shift.href);
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([409, 1028]);
    expect(JSON.stringify(refused.at("errors", 0, "dependencies"))).toContain(sale.href);
  });
});

describe("a sandbox with singleOpenShift and enforced flags of returns", () => {
  it("refuses a second open shift and a return without a receipt", async () => {
    const sandbox = await testSandbox({ settings: { singleOpenShift: true, enforceReturnFlags: true } });
    const shop = await shopReferences(sandbox);
    const shift = await openShift(sandbox, shop);
    const second = await sandbox.call("POST", "entity/retailshift", { organization: shop.organization, retailStore: shop.retailStore });
    expect(second.at("errors", 0, "code")).toBe(3007);
    const bare = await sandbox.call("POST", "entity/retailsalesreturn", {
      ...{ organization: shop.organization, store: shop.store, retailStore: shop.retailStore, agent: shop.buyer },
      ...{ retailShift: { meta: shift.meta }, cashSum: 0, noCashSum: 0 },
    });
    expect(bare.at("errors", 0, "code")).toBe(3007);
    await sandbox.close();
  });
});
