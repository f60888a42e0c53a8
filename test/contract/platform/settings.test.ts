import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { openWire } from "../../../src/platform/api/exchange.ts";
import { openClient } from "../../../src/platform/client.ts";
import { attributeFile, attributeValue } from "../../../src/platform/definitions.ts";
import { readLater } from "../../../src/platform/later.ts";
import { hrefOf, refTo } from "../../../src/platform/reference.ts";
import { basic, bearer, issueToken } from "../../../src/platform/token.ts";
import { testClient } from "../../support/platform-client.ts";
import { ADMINISTRATOR, EMPLOYEE } from "../../support/sandbox.ts";

let scene: Awaited<ReturnType<typeof testClient>>;
beforeAll(async () => {
  scene = await testClient();
});
afterAll(() => scene.close());

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

describe("additional fields", () => {
  it("are defined one by one and many at once, changed and deleted", async () => {
    const { attributes } = scene.client.metadata("counterparty");
    const one = await attributes.create({ name: "Loyalty level", type: "long" });
    const results = await attributes.createMany([
      { id: one.id, description: "1 to 5" },
      { name: "Birthday", type: "time" },
      { name: "Birthday", type: "time" },
    ]);
    expect(results.map((each) => (each.kind === "done" ? each.value.name : each.errors[0]?.code))).toEqual([
      "Loyalty level",
      "Birthday",
      3006,
    ]);
    expect((await attributes.update(one, { required: true })).required).toBe(true);
    expect((await attributes.get(one)).description).toBe("1 to 5");
    const both = await all(attributes.all());
    expect(both).toHaveLength(2);
    const ghost = { meta: { ...one.meta, href: one.meta.href.replace(one.id, "99990000-0000-4000-8000-00000000000f") } };
    await expect(attributes.deleteMany([...both, ghost])).rejects.toMatchObject({ code: "platform-refused" });
    expect(await all(attributes.all())).toHaveLength(2);
    await attributes.delete(one);
    await attributes.deleteMany(both.slice(1));
    expect(await all(attributes.all())).toEqual([]);
  });

  it("have values on objects that are set, filtered by and cleared", async () => {
    const { attributes } = scene.client.metadata("product");
    const shelf = await attributes.create({ name: "Shelf", type: "string" });
    const maker = await attributes.create({ name: "Maker", type: "counterparty" });
    const sheet = await attributes.create({ name: "Sheet", type: "file" });
    const buyer = await scene.client.counterparties.create({ name: "Maker & Sons" });
    const by = refTo(scene.client.api.url, "counterparty", buyer.id);
    const { products } = scene.client;
    const made = await products.create({
      name: "On a shelf",
      attributes: [attributeValue(shelf, "7;b"), attributeValue(maker, by), attributeFile(sheet, "sheet.txt", Buffer.from("text"))],
    });
    expect(made.attributes?.map(({ name, type }) => [name, type])).toEqual([
      ["Shelf", "string"],
      ["Maker", "counterparty"],
      ["Sheet", "file"],
    ]);
    const count = (where: Parameters<typeof products.count>[0]) => products.count(where);
    expect(
      await count({
        filter: {
          attributes: [
            { field: shelf, where: "7;b" },
            { field: maker, where: by },
          ],
        },
      }),
    ).toBe(1);
    expect(await count({ filter: { attributes: [{ field: shelf, where: { startsWith: "8" } }] } })).toBe(0);
    const cleared = await products.update(made, { attributes: [attributeValue(shelf, null), attributeValue(sheet, null)] });
    expect(cleared.attributes?.map(({ name }) => name)).toEqual(["Maker"]);
  });
});

describe("metadata", () => {
  it("has fields, states and groups of a type", async () => {
    const orders = scene.client.metadata("customerorder");
    await orders.attributes.create({ name: "Source", type: "text" });
    const fresh = await orders.createState({ name: "Fresh", color: 15_106_326, stateType: "Regular" });
    const [done, taken] = await orders.createStates([
      { name: "Done", color: 1, stateType: "Successful" },
      { name: "Fresh", color: 1, stateType: "Regular" },
    ]);
    expect([done?.kind, taken?.kind]).toEqual(["done", "refused"]);
    expect((await orders.updateState(fresh, { name: "New" })).name).toBe("New");
    const { attributes, states } = await orders.get();
    expect(attributes.map(({ name }) => name)).toEqual(["Source"]);
    expect(states.map(({ name }) => name)).toEqual(expect.arrayContaining(["New", "Done"]));
    await orders.deleteState(fresh);
    await expect(orders.deleteState(fresh)).rejects.toMatchObject({ status: 404, errors: [] });
  });
});

