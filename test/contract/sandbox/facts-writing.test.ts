import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 7, fact by fact.

const NOBODY = "00000000-0000-4000-8000-000000000000";
const TEXT = Buffer.from("текст").toString("base64");

describe("writing", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown; href: string };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = await openShift(sandbox, shop);
  });
  afterAll(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sandbox.call(method, path, body, headers);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const make = async (type: string, body: object) => {
    const made = await call("POST", `entity/${type}`, body);
    expect(made.status, made.text).toBe(200);
    return { made, href: String(made.at("meta", "href")), meta: made.at("meta") };
  };
  const product = (more: object = {}) => make("product", { name: "Товар", ...more });

  describe("single objects", () => {
    it("a PUT changes the fields that it names and nothing else", async () => {
      const { made, href } = await product({
        article: "А-1",
        weight: 2,
        barcodes: [{ ean13: "4600000000015" }],
        uom: shopReference(sandbox, "uom"),
      });
      const changed = await call("PUT", href, { weight: 3 });
      const { updated: _was, ...before } = made.body as Record<string, unknown>;
      const { updated: _is, ...after } = changed.body as Record<string, unknown>;
      expect(after).toEqual({ ...before, weight: 3 });
      expect((await call("PUT", href, {})).status).toBe(200);
    });

    it("an optional field of an object is cleared by null, in a required text null is 400 with code 2016", async () => {
      const { href } = await product({ supplier: shop.buyer, country: shopReference(sandbox, "country") });
      const cleared = await call("PUT", href, { supplier: null, country: null });
      expect([cleared.status, cleared.at("supplier"), cleared.at("country")]).toEqual([200, undefined, undefined]);
      const refused = await call("PUT", href, { name: null });
      expect([refused.status, refused.at("errors", 0)]).toEqual([400, expect.objectContaining({ code: 2016, parameter: "name" })]);
    });

    it("several missing fields are reported together, one error each, with 412", async () => {
      const refused = await call("POST", "entity/retailstore", {});
      expect(refused.status).toBe(412);
      const errors = refused.at("errors") as { code: number; parameter: string }[];
      expect(errors.map(({ code, parameter }) => `${code} ${parameter}`).sort()).toEqual(
        ["name", "organization", "priceType", "store"].map((name) => `3000 ${name}`),
      );
    });

    it("unknown fields of a body are ignored, and in strict mode 412 with code 1007 for each (D11)", async () => {
      expect((await call("POST", "entity/product", { name: "Товар", nothing: 1 })).status).toBe(200);
      const strict = await testSandbox({ settings: { unknownFields: "refuse" } });
      onTestFinished(() => strict.close());
      const refused = await strict.call("POST", "entity/product", { name: "Товар", nothing: 1, Name: "x" });
      expect(refused.status).toBe(412);
      const errors = refused.at("errors") as { code: number; parameter: string }[];
      expect(errors.map(({ code, parameter }) => [code, parameter])).toEqual([
        [1007, "nothing"],
        [1007, "Name"],
      ]);
      expect((await strict.call("POST", "entity/product", { name: "Товар", weight: 1 })).status).toBe(200);
    });

    it("success is 200 for creation too", async () => {
      expect((await product()).made.status).toBe(200);
    });

    it("an object in use is not deleted: 409 with code 1028 and references that block it", async () => {
      const { href, meta } = await make("counterparty", { name: "Покупатель" });
      const sale = await make("retaildemand", { retailShift: { meta: retailShift.meta }, agent: { meta } });
      const refused = await call("DELETE", href);
      expect(faultOf(refused)).toEqual([409, 1028]);
      const dependencies = refused.at("errors", 0, "dependencies") as { meta: { href: string } }[];
      expect(dependencies.map((each) => each.meta.href)).toEqual([sale.href]);
      const many = await call("POST", "entity/counterparty/delete", [{ meta }]);
      expect(many.at(0, "errors", 0, "code")).toBe(1028);
      await call("DELETE", sale.href);
      expect((await call("DELETE", href)).status).toBe(200);
    });

    it("a number of a document that is taken is 412 with code 3006, on create and on change", async () => {
      const parties = { organization: shop.organization, agent: shop.buyer };
      const { href } = await make("customerorder", { ...parties, name: "З-1" });
      const second = await make("customerorder", { ...parties, name: "З-2" });
      expect(faultOf(await call("POST", "entity/customerorder", { ...parties, name: "З-1" }))).toEqual([412, 3006]);
      expect(faultOf(await call("PUT", second.href, { name: "З-1" }))).toEqual([412, 3006]);
      expect((await call("PUT", href, { name: "З-1" })).status).toBe(200);
    });

    it("a document in the bin is not found without isDeleted, and no other type goes there", async () => {
      const { made, href } = await make("retaildemand", { retailShift: { meta: retailShift.meta } });
      await call("POST", `${href}/trash`);
      const list = (filter: string) => call("GET", `entity/retaildemand?filter=${encodeURIComponent(filter)}`);
      expect((await list(`name=${String(made.at("name"))};isDeleted=true`)).at("rows", 0, "id")).toBe(made.at("id"));
      const { href: other } = await product();
      expect(faultOf(await call("POST", `${other}/trash`))).toEqual([412, 1066]);
    });
  });

  describe("nested collections in a PUT", () => {
    it("additional fields are merged by field, sale prices by price type", async () => {
      const [one, two] = await Promise.all(
        ["Первое", "Второе"].map((name) => call("POST", "entity/product/metadata/attributes", { name, type: "string" })),
      );
      const types = (await call("GET", "context/companysettings/pricetype")).body as { meta: unknown }[];
      const [retail, other] = types.map(({ meta }) => ({ meta }));
      const { href } = await product({
        attributes: [one, two].map((field) => ({ meta: field?.at("meta"), value: "было" })),
        salePrices: [
          { value: 100, priceType: retail },
          { value: 200, priceType: other },
        ],
      });
      const changed = await call("PUT", href, {
        attributes: [{ meta: two?.at("meta"), value: "стало" }],
        salePrices: [{ value: 250, priceType: other }],
      });
      expect([changed.at("attributes", 0, "value"), changed.at("attributes", 1, "value")]).toEqual(["было", "стало"]);
      const prices = changed.at("salePrices") as { value: number }[];
      expect(prices.map(({ value }) => value)).toEqual([100, 250, ...prices.slice(2).map(() => 0)]);
    });

    it("barcodes, packs, images and files are replaced as a whole, and an empty array deletes all", async () => {
      const [piece, box] = [shopReference(sandbox, "uom", "шт"), shopReference(sandbox, "uom", "упак")];
      const { href } = await product({
        uom: piece,
        barcodes: [{ ean13: "4600000000015" }, { code128: "AB-1" }],
        packs: [{ uom: box, quantity: 10 }],
        files: [
          { filename: "1.txt", content: TEXT },
          { filename: "2.txt", content: TEXT },
        ],
      });
      const changed = await call("PUT", `${href}?expand=files`, {
        barcodes: [{ code128: "AB-2" }],
        files: [{ filename: "3.txt", content: TEXT }],
      });
      expect(changed.at("barcodes")).toEqual([{ code128: "AB-2" }]);
      expect(changed.at("packs")).toHaveLength(1);
      expect((changed.at("files", "rows") as { filename: string }[]).map(({ filename }) => filename)).toEqual(["3.txt"]);
      const emptied = await call("PUT", href, { barcodes: [], packs: [], files: [] });
      expect([emptied.at("barcodes"), emptied.at("packs"), emptied.at("files", "meta", "size")]).toEqual([undefined, undefined, 0]);
    });

    it("characteristics of a variant are replaced as a whole, and an empty array is 15001", async () => {
      const { meta } = await product();
      const values = (...all: string[]) => all.map((value, at) => ({ name: `Свойство ${at}`, value }));
      const { href } = await make("variant", { product: { meta }, characteristics: values("а", "б") });
      const changed = await call("PUT", href, { characteristics: values("в") });
      expect((changed.at("characteristics") as { value: string }[]).map(({ value }) => value)).toEqual(["в"]);
      expect(faultOf(await call("PUT", href, { characteristics: [] }))).toEqual([412, 15001]);
    });

    it("groups of a buyer, bank accounts and contact persons are replaced as a whole", async () => {
      const { href } = await make("counterparty", {
        ...{ name: "Свой", tags: ["опт", "север"], accounts: [{ accountNumber: "1" }, { accountNumber: "2" }] },
        contactpersons: [{ name: "Иван" }, { name: "Пётр" }],
      });
      const changed = await call("PUT", `${href}?expand=accounts,contactpersons`, {
        ...{ tags: ["розница"], accounts: [{ accountNumber: "3" }], contactpersons: [{ name: "Анна" }] },
      });
      expect(changed.at("tags")).toEqual(["розница"]);
      expect((changed.at("accounts", "rows") as { accountNumber: string }[]).map((each) => each.accountNumber)).toEqual(["3"]);
      expect((changed.at("contactpersons", "rows") as { name: string }[]).map(({ name }) => name)).toEqual(["Анна"]);
    });

    it("lists of a point of sale are replaced as a whole", async () => {
      const folder = async (name: string) => ({ meta: (await make("productfolder", { name })).meta });
      const [one, two] = [await folder("Первая"), await folder("Вторая")];
      const { href } = await make("retailstore", {
        ...{ name: "Ларёк", organization: shop.organization, store: shop.store, priceType: shopReference(sandbox, "pricetype") },
        ...{ productFolders: [one], filterAgentsTags: ["а", "б"], cashiers: [shop.employee] },
      });
      const changed = await call("PUT", `${href}?expand=productFolders`, { productFolders: [two], filterAgentsTags: ["в"], cashiers: [] });
      expect((changed.at("productFolders", "rows") as { name: string }[]).map(({ name }) => name)).toEqual(["Вторая"]);
      expect([changed.at("filterAgentsTags"), changed.at("cashiers", "meta", "size")]).toEqual([["в"], 0]);
    });
  });

  describe.each(["retaildemand", "retailsalesreturn", "customerorder"])("lines of a %s", (type) => {
    const line = (price: number) => ({ assortment: shop.product, quantity: 1, price });
    const document = () =>
      make(type, {
        ...{ organization: shop.organization, store: shop.store, agent: shop.buyer, positions: [line(100), line(200)] },
        ...(type === "customerorder" ? {} : { retailShift: { meta: retailShift.meta } }),
        ...(type === "retailsalesreturn" ? { retailStore: shop.retailStore, cashSum: 300, noCashSum: 0 } : {}),
      });
    const pay = type === "retailsalesreturn";

    it("are listed, read, changed and deleted at addresses of their own, and the document's sum follows", async () => {
      const { href } = await document();
      const lines = await call("GET", `${href}/positions`);
      expect(lines.at("meta")).toMatchObject({ href: `${href}/positions`, size: 2, limit: 1000, offset: 0 });
      const first = String(lines.at("rows", 0, "meta", "href"));
      expect(first).toBe(`${href}/positions/${String(lines.at("rows", 0, "id"))}`);
      expect((await call("GET", first)).body).toEqual(lines.at("rows", 0));
      if (pay) return;
      expect((await call("PUT", first, { quantity: 3 })).body).toMatchObject({ id: lines.at("rows", 0, "id"), quantity: 3, price: 100 });
      expect((await call("GET", href)).at("sum")).toBe(500);
      const gone = await call("DELETE", first);
      expect([gone.status, gone.text]).toEqual([200, ""]);
      expect((await call("GET", first)).status).toBe(404);
      expect((await call("GET", href)).at("sum")).toBe(200);
    });

    it("are added by POST, of one object or an array, and the answer is an array", async () => {
      const { href } = await document();
      const one = await call("POST", `${href}/positions`, line(0));
      expect([one.status, (one.body as object[]).length]).toEqual([200, 1]);
      const two = await call("POST", `${href}/positions`, [line(0), line(0)]);
      expect((two.body as object[]).length).toBe(2);
      expect((await call("GET", `${href}/positions`)).at("meta", "size")).toBe(5);
    });

    it("are deleted together by POST /delete", async () => {
      const { href } = await document();
      const added = await call("POST", `${href}/positions`, [line(0), line(0)]);
      const metas = [0, 1].map((at) => ({ meta: added.at(at, "meta") }));
      expect((await call("POST", `${href}/positions/delete`, metas)).status).toBe(200);
      expect((await call("GET", `${href}/positions`)).at("meta", "size")).toBe(2);
    });

    it("of a document that is not there are 404", async () => {
      const answer = await call("GET", `entity/${type}/${NOBODY}/positions`);
      expect(faultOf(answer)).toEqual([404, 1020]);
    });
  });

  it("more than 1000 lines go only through the sub-resource", async () => {
    const line = { assortment: shop.product, quantity: 1, price: 1 };
    const parties = { organization: shop.organization, agent: shop.buyer };
    const many = Array.from({ length: 1000 }, () => line);
    expect(faultOf(await call("POST", "entity/customerorder", { ...parties, positions: [...many, line] }))).toEqual([413, 2022]);
    const { href } = await make("customerorder", { ...parties, positions: many });
    expect((await call("POST", `${href}/positions`, line)).status).toBe(200);
    expect((await call("GET", href)).at("positions", "meta", "size")).toBe(1001);
  });

  describe("mass operations", () => {
    it("an element with meta is changed, one without is created", async () => {
      const { made, meta } = await product();
      const answer = await call("POST", "entity/product", [{ name: "Новый" }, { meta, code: "К-1" }]);
      expect(answer.status).toBe(200);
      expect([answer.at(0, "name"), answer.at(1, "id"), answer.at(1, "code"), answer.at(1, "name")]).toEqual([
        "Новый",
        made.at("id"),
        "К-1",
        "Товар",
      ]);
    });

    it("more than 1000 elements are 413 with code 2007, and nothing is stored", async () => {
      const size = async () => (await call("GET", "entity/uom?limit=0")).at("meta", "size");
      const before = await size();
      const elements = Array.from({ length: 1001 }, (_, at) => ({ name: `ед. ${at}` }));
      expect(faultOf(await call("POST", "entity/uom", elements))).toEqual([413, 2007]);
      expect(faultOf(await call("POST", "entity/uom/delete", elements))).toEqual([413, 2007]);
      expect(await size()).toBe(before);
    });

    it("objects nest ten deep at most (2006), and an array in an array is refused (2004)", async () => {
      const nested = (depth: number): object => (depth === 0 ? {} : { inner: nested(depth - 1) });
      expect(faultOf(await call("POST", "entity/product", { name: "Товар", nothing: nested(12) }))).toEqual([400, 2006]);
      expect(faultOf(await call("POST", "entity/product", [[{ name: "Товар" }]]))).toEqual([400, 2004]);
    });

    it("a failure of body form makes the whole answer 400, any other 412, and good elements stay (D13)", async () => {
      const mixed = async (bad: object) => {
        const answer = await call("POST", "entity/product", [{ name: "Хороший" }, bad]);
        expect((await call("GET", String(answer.at(0, "meta", "href")))).status).toBe(200);
        expect(answer.at(1)).toEqual({ errors: [expect.objectContaining({ code: expect.any(Number), moreInfo: expect.any(String) })] });
        return answer.status;
      };
      expect(await mixed({ name: 5 })).toBe(400);
      expect(await mixed({ code: "без имени" })).toBe(412);
    });

    it("of deletion answer in order too: info of what is gone, errors of what is not there (D13)", async () => {
      const [one, two] = [await product(), await product()];
      const nobody = { ...(one.meta as object), href: one.href.replace(/[^/]+$/, NOBODY) };
      const answer = await call("POST", "entity/product/delete", [{ meta: one.meta }, { meta: nobody }, { meta: two.meta }]);
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual([
        { info: expect.any(String) },
        { errors: [expect.objectContaining({ code: 2013 })] },
        { info: expect.any(String) },
      ]);
      expect((await call("GET", two.href)).status).toBe(404);
    });

    it("with massStatus=200 a mixed answer is 200", async () => {
      const lenient = await testSandbox({ settings: { massStatus: "200" } });
      onTestFinished(() => lenient.close());
      const answer = await lenient.call("POST", "entity/product", [{ name: 5 }, { name: "Хороший" }]);
      expect([answer.status, answer.at(0, "errors", 0, "code"), answer.at(1, "name")]).toEqual([200, 2016, "Хороший"]);
      expect((await lenient.call("POST", "entity/product/delete", [{}])).status).toBe(200);
    });
  });

  describe("a body of the wrong kind", () => {
    it("an array to one object is 400 with code 2009, to a template 2008", async () => {
      const { href } = await product();
      expect(faultOf(await call("PUT", href, [{ name: "x" }]))).toEqual([400, 2009]);
      expect(faultOf(await call("PUT", "entity/product/new", [{}]))).toEqual([400, 2008]);
    });

    it("POST with an id in the path is 1006, neither object nor array 2005, an empty body 1027", async () => {
      const { href } = await product();
      expect(faultOf(await call("POST", href, { name: "x" }))).toEqual([400, 1006]);
      for (const body of ['"text"', "5", "true", "null"])
        expect([body, ...faultOf(await call("POST", "entity/product", body))]).toEqual([body, 400, 2005]);
      expect(faultOf(await call("POST", "entity/product", ""))).toEqual([400, 1027]);
      expect(faultOf(await call("PUT", href, ""))).toEqual([400, 1027]);
    });

    it("an element that is no object is refused in its place", async () => {
      const answer = await call("POST", "entity/product", [{ name: "Хороший" }, 5]);
      expect([answer.at(0, "name"), answer.at(1, "errors", 0, "code")]).toEqual(["Хороший", 2005]);
    });
  });

  describe("syncId", () => {
    it("is never changed (1047), and the same again is no change", async () => {
      const syncId = "aaaaaaaa-1111-4222-8333-444444444444";
      const { href } = await make("counterparty", { name: "Свой", syncId });
      expect(faultOf(await call("PUT", href, { syncId: "bbbbbbbb-1111-4222-8333-444444444444" }))).toEqual([412, 1047]);
      expect((await call("PUT", href, { syncId })).status).toBe(200);
    });

    it("is given later to an object that has none, and not changed from then on", async () => {
      const syncId = "dddddddd-1111-4222-8333-444444444444";
      const { href } = await make("counterparty", { name: "Без ключа" });
      expect(faultOf(await call("PUT", href, { syncId: "ключ" }))).toEqual([400, 1052]);
      expect((await call("PUT", href, { syncId })).at("syncId")).toBe(syncId);
      expect((await call("GET", `entity/counterparty/syncid/${syncId}`)).at("name")).toBe("Без ключа");
      expect(faultOf(await call("PUT", href, { syncId: "eeeeeeee-1111-4222-8333-444444444444" }))).toEqual([412, 1047]);
      expect(faultOf(await call("PUT", href, { syncId: null }))).toEqual([412, 1047]);
      const other = await make("counterparty", { name: "Второй без ключа" });
      expect(faultOf(await call("PUT", other.href, { syncId }))).toEqual([412, 3006]);
    });

    it("that nobody has is 412 with code 1057 to delete and to read", async () => {
      for (const method of ["DELETE", "GET"]) expect(faultOf(await call(method, `entity/product/syncid/${NOBODY}`))).toEqual([412, 1057]);
    });

    it("makes one object in one array too", async () => {
      const syncId = "cccccccc-1111-4222-8333-444444444444";
      const answer = await call("POST", "entity/product", [
        { name: "Раз", syncId },
        { name: "Два", syncId },
      ]);
      expect([answer.at(1, "id"), answer.at(1, "name")]).toEqual([answer.at(0, "id"), "Раз"]);
    });
  });
});
