import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { type SentReference, shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 5, fact by fact.

const NOBODY = "00000000-0000-4000-8000-000000000000";
const MOSCOW_MS = 3 * 3_600_000;

describe("representation", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown; href: string };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = await openShift(sandbox, shop, { moment: "2026-01-10 09:00:00" });
  });
  afterAll(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sandbox.call(method, path, body, headers);
  const product = (more: object) => call("POST", "entity/product", { name: "Товар", ...more });
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const uom = () => shopReference(sandbox, "uom");
  const withMeta = (meta: object) => product({ uom: { meta } });

  describe("a reference in a body", () => {
    it("is an object of meta with href, type and mediaType; metadataHref is optional", async () => {
      const { meta } = uom();
      const full = { ...meta, metadataHref: `${sandbox.api}/entity/uom/metadata` };
      for (const each of [meta, full]) expect((await withMeta(each)).at("uom", "meta", "href")).toBe(meta.href);
    });

    it.each([
      ["without href is 2010", ({ meta }: SentReference) => ({ ...meta, href: undefined }), 2010],
      ["without type is 2011", ({ meta }: SentReference) => ({ ...meta, type: undefined }), 2011],
      ["with an unknown type is 2012", ({ meta }: SentReference) => ({ ...meta, type: "elephant" }), 2012],
      [
        "with an unknown type is 2012, also where its href says the same",
        ({ meta }: SentReference) => ({ ...meta, href: meta.href.replace("/uom/", "/elephant/"), type: "elephant" }),
        2012,
      ],
      ["to nothing is 2013", ({ meta }: SentReference) => ({ ...meta, href: meta.href.replace(/[^/]+$/, NOBODY) }), 2013],
      ["whose type does not match its href is 1060", ({ meta }: SentReference) => ({ ...meta, type: "product" }), 1060],
    ])("%s", async (_name, broken, code) => {
      expect(faultOf(await withMeta(broken(uom())))).toEqual([400, code]);
    });

    it("without meta is 2014, of a type that the field does not take 2027", async () => {
      expect(faultOf(await product({ uom: { name: "шт" } }))).toEqual([400, 2014]);
      expect(faultOf(await product({ uom: shopReference(sandbox, "store") }))).toEqual([400, 2027]);
    });

    it("may carry a query in its href", async () => {
      const { meta } = uom();
      expect((await withMeta({ ...meta, href: `${meta.href}?expand=owner` })).at("uom", "meta", "href")).toBe(meta.href);
    });
  });

  describe("a collection", () => {
    it("names its size, not the page's, and nextHref only when more elements follow, previousHref only above offset 0", async () => {
      const page = async (query: string) => (await call("GET", `entity/uom?${query}`)).at("meta") as Record<string, unknown>;
      const { size } = await page("limit=2");
      const whole = await page(`limit=${String(size)}`);
      expect([whole.size, whole.nextHref, whole.previousHref]).toEqual([size, undefined, undefined]);
      const first = await page("limit=2");
      expect([first.size, typeof first.nextHref, first.previousHref]).toEqual([size, "string", undefined]);
      const last = await page(`limit=2&offset=${Number(size) - 1}`);
      expect([last.size, last.nextHref, typeof last.previousHref]).toEqual([size, undefined, "string"]);
    });

    it("keeps the other query parameters in nextHref and previousHref", async () => {
      const query = "limit=1&offset=1&filter=shared%3Dfalse&order=name%2Cdesc&expand=owner&search=";
      const answer = await call("GET", `entity/product?${query}`);
      for (const name of ["nextHref", "previousHref"]) {
        const asked = new URL(String(answer.at("meta", name))).searchParams;
        expect([asked.get("filter"), asked.get("order"), asked.get("expand")]).toEqual(["shared=false", "name,desc", "owner"]);
      }
    });

    it("that is nested is an object of meta with size, limit and offset, and no rows until it is expanded", async () => {
      const buyer = await call("POST", "entity/counterparty", { name: "Свой", accounts: [{ accountNumber: "1" }, { accountNumber: "2" }] });
      expect(buyer.at("accounts")).toEqual({
        meta: {
          href: `${String(buyer.at("meta", "href"))}/accounts`,
          type: "account",
          mediaType: "application/json",
          size: 2,
          limit: 1000,
          offset: 0,
        },
      });
      const own = await call("GET", String(buyer.at("accounts", "meta", "href")));
      expect(own.at("rows")).toHaveLength(2);
    });
  });

  describe("values", () => {
    it("money is a number of minor units, a fractional part possible", async () => {
      const made = await product({
        buyPrice: { value: 12345.67 },
        salePrices: [{ value: 0.5, priceType: shopReference(sandbox, "pricetype") }],
      });
      expect([made.at("buyPrice", "value"), made.at("salePrices", 0, "value")]).toEqual([12345.67, 0.5]);
      const line = { assortment: shop.product, quantity: 1, price: 100.25 };
      const sale = await call("POST", "entity/retaildemand?expand=positions", {
        retailShift: { meta: retailShift.meta },
        positions: [line],
      });
      expect([sale.at("positions", "rows", 0, "price"), sale.at("sum")]).toEqual([100.25, 100]);
    });

    it("an int is whole and of 32 bit", async () => {
      const sell = (documentNumber: unknown) =>
        call("POST", "entity/retaildemand", { retailShift: { meta: retailShift.meta }, documentNumber });
      expect((await sell(2_147_483_647)).at("documentNumber")).toBe(2_147_483_647);
      expect((await sell(2_147_483_648)).status).not.toBe(200);
      expect(faultOf(await sell(1.5))).toEqual([400, 2016]);
      expect(faultOf(await sell("1"))).toEqual([400, 2016]);
    });

    it("a text is counted in characters: 255 that memory holds in halves are 255", async () => {
      expect((await product({ code: "😀".repeat(255) })).at("code")).toBe("😀".repeat(255));
      expect(faultOf(await product({ code: "😀".repeat(256) }))).toEqual([412, 3040]);
      expect(faultOf(await product({ code: `${"😀".repeat(254)}ab` }))).toEqual([412, 3040]);
    });

    it("a uuid of bad form is 400 with code 1052", async () => {
      expect(faultOf(await product({ syncId: "123" }))).toEqual([400, 1052]);
    });

    it("a value outside of a list is 2029", async () => {
      expect(faultOf(await product({ taxSystem: "NO_TAX" }))).toEqual([400, 2029]);
      expect((await product({ taxSystem: "TAX_SYSTEM_SAME_AS_GROUP" })).status).toBe(200);
    });
  });

  describe("dates", () => {
    it("are Moscow's, UTC+3, without an offset", async () => {
      const before = Date.now();
      const made = await product({});
      const written = Date.parse(`${String(made.at("updated")).replace(" ", "T")}Z`) - MOSCOW_MS;
      expect(written).toBeGreaterThanOrEqual(before - 1000);
      expect(written).toBeLessThanOrEqual(Date.now());
    });

    it("are taken with and without milliseconds, and refused in any other form", async () => {
      const order = (deliveryPlannedMoment: unknown) =>
        call("POST", "entity/customerorder", { organization: shop.organization, agent: shop.buyer, deliveryPlannedMoment });
      for (const text of ["2026-03-05 12:40:00", "2026-03-05 12:40:00.000"]) {
        expect((await order(text)).at("deliveryPlannedMoment")).toBe("2026-03-05 12:40:00");
      }
      for (const wrong of ["2026-03-05T12:40:00Z", "05.03.2026", "2026-13-01 00:00:00", 5]) {
        expect([wrong, (await order(wrong)).status]).toEqual([wrong, 400]);
      }
    });

    it("moment, deliveryPlannedMoment, certificateDate and additional fields of type time keep whole minutes", async () => {
      const sale = await call("POST", "entity/retaildemand", {
        retailShift: { meta: retailShift.meta },
        moment: "2026-03-05 12:40:17.250",
      });
      expect(sale.at("moment")).toBe("2026-03-05 12:40:00");
      const shift = await openShift(sandbox, shop, { moment: "2026-03-05 08:00:59" });
      expect((await call("GET", shift.href)).at("moment")).toBe("2026-03-05 08:00:00");
      const order = await call("POST", "entity/customerorder", {
        ...{ organization: shop.organization, agent: shop.buyer },
        ...{ moment: "2026-03-05 12:40:17", deliveryPlannedMoment: "2026-03-06 10:00:31" },
      });
      expect([order.at("moment"), order.at("deliveryPlannedMoment")]).toEqual(["2026-03-05 12:40:00", "2026-03-06 10:00:00"]);
      const buyer = await call("POST", "entity/counterparty", {
        ...{ name: "ИП", companyType: "entrepreneur", certificateDate: "2020-01-02 03:04:05" },
      });
      expect(buyer.at("certificateDate")).toBe("2020-01-02 03:04:00");
      const field = await call("POST", "entity/product/metadata/attributes", { name: "Срок", type: "time" });
      const made = await product({ attributes: [{ meta: field.at("meta"), value: "2026-03-05 12:40:17" }] });
      expect(made.at("attributes", 0, "value")).toBe("2026-03-05 12:40:00");
    });

    it("carry milliseconds for who asks with X-Platform-Format-Millisecond, on one object and on answers of writes too", async () => {
      const headers = { "x-platform-format-millisecond": "true" };
      const made = await call("POST", "entity/counterparty", { name: "Точный" }, headers);
      const form = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/;
      for (const answer of [made, await call("GET", String(made.at("meta", "href")), undefined, headers)]) {
        expect(answer.at("updated")).toMatch(form);
        expect(answer.at("created")).toMatch(form);
      }
      expect((await call("GET", String(made.at("meta", "href")))).at("updated")).toMatch(/:\d\d$/);
    });
  });

  describe("null", () => {
    it("in an array is 412 with code 3012", async () => {
      expect(faultOf(await product({ barcodes: [null] }))).toEqual([412, 3012]);
      expect(faultOf(await call("POST", "entity/counterparty", { name: "Свой", tags: ["a", null] }))).toEqual([412, 3012]);
    });

    it("of rate sets the account's currency", async () => {
      const currency = await call("POST", "entity/currency", { name: "USD", fullName: "Доллар", code: "840", isoCode: "USD", rate: 90 });
      const order = await call("POST", "entity/customerorder", {
        ...{ organization: shop.organization, agent: shop.buyer, rate: { currency: { meta: currency.at("meta") }, value: 90 } },
      });
      expect([order.status, order.at("rate", "currency", "meta", "href")]).toEqual([200, currency.at("meta", "href")]);
      const cleared = await call("PUT", String(order.at("meta", "href")), { rate: null });
      expect(cleared.at("rate", "currency", "meta", "href")).toBe(shopReference(sandbox, "currency").meta.href);
    });
  });

  describe("addresses", () => {
    const buyer = (more: object) => call("POST", "entity/counterparty", { name: "Адресат", ...more });
    const PARTS = {
      postalCode: "101000",
      city: "Москва",
      street: "Садовая",
      house: "5",
      apartment: "7",
      addInfo: "код 12",
      comment: "тихо",
    };

    it("the line is the parts in order, joined by a comma, country and region by their names, without the comment", async () => {
      const [country, region] = [shopReference(sandbox, "country"), shopReference(sandbox, "region")];
      const answer = await buyer({ actualAddressFull: { ...PARTS, country, region } });
      const names = await Promise.all([country, region].map(async ({ meta }) => String((await call("GET", meta.href)).at("name"))));
      expect(answer.at("actualAddress")).toBe(["101000", ...names, "Москва", "Садовая", "5", "7", "код 12"].join(", "));
      expect(answer.at("actualAddressFull")).toMatchObject(PARTS);
    });

    it("when both forms are sent the line is ignored", async () => {
      expect((await buyer({ actualAddress: "мимо", actualAddressFull: { city: "Тверь" } })).at("actualAddress")).toBe("Тверь");
    });

    it("a postal code has at most 255 characters (D45), house and apartment 30", async () => {
      for (const [name, length] of [
        ["postalCode", 255],
        ["house", 30],
        ["apartment", 30],
      ] as const) {
        expect((await buyer({ actualAddressFull: { [name]: "1".repeat(length) } })).status, name).toBe(200);
        expect([name, ...faultOf(await buyer({ actualAddressFull: { [name]: "1".repeat(length + 1) } }))]).toEqual([name, 412, 3040]);
      }
    });
  });
});
