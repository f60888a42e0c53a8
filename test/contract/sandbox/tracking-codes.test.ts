import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

interface Code {
  cis?: unknown;
  type?: string;
  trackingCodes?: Code[];
}

const piece = (cis: string): Code => ({ cis, type: "trackingcode" });

describe("documents of a shift (chapter 12)", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown };
  let shoes: { meta: unknown };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = { meta: (await openShift(sandbox, shop)).meta };
    shoes = { meta: (await sandbox.call("POST", "entity/product", { name: "Ботинки", trackingType: "SHOES" })).at("meta") };
  });
  afterAll(() => sandbox.close());

  const sell = (trackingCodes: unknown, assortment = shoes) =>
    sandbox.call("POST", "entity/retaildemand", { retailShift, positions: [{ assortment, quantity: 3, price: 100, trackingCodes }] });

  it("marking codes are a tree: packs hold codes, and it comes back as it was sent", async () => {
    const codes = [
      {
        cis: "Короб",
        type: "transportpack",
        trackingCodes: [{ cis: "Пачка", type: "consumerpack", trackingCodes: [piece("1"), piece("2")] }],
      },
    ];
    const sale = await sell(codes);
    expect(sale.status, sale.text).toBe(200);
    const lines = await sandbox.call("GET", `${String(sale.at("meta", "href"))}/positions`);
    expect(lines.at("rows", 0, "trackingCodes")).toEqual(codes);
  });

  it.each<[string, unknown, number, number]>([
    ["without its cis", [{ type: "trackingcode" }], 412, 3000],
    ["of an unknown type", [{ cis: "1", type: "box" }], 400, 2029],
    ["that holds others and is no pack", [{ ...piece("1"), trackingCodes: [piece("2")] }], 412, 3007],
    [
      "of a transport pack in a transport pack",
      [{ cis: "1", type: "transportpack", trackingCodes: [{ cis: "2", type: "transportpack" }] }],
      412,
      3007,
    ],
    ["that is no object", ["1"], 412, 3012],
    ["in no array", "1", 400, 2003],
  ])("a code %s is refused", async (_, codes, status, code) => {
    const refused = await sell(codes);
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([status, code]);
  });

  it("codes of goods without marking are dropped, whatever they look like", async () => {
    const sale = await sell([{ type: "box" }], shop.product);
    const lines = await sandbox.call("GET", `${String(sale.at("meta", "href"))}/positions`);
    expect([lines.status, lines.at("rows", 0, "trackingCodes")]).toEqual([200, undefined]);
  });

  it("a code comes once in a document for pieces, and in several lines for goods that are sold by measure", async () => {
    const goods = async (fields: object) => ({ meta: (await sandbox.call("POST", "entity/product", fields)).at("meta") });
    const line = (assortment: object, ...codes: string[]) => ({ assortment, quantity: 0.5, price: 100, trackingCodes: codes.map(piece) });
    const sale = async (...positions: object[]) => {
      const answer = await sandbox.call("POST", "entity/retaildemand", { retailShift, positions });
      return answer.status === 200 ? 200 : answer.at("errors", 0, "code");
    };
    const litre = (await sandbox.call("GET", "entity/uom?filter=code=112")).at("rows", 0, "meta");
    const measured = [
      await goods({ name: "Сыр", trackingType: "MILK", weighed: true }),
      await goods({ name: "Молоко", trackingType: "MILK", onTap: true }),
      await goods({ name: "Пиво", trackingType: "BEER_ALCOHOL", uom: { meta: litre } }),
    ];
    for (const each of measured) {
      expect(await sale(line(each, "keg"), line(shop.product), line(each, "keg"))).toBe(200);
      expect(await sale(line(each, "keg", "keg"))).toBe(17103);
      expect(await sale(line(each, "keg"), line(shoes, "keg"))).toBe(17103);
    }
    expect(await sale(line(shoes, "pair"), line(shoes, "pair"))).toBe(17103);
  });

  it("every one of them has files, a return too", async () => {
    const sale = await sandbox.call("POST", "entity/retaildemand", {
      retailShift,
      positions: [{ assortment: shop.product, quantity: 1, price: 100 }],
    });
    const parties = { organization: shop.organization, store: shop.store, retailStore: shop.retailStore, agent: shop.buyer };
    const positions = [{ assortment: shop.product, quantity: 1, price: 100 }];
    const back = await sandbox.call("POST", "entity/retailsalesreturn", {
      ...parties,
      retailShift,
      demand: { meta: sale.at("meta") },
      positions,
    });
    const drawer = { organization: shop.organization, agent: shop.employee, retailShift, sum: 100 };
    const cash = await Promise.all(
      ["retaildrawercashin", "retaildrawercashout"].map((type) => sandbox.call("POST", `entity/${type}`, drawer)),
    );
    for (const document of [retailShift, ...[sale, back, ...cash].map((each) => ({ meta: each.at("meta") }))]) {
      const files = `${(document.meta as { href: string }).href}/files`;
      const added = await sandbox.call("POST", files, { filename: "чек.txt", content: Buffer.from("чек").toString("base64") });
      expect([added.status, added.at(0, "filename")], files).toEqual([200, "чек.txt"]);
      expect((await sandbox.call("GET", files)).at("meta", "size")).toBe(1);
    }
  });
});
