import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { goldenAssortmentKeys } from "../../support/golden-fields.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 13.10.

const OPERATORS = ["=", "!=", ">", "<", ">=", "<=", "~", "~=", "=~"];
const MODES = ["all", "positiveOnly", "negativeOnly", "empty", "nonEmpty", "underMinimum"];
const NUMBERS = ["stock", "reserve", "inTransit", "quantity"];
const LIGHT = { "x-platform-remap-beta-feature": "assortmentWithoutStock" };
const NOBODY = "00000000-0000-4000-8000-000000000000";

let sandbox: TestSandbox;
let shop: ShopReferences;
/** A folder, another in it, and a second warehouse. */
let folder: SandboxAnswer;
let inner: SandboxAnswer;
let second: SandboxAnswer;
const reference = (answer: SandboxAnswer) => ({ meta: answer.at("meta") });
const hrefOf = (answer: SandboxAnswer) => String(answer.at("meta", "href"));

const post = async (type: string, body: object): Promise<SandboxAnswer> => {
  const made = await sandbox.call("POST", `entity/${type}`, body);
  expect(made.status, made.text).toBe(200);
  return made;
};

const list = (filter: string, more = "", headers: Record<string, string> = {}) =>
  sandbox.call("GET", `entity/assortment?filter=${encodeURIComponent(filter)}${more}`, undefined, headers);
/** The names of this file's goods that a filter finds. */
const found = async (filter: string, more = "") => {
  const answer = await list(`${filter};name~яшма`, more);
  expect(answer.status, answer.text).toBe(200);
  return (answer.at("rows") as { name: string }[]).map(({ name }) => name.replace("Яшма ", "")).sort();
};

beforeAll(async () => {
  sandbox = await testSandbox();
  shop = await shopReferences(sandbox);
  folder = await post("productfolder", { name: "Камни" });
  inner = await post("productfolder", { name: "Поделочные", productFolder: reference(folder) });
  second = await post("store", { name: "Дальний" });
  const product = await post("product", {
    name: "Яшма кусок",
    article: "ЯШ-К",
    code: "ЯК",
    productFolder: reference(folder),
    supplier: shopReference(sandbox, "counterparty"),
    weighed: true,
    minimumBalance: 5,
    barcodes: [{ code128: "ЯШ100" }],
  });
  await post("variant", {
    product: reference(product),
    characteristics: [{ name: "Цвет", value: "охра" }],
    article: "не показан",
    description: "разновидность",
  });
  await post("product", { name: "Яшма бусы", productFolder: reference(inner), shared: true, description: "на нитке" });
  await post("product", { name: "Яшма номерная", isSerialTrackable: true });
  await post("product", { name: "Яшма настойка", alcoholic: { type: 210, strength: 40, volume: 0.5 } });
  await post("product", { name: "Яшма старая", archived: true });
  await post("service", { name: "Яшма шлифовка", productFolder: reference(inner) });
  await post("bundle", { name: "Яшма набор", components: [{ assortment: reference(product), quantity: 2 }] });
  // A sale from the first warehouse, a return to the second, and an order from the first.
  const shift = await openShift(sandbox, shop, { moment: "2026-01-01 10:00:00" });
  const sell = (assortment: object, quantity: number) =>
    post("retaildemand", { retailShift: shift, moment: "2026-01-02 10:00:00", positions: [{ assortment, quantity, price: 0 }] });
  await sell(reference(product), 3);
  await post("retailsalesreturn", {
    retailShift: shift,
    moment: "2026-01-03 10:00:00",
    organization: shop.organization,
    retailStore: shop.retailStore,
    store: reference(second),
    agent: shop.buyer,
    cashSum: 0,
    noCashSum: 0,
    positions: [{ assortment: reference(product), quantity: 10, price: 0 }],
  });
  await post("customerorder", {
    organization: shop.organization,
    agent: shop.buyer,
    store: shop.store,
    positions: [{ assortment: reference(product), quantity: 4, reserve: 4, price: 0 }],
  });
});
afterAll(() => sandbox.close());

