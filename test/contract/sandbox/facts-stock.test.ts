import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EMPLOYEE, type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { type SentReference, shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// The report of the seed document and json-api 14, fact by fact. Further questions to the report are in stock-questions.test.ts.

interface Row {
  meta: { href: string; type: string };
  name: string;
  stock: number;
  reserve: number;
  inTransit: number;
  quantity: number;
  [field: string]: unknown;
}

describe("stock reports", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown };
  /** Goods that are made here, so that nothing else changes their stock. */
  let tea: SentReference;
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = await openShift(sandbox, shop, { moment: "2026-01-10 09:00:00" });
    const folder = await sandbox.call("POST", "entity/productfolder", { name: "Чаи" });
    const made = await sandbox.call("POST", "entity/product", {
      ...{ name: "Улун отчётный", code: "УЛ-1", article: "А-77", buyPrice: { value: 12000 }, minimumBalance: 10 },
      ...{ uom: shopReference(sandbox, "uom"), productFolder: { meta: folder.at("meta") }, supplier: shop.buyer },
      salePrices: [{ value: 25000, priceType: shopReference(sandbox, "pricetype") }],
    });
    tea = { meta: made.at("meta") as SentReference["meta"] };
  });
  afterAll(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sandbox.call(method, path, body, headers);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const report = (query: Record<string, string> = {}) => call("GET", `report/stock/all?${new URLSearchParams(query)}`);
  const rowsOf = (answer: SandboxAnswer) => answer.at("rows") as Row[];
  const modes = "stockMode=all;quantityMode=all";
  const filtered = (filter: string) => report({ filter: `${filter};${modes}` });
  const rowOf = async ({ meta }: SentReference, more = "") => rowsOf(await filtered(`product=${meta.href}${more}`))[0];
  const sell = (quantity: number, more: object = {}) =>
    call("POST", "entity/retaildemand", {
      retailShift: { meta: retailShift.meta },
      positions: [{ assortment: tea, quantity, price: 100 }],
      ...more,
    });
  const idOf = ({ meta }: SentReference) => meta.href.split("/").at(-1) ?? "";

  it("a row has meta, stock, inTransit, reserve, quantity, name, code, price, salePrice, uom, externalCode and stockDays", async () => {
    const row = await rowOf(tea);
    expect(row).toMatchObject({
      meta: { href: `${tea.meta.href}?expand=supplier`, type: "product", mediaType: "application/json" },
      ...{ name: "Улун отчётный", code: "УЛ-1", article: "А-77", price: 12000, salePrice: 25000 },
      ...{ stock: 0, inTransit: 0, reserve: 0, quantity: 0, stockDays: 0 },
      uom: { meta: shopReference(sandbox, "uom").meta },
      externalCode: expect.stringMatching(/^[\w-]{22}$/),
      folder: { meta: { type: "productfolder" }, name: "Чаи", pathName: expect.any(String) },
    });
  });

  it("is a list: context, meta of the collection, rows, and pages with nextHref", async () => {
    const page = await report({ limit: "2" });
    expect(page.at("context", "employee", "meta", "type")).toBe("employee");
    expect(page.at("meta")).toMatchObject({ limit: 2, offset: 0, size: expect.any(Number), nextHref: expect.stringContaining("offset=2") });
    expect(page.at("rows")).toHaveLength(2);
  });

  it("quantity is stock less reserve and what is in transit added", async () => {
    await sell(3);
    const order = { organization: shop.organization, agent: shop.buyer, store: shop.store };
    const made = await call("POST", "entity/customerorder", {
      ...order,
      positions: [{ assortment: tea, quantity: 5, reserve: 4, price: 1 }],
    });
    const row = await rowOf(tea);
    expect(row).toMatchObject({ stock: -3, reserve: 4, inTransit: 0, quantity: -7 });
    await call("DELETE", String(made.at("meta", "href")));
  });

  it("without a parameter rows of zero stock are hidden, a plain stockMode=all shows every row (seed)", async () => {
    const hidden = rowsOf(await report());
    expect(hidden.every(({ stock }) => stock !== 0)).toBe(true);
    const all = Number((await report({ stockMode: "all", limit: "0" })).at("meta", "size"));
    const goods = await Promise.all(["product", "variant"].map((type) => call("GET", `entity/${type}?limit=0`)));
    expect(all).toBe(goods.reduce((sum, each) => sum + Number(each.at("meta", "size")), 0));
  });

  it("the modes are all, positiveOnly, negativeOnly, empty, nonEmpty and underMinimum, of stock and of quantity", async () => {
    const stocks = async (filter: string) => rowsOf(await report({ filter })).map(({ stock }) => stock);
    const means: Record<string, (stock: number) => boolean> = {
      all: () => true,
      positiveOnly: (stock) => stock > 0,
      negativeOnly: (stock) => stock < 0,
      empty: (stock) => stock === 0,
      nonEmpty: (stock) => stock !== 0,
    };
    const every = await stocks(modes);
    for (const [mode, fits] of Object.entries(means)) {
      expect([mode, await stocks(`stockMode=${mode};quantityMode=all`)]).toEqual([mode, every.filter(fits)]);
      const quantities = rowsOf(await report({ filter: `stockMode=all;quantityMode=${mode}` })).map(({ quantity }) => quantity);
      expect([mode, quantities.every(fits)]).toEqual([mode, true]);
    }
    expect(rowsOf(await report({ filter: "stockMode=underMinimum;quantityMode=all" })).map(({ name }) => name)).toContain("Улун отчётный");
    expect(faultOf(await report({ filter: "stockMode=most" }))).toEqual([412, 1041]);
  });

  it("archived takes both values; without it the archive is not shown", async () => {
    const made = await call("POST", "entity/product", { name: "Старый чай", archived: true });
    const found = async (filter: string) =>
      rowsOf(await filtered(filter)).some(({ meta }) => meta.href.startsWith(String(made.at("meta", "href"))));
    expect(await found("search=Старый чай")).toBe(false);
    expect(await found("archived=true")).toBe(true);
    expect(await found("archived=true;archived=false")).toBe(true);
    expect(rowsOf(await filtered("archived=true"))).toHaveLength(1);
  });

  it("search finds a part of the name, and !~ what has it not", async () => {
    const all = rowsOf(await filtered("moment=2099-01-01 00:00:00")).length;
    const [with_, without] = [await filtered("search=отчётн"), await filtered("search!~отчётн")];
    expect(rowsOf(with_).map(({ name }) => name)).toEqual(["Улун отчётный"]);
    expect(rowsOf(without)).toHaveLength(all - 1);
  });

  it("moment tells the stock as it was then", async () => {
    await sell(2, { moment: "2026-03-05 12:00:00" });
    const now = (await rowOf(tea))?.stock ?? 0;
    const before = (await rowOf(tea, ";moment=2026-03-05 11:59:00"))?.stock ?? 0;
    const after = (await rowOf(tea, ";moment=2026-03-05 12:00:00"))?.stock ?? 0;
    expect([before - after, after >= now]).toEqual([2, true]);
  });

  it("a warehouse is chosen or left out by its href", async () => {
    const other = await call("POST", "entity/store", { name: "Второй" });
    const second = { meta: other.at("meta") as SentReference["meta"] };
    const stock = async (condition: string) => (await rowOf(tea, condition))?.stock;
    const all = await stock("");
    expect(await stock(`;store=${second.meta.href}`)).toBe(0);
    expect(await stock(`;store=${(shop.store.meta as { href: string }).href};store=${second.meta.href}`)).toBe(all);
    const elsewhere = rowsOf(await filtered(`store!=${second.meta.href}`)).find(({ meta }) => meta.href.startsWith(tea.meta.href));
    expect(elsewhere?.stock).toBe(all);
  });

  it("a supplier and a folder choose their goods", async () => {
    const supplier = rowsOf(await filtered(`supplier=${(shop.buyer.meta as { href: string }).href}`)).map(({ name }) => name);
    expect(supplier).toContain("Улун отчётный");
    const folder = (await rowOf(tea))?.folder as { meta: { href: string } };
    expect(rowsOf(await filtered(`productFolder=${folder.meta.href}`)).map(({ name }) => name)).toEqual(["Улун отчётный"]);
  });

  it("all reference keys of one request use the same operator", async () => {
    const mixed = `product=${tea.meta.href};store!=${(shop.store.meta as { href: string }).href}`;
    expect(faultOf(await report({ filter: mixed }))).toEqual([412, 1034]);
  });

  it("reserveOnly, inTransitOnly and soldByWeight choose rows", async () => {
    const order = { organization: shop.organization, agent: shop.buyer, store: shop.store };
    await call("POST", "entity/customerorder", { ...order, positions: [{ assortment: tea, quantity: 1, reserve: 1, price: 1 }] });
    const reserved = rowsOf(await filtered("reserveOnly=true"));
    expect([reserved.map(({ name }) => name), reserved.every(({ reserve }) => reserve > 0)]).toEqual([["Улун отчётный"], true]);
    expect(rowsOf(await filtered("inTransitOnly=true"))).toEqual([]);
    const weighed = rowsOf(await filtered("soldByWeight=true")).map(({ meta }) => meta.href.split("?")[0] ?? "");
    for (const href of weighed) expect((await call("GET", href)).at("weighed")).toBe(true);
    expect(weighed.length).toBeGreaterThan(0);
    expect(faultOf(await filtered("reserveOnly=yes"))).toEqual([412, 1041]);
  });

  it("stockDaysFrom and stockDaysTo are a range", async () => {
    const all = rowsOf(await filtered("stockDaysFrom=0"));
    const some = rowsOf(await filtered("stockDaysFrom=1;stockDaysTo=100000"));
    expect(all.filter(({ stockDays }) => Number(stockDays) >= 1)).toHaveLength(some.length);
    expect(rowsOf(await filtered("stockDaysTo=0")).every(({ stockDays }) => stockDays === 0)).toBe(true);
  });

  it("groupBy=product gathers variants in their product, groupBy=variant is the default", async () => {
    const types = async (query: Record<string, string>) =>
      new Set(rowsOf(await report({ stockMode: "all", ...query })).map(({ meta }) => meta.type));
    expect([...(await types({}))].sort()).toEqual(["product", "variant"]);
    expect(await types({ groupBy: "variant" })).toEqual(await types({}));
    expect([...(await types({ groupBy: "product" }))]).toEqual(["product"]);
    expect((await report({ groupBy: "colour" })).status).toBe(412);
  });

  it.each([
    "name",
    "code",
    "productCode",
    "pathName",
    "stock",
    "reserve",
    "inTransit",
    "quantity",
    "price",
    "salePrice",
    "sumTotal",
    "avgStockDays",
    "minimumBalance",
  ])("is ordered by %s, both ways", async (key) => {
    for (const direction of ["asc", "desc"]) expect((await report({ stockMode: "all", order: `${key},${direction}` })).status).toBe(200);
    expect(faultOf(await report({ order: `${key},up` }))).toEqual([412, 1042]);
  });

  it("is ordered by folder, then name, unless it is asked otherwise", async () => {
    const rows = rowsOf(await report({ stockMode: "all" }));
    const pathOf = (folder: unknown) => {
      const { pathName = "", name = "" } = (folder ?? {}) as { pathName?: string; name?: string };
      return [pathName, name].filter((part) => part !== "").join("/");
    };
    const keys = rows.map(({ folder, name }) => [pathOf(folder), name]);
    const sorted = [...keys].sort(([a = "", x = ""], [b = "", y = ""]) => a.localeCompare(b, "ru") || x.localeCompare(y, "ru"));
    expect(keys).toEqual(sorted);
  });

  it("bystore has a row of meta and stockByStore, one element for each warehouse, zeros included", async () => {
    const answer = await call("GET", `report/stock/bystore?filter=${encodeURIComponent(`product=${tea.meta.href};${modes}`)}`);
    const stores = (await call("GET", "entity/store")).at("rows") as { name: string }[];
    const [row] = answer.at("rows") as { meta: { href: string }; stockByStore: Row[] }[];
    expect(row?.meta.href.split("?")[0]).toBe(tea.meta.href);
    expect(row?.stockByStore.map(({ name }) => name).sort()).toEqual(stores.map(({ name }) => name).sort());
    for (const each of row?.stockByStore ?? []) {
      expect(each).toEqual({
        meta: expect.objectContaining({ type: "store" }),
        name: each.name,
        stock: each.stock,
        reserve: each.reserve,
        inTransit: 0,
      });
    }
    expect(row?.stockByStore.reduce((sum, { stock }) => sum + stock, 0)).toBe((await rowOf(tea))?.stock);
  });

  describe("the short report", () => {
    const short = (query: string) => call("GET", `report/stock/${query}`);
    const valueIn = (answer: SandboxAnswer, id: string, key: string) =>
      (answer.body as Record<string, unknown>[]).find(({ assortmentId }) => assortmentId === id)?.[key];

    it("is a plain array of assortmentId and the value, with storeId by warehouse, and slots are empty", async () => {
      const all = await short("all/current");
      expect(Object.keys(all.at(0) as object).sort()).toEqual(["assortmentId", "stock"]);
      const byStore = await short("bystore/current");
      expect(Object.keys(byStore.at(0) as object).sort()).toEqual(["assortmentId", "stock", "storeId"]);
      expect((await short("byslot/current")).body).toEqual([]);
    });

    it.each(["stock", "freeStock", "quantity", "reserve", "inTransit"])("names the value by its kind: %s", async (stockType) => {
      const row = await rowOf(tea);
      const means: Record<string, number> = {
        stock: row?.stock ?? 0,
        freeStock: (row?.stock ?? 0) - (row?.reserve ?? 0),
        quantity: row?.quantity ?? 0,
        reserve: row?.reserve ?? 0,
        inTransit: row?.inTransit ?? 0,
      };
      const answer = await short(`all/current?stockType=${stockType}&include=zeroLines`);
      expect(valueIn(answer, idOf(tea), stockType)).toBe(means[stockType]);
      expect((await short("all/current?stockType=most")).status).toBe(412);
    });

    it("leaves out zeros unless include=zeroLines, and goods that never moved", async () => {
      const still = await call("POST", "entity/product", { name: "Неподвижный" });
      const plain = await short("all/current?stockType=inTransit");
      expect(plain.body).toEqual([]);
      const zeros = await short("all/current?stockType=inTransit&include=zeroLines");
      expect(valueIn(zeros, idOf(tea), "inTransit")).toBe(0);
      expect(valueIn(zeros, String(still.at("id")), "inTransit")).toBeUndefined();
    });

    it("changedSince gives current values of what changed since, zeros included, at most 24 hours back", async () => {
      const moscow = (ms: number) => new Date(ms + 3 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
      const since = (ms: number) => short(`all/current?changedSince=${encodeURIComponent(moscow(ms))}`);
      await sell(1);
      const now = Date.now();
      expect(valueIn(await since(now - 60_000), idOf(tea), "stock")).toBe((await rowOf(tea))?.stock);
      expect(valueIn(await since(now - 60_000), idOf(shop.product as SentReference), "stock")).toBeUndefined();
      for (const wrong of [now - 25 * 3_600_000, now + 3_600_000]) expect((await since(wrong)).status).toBe(412);
      expect((await short("all/current?changedSince=yesterday")).status).toBe(412);
    });

    it("is filtered by assortmentId and storeId, by a comma list or by repetition", async () => {
      const [one, two] = [idOf(tea), idOf(shop.product as SentReference)];
      const ids = async (filter: string) =>
        ((await short(`all/current?include=zeroLines&filter=${encodeURIComponent(filter)}`)).body as { assortmentId: string }[])
          .map((row) => row.assortmentId)
          .sort();
      expect(await ids(`assortmentId=${one},${two}`)).toEqual([one, two].sort());
      expect(await ids(`assortmentId=${one};assortmentId=${two}`)).toEqual([one, two].sort());
      const store = idOf(shop.store as SentReference);
      const byStore = await short(`bystore/current?filter=${encodeURIComponent(`assortmentId=${one};storeId=${store}`)}`);
      expect((byStore.body as object[]).length).toBe(1);
      expect(byStore.at(0)).toMatchObject({ assortmentId: one, storeId: store });
    });

    it("storeId null is a reservation without a warehouse", async () => {
      const order = { organization: shop.organization, agent: shop.buyer };
      await call("POST", "entity/customerorder", { ...order, positions: [{ assortment: tea, quantity: 2, reserve: 2, price: 1 }] });
      const rows = (await short("bystore/current?stockType=reserve")).body as {
        assortmentId: string;
        storeId: string | null;
        reserve: number;
      }[];
      expect(rows).toContainEqual({ assortmentId: idOf(tea), storeId: null, reserve: 2 });
    });

    it("needs the administrator: 403 with code 13004", async () => {
      const authorization = `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}`;
      for (const path of ["all/current", "bystore/current", "byslot/current"]) {
        expect(faultOf(await call("GET", `report/stock/${path}`, undefined, { authorization }))).toEqual([403, 13004]);
      }
    });
  });

  it("byoperation tells the stock for the lines of one document; without, with a bad and with nobody's id 13000, 13001, 13002", async () => {
    const sale = await sell(1);
    const answer = await call("GET", `report/stock/byoperation?operation.id=${String(sale.at("id"))}`);
    expect(answer.at("rows", 0, "meta", "href")).toBe(sale.at("meta", "href"));
    expect(answer.at("rows", 0, "positions", 0)).toMatchObject({ meta: { href: tea.meta.href }, stock: (await rowOf(tea))?.stock });
    const codes = ["", "?operation.id=5", "?operation.id=00000000-0000-4000-8000-000000000000"];
    for (const [at, query] of codes.entries())
      expect(faultOf(await call("GET", `report/stock/byoperation${query}`))).toEqual([412, 13000 + at]);
  });
});
