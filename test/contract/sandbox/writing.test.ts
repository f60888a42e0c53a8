import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CATALOGUE } from "../../../src/tools/sandbox/types/catalogue.ts";
import { goldenTables } from "../../support/golden-fields.ts";
import { type GoldenWorld, goldenWorld } from "../../support/golden-world.ts";
import { rawRequest } from "../../support/raw-request.ts";
import type { SandboxAnswer } from "../../support/sandbox.ts";

// json-api 5.5, 5.7, 7.1, 12, 12.6, 13.11.

let world: GoldenWorld;
beforeAll(async () => {
  world = await goldenWorld();
});
afterAll(() => world.close());

const call = (method: string, path: string, body?: unknown) => world.sandbox.call(method, path, body);
const outcome = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
const post = async (path: string, body: unknown): Promise<SandboxAnswer> => {
  const made = await call("POST", path, body);
  expect(made.status, made.text).toBe(200);
  return made;
};

describe("a template", () => {
  const TEMPLATED = [...CATALOGUE.values()].filter(({ offers }) => offers.has("template")).map(({ name }) => name);
  /** Types that can be made only from a basis (json-api 12.2, 12.3). */
  const OF_BASIS = ["retaildemand", "retailsalesreturn"];

  it.each(TEMPLATED)("of a %s is given for no body at all as it is for an empty object", async (type) => {
    const headers = { authorization: "Bearer test-token", "accept-encoding": "gzip" };
    const path = `${world.sandbox.api}/entity/${type}/new`;
    const [bare, empty] = [await rawRequest("PUT", path, headers), await call("PUT", path, {})];
    expect(bare.status).toBe(OF_BASIS.includes(type) ? 412 : 200);
    expect([bare.status, Object.keys(bare.body as object)]).toEqual([empty.status, Object.keys(empty.body as object)]);
    if (OF_BASIS.includes(type)) expect(empty.at("errors", 0, "code")).toBe(1031);
  });

  it("is the only thing that no body is sent for: elsewhere that is 1027", async () => {
    expect(outcome(await call("POST", "entity/product"))).toEqual([400, 1027]);
  });
});

/** Optional texts in the tables of json-api 9, 12 and 13. They are empty after an empty text (json-api D44). */
const EMPTIED = [...goldenTables()]
  .filter(([, rows]) => rows.some(({ name, out }) => name === "accountId" && out === "out"))
  .filter(([type]) => !type.startsWith("webhook"))
  .map(([type, rows]): [string, string[]] => [
    type,
    rows
      .filter((row) => row.type.startsWith("string(") && row.write === "." && row.out === "." && row.needed === ".")
      .map(({ name }) => name),
  ])
  .filter(([, names]) => names.length > 0);
/** The kind of company that must be sent for a text to be stored at all (json-api 13.5). */
const KIND: Readonly<Record<string, string>> = {
  legalFirstName: "individual",
  legalLastName: "individual",
  legalMiddleName: "individual",
  sex: "individual",
  ogrnip: "entrepreneur",
  certificateNumber: "entrepreneur",
};
const FITTING: Readonly<Record<string, string>> = {
  email: "buyer@shop.example",
  inn: "500100732259",
  sex: "MALE",
  ppeType: "2400001807703",
};