describe("webhooks of both kinds", () => {
  it("are made, switched off, listed and deleted; a pair that is taken is told", async () => {
    const { webhooks, stockWebhooks } = scene.client;
    const url = "https://hooks.shop.example/in/secret";
    const made = await webhooks.create({ entityType: "product", action: "UPDATE", url, diffType: "FIELDS" });
    await expect(webhooks.create({ entityType: "product", action: "UPDATE", url })).rejects.toMatchObject({
      errors: [expect.objectContaining({ code: 30003 })],
    });
    expect((await webhooks.update(made, { enabled: false })).enabled).toBe(false);
    expect((await all(webhooks.all())).map(({ id }) => id)).toEqual([made.id]);
    await webhooks.delete(made);
    const stock = await stockWebhooks.create({ stockType: "stock", reportType: "bystore", url });
    expect(await stockWebhooks.deleteMany([stock])).toMatchObject([{ kind: "done" }]);
  });
});

describe("stock", () => {
  it("is reported in full, by store, short, and in the platform's own time", async () => {
    const { stock } = scene.client;
    const rows = await all(stock.all({ stockMode: "all" }));
    expect(rows.length).toBeGreaterThan(0);
    // A filter without a mode of its own hides goods that are out of stock (json-api 14.1).
    const row = rows.find(({ meta, quantity }) => meta.type === "product" && quantity > 0);
    if (row === undefined) throw new Error("no stock");
    const found = await stock.page({
      filter: { product: refTo(scene.client.api.url, "product", hrefOf(row.meta).split("/").at(-1) ?? "") },
    });
    expect(found.rows.map(({ name }) => name)).toEqual([row.name]);
    expect((await stock.pageByStore({ limit: 1 })).rows[0]?.stockByStore.length).toBeGreaterThan(0);
    const short = await stock.current("all", { stockType: "quantity", include: "zeroLines" });
    expect(short[0]?.quantity).toEqual(expect.any(Number));
    expect(await stock.current("bystore", { assortmentIds: [short[0]?.assortmentId ?? ""] })).toMatchObject([
      { storeId: expect.any(String) },
    ]);
    expect((await stock.later({ stockMode: "all" })).map(({ name }) => name)).toEqual(rows.map(({ name }) => name));
    await expect(stock.page({ stockMode: "all", filter: { stockMode: "all" } })).rejects.toMatchObject({ code: "platform-unsayable" });
  });

  it("that would have been refused is refused later too", async () => {
    const refused = readLater(scene.client.api, systemClock, { path: "report/stock/all", query: { filter: "nonsense=1" } });
    await expect(refused).rejects.toMatchObject({ status: 412, errors: [expect.objectContaining({ code: 1034 })] });
  });
});

describe("who calls", () => {
  it("is told, with the settings of company and user", async () => {
    const { context } = scene.client;
    expect((await context.employee()).uid).toBe(ADMINISTRATOR.login);
    expect((await context.companySettings()).priceTypes?.map(({ name }) => name)).toEqual(
      (await context.priceTypes()).map(({ name }) => name),
    );
    expect((await context.defaultPriceType()).id).toEqual(expect.any(String));
    expect((await context.userSettings()).locale).toBe("ru_RU");
  });

  it("gets a token for a login, in the place of the one before", async () => {
    const wire = openWire({ parallel: 1 });
    const options = {
      url: scene.client.api.url,
      headers: PLATFORM_PROFILES.canonical.headers,
      wire,
      clock: systemClock,
      log: silentLog,
      rateHeeded: false,
    };
    try {
      const login = { login: EMPLOYEE.login, password: new Secret(EMPLOYEE.password) };
      const first = await issueToken(options, login);
      const second = await issueToken(options, login);
      const uid = (authorization: () => string) => openClient({ ...options, authorization }).context.employee();
      expect((await uid(bearer(second))).uid).toBe(EMPLOYEE.login);
      expect((await uid(basic(EMPLOYEE.login, login.password))).uid).toBe(EMPLOYEE.login);
      await expect(uid(bearer(first))).rejects.toMatchObject({ status: 401, errors: [expect.objectContaining({ code: 1056 })] });
      await expect(issueToken(options, { ...login, password: new Secret("wrong") })).rejects.toMatchObject({ status: 401 });
    } finally {
      await wire.close();
    }
  });
});
