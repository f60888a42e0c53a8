import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

describe("codes that few requests meet in the sandbox (10.3)", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => sandbox.close());

  const codeOf = (answer: SandboxAnswer, ...steps: (string | number)[]) => [answer.status, answer.at(...steps, "errors", 0, "code")];
  const state = (type: string, name: string) =>
    sandbox
      .call("POST", `entity/${type}/metadata/states`, { name, color: 255, stateType: "Regular" })
      .then((made) => ({ meta: made.at("meta") }));

  it("1012: an element of a deletion names no id", async () => {
    const order = await sandbox.call("POST", "entity/customerorder", { organization: shop.organization, agent: shop.buyer });
    const href = String(order.at("meta", "href"));
    for (const list of ["positions", "files"])
      expect(codeOf(await sandbox.call("POST", `${href}/${list}/delete`, [{}]))).toEqual([400, 1012]);
  });

  it("1068: a shift is opened at a point of sale that is switched off", async () => {
    const store = await sandbox.call("POST", "entity/retailstore", {
      name: "Закрытый ларёк",
      organization: shop.organization,
      store: shop.store,
      priceType: shopReference(sandbox, "pricetype"),
      active: false,
    });
    const shift = { organization: shop.organization, retailStore: { meta: store.at("meta") } };
    const refused = await sandbox.call("POST", "entity/retailshift", shift);
    expect([...codeOf(refused), refused.at("errors", 0, "parameter")]).toEqual([412, 1068, "retailStore"]);
    await sandbox.call("PUT", String(store.at("meta", "href")), { active: true });
    const opened = await sandbox.call("POST", "entity/retailshift", shift);
    expect(opened.status).toBe(200);
    await sandbox.call("PUT", String(store.at("meta", "href")), { active: false });
    expect((await sandbox.call("PUT", String(opened.at("meta", "href")), { closeDate: opened.at("moment") })).status).toBe(200);
  });

  it("1089, 3042 and 3043: a write whose answer cannot be given as it is wished for is none", async () => {
    const made = await sandbox.call("POST", "entity/product", { name: "Чай" });
    for (const [wish, code] of Object.entries({ "expand=нечто": 1089, "fields=stock,declaration": 3042, "fields=нечто": 3043 })) {
      expect(codeOf(await sandbox.call("POST", `entity/product?${wish}`, { name: "Лишний" })), wish).toEqual([412, code]);
      expect(codeOf(await sandbox.call("PUT", `${String(made.at("meta", "href"))}?${wish}`, { name: "Лишний" })), wish).toEqual([
        412,
        code,
      ]);
    }
    expect((await sandbox.call("GET", "entity/product?filter=name=Лишний")).at("meta", "size")).toBe(0);
  });

  it("2024: an element of a mass write is of another type than the address", async () => {
    for (const path of ["entity/product", "entity/product/delete"])
      expect(codeOf(await sandbox.call("POST", path, [shop.store]), 0)).toEqual([400, 2024]);
  });

  it("11002: a state belongs to another type, in a document and among those of a point of sale", async () => {
    const [ofOrders, ofSales] = [await state("customerorder", "Ждёт кассу"), await state("retaildemand", "Ждёт чек")];
    const retailShift = { meta: (await openShift(sandbox, shop)).meta };
    expect((await sandbox.call("POST", "entity/retaildemand", { retailShift, state: ofSales })).status).toBe(200);
    const refused = await sandbox.call("POST", "entity/retaildemand", { retailShift, state: ofOrders });
    expect([...codeOf(refused), refused.at("errors", 0, "parameter")]).toEqual([412, 11002, "state"]);
    const store = String((shop.retailStore.meta as { href: string }).href);
    for (const body of [{ orderToState: ofSales }, { createOrderWithState: ofSales }, { customerOrderStates: [ofOrders, ofSales] }])
      expect(codeOf(await sandbox.call("PUT", store, body)), JSON.stringify(body)).toEqual([412, 11002]);
    expect((await sandbox.call("PUT", store, { orderToState: ofOrders, customerOrderStates: [ofOrders] })).status).toBe(200);
  });
});