describe.each(EMPTIED)("an empty text in a %s", (type, names) => {
  it("empties every text that need not be there, on creation and on change", async () => {
    const { lastName } = world.least(type);
    const wrong: string[] = [];
    for (const name of names) {
      const kind = KIND[name] === undefined ? {} : { companyType: KIND[name] };
      const made = await call("POST", `entity/${type}`, { ...world.least(type), ...kind, [name]: FITTING[name] ?? "Значение" });
      const before = made.at(name);
      const href = String(made.at("meta", "href"));
      const changed = await call("PUT", href, { ...(lastName ? { lastName } : {}), [name]: "" });
      const fresh = await call("POST", `entity/${type}`, { ...world.least(type), ...kind, [name]: "" });
      const states = [made.status, changed.status, fresh.status].join();
      const held = [changed, await call("GET", href), fresh].map((answer) => answer.at(name));
      // Two documents may have the same number or code.
      if (states !== "200,200,200" || before === undefined || held.some((value) => value !== undefined))
        wrong.push(`${name}: ${states} ${String(before)} ${JSON.stringify(held)}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe("an empty text", () => {
  it("in an element of a nested collection empties it too", async () => {
    const buyer = await post("entity/counterparty", {
      name: "Имя",
      contactpersons: [{ name: "Лицо", position: "зав", description: "текст" }],
      accounts: [{ accountNumber: "1", bankName: "Банк" }],
    });
    for (const [list, name, field] of [
      ["contactpersons", "Лицо", "position"],
      ["accounts", undefined, "bankName"],
    ] as const) {
      const rows = await call("GET", `${String(buyer.at("meta", "href"))}/${list}`);
      const href = String(rows.at("rows", 0, "meta", "href"));
      expect(rows.at("rows", 0, field)).toEqual(expect.any(String));
      const changed = await call("PUT", href, { ...(name === undefined ? {} : { name }), [field]: "" });
      expect([changed.status, field in (changed.body as object)]).toEqual([200, false]);
      expect(field in ((await call("GET", href)).body as object)).toBe(false);
    }
  });

  it("in a text that is needed is missing, and in one that is always given changes nothing", async () => {
    expect(outcome(await call("POST", "entity/product", { name: "" }))).toEqual([412, 3000]);
    const made = await post("entity/product", { name: "Имя", externalCode: "" });
    expect(String(made.at("externalCode"))).toHaveLength(22);
    const changed = await call("PUT", String(made.at("meta", "href")), { externalCode: "" });
    expect(changed.at("externalCode")).toBe(made.at("externalCode"));
    const order = await post("entity/customerorder", { ...world.least("customerorder"), name: "" });
    expect(String(order.at("name"))).not.toBe("");
    expect((await call("PUT", String(order.at("meta", "href")), { name: "" })).at("name")).toBe(order.at("name"));
  });
});

describe("a post code", () => {
  const OWNERS: [string, string][] = [
    ["counterparty", "actualAddressFull"],
    ["counterparty", "legalAddressFull"],
    ["organization", "actualAddressFull"],
    ["organization", "legalAddressFull"],
    ["store", "addressFull"],
    ["retailstore", "addressFull"],
    ["customerorder", "shipmentAddressFull"],
  ];

  it.each(OWNERS)("of a %s in %s takes letters and up to 255 characters (D45)", async (type, field) => {
    for (const postalCode of ["2893801E75f44", "101000", "1", "И".repeat(255)]) {
      const made = await post(`entity/${type}`, { ...world.least(type), [field]: { postalCode, city: "Город" } });
      expect(made.at(field, "postalCode")).toBe(postalCode);
      expect(made.at(field.replace("Full", ""))).toBe(`${postalCode}, Город`);
    }
    const long = await call("POST", `entity/${type}`, { ...world.least(type), [field]: { postalCode: "1".repeat(256) } });
    expect(outcome(long)).toEqual([412, 3040]);
  });
});

describe("the acquiring bank", () => {
  it.each([
    ["retailstore", "acquire"],
    ["retailstore", "qrAcquire"],
    ["retailshift", "acquire"],
    ["retailshift", "qrAcquire"],
  ])("of a %s in %s is a counterparty or an own organization", async (type, field) => {
    for (const owner of ["counterparty", "organization"]) {
      const reference = owner === "counterparty" ? world.target("customerorder", "agent") : world.target("customerorder", "organization");
      const made = await post(`entity/${type}?expand=${field}`, { ...world.least(type), [field]: reference });
      expect([made.at(field, "meta", "type"), made.at(field, "name")]).toEqual([owner, expect.any(String)]);
    }
  });
});

describe("the rate of a document", () => {
  const DOCUMENTS = ["retaildemand", "retailsalesreturn", "retaildrawercashin", "retaildrawercashout", "customerorder"];
  const own = async () => ({ meta: (await call("GET", "entity/currency")).at("rows", 0, "meta") });

  it.each(DOCUMENTS)("of type %s is none but 1 in the account's own currency, and is told only when it is not 1", async (type) => {
    const currency = await own();
    const foreign = { meta: (await post("entity/currency", { name: "юань", rate: 12 })).at("meta") };
    const body = (rate: object) => ({ ...world.least(type), rate });
    for (const value of [2, 0, 0.5]) expect(outcome(await call("POST", `entity/${type}`, body({ currency, value })))).toEqual([412, 3007]);
    const made = await post(`entity/${type}`, body({ currency, value: 1 }));
    const href = String(made.at("meta", "href"));
    expect(made.at("rate")).toEqual({ currency: { meta: expect.objectContaining({ type: "currency" }) } });
    expect(outcome(await call("PUT", href, { rate: { currency, value: 2 } }))).toEqual([412, 3007]);
    // A return keeps the currency of its sale. A return without a sale may have any.
    const abroad = await post(`entity/${type}`, body({ currency: foreign, value: 12.5 }));
    expect(abroad.at("rate", "value")).toBe(12.5);
    expect((await post(`entity/${type}`, body({ currency: foreign, value: 1 }))).at("rate", "value")).toBeUndefined();
    expect((await call("PUT", String(abroad.at("meta", "href")), { rate: null })).at("rate")).toEqual(made.at("rate"));
  });
});

describe("the tax system of a folder", () => {
  it("that is its group's is answered as the constant of the nearest folder above that has one", async () => {
    const SAME = "TAX_SYSTEM_SAME_AS_GROUP";
    const folder = async (name: string, taxSystem: string, above?: SandboxAnswer) =>
      await post("entity/productfolder", {
        name,
        taxSystem,
        ...(above === undefined ? {} : { productFolder: { meta: above.at("meta") } }),
      });
    const top = await folder("Патент", "PATENT_BASED");
    const middle = await folder("Середина", SAME, top);
    const low = await folder("Низ", SAME, middle);
    expect([middle, low].map((answer) => answer.at("taxSystem"))).toEqual(["PATENT_BASED", "PATENT_BASED"]);
    await call("PUT", String(top.at("meta", "href")), { taxSystem: "GENERAL_TAX_SYSTEM" });
    expect((await call("GET", String(low.at("meta", "href")))).at("taxSystem")).toBe("GENERAL_TAX_SYSTEM");
    expect((await folder("Одна", SAME)).at("taxSystem")).toBe(SAME);
    // Goods keep their own values.
    const goods = await post("entity/product", { name: "Товар", taxSystem: SAME, productFolder: { meta: low.at("meta") } });
    expect(goods.at("taxSystem")).toBe(SAME);
  });
});

describe("groups of buyers of a point of sale", () => {
  it.each(["createAgentsTags", "filterAgentsTags"])("in %s are texts, nulls among them are ignored", async (field) => {
    const made = await post("entity/retailstore", { ...world.least("retailstore"), [field]: ["a", null, "б"] });
    expect(made.at(field)).toEqual(["a", "б"]);
    const store = await call("PUT", String(made.at("meta", "href")), { [field]: [] });
    expect([store.status, store.at(field) ?? []]).toEqual([200, []]);
  });
});
