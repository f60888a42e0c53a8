import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMPLOYEE, type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
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
    for (const [wish, code] of Object.entries({
      "expand=owner.owner.owner.owner": 1089,
      "fields=stock,declaration": 3042,
      "fields=нечто": 3043,
    })) {
      expect(codeOf(await sandbox.call("POST", `entity/product?${wish}`, { name: "Лишний" })), wish).toEqual([412, code]);
      expect(codeOf(await sandbox.call("PUT", `${String(made.at("meta", "href"))}?${wish}`, { name: "Лишний" })), wish).toEqual([
        412,
        code,
      ]);
      expect(codeOf(await sandbox.call("POST", `entity/product?${wish}`, [{ name: "Лишний" }])), wish).toEqual([412, code]);
    }
    expect((await sandbox.call("GET", "entity/product?filter=name=Лишний")).at("meta", "size")).toBe(0);
  });

  it("1075 and 1018: states are changed and deleted by an administrator (8.2)", async () => {
    const { meta } = (await state("customerorder", "Ждёт звонка")) as { meta: { href: string } };
    const authorization = `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}`;
    const asSeller = (method: string, body?: object) => sandbox.call(method, meta.href, body, { authorization });
    expect(codeOf(await asSeller("PUT", { name: "Иначе" }))).toEqual([403, 1075]);
    expect(codeOf(await asSeller("DELETE"))).toEqual([403, 1018]);
    expect((await sandbox.call("PUT", meta.href, { name: "Иначе" })).at("name")).toBe("Иначе");
  });

  it("2002 and 2015: something else than an object, than a date", async () => {
    const price = await sandbox.call("POST", "entity/product", { name: "Чай", buyPrice: 5 });
    expect([...codeOf(price), price.at("errors", 0, "parameter")]).toEqual([400, 2002, "buyPrice"]);
    const order = { organization: shop.organization, agent: shop.buyer, deliveryPlannedMoment: "завтра" };
    const late = await sandbox.call("POST", "entity/customerorder", order);
    expect([...codeOf(late), late.at("errors", 0, "parameter")]).toEqual([400, 2015, "deliveryPlannedMoment"]);
  });

  it("1999: a fault of the sandbox itself is 500, and its next answer is good", async () => {
    const { account } = sandbox;
    const id = account.newId();
    await account.commit(() => account.put({ type: "product", id, values: { name: "Сломан", salePrices: [null] } }));
    expect(codeOf(await sandbox.call("GET", `entity/product/${id}`))).toEqual([500, 1999]);
    await sandbox.call("DELETE", `entity/product/${id}`);
    expect((await sandbox.call("GET", "entity/product?limit=1")).status).toBe(200);
  });

  it("13000 to 13002: stock by the lines of a document that is not named, is none, is not there", async () => {
    const of = (id: string) => sandbox.call("GET", `report/stock/byoperation${id === "" ? "" : `?operation.id=${id}`}`);
    expect(codeOf(await of(""))).toEqual([412, 13000]);
    expect(codeOf(await of("первый"))).toEqual([412, 13001]);
    expect(codeOf(await of("00000000-0000-4000-8000-000000000000"))).toEqual([412, 13002]);
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
