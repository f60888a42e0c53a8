import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Receiver } from "../../support/receiver.ts";
import { EMPLOYEE, type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopOnShift } from "../../support/sandbox-shop.ts";

interface Row {
  meta: { href: string };
  name: string;
  stock: number;
  quantity: number;
  stockDays: number;
}

const rowsOf = (answer: SandboxAnswer) => answer.at("rows") as Row[];

describe("stock reports of the sandbox", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let shift: { meta: unknown };
  beforeAll(async () => {
    ({ sandbox, shop, shift } = await shopOnShift());
  });
  afterAll(() => sandbox.close());

  const href = (reference: { meta: unknown }) => (reference.meta as { href: string }).href;
  const report = (query = "") => sandbox.call("GET", `report/stock/all${query}`);
  const rowOf = async (reference: { meta: unknown }) => {
    const found = rowsOf(await report("?stockMode=all")).find((row) => row.meta.href.startsWith(href(reference)));
    if (found === undefined) throw new Error("not in the report");
    return found;
  };
  const sell = (more: object) =>
    sandbox.call("POST", "entity/retaildemand", {
      retailShift: { meta: shift.meta },
      positions: [{ assortment: shop.product, quantity: 3, price: 100 }],
      ...more,
    });

  it("a row has the documented fields, and its href carries a query part", async () => {
    const row = await rowOf(shop.product);
    expect(row).toMatchObject({
      stock: 40,
      inTransit: 0,
      reserve: 0,
      quantity: 40,
      price: expect.any(Number),
      salePrice: expect.any(Number),
      stockDays: expect.any(Number),
    });
    for (const field of ["name", "externalCode", "uom"]) expect(row).toHaveProperty(field);
    expect(row.meta.href).toMatch(/\?expand=supplier$/);
  });

  it("zero stock is hidden by default and shown by stockMode=all", async () => {
    const shown = rowsOf(await report());
    expect(shown.every(({ stock }) => stock !== 0)).toBe(true);
    const all = rowsOf(await report("?stockMode=all"));
    expect(all.length).toBeGreaterThan(shown.length);
    expect(all.some(({ stock }) => stock === 0)).toBe(true);
    const unknown = await report("?stockMode=most");
    expect([unknown.status, unknown.at("errors", 0, "code")]).toEqual([412, 1091]);
  });

  it.each(["assortmentId", "storeId"])("a bad id in the short report's filter is 1014: %s", async (key) => {
    const refused = await sandbox.call("GET", `report/stock/bystore/current?filter=${key}=5`);
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([412, 1014]);
  });

  it("inside of filter stockMode alone keeps quantityMode nonEmpty", async () => {
    const query = (filter: string) => `?filter=${encodeURIComponent(filter)}`;
    expect(rowsOf(await report(query("stockMode=all"))).every(({ quantity }) => quantity !== 0)).toBe(true);
    const all = await report(query("stockMode=all;quantityMode=all"));
    expect(all.at("meta", "size")).toBe((await report("?stockMode=all")).at("meta", "size"));
    expect((await report(query("stockMode=some"))).at("errors", 0, "code")).toBe(1041);
    expect((await report(query("colour=red"))).at("errors", 0, "code")).toBe(1034);
  });

  it("posted sales take, returns give back, unposted and binned documents move nothing", async () => {
    const before = (await rowOf(shop.product)).stock;
    const sale = await sell({});
    expect((await rowOf(shop.product)).stock).toBe(before - 3);
    await sell({ applicable: false });
    await sandbox.call("POST", "entity/retailsalesreturn", {
      ...{
        organization: shop.organization,
        store: shop.store,
        retailStore: shop.retailStore,
        agent: shop.buyer,
        retailShift: { meta: shift.meta },
      },
      ...{ demand: { meta: sale.at("meta") }, positions: [{ assortment: shop.product, quantity: 1, price: 100 }] },
    });
    expect((await rowOf(shop.product)).stock).toBe(before - 2);
    const binned = await sell({});
    await sandbox.call("POST", `${String(binned.at("meta", "href"))}/trash`);
    expect((await rowOf(shop.product)).stock).toBe(before - 2);
  });

  it("a bundle takes its components, an order reserves", async () => {
    const before = rowsOf(await report("?stockMode=all"));
    await sell({ positions: [{ assortment: shop.bundle, quantity: 1, price: 100 }] });
    const after = rowsOf(await report("?stockMode=all"));
    expect(after.some((row, at) => row.stock < (before[at]?.stock ?? 0))).toBe(true);
    const order = { organization: shop.organization, agent: shop.buyer, store: shop.store };
    await sandbox.call("POST", "entity/customerorder", {
      ...order,
      positions: [{ assortment: shop.otherProduct, quantity: 5, reserve: 4, price: 100 }],
    });
    expect(await rowOf(shop.otherProduct)).toMatchObject({ reserve: 4 });
  });

  it("filters by product, by warehouse and by name", async () => {
    const query = (filter: string) => `?stockMode=all&filter=${encodeURIComponent(filter)}`;
    const one = await report(query(`product=${href(shop.product)};stockMode=all;quantityMode=all`));
    expect(one.at("meta", "size")).toBe(1);
    const name = rowsOf(one)[0]?.name ?? "";
    expect((await report(query(`search=${name.slice(0, 4).toUpperCase()};stockMode=all;quantityMode=all`))).at("rows", 0, "name")).toBe(
      name,
    );
    const elsewhere = await report(query(`store!=${href(shop.store)};stockMode=all;quantityMode=all`));
    expect(rowsOf(elsewhere).every(({ stock }) => stock === 0)).toBe(true);
    expect((await report(query(`store=${href(shop.store)};product!=${href(shop.product)}`))).at("errors", 0, "code")).toBe(1034);
  });

  it("bystore names every warehouse, zeros included", async () => {
    const answer = await sandbox.call("GET", "report/stock/bystore");
    expect(answer.at("rows", 0, "stockByStore", 0)).toMatchObject({
      name: expect.any(String),
      stock: expect.any(Number),
      reserve: 0,
      inTransit: 0,
    });
  });

  it("the short report is a plain array with the kind of stock as key, for an administrator only", async () => {
    const plain = await sandbox.call("GET", "report/stock/all/current");
    expect(plain.at(0)).toEqual({ assortmentId: expect.any(String), stock: expect.any(Number) });
    const free = await sandbox.call("GET", "report/stock/bystore/current?stockType=freeStock");
    expect(free.at(0)).toEqual({ assortmentId: expect.any(String), storeId: expect.any(String), freeStock: expect.any(Number) });
    const authorization = `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}`;
    const refused = await sandbox.call("GET", "report/stock/all/current", undefined, { authorization });
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([403, 13004]);
  });

  it("changedSince reaches 24 hours back and never ahead", async () => {
    const since = (text: string) => sandbox.call("GET", `report/stock/all/current?changedSince=${encodeURIComponent(text)}`);
    expect((await since("2099-01-01 00:00:00")).status).toBe(412);
    expect((await since("2020-01-01 00:00:00")).status).toBe(412);
  });

  it("before the shop began there was nothing, and afterwards goods lay there from its beginning on", async () => {
    const at = async (moment: string, modes = "") => {
      const filter = `moment=${moment};product=${href(shop.otherProduct)}${modes}`;
      return rowsOf(await report(`?filter=${encodeURIComponent(filter)}`)).map(({ stock, stockDays }) => ({ stock, stockDays }));
    };
    expect(rowsOf(await report(`?filter=${encodeURIComponent("moment=2001-01-01 00:00:00")}`))).toEqual([]);
    expect(await at("2001-01-01 00:00:00", ";stockMode=all;quantityMode=all")).toEqual([{ stock: 0, stockDays: 0 }]);
    expect(await at("2025-09-01 08:59:00")).toEqual([]);
    expect(await at("2025-09-01 09:00:00")).toEqual([{ stock: 40, stockDays: 0 }]);
    expect(await at("2025-09-11 12:00:00")).toEqual([{ stock: 40, stockDays: 10 }]);
  });

  it("stockDays counts from the moment of the last movement, whenever it was written, and a reservation is none", async () => {
    const made = { meta: (await sandbox.call("POST", "entity/product", { name: "Чай лежалый" })).at("meta") };
    const positions = [{ assortment: made, quantity: 1, reserve: 1, price: 100 }];
    const early = await openShift(sandbox, shop, { moment: "2026-02-01 09:00:00" });
    const sale = { retailShift: { meta: early.meta }, moment: "2026-02-01 10:00:00", positions };
    expect((await sandbox.call("POST", "entity/retaildemand", sale)).status).toBe(200);
    const order = { organization: shop.organization, agent: shop.buyer, store: shop.store, moment: "2026-02-03 10:00:00", positions };
    expect((await sandbox.call("POST", "entity/customerorder", order)).status).toBe(200);
    const rows = rowsOf(await report(`?filter=${encodeURIComponent(`moment=2026-02-05 12:00:00;product=${href(made)}`)}`));
    expect(rows.map(({ stock, stockDays }) => ({ stock, stockDays }))).toEqual([{ stock: -1, stockDays: 4 }]);
  });

  it("groupBy=product adds its variants exactly, and the newest movement of one of them counts", async () => {
    const product = { meta: (await sandbox.call("POST", "entity/product", { name: "Сыр весовой" })).at("meta") };
    const shifts = await openShift(sandbox, shop, { moment: "2026-02-01 09:00:00" });
    for (const [value, quantity] of [
      ["молодой", 0.1],
      ["старый", 0.2],
    ] as const) {
      const variant = { product, characteristics: [{ name: "Зрелость", value }] };
      const assortment = { meta: (await sandbox.call("POST", "entity/variant", variant)).at("meta") };
      const positions = [{ assortment, quantity, price: 100 }];
      await sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shifts.meta }, moment: "2026-02-01 10:00:00", positions });
    }
    const filter = `moment=2026-02-05 12:00:00;search=сыр весовой`;
    const rows = rowsOf(await report(`?groupBy=product&filter=${encodeURIComponent(filter)}`));
    expect(rows.map(({ name, stock, stockDays }) => ({ name, stock, stockDays }))).toEqual([
      { name: "Сыр весовой", stock: -0.3, stockDays: 4 },
    ]);
  });

  it("byoperation tells the stock for the lines of one document", async () => {
    const sale = await sell({});
    const answer = await sandbox.call("GET", `report/stock/byoperation?operation.id=${String(sale.at("id"))}`);
    expect(answer.at("rows", 0, "positions", 0, "stock")).toEqual(expect.any(Number));
    expect((await sandbox.call("GET", "report/stock/byoperation")).at("errors", 0, "code")).toBe(13000);
  });

  it("a page has 1000 rows at most, order by stock works both ways", async () => {
    const up = rowsOf(await report("?stockMode=all&order=stock")).map(({ stock }) => stock);
    const down = rowsOf(await report("?stockMode=all&order=stock,desc")).map(({ stock }) => stock);
    expect(up).toEqual([...up].sort((a, b) => a - b));
    expect(down).toEqual([...down].sort((a, b) => b - a));
    expect((await report("?order=colour")).at("errors", 0, "code")).toBe(1063);
  });
});

describe("stock webhooks of the sandbox", () => {
  it("needs its kinds, and the triple is unique", async () => {
    const sandbox = await testSandbox();
    const receiver = await Receiver.open();
    const watch = (more: object) =>
      sandbox.call("POST", "entity/webhookstock", { url: receiver.url, stockType: "stock", reportType: "all", ...more });
    const made = await watch({});
    expect(made.body).toMatchObject({ meta: { type: "webhookstock" }, enabled: true, stockType: "stock", reportType: "all" });
    expect((await watch({})).at("errors", 0, "code")).toBe(30003);
    expect((await watch({ reportType: "bystore" })).status).toBe(200);
    expect((await watch({ stockType: "quantity" })).status).toBe(400);
    await Promise.all([sandbox.close(), receiver.close()]);
  });
});