/** A constant that each key accepts. */
function constantOf(key: string): string {
  const refs: Readonly<Record<string, string>> = {
    group: "group",
    productFolder: "productfolder",
    supplier: "counterparty",
    owner: "employee",
  };
  if (refs[key] !== undefined) return shopReference(sandbox, refs[key]).meta.href;
  const others: Readonly<Record<string, string>> = {
    id: NOBODY,
    updated: "2026-03-05 10:00:00",
    stockMoment: "2026-03-05 10:00:00",
    type: "product",
    stockStore: shopReference(sandbox, "store").meta.href,
    stockMode: "all",
    quantityMode: "all",
    "alcoholic.type": "210",
  };
  return others[key] ?? (["archived", "shared", "weighed", "isSerialTrackable", "withSubFolders"].includes(key) ? "true" : "1");
}

describe.each(goldenAssortmentKeys())("the key $key of the assortment's filter", ({ key, light, operators }) => {
  const ask = (operator: string, headers: Record<string, string> = {}) => {
    const beside = key === "withSubFolders" ? `productFolder=${hrefOf(folder)};` : "";
    return list(`${beside}${key}${operator}${constantOf(key)}`, "&limit=1", headers);
  };

  it("takes its operators, and others are 1034", async () => {
    const outcomes = await Promise.all(
      OPERATORS.map(async (operator) => [operator, (await ask(operator)).status === 200, (await ask(operator)).at("errors", 0, "code")]),
    );
    expect(outcomes).toEqual(
      OPERATORS.map((operator) => [operator, operators.includes(operator), operators.includes(operator) ? undefined : 1034]),
    );
  });

  it("is refused without stock when it is one of the dear ones", async () => {
    const answer = await ask("=", LIGHT);
    expect([answer.status, answer.at("errors", 0, "code")]).toEqual(light ? [200, undefined] : [412, 1034]);
  });
});

describe("the assortment's filter", () => {
  const all = ["бусы", "кусок", "кусок (охра)", "набор", "настойка", "номерная", "шлифовка"];
  const cases: [string, string[]][] = [
    ["type=product;type=variant", ["бусы", "кусок", "кусок (охра)", "настойка", "номерная"]],
    ["type=service", ["шлифовка"]],
    ["type=bundle", ["набор"]],
    ["type=consignment", []],
    ["weighed=false", ["бусы", "настойка", "номерная"]],
    ["weighed=true", ["кусок", "кусок (охра)"]],
    ["isSerialTrackable=true", ["номерная"]],
    ["alcoholic.type=210", ["настойка"]],
    ["alcoholic.type!=210", ["бусы", "кусок", "кусок (охра)", "номерная"]],
    ["shared=true", ["бусы"]],
    ["archived=true", ["старая"]],
    ["archived=true;archived=false", [...all, "старая"].sort()],
    ["article=ЯШ-К", ["кусок", "кусок (охра)"]],
    ["article~показан", []],
    ["description~нитк", ["бусы"]],
    ["description=разновидность", ["кусок (охра)"]],
    ["barcode=ЯШ100", ["кусок"]],
    ["barcode=ЯШ10", []],
    ["pathname=Камни", ["кусок", "кусок (охра)"]],
    ["search=яшма бус", ["бусы"]],
    ["stockMode=positiveOnly", ["кусок"]],
    ["stockMode=negativeOnly", []],
    ["stockMode=empty", ["бусы", "кусок (охра)", "настойка", "номерная"]],
    ["stockMode=nonEmpty;quantityMode=positiveOnly", ["кусок"]],
    ["stockMode=underMinimum", []],
    ["stockMode=all", all],
  ];

  it.each(cases)("%s finds what it says", async (filter, names) => {
    expect(await found(filter)).toEqual(names);
  });

  it("means by a folder what lies in it at any depth, and only what lies directly in it where it says so", async () => {
    expect(await found(`productFolder=${hrefOf(folder)}`)).toEqual(["бусы", "кусок", "кусок (охра)", "шлифовка"]);
    expect(await found(`productFolder=${hrefOf(folder)};withSubFolders=false`)).toEqual(["кусок", "кусок (охра)"]);
    expect(await found(`productFolder=${hrefOf(inner)};productFolder=${hrefOf(folder)};withSubFolders=false`)).toEqual([
      "бусы",
      "кусок",
      "кусок (охра)",
      "шлифовка",
    ]);
    expect(await found(`productFolder!=${hrefOf(inner)}`)).toEqual(["кусок", "кусок (охра)", "набор", "настойка", "номерная"]);
    for (const alone of ["withSubFolders=false", "withSubFolders=true"]) {
      expect((await list(alone)).at("errors", 0, "code")).toBe(1034);
    }
  });

  it("counts the moment of the last change itself with either operator", async () => {
    const updated = String((await list("name=Яшма бусы")).at("rows", 0, "updated"));
    for (const operator of ["<", "<=", ">", ">=", "="]) {
      const answer = await list(`name=Яшма бусы;updated${operator}${updated}`);
      expect([operator, answer.at("meta", "size")]).toEqual([operator, 1]);
    }
  });

  it("by supplier and owner finds variants with their product", async () => {
    const supplier = shopReference(sandbox, "counterparty").meta.href;
    expect(await found(`supplier=${supplier}`)).toEqual(["кусок", "кусок (охра)"]);
    expect(await found(`owner=${shopReference(sandbox, "employee").meta.href}`)).toEqual(all);
  });

  it.each([
    ["stockMode=some", 1041],
    ["quantityMode=", 1041],
    ["type=thing", 1041],
    ["weighed=yes", 1041],
    ["stockMoment=soon", 1035],
    ["stockStore=main", 1014],
    ["search=a;search=b", 1030],
    ["nothing=1", 1034],
    ["volume=1", 1034],
  ])("%s is refused with code %s", async (filter, code) => {
    const answer = await list(filter);
    expect([answer.status, answer.at("errors", 0, "code")]).toEqual([412, code]);
  });
});

