import { setDefaultCACertificates } from "node:tls";
import Moysklad from "moysklad";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMINISTRATOR, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

/** The client's results have no types, so only the used parts are declared. */
interface Found {
  meta: { href: string; type: string; mediaType: string; size: number };
  id: string;
  name: string;
  rows: Found[];
  [name: string]: unknown;
}

/**
 * The platform's public client as the npm registry has it. No part of it is replaced. In November 2026 the registry had no client by
 * another author: it did not serve `moysklad-ts`, and `moysklad-api-model` by this author has only types.
 */
describe("the public client moysklad", () => {
  let sandbox: TestSandbox;
  let client: Moysklad.Instance;
  beforeAll(async () => {
    sandbox = await testSandbox({ tls: true, profile: "production" });
    // The client uses https only, by the `fetch` of Node.
    setDefaultCACertificates([sandbox.ca ?? ""]);
    client = Moysklad({ endpoint: `${sandbox.base}/api`, login: ADMINISTRATOR.login, password: ADMINISTRATOR.password });
  });
  afterAll(() => sandbox.close());

  const get = (path: string, query?: Moysklad.Query) => client.GET(path, query) as Promise<Found>;
  const post = (path: string, body: object, query?: Moysklad.Query) => client.POST(path, body, query) as Promise<Found>;
  const metaOf = ({ meta: { href, type, mediaType } }: Found) => ({ meta: { href, type, mediaType } });

  it("lists, page by page, with the size of all", async () => {
    const all = await get("entity/uom", { limit: 1000 });
    expect(all.meta.size).toBe(all.rows.length);
    const page = await get("entity/uom", { limit: 2, offset: 1, order: "name" });
    expect(page.rows).toHaveLength(2);
    expect(page.meta.size).toBe(all.meta.size);
  });

  it("creates, reads by id and by href, changes and deletes", async () => {
    const created = await post("entity/product", { name: "Чай «Северный»", weight: 0.1 });
    expect((await get(`entity/product/${created.id}`)).name).toBe("Чай «Северный»");
    expect(client.parseUrl(created.meta.href).path).toEqual(["entity", "product", created.id]);
    const changed = (await client.PUT(`entity/product/${created.id}`, { code: "С-1" })) as Found;
    expect([changed.name, changed.code, changed.weight]).toEqual(["Чай «Северный»", "С-1", 0.1]);
    expect(((await client.fetchUrl(created.meta.href)) as Found).code).toBe("С-1");
    await client.DELETE(`entity/product/${created.id}`);
    await expect(get(`entity/product/${created.id}`)).rejects.toMatchObject({ name: "MoyskladApiError", code: 1021 });
  });

  it("filters with its own selectors, orders and expands", async () => {
    await post("entity/counterparty", [
      { name: "Лавка; у моста", companyType: "legal", phone: "+7 900 000-00-01" },
      { name: "Лавка на горе", companyType: "legal" },
      { name: "Палатка", companyType: "legal" },
    ]);
    const names = async (filter: object, more = {}) => {
      const found = await get("entity/counterparty", { filter, order: "name,desc", ...more } as Moysklad.Query);
      return found.rows.map(({ name }) => name);
    };
    expect(await names({ name: { $st: "Лавка" } })).toEqual(["Лавка; у моста", "Лавка на горе"]);
    expect(await names({ name: "Лавка; у моста" })).toEqual(["Лавка; у моста"]);
    expect(await names({ name: { $in: ["Палатка", "Лавка на горе"] } })).toEqual(["Палатка", "Лавка на горе"]);
    expect(await names({ phone: { $exists: true }, name: { $contains: "лавка" } })).toEqual(["Лавка; у моста"]);
    expect(await names({ name: { $st: "Лавка" }, updated: { $gte: new Date("2020-01-01T00:00:00Z") } })).toHaveLength(2);
    const [first] = (await get("entity/counterparty", { limit: 1, expand: "owner" })).rows;
    expect(first?.owner).toHaveProperty("name");
  });

  it("tells of a refusal with code, field and place", async () => {
    await expect(post("entity/product", { name: 5 })).rejects.toMatchObject({ name: "MoyskladApiError", code: 2016, line: 1, column: 2 });
    await expect(get("entity/product", { filter: { nothing: 1 } })).rejects.toMatchObject({ code: 1034 });
    const stranger = Moysklad({ endpoint: `${sandbox.base}/api`, login: "nobody@shop", password: "none" });
    await expect(stranger.GET("entity/product")).rejects.toMatchObject({ code: 1056 });
  });

  it("writes many at once, and is told which failed", async () => {
    const made = (await client.POST("entity/product", [{ name: "Мёд" }, { name: "Воск" }])) as Found[];
    expect(made.map(({ name }) => name)).toEqual(["Мёд", "Воск"]);
    const [honey, wax] = made;
    if (honey === undefined || wax === undefined) throw new Error("two were made");
    const mixed = client.POST("entity/product", [{ ...metaOf(honey), code: "М-1" }, { code: "без имени" }]);
    await expect(mixed).rejects.toMatchObject({
      name: "MoyskladCollectionError",
      errorsIndexes: [[1, [{ code: 3000, parameter: "name" }]]],
    });
    expect((await get(`entity/product/${honey.id}`)).code).toBe("М-1");
    const gone = (await client.POST("entity/product/delete", made.map(metaOf))) as { info: string }[];
    expect(gone.map(({ info }) => info)).toEqual([expect.stringContaining(honey.id), expect.stringContaining(wax.id)]);
  });

  it("defines an additional field, fills it and filters by it", async () => {
    const field = await post("entity/product/metadata/attributes", { name: "Регион", type: "string" });
    const made = await post("entity/product", { name: "Мята", attributes: [{ ...metaOf(field), value: "Алтай" }] });
    expect(made.attributes).toMatchObject([{ id: field.id, name: "Регион", value: "Алтай" }]);
    const found = await get("entity/product", { filter: { [field.meta.href]: "Алтай" } });
    expect(found.rows.map(({ id }) => id)).toEqual([made.id]);
    await client.DELETE(`entity/product/metadata/attributes/${field.id}`);
    expect(await get(`entity/product/${made.id}`)).not.toHaveProperty("attributes");
  });

  it("makes a webhook, switches it off and removes it", async () => {
    const made = await post("entity/webhook", { url: "https://hooks.example.org/in", action: "CREATE", entityType: "service" });
    expect(made).toMatchObject({ enabled: true, method: "POST" });
    expect(await client.PUT(`entity/webhook/${made.id}`, { enabled: false })).toMatchObject({ enabled: false });
    expect((await get("entity/webhook")).rows.map(({ id }) => id)).toEqual([made.id]);
    await client.DELETE(`entity/webhook/${made.id}`);
    expect((await get("entity/webhook")).meta.size).toBe(0);
  });

  it("gives its own headers: precision, muted webhooks", async () => {
    const created = await client.POST("entity/product", { name: "Соль" }, null, { webHookDisable: true, precision: true });
    expect(created).toMatchObject({ name: "Соль" });
    await expect(client.POST("entity/product", { name: "Соль" }, null, { webHookDisableByPrefix: "no address" })).rejects.toMatchObject({
      code: 3030,
    });
  });

  it("works with a token, in version 1.1 too", async () => {
    const { access_token: token } = (await client.POST("security/token", undefined)) as { access_token: string };
    const byToken = Moysklad({ endpoint: `${sandbox.base}/api`, token, apiVersion: "1.1" });
    const list = (await byToken.GET("entity/product", { limit: 1 })) as Found;
    expect(list.meta.href).toBe(`${sandbox.base}/api/remap/1.1/entity/product`);
  });
});
