import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// What decisions.md of the sandbox decides where json-api is silent. Refusals come first.

describe("decided by the sandbox itself", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = { meta: (await openShift(sandbox, shop)).meta };
  });
  afterAll(() => sandbox.close());

  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const hrefOf = (answer: { at(...steps: (string | number)[]): unknown }) => String(answer.at("meta", "href"));
  const line = (quantity: number) => ({ assortment: shop.product, quantity, price: 100 });
  const sell = (more: object = {}) => sandbox.call("POST", "entity/retaildemand", { retailShift, positions: [line(3)], ...more });
  const place = () => ({ organization: shop.organization, store: shop.store, retailStore: shop.retailStore, agent: shop.buyer });
  const bringBack = (sale: SandboxAnswer, more: object = {}) =>
    sandbox.call("POST", "entity/retailsalesreturn", {
      ...{ ...place(), retailShift, demand: { meta: sale.at("meta") }, positions: [line(2)] },
      ...more,
    });
  const put = (href: string, body: object) => sandbox.call("PUT", href, body);

  it("a shift is not closed before it was opened", async () => {
    const shift = await openShift(sandbox, shop, { moment: "2026-01-10 09:00:00" });
    expect(faultOf(await put(shift.href, { closeDate: "2026-01-10 08:59:59" }))).toEqual([412, 3007]);
    expect((await put(shift.href, { closeDate: "2026-01-10 09:00:00" })).status).toBe(200);
    expect(faultOf(await put(shift.href, { moment: "2026-01-10 09:01:00" }))).toEqual([412, 3007]);
  });

  it("documents of a closed shift keep their lines, their sums and their shift; what it does not count may change", async () => {
    const shift = await openShift(sandbox, shop);
    const own = { retailShift: { meta: shift.meta } };
    const sale = await sell(own);
    const back = await bringBack(sale, own);
    const cash = await sandbox.call("POST", "entity/retaildrawercashin", {
      ...{ organization: shop.organization, agent: shop.employee, ...own, sum: 500 },
    });
    expect([sale.status, back.status, cash.status]).toEqual([200, 200, 200]);
    expect((await put(shift.href, { closeDate: "2099-01-01 00:00:00" })).status).toBe(200);
    const changes: [SandboxAnswer, object, number][] = [
      [sale, { positions: [line(4)] }, 3007],
      [sale, { cashSum: 200, noCashSum: 100 }, 3007],
      [sale, { applicable: false }, 3007],
      [sale, { retailShift }, 3007],
      [back, { positions: [line(1)] }, 19000],
      [back, { retailShift }, 19000],
      [cash, { sum: 501 }, 3007],
    ];
    for (const [document, change, code] of changes)
      expect([change, faultOf(await put(hrefOf(document), change))]).toEqual([change, [412, code]]);
    expect(faultOf(await sandbox.call("POST", `${hrefOf(sale)}/positions`, line(1)))).toEqual([412, 3007]);
    for (const document of [sale, back, cash]) expect((await put(hrefOf(document), { description: "иначе" })).status).toBe(200);
    const whole = await sandbox.call("GET", `${hrefOf(sale)}?expand=positions`);
    expect((await put(hrefOf(sale), whole.body as object)).status).toBe(200);
    await put(shift.href, { closeDate: null });
    expect((await put(hrefOf(sale), { positions: [line(4)] })).status).toBe(200);
  });

  it("a sale keeps what was returned of it", async () => {
    const sale = await sell();
    const back = await bringBack(sale);
    expect(faultOf(await put(hrefOf(sale), { positions: [line(1)] }))).toEqual([412, 3007]);
    expect(faultOf(await put(hrefOf(sale), { positions: [{ ...line(3), assortment: shop.otherProduct }] }))).toEqual([412, 3007]);
    expect((await put(hrefOf(sale), { positions: [line(2)] })).status).toBe(200);
    await sandbox.call("POST", `${hrefOf(back)}/trash`);
    expect((await put(hrefOf(sale), { positions: [line(1)] })).status).toBe(200);
  });

  it("nothing of a sale in the bin is returned", async () => {
    const sale = await sell();
    await sandbox.call("POST", `${hrefOf(sale)}/trash`);
    expect(faultOf(await bringBack(sale))).toEqual([412, 3007]);
  });

  it("a warehouse does not lie in itself, at whatever depth", async () => {
    const outer = await sandbox.call("POST", "entity/store", { name: "Внешний" });
    const inner = await sandbox.call("POST", "entity/store", { name: "Внутренний", parent: { meta: outer.at("meta") } });
    expect(inner.status).toBe(200);
    for (const parent of [outer, inner])
      expect(faultOf(await put(hrefOf(outer), { parent: { meta: parent.at("meta") } }))).toEqual([412, 3007]);
  });

  it("a point of sale is not its own master", async () => {
    const [first, second] = (await sandbox.call("GET", "entity/retailstore")).at("rows") as { meta: { href: string } }[];
    const masters = (...stores: unknown[]) => put(String(first?.meta.href), { masterRetailStores: stores });
    expect((await masters({ meta: second?.meta })).status).toBe(200);
    expect(faultOf(await masters({ meta: second?.meta }, { meta: first?.meta }))).toEqual([412, 3007]);
  });

  it("a rate below zero is 3002 in every document that has one", async () => {
    const currency = (await sandbox.call("GET", "entity/currency")).at("rows", 0, "meta");
    const rate = { currency: { meta: currency }, value: -1 };
    const sale = await sell({ rate });
    expect(sale.at("errors", 0)).toMatchObject({ code: 3002, parameter: "value" });
    const order = { organization: shop.organization, agent: shop.buyer, rate };
    expect(faultOf(await sandbox.call("POST", "entity/customerorder", order))).toEqual([412, 3002]);
    expect((await sell({ rate: { ...rate, value: 1 } })).status).toBe(200);
  });
});