describe("rows of the assortment", () => {
  const numbersOf = async (filter: string, more = "") => {
    const answer = await list(`name=Яшма кусок${filter}`, more);
    return NUMBERS.map((name) => answer.at("rows", 0, name));
  };

  it("carry four numbers where they are goods or variants, zero included, and none where they are services or bundles", async () => {
    const rows = (await list("")).at("rows") as Record<string, unknown>[];
    const types = new Set(rows.map((row) => (row.meta as { type: string }).type));
    expect([...types].sort()).toEqual(["bundle", "product", "service", "variant"]);
    for (const row of rows) {
      const stocked = ["product", "variant"].includes((row.meta as { type: string }).type);
      expect(NUMBERS.map((name) => typeof row[name])).toEqual(Array(4).fill(stocked ? "number" : "undefined"));
    }
  });

  it("count all warehouses now, or those and the moment that the filter names", async () => {
    expect(await numbersOf("")).toEqual([7, 4, 0, 3]);
    expect(await numbersOf(`;stockStore=${hrefOf(second)}`)).toEqual([10, 0, 0, 10]);
    expect(await numbersOf(`;stockStore!=${hrefOf(second)}`)).toEqual([-3, 4, 0, -7]);
    expect(await numbersOf(`;stockStore=${hrefOf(second)};stockStore=${(shop.store.meta as { href: string }).href}`)).toEqual([7, 4, 0, 3]);
    expect(await numbersOf(";stockMoment=2026-01-02 12:00:00")).toEqual([-3, 0, 0, -3]);
    expect(await numbersOf(";stockMoment=2026-01-01 12:00:00")).toEqual([0, 0, 0, 0]);
  });

  it("follow a sale at once", async () => {
    const before = await numbersOf("");
    const shift = await openShift(sandbox, shop);
    const goods = { meta: (await list("name=Яшма кусок")).at("rows", 0, "meta") };
    await post("retaildemand", { retailShift: shift, positions: [{ assortment: goods, quantity: 1, price: 0 }] });
    expect((await numbersOf(""))[0]).toBe(Number(before[0]) - 1);
  });

  it("grouped by product have no variants, whose stock is their product's", async () => {
    const grouped = (await list("name~яшма", "&groupBy=product")).at("rows") as { name: string }[];
    expect(grouped.map(({ name }) => name)).not.toContain("Яшма кусок (охра)");
    for (const groupBy of ["variant", "consignment"]) {
      expect((await list("name=Яшма кусок (охра)", `&groupBy=${groupBy}`)).at("meta", "size")).toBe(1);
    }
    expect((await list("", "&groupBy=store")).at("errors", 0, "code")).toBe(1091);
  });

  it("have no numbers without stock, where only a few fields can be expanded", async () => {
    const answer = await list("name~яшма", "&limit=100&expand=product,images,components,productFolder,group", LIGHT);
    const rows = answer.at("rows") as Record<string, Record<string, unknown>>[];
    for (const row of rows) expect(NUMBERS.filter((name) => name in row)).toEqual([]);
    const of = (type: string) => rows.find(({ meta }) => meta?.type === type);
    expect([of("variant")?.product?.name, Array.isArray(of("bundle")?.components?.rows)]).toEqual(["Яшма кусок", true]);
    expect(rows.map(({ group }) => group?.name).filter((name) => name !== undefined)).toEqual([]);
    // The header has no effect under the other profile's name.
    const other = await list("name=Яшма кусок", "", { "x-lognex-remap-beta-feature": "assortmentWithoutStock" });
    expect(other.at("rows", 0, "stock")).toEqual(expect.any(Number));
  });

  it("show every mode of stock for the whole shop without a fault", async () => {
    for (const mode of MODES) {
      for (const key of ["stockMode", "quantityMode"]) expect([mode, (await list(`${key}=${mode}`)).status]).toEqual([mode, 200]);
    }
  });
});

