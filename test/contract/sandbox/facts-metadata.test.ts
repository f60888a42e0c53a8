import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EXTENT } from "../../support/extent.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { type SentReference, shopReference } from "../../support/sandbox-bodies.ts";
import { type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 8, fact by fact.

const NOBODY = "00000000-0000-4000-8000-000000000000";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("metadata, states and additional fields", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let turn = 0;
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown) => sandbox.call(method, path, body);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const define = async (type: string, more: object = {}, of = "product") => {
    turn += 1;
    const made = await call("POST", `entity/${of}/metadata/attributes`, { name: `Поле ${turn}`, type, ...more });
    expect(made.status, made.text).toBe(200);
    return { made, id: String(made.at("id")), href: String(made.at("meta", "href")), meta: made.at("meta") };
  };
  const product = (attributes: unknown) => call("POST", "entity/product", { name: "Товар", attributes });

  describe("metadata", () => {
    it("of a type has meta, attributes, groups and createShared, and states where the type has them", async () => {
      const answer = await call("GET", "entity/customerorder/metadata");
      expect(Object.keys(answer.body as object).sort()).toEqual(["attributes", "createShared", "groups", "meta", "states"]);
      expect(answer.at("meta")).toEqual({ href: `${sandbox.api}/entity/customerorder/metadata`, mediaType: "application/json" });
      expect(answer.at("attributes", "meta")).toMatchObject({ size: 0, limit: 1000, offset: 0 });
    });

    it("attributes is an array in older versions, a collection in the current one, with rows when it is expanded", async () => {
      await define("string", {}, "customerorder");
      const of = (version: string, query = "") => call("GET", `${sandbox.base}/api/remap/${version}/entity/customerorder/metadata${query}`);
      for (const version of ["1.0", "1.1"]) expect([version, (await of(version)).at("attributes", 0, "type")]).toEqual([version, "string"]);
      expect((await of("1.2")).at("attributes", "rows")).toBeUndefined();
      expect((await of("1.2", "?expand=attributes")).at("attributes", "rows", 0, "type")).toBe("string");
    });

    it("groups are strings", async () => {
      await call("POST", "entity/counterparty", { name: "Свой", tags: ["опт"] });
      expect((await call("GET", "entity/counterparty/metadata")).at("groups")).toContain("опт");
    });

    it("of many types is asked for with a filter by type", async () => {
      const answer = await call("GET", "entity/metadata?filter=type=product;type=retaildemand");
      expect(Object.keys(answer.body as object).sort()).toEqual(["product", "retaildemand"]);
      expect(answer.at("product")).toEqual((await call("GET", "entity/product/metadata")).body);
      expect(faultOf(await call("GET", "entity/metadata?filter=name=product"))).toEqual([412, 1034]);
    });

    it("products, services and bundles share the additional fields of products; variants have none", async () => {
      const { id, meta } = await define("string");
      for (const type of ["service", "bundle"]) {
        const metadata = await call("GET", `entity/${type}/metadata?expand=attributes`);
        const rows = metadata.at("attributes", "rows") as { id: string; meta: object }[];
        expect(rows.find((row) => row.id === id)?.meta).toEqual(meta);
      }
      const service = await call("POST", "entity/service", { name: "Услуга", attributes: [{ meta, value: "и здесь" }] });
      expect(service.at("attributes", 0, "value")).toBe("и здесь");
      expect(faultOf(await call("GET", "entity/variant/metadata/attributes"))).toEqual([412, 14002]);
    });

    it.each(["retailstore", "uom", "webhook"])("a %s has no additional fields: 14002", async (type) => {
      expect(faultOf(await call("GET", `entity/${type}/metadata/attributes`))).toEqual([412, 14002]);
      expect(faultOf(await call("POST", `entity/${type}/metadata/attributes`, { name: "x", type: "string" }))).toEqual([412, 14002]);
    });
  });

  describe("states", () => {
    const BASE = "entity/counterparty/metadata/states";
    const state = async (more: object = {}) => {
      turn += 1;
      return await call("POST", BASE, { name: `Статус ${turn}`, color: 15106326, stateType: "Regular", ...more });
    };

    it("have meta, id, accountId, name, color, stateType and entityType", async () => {
      const made = await state({ name: "Полный" });
      expect(made.body).toEqual({
        meta: expect.objectContaining({
          href: `${sandbox.api}/${BASE}/${String(made.at("id"))}`,
          type: "state",
          mediaType: "application/json",
        }),
        id: expect.stringMatching(UUID),
        accountId: expect.stringMatching(UUID),
        name: "Полный",
        color: 15106326,
        stateType: "Regular",
        entityType: "counterparty",
      });
      expect((await call("GET", String(made.at("meta", "href")))).body).toEqual(made.body);
    });

    it("are Regular, Successful or Unsuccessful", async () => {
      for (const stateType of ["Regular", "Successful", "Unsuccessful"])
        expect((await state({ stateType })).at("stateType")).toBe(stateType);
      expect(faultOf(await state({ stateType: "regular" }))).toEqual([412, 11001]);
    });

    it("are made and changed by an array", async () => {
      const made = await state();
      const answer = await call("POST", BASE, [
        { meta: made.at("meta"), color: 7 },
        { name: "Ещё один", color: 8, stateType: "Regular" },
      ]);
      expect([answer.at(0, "id"), answer.at(0, "color"), answer.at(1, "name")]).toEqual([made.at("id"), 7, "Ещё один"]);
    });

    it("a missing one is deleted with 404 and an empty body", async () => {
      const gone = await call("DELETE", `${BASE}/${NOBODY}`);
      expect([gone.status, gone.text]).toEqual([404, ""]);
    });

    it("a shift has none", async () => {
      const path = "entity/retailshift/metadata/states";
      expect((await call("POST", path, { name: "x", color: 1, stateType: "Regular" })).status).toBe(404);
      expect((await call("GET", "entity/retailshift/metadata")).at("states")).toBeUndefined();
    });
  });

  describe("a definition", () => {
    it("has a meta of type attributemetadata, an id, and is not required unless it says so", async () => {
      const { made, id } = await define("string", { description: "зачем", required: undefined });
      expect(made.at("meta")).toMatchObject({ type: "attributemetadata", mediaType: "application/json" });
      expect(id).toMatch(UUID);
      expect([made.at("required"), made.at("description")]).toEqual([false, "зачем"]);
      expect((await define("string", { required: true })).made.at("required")).toBe(true);
      // The field is removed, because a required field would disturb the following tests.
      const all = (await call("GET", "entity/product/metadata/attributes")).at("rows") as { meta: object; required: boolean }[];
      await call(
        "POST",
        "entity/product/metadata/attributes/delete",
        all.filter(({ required }) => required).map(({ meta }) => ({ meta })),
      );
    });

    it("needs a name of at most 255 characters and a description of at most 4096", async () => {
      const base = "entity/product/metadata/attributes";
      expect((await define("string", { name: "я".repeat(255), description: "я".repeat(4096) })).made.status).toBe(200);
      expect(faultOf(await call("POST", base, { name: "ю".repeat(256), type: "string" }))).toEqual([412, 3040]);
      expect(faultOf(await call("POST", base, { name: "длинный", type: "string", description: "я".repeat(4097) }))).toEqual([412, 3040]);
    });

    it("of a type that there is not is 400 with code 2029", async () => {
      expect(faultOf(await call("POST", "entity/product/metadata/attributes", { name: "Слон", type: "elephant" }))).toEqual([400, 2029]);
    });

    it("of the same name may stand at another type", async () => {
      const { made } = await define("string");
      expect((await define("string", { name: made.at("name") }, "counterparty")).made.status).toBe(200);
    });

    it("cannot be hidden and required", async () => {
      const both = await call("POST", "entity/customerorder/metadata/attributes", {
        name: "Скрытое",
        type: "string",
        show: false,
        required: true,
      });
      expect(both.status).toBe(412);
      const { href } = await define("string", { show: false }, "customerorder");
      expect((await call("PUT", href, { required: true })).status).toBe(412);
    });

    it.each(["boolean", "file"])("of type %s cannot be required", async (type) => {
      turn += 1;
      const refused = await call("POST", "entity/product/metadata/attributes", { name: `Поле ${turn}`, type, required: true });
      expect(refused.status).toBe(412);
    });

    it("keeps its type, and what a PUT leaves out stays", async () => {
      const { href } = await define("long", { description: "было" });
      expect(faultOf(await call("PUT", href, { type: "string" }))).toEqual([412, 3001]);
      expect((await call("PUT", href, { type: "long", name: "Другое имя" })).body).toMatchObject({
        name: "Другое имя",
        type: "long",
        description: "было",
      });
      expect(faultOf(await call("PUT", href, [{ name: "x" }]))).toEqual([400, 2009]);
    });

    it("that is changed by an array element with id keeps its type, and its new name must be free", async () => {
      const [one, two] = [await define("string"), await define("string")];
      const base = "entity/product/metadata/attributes";
      const answer = await call("POST", base, [
        { id: one.id, type: "long" },
        { id: one.id, name: two.made.at("name") },
        { id: two.id, name: "Свободное" },
      ]);
      expect([answer.at(0, "errors", 0, "code"), answer.at(1, "errors", 0, "code"), answer.at(2, "name")]).toEqual([
        3001,
        3006,
        "Свободное",
      ]);
    });

    it("that is required and filled is deleted all the same: 200 and an empty body, and the values go with it", async () => {
      const { meta, href } = await define("string", { required: true });
      const made = await product([{ meta, value: "есть" }]);
      const gone = await call("DELETE", href);
      expect([gone.status, gone.text]).toEqual([200, ""]);
      expect((await call("GET", String(made.at("meta", "href")))).at("attributes")).toBeUndefined();
    });

    it("a bulk delete is all or nothing: an unknown meta is refused, a bad one 14011, and nothing goes", async () => {
      const { meta, href, id } = await define("string");
      const base = "entity/product/metadata/attributes";
      const unknown = { ...(meta as object), href: href.replace(id, NOBODY) };
      expect((await call("POST", `${base}/delete`, [{ meta }, { meta: unknown }])).status).toBeGreaterThanOrEqual(400);
      expect((await call("POST", `${base}/delete`, [{ meta }, {}])).at("errors", 0, "code")).toBe(14011);
      expect((await call("GET", href)).status).toBe(200);
      const gone = await call("POST", `${base}/delete`, [{ meta }]);
      expect([gone.status, gone.text]).toEqual([200, ""]);
    });
  });

  describe("a value", () => {
    const POINTING: readonly (readonly [string, () => SentReference])[] = ["product", "counterparty", "employee", "store"].map(
      (type) => [type, () => shopReference(sandbox, type)] as const,
    );

    it.each([
      ["string", "слово", 5],
      ["text", "долгий\nтекст", true],
      ["link", "https://shop.example/a", {}],
      ["long", 12345678901, "5"],
      ["double", 2.5, "2.5"],
      ["boolean", true, "true"],
      ["time", "2026-03-05 12:40:00", 5],
    ] as const)("of type %s keeps its JSON form; another one is 400 with code 2016", async (type, value, wrong) => {
      const { meta, id, made } = await define(type);
      const answer = await product([{ meta, value }]);
      expect(answer.at("attributes")).toEqual([{ meta, id, name: made.at("name"), type, value }]);
      expect(faultOf(await product([{ meta, value: wrong }]))).toEqual([400, 2016]);
    });

    it.each(POINTING)("of type %s is { meta, name }", async (type, reference) => {
      const { meta } = await define(type);
      const target = reference();
      const answer = await product([{ meta, value: target }]);
      expect(answer.at("attributes", 0, "value")).toEqual({ meta: expect.objectContaining(target.meta), name: expect.any(String) });
      const other = shopReference(sandbox, "uom");
      expect([type, (await product([{ meta, value: other }])).status]).toEqual([type, 400]);
    });

    it("of type string has at most 255 characters, of type text more", async () => {
      const [short, long] = [await define("string"), await define("text")];
      expect((await product([{ meta: short.meta, value: "я".repeat(255) }])).status).toBe(200);
      expect(faultOf(await product([{ meta: short.meta, value: "я".repeat(256) }]))).toEqual([412, 3040]);
      expect((await product([{ meta: long.meta, value: "я".repeat(3000) }])).status).toBe(200);
    });

    it("of a field of another type is 14000, of no field 14003, without a value 14009", async () => {
      const foreign = await define("string", {}, "counterparty");
      expect((await product([{ meta: foreign.meta, value: "x" }])).at("errors", 0, "code")).toBe(14000);
      const { meta, href, id } = await define("string");
      const nobody = { ...(meta as object), href: href.replace(id, NOBODY) };
      expect((await product([{ meta: nobody, value: "x" }])).at("errors", 0, "code")).toBe(14003);
      expect((await product([{ meta }])).at("errors", 0, "code")).toBe(14009);
    });

    it("on a type that has no additional fields is an unknown field, and ignored (D11)", async () => {
      const { meta } = await define("string");
      const answer = await call("POST", "entity/uom", { name: "мешок", attributes: [{ meta, value: "x" }] });
      expect([answer.status, answer.at("attributes")]).toEqual([200, undefined]);
    });

    it("is cleared by null, by meta or by id, and attributes is absent when none is filled", async () => {
      const [one, two] = [await define("string"), await define("string")];
      const made = await product([
        { meta: one.meta, value: "а" },
        { meta: two.meta, value: "б" },
      ]);
      const href = String(made.at("meta", "href"));
      const left = await call("PUT", href, { attributes: [{ id: one.id, value: null }] });
      expect((left.at("attributes") as { id: string }[]).map(({ id }) => id)).toEqual([two.id]);
      expect((await call("PUT", href, { attributes: [{ meta: two.meta, value: null }] })).at("attributes")).toBeUndefined();
    });

    it("a required field must have one at creation and at change: 412, 3000 and the field's name (D17)", async () => {
      const before = await product(undefined);
      const { meta, made, href } = await define("string", { required: true });
      const parameter = made.at("name");
      for (const answer of [await product(undefined), await call("PUT", String(before.at("meta", "href")), { code: "1" })]) {
        expect([answer.status, answer.at("errors", 0)]).toEqual([412, expect.objectContaining({ code: 3000, parameter })]);
      }
      const filled = await product([{ meta, value: "есть" }]);
      const cleared = await call("PUT", String(filled.at("meta", "href")), { attributes: [{ meta, value: null }] });
      expect(faultOf(cleared)).toEqual([412, 3000]);
      await call("DELETE", href);
    });

    it.runIf(EXTENT === "long")("of a file is its name, with an address to download it, at most 10 MB", async () => {
      const { meta } = await define("file");
      const upload = (bytes: Buffer) => product([{ meta, file: { filename: "a.bin", content: bytes.toString("base64") } }]);
      const answer = await upload(Buffer.from("содержимое"));
      expect(answer.at("attributes", 0)).toMatchObject({
        type: "file",
        value: "a.bin",
        download: { href: expect.any(String), mediaType: expect.any(String) },
      });
      expect((await upload(Buffer.alloc(10 * 1024 * 1024 + 1))).at("errors", 0, "code")).toBe(14005);
      const cleared = await call("PUT", String(answer.at("meta", "href")), { attributes: [{ meta, file: null }] });
      expect([cleared.status, cleared.at("attributes")]).toEqual([200, undefined]);
    });

    it("is there on documents as on goods", async () => {
      const { meta } = await define("counterparty", {}, "customerorder");
      const order = await call("POST", "entity/customerorder", {
        ...{ organization: shop.organization, agent: shop.buyer, attributes: [{ meta, value: shop.otherBuyer }] },
      });
      expect(order.at("attributes", 0, "value", "meta", "href")).toBe((shop.otherBuyer.meta as { href: string }).href);
    });
  });
});
