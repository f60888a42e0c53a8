import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";

describe("a filter over products", () => {
  let sandbox: TestSandbox;
  const ids = new Map<string, string>();
  let attributes: Record<string, string>;

  beforeAll(async () => {
    sandbox = await testSandbox();
    const group = (name: string) => sandbox.call("POST", "entity/counterparty", { name });
    const [first, second] = [await group("Поставщик 1"), await group("Поставщик 2")].map((answer) => ({ meta: answer.at("meta") }));
    attributes = await defineAttributes(sandbox);
    const value = (name: string, held: unknown) => ({ meta: { href: attributes[name], type: "attributemetadata" }, value: held });
    const goods = [
      { code: "f1", name: "Фильтр;проба", weight: 1, supplier: first, barcodes: [{ ean13: "4600000000015" }, { code128: "AB-1" }] },
      { code: "f2", name: "фильтр бумажный", weight: 2, supplier: second, barcodes: [{ ean13: "4600000000022" }], article: "А\\Б" },
      { code: "f3", name: "Кофе в ФИЛЬТРЕ", weight: 3, barcodes: [{}], attributes: [value("string", "красный"), value("long", 5)] },
      { code: "f4", name: "Кофе", weight: 4, attributes: [value("string", "синий"), value("boolean", true), value("long", 7)] },
      { code: "f5", name: "Старый", weight: 5, archived: true, attributes: [value("time", "2026-02-03 10:20:00")] },
    ];
    const made = await sandbox.call("POST", "entity/product", goods);
    expect(made.status, made.text).toBe(200);
    for (const [at, { code }] of goods.entries()) ids.set(code, String(made.at(at, "id")));
    attributes.first = String(Reflect.get(Object(first?.meta), "href"));
    attributes.second = String(Reflect.get(Object(second?.meta), "href"));
  });
  afterAll(() => sandbox.close());

  const ask = (filter: string, type = "product") => sandbox.call("GET", `entity/${type}?filter=${encodeURIComponent(filter)}`);
  /** The codes of the test's own goods that are found. */
  const found = async (filter: string) => {
    const answer = await ask(filter);
    expect(answer.status, answer.text).toBe(200);
    const codes = (answer.at("rows") as { code?: string }[]).map(({ code }) => code ?? "");
    return codes.filter((code) => ids.has(code));
  };
  const refusedWith = async (filter: string, type?: string) => {
    const answer = await ask(filter, type);
    return [answer.status, answer.at("errors", 0, "code")];
  };

  it("= and != compare a text as it is, ~ finds a part in any letter case, ~= a beginning, =~ an end", async () => {
    expect(await found("name=Кофе")).toEqual(["f4"]);
    expect(await found("name=кофе")).toEqual([]);
    expect(await found("name!=Кофе;code~f")).toEqual(["f1", "f2", "f3"]);
    expect(await found("name~фильтр")).toEqual(["f1", "f2", "f3"]);
    expect(await found("name~=Кофе")).toEqual(["f3", "f4"]);
    expect(await found("name=~бумажный")).toEqual(["f2"]);
  });

  it("different fields are joined by AND, several = of one by OR, several != by AND", async () => {
    expect(await found("name~фильтр;weight>1")).toEqual(["f2", "f3"]);
    expect(await found("code=f1;code=f4")).toEqual(["f1", "f4"]);
    expect(await found("code!=f1;code!=f4;code~f")).toEqual(["f2", "f3"]);
  });

  it(">, <, >= and <= order numbers, >= with <= is a range, and of the same operator twice the first one counts", async () => {
    expect(await found("weight>2;code~f")).toEqual(["f3", "f4"]);
    expect(await found("weight>=2;weight<=3;code~f")).toEqual(["f2", "f3"]);
    expect(await found("weight>2;weight>100;code~f")).toEqual(["f3", "f4"]);
    expect(await found("weight<2;code~f")).toEqual(["f1"]);
  });

  it("= together with an order operator on one field is 412 with code 1034", async () => {
    expect(await refusedWith("weight=1;weight>0")).toEqual([412, 1034]);
  });

  it("a semicolon in a constant is written with a backslash, any other backslash stands for itself", async () => {
    expect(await found("name=Фильтр\\;проба")).toEqual(["f1"]);
    expect(await found("article=А\\Б")).toEqual(["f2"]);
  });

  it("= without a constant finds what has no value, != without one what has", async () => {
    expect(await found("supplier=;code~f")).toEqual(["f3", "f4"]);
    expect(await found("supplier!=;code~f")).toEqual(["f1", "f2"]);
    expect(await found("article=;code~f")).toEqual(["f1", "f3", "f4"]);
  });

  it("a reference is compared by its full href, whatever the version in it and the query behind", async () => {
    expect(await found(`supplier=${attributes.first}`)).toEqual(["f1"]);
    expect(await found(`supplier=${attributes.first?.replace("/1.2/", "/1.1/")}?expand=group`)).toEqual(["f1"]);
    expect(await found(`supplier=${attributes.first};supplier=${attributes.second}`)).toEqual(["f1", "f2"]);
    expect(await found(`SUPPLIER!=${attributes.first};code~f`)).toEqual(["f2", "f3", "f4"]);
  });

  it("a reference to nothing finds nothing, a foreign host is 400 with code 1059, what is no href 412 with code 1014", async () => {
    const nobody = `${sandbox.api}/entity/counterparty/00000000-0000-4000-8000-000000000000`;
    expect(await found(`supplier=${nobody}`)).toEqual([]);
    expect(await refusedWith("supplier=https://other.example/api/remap/1.2/entity/counterparty/1")).toEqual([400, 1059]);
    expect(await refusedWith("supplier=Поставщик 1")).toEqual([412, 1014]);
    expect(await refusedWith(`supplier=${sandbox.api}/entity/product/${ids.get("f1")}`)).toEqual([412, 1014]);
  });

  it("id takes a UUID, a bool true or false, a number a number, a datetime a date: 1014, 1041, 1014, 1035", async () => {
    expect(await found(`id=${ids.get("f2")};id=${ids.get("f3")?.toUpperCase()}`)).toEqual(["f2", "f3"]);
    expect(await refusedWith("id=f1")).toEqual([412, 1014]);
    expect(await refusedWith("shared=yes")).toEqual([412, 1041]);
    expect(await refusedWith("shared=")).toEqual([412, 1041]);
    expect(await refusedWith("weight>much")).toEqual([412, 1014]);
    expect(await refusedWith("updated>yesterday")).toEqual([412, 1035]);
    expect(await refusedWith("updated>2026-02-30 00:00:00")).toEqual([412, 1035]);
  });

  it("a date is taken from 1970-01-01 03:00:00 on, without seconds too, and an over-large one is 400 with code 2031", async () => {
    expect(await found("updated>=1970-01-01 03:00:00;code~f")).toHaveLength(4);
    expect(await found("updated>=1970-01-01 03:00;code~f")).toHaveLength(4);
    expect(await refusedWith("updated>=1970-01-01 02:59:59")).toEqual([412, 1035]);
    expect(await refusedWith("updated<=20260-01-01 00:00:00")).toEqual([400, 2031]);
  });

  it("a datetime as an answer shows it equals itself, to the second or to the millisecond", async () => {
    const read = (headers = {}) => sandbox.call("GET", `entity/product/${ids.get("f1")}`, undefined, headers);
    for (const updated of [(await read()).at("updated"), (await read({ "x-platform-format-millisecond": "true" })).at("updated")]) {
      expect(await found(`updated=${updated};code~f`)).toContain("f1");
      expect(await found(`updated>=${updated};updated<=${updated};code~f`)).toContain("f1");
      expect(await found(`updated>${updated};code~f`)).not.toContain("f1");
    }
  });

  it("an operator that a field does not offer is 412 with code 1034", async () => {
    for (const filter of ["name>a", "weight~1", "updated~2026", "shared>true", "supplier~x", "name!~x"])
      expect(await refusedWith(filter), filter).toEqual([412, 1034]);
  });

  it.each(["nothing=1", "vat=20", "name", "=1", ";name=1", "NAME=1", "barcodes=1", "state.name=New", "assortment=1", "isDeleted=true"])(
    "%s is 412 with code 1034",
    async (filter) => {
      expect(await refusedWith(filter)).toEqual([412, 1034]);
    },
  );

  it("a switch takes one condition: repeated it is 412 with code 1030", async () => {
    expect(await refusedWith("shared=true;shared=false")).toEqual([412, 1030]);
  });

  it("a barcode is found by any of its forms", async () => {
    expect(await found("barcode=4600000000022")).toEqual(["f2"]);
    expect(await found("barcode=AB-1;barcode=4600000000022")).toEqual(["f1", "f2"]);
    expect(await found("barcode!=AB-1;code~f")).toEqual(["f2", "f3", "f4"]);
    expect(await found("barcode~ab;code~f")).toEqual(["f1"]);
    expect(await found("barcode~=46000000000;code=f1;code=f2")).toEqual(["f1", "f2"]);
    expect(await found("barcode=~22;code~f")).toContain("f2");
    expect(await found("barcode=;code~f")).toEqual(["f3"]);
  });

  it("the archive is hidden unless the filter asks for it, and both values show all", async () => {
    expect(await found("weight=5")).toEqual([]);
    expect(await found("weight=5;archived=true")).toEqual(["f5"]);
    expect(await found("archived=true;archived=false;code~f")).toHaveLength(5);
    expect(await found("archived=false;code~f")).toHaveLength(4);
  });

  it("a product named by its id is found in the archive too", async () => {
    expect(await found(`id=${ids.get("f5")}`)).toEqual(["f5"]);
    expect(await found(`id=${ids.get("f5")};archived=false`)).toEqual(["f5"]);
  });

  it("an additional field is named by its href; texts, numbers, switches and times have their own operators", async () => {
    const { string, long, boolean, time } = attributes;
    expect(await found(`${string}=красный`)).toEqual(["f3"]);
    expect(await found(`${string}~КРАС`)).toEqual(["f3"]);
    expect(await found(`${long}>5`)).toEqual(["f4"]);
    expect(await found(`${boolean}=true`)).toEqual(["f4"]);
    expect(await found(`${boolean}=false;code~f`)).toEqual(["f1", "f2", "f3"]);
    expect(await found(`${time}>=2026-02-03 10:20:00;archived=true`)).toEqual(["f5"]);
    expect(await refusedWith(`${string}>1`)).toEqual([412, 1034]);
    expect(await refusedWith(`${long}~1`)).toEqual([412, 1034]);
    expect(await refusedWith(`${long}=five`)).toEqual([412, 1014]);
    expect(await refusedWith(`${boolean}=maybe`)).toEqual([412, 1041]);
    expect(await refusedWith(`${time}=now`)).toEqual([412, 1035]);
    expect(await refusedWith(`${attributes.file}=x`)).toEqual([412, 1034]);
  });

  it("=v;= on an additional field finds the value or none, !=v;!= neither", async () => {
    const { string } = attributes;
    expect(await found(`${string}=красный;${string}=;code~f`)).toEqual(["f1", "f2", "f3"]);
    expect(await found(`${string}!=красный;${string}!=;code~f`)).toEqual(["f4"]);
  });

  it("an additional field that points at an object is compared by href", async () => {
    const { reference, first } = attributes;
    const href = `entity/product/${ids.get("f1")}`;
    const held = [{ meta: { href: reference, type: "attributemetadata" }, value: { meta: { href: first, type: "counterparty" } } }];
    expect((await sandbox.call("PUT", href, { attributes: held })).status).toBe(200);
    expect(await found(`${reference}=${first}`)).toEqual(["f1"]);
    expect(await found(`${reference}=;code~f`)).toEqual(["f2", "f3", "f4"]);
    expect(await refusedWith(`${reference}~x`)).toEqual([412, 1034]);
  });

  it("a field of another type, or an unknown one, is 412 with code 1034", async () => {
    expect(await refusedWith(`${attributes.string}=x`, "counterparty")).toEqual([412, 1034]);
    expect(await refusedWith(`${sandbox.api}/entity/product/metadata/attributes/00000000-0000-4000-8000-000000000000=x`)).toEqual([
      412, 1034,
    ]);
  });

  it("services and the whole assortment are filtered by the fields of products", async () => {
    expect((await ask(`${attributes.string}=красный`, "service")).at("meta", "size")).toBe(0);
    expect((await ask(`${attributes.string}=красный`, "assortment")).at("rows", 0, "code")).toBe("f3");
    expect((await ask("name~фильтр", "assortment")).at("meta", "size")).toBe(3);
  });

  it("syncId is 412 with code 1034, as the live service answers", async () => {
    expect(await refusedWith("syncId=00000000-0000-4000-8000-000000000000")).toEqual([412, 1034]);
  });

  it("updatedBy names the login of whoever wrote last", async () => {
    expect(await found("updatedBy=admin@shop;code~f")).toHaveLength(4);
    expect(await found("updatedBy!=admin@shop;code~f")).toEqual([]);
  });

  it("variants are found by the id of their product", async () => {
    const all = await sandbox.call("GET", "entity/variant");
    const product = String(all.at("rows", 0, "product", "meta", "href")).slice(-36);
    expect((await ask(`productid=${product}`, "variant")).at("meta", "size")).toBe(all.at("meta", "size"));
    expect((await ask(`productid!=${product}`, "variant")).at("meta", "size")).toBe(0);
    expect(await refusedWith("productid=1", "variant")).toEqual([412, 1014]);
  });

  it("counterparties are found by the number of a bank account", async () => {
    await sandbox.call("POST", "entity/counterparty", { name: "Со счётом", accounts: [{ accountNumber: "40702810000000000001" }] });
    for (const filter of ["accounts.accountnumber=40702810000000000001", "accounts.accountNumber~=4070281000000000000"])
      expect((await ask(filter, "counterparty")).at("rows", 0, "name"), filter).toBe("Со счётом");
  });

  it("counterparties are found by their groups and by the name or href of their price type", async () => {
    const priceType = (await sandbox.call("GET", "context/companysettings/pricetype")).at(0);
    const made = await sandbox.call("POST", "entity/counterparty", { name: "С группой", tags: ["опт", "Север"], priceType });
    expect(made.status, made.text).toBe(200);
    const name = String(made.at("priceType", "name"));
    const href = String(made.at("priceType", "meta", "href"));
    for (const filter of [
      "tags=опт",
      "tags~север",
      `priceType=${name};tags=опт`,
      `priceType=${href};tags=опт`,
      "tags!=юг;tags!=;name~группой",
    ])
      expect((await ask(filter, "counterparty")).at("rows", 0, "name"), filter).toBe("С группой");
  });

  it("the condition that was refused is named in the error", async () => {
    expect((await ask("nothing=1")).at("errors", 0, "error")).toContain("nothing=1");
  });

  it("nextHref keeps the filter", async () => {
    const page = await sandbox.call("GET", `entity/product?limit=1&filter=${encodeURIComponent("name~фильтр;code!=")}`);
    expect(page.at("meta", "size")).toBe(3);
    const next = await sandbox.call("GET", String(page.at("meta", "nextHref")));
    expect(next.at("meta")).toMatchObject({ size: 3, limit: 1, offset: 1 });
    expect(next.at("rows", 0, "code")).toBe("f2");
  });
});

/** A definition of each kind that a filter distinguishes. Returns hrefs by name. */
async function defineAttributes(sandbox: TestSandbox): Promise<Record<string, string>> {
  const types = ["string", "long", "boolean", "time", "file", "counterparty"];
  const made = await sandbox.call(
    "POST",
    "entity/product/metadata/attributes",
    types.map((type) => ({ name: `Поле ${type}`, type })),
  );
  expect(made.status, made.text).toBe(200);
  const hrefs = types.map((type, at): [string, string] => [
    type === "counterparty" ? "reference" : type,
    String(made.at(at, "meta", "href")),
  ]);
  return Object.fromEntries(hrefs);
}
