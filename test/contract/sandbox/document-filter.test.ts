import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestSandbox } from "../../support/sandbox.ts";
import { type ShopReferences, shopOnShift } from "../../support/sandbox-shop.ts";

describe("a filter over documents", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let shift: { meta: unknown; href: string };
  let states: string[];

  beforeAll(async () => {
    ({ sandbox, shop, shift } = await shopOnShift());
    states = ["Новый чек", "Оплачен;полностью"];
    const made = await sandbox.call(
      "POST",
      "entity/retaildemand/metadata/states",
      states.map((name) => ({ name, color: 1, stateType: "Regular" })),
    );
    expect(made.status, made.text).toBe(200);
    const sell = (name: string, assortment: unknown, more: object) =>
      sandbox.call("POST", "entity/retaildemand", {
        name,
        retailShift: { meta: shift.meta },
        positions: [{ assortment, quantity: 1, price: 100 }],
        ...more,
      });
    const sales = [
      await sell("d1", shop.product, { state: { meta: made.at(0, "meta") }, agent: shop.buyer }),
      await sell("d2", shop.otherProduct, { state: { meta: made.at(1, "meta") }, agent: shop.otherBuyer }),
      await sell("d3", shop.service, {}),
      await sell("d4", shop.product, {}),
    ];
    for (const sale of sales) expect(sale.status, sale.text).toBe(200);
    expect((await sandbox.call("POST", `${sales[3]?.at("meta", "href")}/trash`)).status).toBe(200);
  });
  afterAll(() => sandbox.close());

  const hrefOf = (reference: { meta: unknown }) => String(Reflect.get(Object(reference.meta), "href"));
  const ask = (filter: string) => sandbox.call("GET", `entity/retaildemand?filter=${encodeURIComponent(filter)}`);
  const found = async (filter: string) => {
    const answer = await ask(filter);
    expect(answer.status, answer.text).toBe(200);
    return (answer.at("rows") as { name: string }[]).map(({ name }) => name);
  };

  it("names of references count in any letter case, names of other fields as they are written", async () => {
    for (const name of ["retailShift", "retailshift", "RETAILSHIFT"]) expect(await found(`${name}=${shift.href}`), name).toHaveLength(3);
    expect(await found(`agent=${hrefOf(shop.buyer)};retailstore=${hrefOf(shop.retailStore)}`)).toContain("d1");
    expect((await ask("Moment>2020-01-01 00:00:00")).at("errors", 0, "code")).toBe(1034);
  });

  it("state.name finds documents by the names of their states", async () => {
    expect(await found("state.name=Новый чек")).toEqual(["d1"]);
    expect(await found("state.name=Новый чек;state.name=Оплачен\\;полностью")).toEqual(["d1", "d2"]);
    expect(await found("state.name!=Новый чек")).toEqual(["d2", "d3"]);
    expect(await found("state.name=")).toEqual(["d3"]);
  });

  it("a state's new name is the one that counts", async () => {
    const href = String((await sandbox.call("GET", "entity/retaildemand/metadata")).at("states", 0, "meta", "href"));
    const first = await sandbox.call("GET", href);
    const old = String(first.at("name"));
    const before = await found(`state.name=${old.replaceAll(";", "\\;")}`);
    expect((await sandbox.call("PUT", href, { name: "Переименован" })).status).toBe(200);
    expect(await found("state.name=Переименован")).toEqual(before);
    expect((await sandbox.call("PUT", href, { name: old })).status).toBe(200);
  });

  it("assortment finds documents by goods in their lines", async () => {
    expect(await found(`assortment=${hrefOf(shop.product)}`)).toEqual(["d1"]);
    expect(await found(`assortment=${hrefOf(shop.product)};assortment=${hrefOf(shop.service)}`)).toEqual(["d1", "d3"]);
    expect(await found(`assortment!=${hrefOf(shop.product)}`)).toEqual(["d2", "d3"]);
    expect((await ask(`assortment=${hrefOf(shop.employee)}`)).at("errors", 0, "code")).toBe(1014);
  });

  it("assortment finds documents by the folder that their goods lie in", async () => {
    const folder = String((await sandbox.call("GET", hrefOf(shop.product))).at("productFolder", "meta", "href"));
    expect(await found(`assortment=${folder}`)).toContain("d1");
    const above = (await sandbox.call("GET", folder)).at("productFolder", "meta", "href");
    if (above !== undefined) expect(await found(`assortment=${String(above)}`)).toContain("d1");
  });

  it("assortment finds the sale of a variant by the folder that its product lies in", async () => {
    const variant = (await sandbox.call("GET", "entity/variant?limit=1")).at("rows", 0) as { meta: unknown; product: { meta: unknown } };
    const folder = String((await sandbox.call("GET", hrefOf(variant.product))).at("productFolder", "meta", "href"));
    const positions = [{ assortment: { meta: variant.meta }, quantity: 1, price: 100 }];
    const sale = await sandbox.call("POST", "entity/retaildemand", { name: "d5", retailShift: { meta: shift.meta }, positions });
    expect(sale.status, sale.text).toBe(200);
    const names = await found(`assortment=${folder}`);
    expect((await sandbox.call("DELETE", String(sale.at("meta", "href")))).status).toBe(200);
    expect(names).toContain("d5");
  });

  it("the recycle bin is hidden unless the filter asks for it, and both values show all", async () => {
    expect(await found("")).toEqual(["d1", "d2", "d3"]);
    expect(await found("isDeleted=true")).toEqual(["d4"]);
    expect(await found("isDeleted=true;isDeleted=false")).toEqual(["d1", "d2", "d3", "d4"]);
    expect((await ask("isDeleted=1")).at("errors", 0, "code")).toBe(1041);
  });

  it("archived is no filter field of documents: 412 with code 1034", async () => {
    expect((await ask("archived=true")).at("errors", 0, "code")).toBe(1034);
  });

  it("printed and published are switches, sum and moment are compared in order", async () => {
    expect(await found("printed=false;published=false")).toHaveLength(3);
    expect(await found("printed=true")).toEqual([]);
    expect(await found("sum>=100;sum<101")).toHaveLength(3);
    const moment = String((await ask("name=d1")).at("rows", 0, "moment"));
    expect(await found(`moment=${moment}`)).toContain("d1");
    expect(await found(`moment=${moment.slice(0, 16)}`)).toContain("d1");
  });
});
