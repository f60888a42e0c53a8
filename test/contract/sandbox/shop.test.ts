import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference, stocked } from "../../support/sandbox-bodies.ts";

describe("the shop of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox({ products: 200 });
  });
  afterAll(() => sandbox.close());

  const namesOf = async (path: string) => ((await sandbox.call("GET", path)).at("rows") as { name: string }[]).map(({ name }) => name);
  const sizeOf = async (path: string) => Number((await sandbox.call("GET", `${path}?limit=0`)).at("meta", "size"));

  it("has one organization, a warehouse, two points of sale with cashiers and three employees, the logins among them", async () => {
    expect(await sizeOf("entity/organization")).toBe(1);
    expect(await sizeOf("entity/store")).toBe(1);
    const stores = await sandbox.call("GET", "entity/retailstore?expand=cashiers&limit=100");
    expect((stores.at("rows") as { cashiers: { rows: object[] } }[]).map(({ cashiers }) => cashiers.rows.length)).toEqual([2, 1]);
    const employees = (await sandbox.call("GET", "entity/employee")).at("rows") as { uid?: string }[];
    expect(employees.map(({ uid }) => uid)).toEqual(["admin@shop", "seller@shop", undefined]);
  });

  it("has goods with both rates of VAT and without, marked ones and weighed ones, a service, a variant and a bundle", async () => {
    const goods = (await sandbox.call("GET", "entity/product?limit=20")).at("rows") as Record<string, unknown>[];
    expect(new Set(goods.map(({ effectiveVat }) => effectiveVat))).toEqual(new Set([10, 22]));
    expect(new Set(goods.map(({ trackingType }) => trackingType))).toEqual(new Set(["NOT_TRACKED", "SHOES", "LP_CLOTHES"]));
    expect(goods.some(({ weighed }) => weighed === true)).toBe(true);
    const [service] = (await sandbox.call("GET", "entity/service")).at("rows") as Record<string, unknown>[];
    expect(service).toMatchObject({ effectiveVat: 0, effectiveVatEnabled: false });
    for (const type of ["variant", "bundle"]) expect(await sizeOf(`entity/${type}`)).toBeGreaterThan(0);
  });

  it("has a retail buyer and others, units of the classifier, the rouble, price types and states", async () => {
    expect(await namesOf("entity/counterparty")).toContain("Розничный покупатель");
    expect(await sizeOf("entity/counterparty")).toBeGreaterThanOrEqual(3);
    const units = (await sandbox.call("GET", "entity/uom")).at("rows") as { code: string; name: string }[];
    expect(units.map(({ code, name }) => `${code} ${name}`)).toEqual(
      expect.arrayContaining(["796 шт", "166 кг", "163 г", "112 л", "006 м", "778 упак"]),
    );
    expect((await sandbox.call("GET", "entity/currency")).at("rows", 0)).toMatchObject({ name: "руб", isoCode: "RUB", code: "643" });
    for (const type of ["customerorder", "retaildemand"]) {
      const states = (await sandbox.call("GET", `entity/${type}/metadata`)).at("states") as { stateType: string }[];
      expect(states.map(({ stateType }) => stateType)).toEqual(expect.arrayContaining(["Regular", "Successful", "Unsuccessful"]));
    }
  });

  it("has no webhooks, no additional fields and no shift", async () => {
    for (const path of ["entity/webhook", "entity/product/metadata/attributes", "entity/retailshift"]) expect(await sizeOf(path)).toBe(0);
  });

  it("its seller is made up, with check digits that are right", () => {
    const weights = [2, 4, 10, 3, 5, 9, 4, 6, 8];
    for (const { values } of [stocked(sandbox, "organization"), stocked(sandbox, "counterparty", 'ООО "Поставка-Пример"')]) {
      const inn = String(values.inn);
      const sum = weights.reduce((total, weight, place) => total + weight * Number(inn[place]), 0);
      expect([inn.length, (sum % 11) % 10]).toEqual([10, Number(inn[9])]);
    }
  });

  it("an id inside of a product's uuidHref differs from its API id, and leads to it", async () => {
    const product = await sandbox.call("GET", shopReference(sandbox, "product").meta.href);
    const [web = ""] = /[0-9a-f-]{36}/.exec(String(product.at("meta", "uuidHref"))) ?? [];
    expect(web).not.toBe(product.at("id"));
    const redirect = await sandbox.call("GET", `entity/product/${web}`);
    expect([redirect.status, redirect.headers.get("location")]).toEqual([308, product.at("meta", "href")]);
  });

  it.each([
    ["GET", "?expand=uom&limit=1"],
    ["PUT", ""],
    ["DELETE", ""],
    ["GET", "/images?limit=10"],
    ["POST", "/images"],
    ["PUT", "/images/00000000-0000-4000-8000-000000000000"],
  ])("the id of the web application leads on with method, sub-path and query: %s %s", async (method, rest) => {
    const { href } = shopReference(sandbox, "product").meta;
    const web = /[0-9a-f-]{36}/.exec(String((await sandbox.call("GET", href)).at("meta", "uuidHref")))?.[0];
    const redirect = await sandbox.call(method, `entity/product/${web?.toUpperCase()}${rest}`, method === "GET" ? undefined : {});
    expect([redirect.status, redirect.headers.get("location")]).toEqual([308, `${href}${rest}`]);
  });

  it("generated products come after the shop's own, complete, with barcodes and changes of their own", async () => {
    const own = 11;
    expect(await sizeOf("entity/product")).toBe(own + 200);
    const [first, second] = (await sandbox.call("GET", `entity/product?offset=${own}&limit=2`)).at("rows") as Record<string, unknown>[];
    expect(first).toMatchObject({ salePrices: [{ priceType: { name: "Цена продажи" } }, {}], uom: { meta: {} }, group: { meta: {} } });
    expect(first?.barcodes).not.toEqual(second?.barcodes);
    const days = new Set(
      [...sandbox.account.objects.all("product").values()].map(({ values }) => Math.floor(Number(values.updated) / 86_400_000)),
    );
    expect(days.size).toBeGreaterThan(30);
  });

  it("the same seed gives the same data and ids, another seed other ones", async () => {
    const same = await testSandbox({ products: 200 });
    const other = await testSandbox({ products: 200, seed: 2 });
    try {
      for (const type of sandbox.account.objects.types().filter((type) => type !== "token")) {
        expect([...same.account.objects.all(type).values()]).toEqual([...sandbox.account.objects.all(type).values()]);
      }
      const names = (from: TestSandbox) =>
        [...from.account.objects.all("product").values()].slice(20, 40).map(({ id, values }) => [id, values.name]);
      expect(names(other)).not.toEqual(names(sandbox));
    } finally {
      await same.close();
      await other.close();
    }
  });
});
