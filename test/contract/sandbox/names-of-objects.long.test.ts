import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSetting } from "../../../src/tools/sandbox/setting-choices.ts";
import { CATALOGUE } from "../../../src/tools/sandbox/types/catalogue.ts";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

/** Names that every plain object inherits. A table that is looked up by a caller's text must not find them. */
const NAMES = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"];

describe.each(NAMES)("the name %s", (name) => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let shift: string;
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    shift = (await openShift(sandbox, shop)).href;
  });
  afterAll(() => sandbox.close());
  const statuses = async (calls: readonly (readonly [string, string, unknown?])[]) => {
    const found: string[] = [];
    for (const [method, path, body] of calls) found.push(`${(await sandbox.call(method, path, body)).status} ${method} ${path}`);
    return found;
  };
  const failed = async (calls: readonly (readonly [string, string, unknown?])[]) =>
    (await statuses(calls)).filter((line) => !line.startsWith("4"));

  it("is no address: as a type, an object, a list, an element, a report or a section", async () => {
    const product = String((await sandbox.call("GET", "entity/product?limit=1")).at("rows", 0, "meta", "href"));
    const paths = [
      name,
      `entity/${name}`,
      `entity/${name}/metadata`,
      `entity/${name}/metadata/attributes`,
      `entity/product/${name}`,
      `entity/product/metadata/${name}`,
      `entity/product/metadata/attributes/${name}`,
      `entity/customerorder/metadata/states/${name}`,
      `entity/product/syncid/${name}`,
      `entity/customentity/${name}`,
      `context/${name}`,
      `context/companysettings/pricetype/${name}`,
      `report/${name}`,
      `report/stock/${name}`,
      `async/${name}`,
      `download/${name}`,
      `${sandbox.base}/sandbox/${name}`,
      `${sandbox.base}/sandbox/download/${name}`,
      `${sandbox.base}/sandbox/image/${name}`,
    ];
    expect(await failed(paths.map((path) => ["GET", path]))).toEqual([]);
    for (const below of [product, shift]) {
      expect(
        await failed([
          ["GET", `${below}/${name}`],
          ["GET", `${below}/${name}/${name}`],
          ["POST", `${below}/${name}`, [{}]],
          ["POST", `${below}/${name}/delete`, [{}]],
          ["PUT", `${below}/${name}/${name}`, {}],
          ["DELETE", `${below}/${name}/${name}`],
        ]),
      ).toEqual([]);
    }
  });

  it("is no list of any type of object", async () => {
    const lines: string[] = [];
    for (const type of CATALOGUE.keys()) {
      const href = (await sandbox.call("GET", `entity/${type}?limit=1`)).at("rows", 0, "meta", "href");
      if (typeof href === "string") lines.push(...(await failed([["GET", `${href}/${name}`]])));
    }
    expect(lines).toEqual([]);
  });

  it("is no key of a query: filter, order, expand, fields, kind of stock, grouping", async () => {
    const queries = [
      `filter=${name}%3D1`,
      `filter=${name}.name%3D1`,
      `filter=id%3D${name}`,
      `order=${name}`,
      `order=name,${name}`,
      `limit=10&fields=${name}`,
      `limit=${name}`,
      `namedfilter=${name}`,
    ];
    const types = ["product", "retaildemand", "counterparty"];
    expect(await failed(types.flatMap((type) => queries.map((query) => ["GET", `entity/${type}?${query}`] as const)))).toEqual([]);
    const reports = [
      `all/current?stockType=${name}`,
      `bystore/current?stockType=${name}`,
      `all/current?filter=${name}%3D1`,
      `all?filter=${name}%3D1`,
      `all?filter=stockMode%3D${name}`,
      `all?order=${name}`,
      `all?groupBy=${name}`,
      `bystore?filter=${name}%3D1`,
    ];
    expect(await failed(reports.map((report) => ["GET", `report/stock/${report}`]))).toEqual([]);
    expect(await failed([["GET", `async?filter=${name}%3D1`]])).toEqual([]);
    expect((await sandbox.call("GET", `entity/metadata?filter=type%3D${name}`)).text).toBe("{}");
  });

  it("is no type of a reference, of a webhook, of an additional field", async () => {
    const meta = { href: `${sandbox.api}/entity/${name}/00000000-0000-4000-8000-000000000000`, type: name, mediaType: "application/json" };
    expect(
      await failed([
        ["POST", "entity/product", { name: "Товар", uom: { meta } }],
        ["POST", "entity/product", { name: "Товар", attributes: [{ meta, value: 1 }] }],
        ["POST", "entity/product", { name: "Товар", attributes: [{ id: name, value: 1 }] }],
        ["POST", "entity/product", { name: "Товар", trackingType: 1, vat: name }],
        ["POST", "entity/product", [{ meta, name: "Товар" }]],
        ["POST", "entity/product/delete", [{ meta }]],
        ["POST", "entity/webhook", { url: "https://shop.example/hook", action: "CREATE", entityType: name }],
        ["POST", "entity/webhook", { url: "https://shop.example/hook", action: name, entityType: "product" }],
        ["POST", "entity/webhookstock", { url: "https://shop.example/hook", stockType: name, reportType: name, enabled: true }],
        ["POST", "entity/product/metadata/attributes", { name: "Поле", type: name }],
        ["POST", "entity/customerorder/metadata/states", { name: "Новый", color: 1, stateType: name }],
        ["POST", "entity/counterparty", { name: "Покупатель", companyType: name }],
      ]),
    ).toEqual([]);
  });

  it("is no name of a reference: to expand it does nothing (D46)", async () => {
    for (const expand of [name, `owner.${name}`]) {
      const [asked, plain] = await Promise.all(
        [`limit=10&expand=${expand}`, "limit=10"].map((query) => sandbox.call("GET", `entity/uom?${query}`)),
      );
      expect([asked?.status, asked?.at("rows", 0)]).toEqual([200, plain?.at("rows", 0)]);
    }
  });

  it("is as good a text as any other, and a field that no type has", async () => {
    const written = await statuses([
      ["POST", "entity/product", { name, code: name, externalCode: name }],
      ["POST", "entity/product", `{"name":"Товар","${name}":{"name":"чужое"}}`],
      ["POST", "entity/product/metadata/attributes", { name, type: "string" }],
      ["POST", "entity/customentity", { name }],
      ["GET", `entity/product?search=${name}`],
      ["GET", `entity/product?filter=name~${name}`],
    ]);
    expect(written.filter((line) => !line.startsWith("200"))).toEqual([]);
  });

  it("ends a file's name, and the file is read, listed and fetched", async () => {
    const file = { filename: `чек.${name}`, content: Buffer.from("текст").toString("base64") };
    const added = await sandbox.call("POST", `${shift}/files`, file);
    expect(added.at(-1 + Number(added.at("length")), "filename")).toBe(file.filename);
    expect((await sandbox.call("GET", `${shift}/files`)).status).toBe(200);
    expect((await sandbox.call("GET", `${shift}?expand=files`)).status).toBe(200);
    const link = await sandbox.call("GET", String(added.at(0, "meta", "downloadHref")));
    expect((await fetch(String(link.headers.get("location")))).headers.get("content-type")).toBe("application/octet-stream");
  });

  it("is no setting", () => {
    expect(readSetting(`${name}=true`)).toHaveProperty("problem");
  });
});
