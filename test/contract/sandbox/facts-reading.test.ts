import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

// json-api 6, fact by fact. The facts about filters, orders, pages and expand that are in files of their own are not repeated.

describe("reading", () => {
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  let retailShift: { meta: unknown; href: string };
  beforeAll(async () => {
    sandbox = await testSandbox();
    shop = await shopReferences(sandbox);
    retailShift = await openShift(sandbox, shop);
  });
  afterAll(() => sandbox.close());

  const call = (method: string, path: string, body?: unknown) => sandbox.call(method, path, body);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const list = (type: string, query: Record<string, string>) => call("GET", `entity/${type}?${new URLSearchParams(query)}`);
  const sizeOf = async (type: string, query: Record<string, string>) => (await list(type, query)).at("meta", "size");
  const sell = (more: object) =>
    call("POST", "entity/retaildemand", {
      retailShift: { meta: retailShift.meta },
      positions: [{ assortment: shop.product, quantity: 2, price: 1000 }],
      ...more,
    });

  describe("a page", () => {
    it("before which fewer elements stand than it holds points back to offset 0 with a limit that covers just them", async () => {
      const back = String((await list("uom", { limit: "5", offset: "2" })).at("meta", "previousHref"));
      expect([new URL(back).searchParams.get("offset"), new URL(back).searchParams.get("limit")]).toEqual(["0", "2"]);
      expect((await call("GET", back)).at("rows")).toHaveLength(2);
    });
  });

  describe("a filter", () => {
    it("!~ is no operator of lists", async () => {
      expect(faultOf(await list("product", { filter: "name!~x" }))).toEqual([412, 1034]);
      const field = await call("POST", "entity/product/metadata/attributes", { name: "Слово", type: "string" });
      expect(faultOf(await list("product", { filter: `${String(field.at("meta", "href"))}!~x` }))).toEqual([412, 1034]);
    });

    it.each([
      ["time", "2026-01-02 03:04:00", ["=", "!=", "<", ">", "<=", ">="]],
      ["long", "5", ["=", "!=", "<", ">", "<=", ">="]],
      ["double", "5.5", ["=", "!=", "<", ">", "<=", ">="]],
      ["string", "слово", ["=", "!=", "~", "~=", "=~"]],
      ["text", "слово", ["=", "!=", "~", "~=", "=~"]],
      ["link", "https://shop.example", ["=", "!=", "~", "~=", "=~"]],
      ["boolean", "true", ["=", "!="]],
      ["file", "имя.txt", []],
    ] as const)(
      "by an additional field of type %s takes its operators and no others",
      async (type, constant, allowed: readonly string[]) => {
        const field = await call("POST", "entity/counterparty/metadata/attributes", { name: `Поле ${type}`, type });
        for (const operator of ["=", "!=", ">", "<", ">=", "<=", "~", "~=", "=~"]) {
          const answer = await list("counterparty", { filter: `${String(field.at("meta", "href"))}${operator}${constant}` });
          expect([operator, ...faultOf(answer)]).toEqual([operator, ...(allowed.includes(operator) ? [200, undefined] : [412, 1034])]);
        }
        if (allowed.length === 0 || type === "boolean") return;
        for (const empty of ["=", "!="]) {
          expect((await list("counterparty", { filter: `${String(field.at("meta", "href"))}${empty}` })).status).toBe(200);
        }
      },
    );

    it.each(["product", "counterparty", "employee", "store", "project", "contract"])(
      "by an additional field that points at a %s takes = and != with an href, and empty",
      async (type) => {
        const field = await call("POST", "entity/customerorder/metadata/attributes", { name: `Ссылка ${type}`, type });
        const href = String(field.at("meta", "href"));
        const target = `${sandbox.api}/entity/${type}/00000000-0000-4000-8000-000000000000`;
        for (const condition of [`=${target}`, `!=${target}`, "=", "!="]) {
          expect([condition, (await list("customerorder", { filter: href + condition })).status]).toEqual([condition, 200]);
        }
        for (const operator of [">", "~"]) {
          expect(faultOf(await list("customerorder", { filter: href + operator + target }))).toEqual([412, 1034]);
        }
      },
    );

    it("over a reference takes = and != with an empty constant: missing and present", async () => {
      const [full, bare] = [await sell({}), await sell({})];
      const project = await call("POST", "entity/project", { name: "Выезд" });
      const parties = { organization: shop.organization, agent: shop.buyer };
      const order = await call("POST", "entity/customerorder", { ...parties, project: { meta: project.at("meta") } });
      const without = await call("POST", "entity/customerorder", parties);
      const ids = async (filter: string) => ((await list("customerorder", { filter })).at("rows") as { id: string }[]).map(({ id }) => id);
      expect(await ids("project!=")).toEqual([order.at("id")]);
      expect(await ids("project=")).toContain(without.at("id"));
      expect(await ids("project=")).not.toContain(order.at("id"));
      expect([full.status, bare.status]).toEqual([200, 200]);
    });

    it("isDeleted and archived with both values show both", async () => {
      const sale = await sell({ description: "на двоих" });
      const binned = await sell({ description: "на двоих" });
      await call("POST", `${String(binned.at("meta", "href"))}/trash`);
      const filter = "description=на двоих";
      expect(await sizeOf("retaildemand", { filter })).toBe(1);
      expect(await sizeOf("retaildemand", { filter: `${filter};isDeleted=true` })).toBe(1);
      expect(await sizeOf("retaildemand", { filter: `${filter};isDeleted=true;isDeleted=false` })).toBe(2);
      expect(sale.status).toBe(200);
    });

    it("retail documents are filtered by their shift and point of sale", async () => {
      const other = await openShift(sandbox, shop);
      const sale = await sell({ retailShift: { meta: other.meta } });
      const filter = `retailShift=${other.href};retailStore=${String(sale.at("retailStore", "meta", "href"))}`;
      expect((await list("retaildemand", { filter })).at("rows", 0, "id")).toBe(sale.at("id"));
      expect(await sizeOf("retaildemand", { filter: `retailShift!=${other.href};id=${String(sale.at("id"))}` })).toBe(0);
    });

    it("by accountId finds everything of the account, and nothing of another", async () => {
      const { accountId } = (await list("counterparty", { limit: "1" })).at("rows", 0) as { accountId: string };
      expect(await sizeOf("counterparty", { filter: `accountId=${accountId}` })).toBe(await sizeOf("counterparty", {}));
      expect(await sizeOf("counterparty", { filter: "accountId=00000000-0000-4000-8000-000000000000" })).toBe(0);
    });
  });

  describe("a search", () => {
    it("looks into name, e-mail and phone of employees", async () => {
      await call("POST", "entity/employee", { lastName: "Журавлёва", email: "crane@shop.example", phone: "+79005550101" });
      for (const search of ["журавл", "crane@shop", "+79005550101"])
        expect([search, await sizeOf("employee", { search })]).toEqual([search, 1]);
    });

    it("looks into number and description of documents, and not into their other texts", async () => {
      await sell({ name: "ЖЖ-1", description: "пакет подарочный", code: "ищукод" });
      for (const search of ["ЖЖ-1", "подарочный", "пак подар", "дарочный"])
        expect([search, await sizeOf("retaildemand", { search })]).toEqual([search, 1]);
      expect(await sizeOf("retaildemand", { search: "ищукод" })).toBe(0);
    });

    it("looks into name and code of services and no further than name, code and article of products", async () => {
      await call("POST", "entity/service", { name: "Гравировка", code: "грв7", description: "на металле" });
      for (const search of ["грав", "грв7"]) expect(await sizeOf("service", { search })).toBe(1);
      expect(await sizeOf("service", { search: "металле" })).toBe(0);
      await call("POST", "entity/product", { name: "Лента", article: "лнт-9", description: "атласная" });
      expect([await sizeOf("product", { search: "лнт-9" }), await sizeOf("product", { search: "атласная" })]).toEqual([1, 0]);
    });

    it("matches a part of the text in variants, units, organizations and points of sale, by name or address", async () => {
      await call("POST", "entity/retailstore", {
        ...{ name: "Ларёк", organization: shop.organization, store: shop.store, priceType: shopReference(sandbox, "pricetype") },
        address: "Образцов, Кленовая, 7",
      });
      expect(await sizeOf("retailstore", { search: "леновая" })).toBe(1);
      await call("POST", "entity/organization", { name: "Ромашка и партнёры" });
      expect(await sizeOf("organization", { search: "машка и пар" })).toBe(1);
      await call("POST", "entity/uom", { name: "корзинка" });
      expect(await sizeOf("uom", { search: "рзинк" })).toBe(1);
      const variant = { product: shopReference(sandbox, "product"), characteristics: [{ name: "Цвет", value: "лазоревый" }] };
      await call("POST", "entity/variant", variant);
      expect(await sizeOf("variant", { search: "азоревы" })).toBe(1);
    });
  });

  describe("expand", () => {
    it("takes a comma list of dotted paths, at most three levels of them", async () => {
      const sale = await sell({});
      const read = await call(
        "GET",
        `${String(sale.at("meta", "href"))}?expand=agent,retailShift.retailStore.organization,positions.assortment`,
      );
      expect(read.at("agent", "name")).toEqual(expect.any(String));
      expect(read.at("retailShift", "retailStore", "organization", "name")).toEqual(expect.any(String));
      expect(read.at("positions", "rows", 0, "assortment", "name")).toEqual(expect.any(String));
      const deep = await call("GET", `${String(sale.at("meta", "href"))}?expand=retailShift.retailStore.organization.owner`);
      expect(faultOf(deep)).toEqual([412, 1089]);
    });

    it("on a list is ignored without a limit of at most 100, and the page size is the one asked for", async () => {
      const whole = await list("product", { expand: "group" });
      expect([whole.at("meta", "limit"), whole.at("rows", 0, "group", "name")]).toEqual([1000, undefined]);
      const page = await list("product", { expand: "group", limit: "101" });
      expect([page.at("meta", "limit"), page.at("rows", 0, "group", "name")]).toEqual([101, undefined]);
      expect((await list("product", { expand: "group", limit: "100" })).at("rows", 0, "group", "name")).toEqual(expect.any(String));
    });

    it("works on the answer of an array too", async () => {
      const made = await call("POST", "entity/product?expand=group", [{ name: "Один" }, { name: "Два" }]);
      expect([made.at(0, "group", "name"), made.at(1, "group", "name")]).toEqual([expect.any(String), expect.any(String)]);
    });
  });

  it.each(["fields=nothing", "fields=stock,declaration"])("a write with %s is refused before anything is stored", async (query) => {
    const made = await call("POST", "entity/uom", { name: "до отказа" });
    const href = String(made.at("meta", "href"));
    const size = async () => (await call("GET", "entity/uom?limit=0")).at("meta", "size");
    const before = await size();
    expect((await call("POST", `entity/uom?${query}`, { name: "лишняя" })).status).toBe(412);
    expect((await call("PUT", `${href}?${query}`, { name: "после отказа" })).status).toBe(412);
    expect([await size(), (await call("GET", href)).at("name")]).toEqual([before, "до отказа"]);
    const buyer = await call("POST", "entity/counterparty", { name: "Свой", contactpersons: [{ name: "Анна" }] });
    const persons = `${String(buyer.at("meta", "href"))}/contactpersons`;
    expect((await call("POST", `${persons}?${query}`, { name: "Лишний" })).status).toBe(412);
    expect((await call("GET", persons)).at("meta", "size")).toBe(1);
  });

  describe("fields=stock", () => {
    const STOCK = { cost: expect.any(Number), quantity: 40, reserve: 0, intransit: 0, available: 40 };

    it("adds stock and cost to the lines of a document that are expanded, and only then", async () => {
      const parties = { organization: shop.organization, agent: shop.buyer, store: shop.store };
      const line = { assortment: shop.otherProduct, quantity: 1, price: 100 };
      const order = await call("POST", "entity/customerorder", { ...parties, positions: [line] });
      const href = String(order.at("meta", "href"));
      const plain = await call("GET", `${href}?expand=positions`);
      expect(plain.at("positions", "rows", 0, "stock")).toBeUndefined();
      const stock = (await call("GET", `${href}?fields=stock&expand=positions`)).at("positions", "rows", 0, "stock");
      expect(stock).toEqual({ ...STOCK, quantity: expect.any(Number), available: expect.any(Number) });
      expect((await call("GET", `${href}/positions?fields=stock&limit=10`)).at("rows", 0, "stock")).toEqual(stock);
      expect((await call("GET", `${href}/positions?fields=stock`)).at("rows", 0, "stock")).toBeUndefined();
      const listed = await list("customerorder", {
        fields: "stock",
        expand: "positions",
        limit: "10",
        filter: `id=${String(order.at("id"))}`,
      });
      expect(listed.at("rows", 0, "positions", "rows", 0, "stock")).toEqual(stock);
    });

    it("tells what lies in the document's own warehouse", async () => {
      const other = await call("POST", "entity/store", { name: "Пустой" });
      const parties = { organization: shop.organization, agent: shop.buyer, store: { meta: other.at("meta") } };
      const positions = [{ assortment: shop.otherProduct, quantity: 3, reserve: 2, price: 100 }];
      const order = await call("POST", "entity/customerorder?fields=stock&expand=positions", { ...parties, positions });
      expect(order.at("positions", "rows", 0, "stock")).toEqual({
        cost: expect.any(Number),
        quantity: 0,
        reserve: 2,
        intransit: 0,
        available: -2,
      });
    });

    it("works on the answers of writes, of documents and of lines", async () => {
      const parties = { organization: shop.organization, agent: shop.buyer, store: shop.store };
      const positions = [{ assortment: shop.otherProduct, quantity: 1, price: 100 }];
      const made = await call("POST", "entity/customerorder?fields=stock&expand=positions", { ...parties, positions });
      const href = String(made.at("meta", "href"));
      const line = String(made.at("positions", "rows", 0, "meta", "href"));
      const answers = [
        made.at("positions", "rows", 0),
        (await call("PUT", `${href}?fields=stock&expand=positions`, { description: "ещё" })).at("positions", "rows", 0),
        (await call("GET", `${line}?fields=stock`)).body,
        (await call("PUT", `${line}?fields=stock`, { price: 200 })).body,
        (await call("POST", `${href}/positions?fields=stock`, positions)).at(0),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ stock: { quantity: expect.any(Number), intransit: 0 } });
    });

    it("says nothing of a service", async () => {
      const sale = await sell({ positions: [{ assortment: shop.service, quantity: 1, price: 100 }] });
      const read = await call("GET", `${String(sale.at("meta", "href"))}?fields=stock&expand=positions`);
      expect([read.status, read.at("positions", "rows", 0, "stock")]).toEqual([200, undefined]);
    });
  });
});