describe.each([
  ["entity/assortment/settings", "assortmentsettings", "createdShared", ["barcodeRules", "createdShared", "uniqueCodeRules"]],
  ["entity/counterparty/settings", "counterpartysettings", "createShared", ["createShared", "uniqueCodeRules"]],
])("%s", (path, type, shared, names) => {
  it("are read whole, and a PUT of some fields changes these and answers with all", async () => {
    const before = await sandbox.call("GET", path);
    expect(before.at("meta")).toMatchObject({ href: `${sandbox.api}/${path}`, type, mediaType: "application/json" });
    expect(Object.keys(before.body as object).sort()).toEqual([...names, "meta"].sort());
    expect(before.at("uniqueCodeRules")).toEqual({ checkUniqueCode: false, fillUniqueCode: false });
    const metadata = await sandbox.call("GET", String(before.at("meta", "metadataHref")));
    expect(metadata.status).toBe(200);
    const changed = await sandbox.call("PUT", path, { uniqueCodeRules: { fillUniqueCode: true }, [shared]: before.at(shared) !== true });
    expect(changed.body).toEqual({
      ...(before.body as object),
      uniqueCodeRules: { checkUniqueCode: false, fillUniqueCode: true },
      [shared]: before.at(shared) !== true,
    });
    expect((await sandbox.call("GET", path)).body).toEqual(changed.body);
  });

  it("refuse values of another kind, and whoever is no administrator", async () => {
    expect((await sandbox.call("PUT", path, { [shared]: "yes" })).at("errors", 0, "code")).toBe(2016);
    const authorization = `Basic ${Buffer.from("seller@shop:secret").toString("base64")}`;
    const refused = await sandbox.call("PUT", path, { [shared]: true }, { authorization });
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([403, 1017]);
    expect((await sandbox.call("GET", path, undefined, { authorization })).status).toBe(200);
  });
});

describe("the settings of the assortment", () => {
  it("with a number and prefix of weighed goods, and with codes that have to differ", async () => {
    const path = "entity/assortment/settings";
    const changed = await sandbox.call("PUT", path, {
      barcodeRules: { weightBarcode: true, weightBarcodePrefix: 21 },
      uniqueCodeRules: { checkUniqueCode: true },
    });
    expect(changed.at("barcodeRules")).toEqual({ fillEAN13Barcode: true, weightBarcode: true, weightBarcodePrefix: 21 });
    const refused = await sandbox.call("POST", "entity/product", { name: "Ещё", code: "ЯК" });
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([412, 3006]);
  });
});
