import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, shopReferences } from "../../support/sandbox-shop.ts";

describe("lists of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
    const goods = [
      { name: "Сироп кленовый", code: "l3", weight: 2 },
      { name: "Кленовый лист", code: "l1", weight: 1, article: "СИР-9" },
      { name: "сироп", code: "l2", weight: 2 },
      { name: "Пряник с сиропом", code: "l4" },
    ];
    expect((await sandbox.call("POST", "entity/product", goods)).status).toBe(200);
  });
  afterAll(() => sandbox.close());

  const list = (query: Record<string, string>, type = "product") => sandbox.call("GET", `entity/${type}?${new URLSearchParams(query)}`);
  const codes = async (query: Record<string, string>) => {
    const answer = await list({ filter: "code~=l", ...query });
    expect(answer.status, answer.text).toBe(200);
    return (answer.at("rows") as { code: string }[]).map(({ code }) => code);
  };
  const refusedWith = async (query: Record<string, string>, type?: string) => {
    const answer = await list(query, type);
    return [answer.status, answer.at("errors", 0, "code")];
  };

  describe("order", () => {
    it("without it goods come in the order of their creation", async () => {
      expect(await codes({})).toEqual(["l3", "l1", "l2", "l4"]);
    });

    it("sorts by several fields, ascending unless desc is said", async () => {
      expect(await codes({ order: "code" })).toEqual(["l1", "l2", "l3", "l4"]);
      expect(await codes({ order: "code,desc" })).toEqual(["l4", "l3", "l2", "l1"]);
      expect(await codes({ order: "weight,desc;code,asc" })).toEqual(["l2", "l3", "l1", "l4"]);
    });

    it("missing values come last in ascending order", async () => {
      expect((await codes({ order: "article" }))[0]).toBe("l1");
    });

    it("an unknown field is 412 with code 1063, a bad direction 1042, any other fault 1096", async () => {
      expect(await refusedWith({ order: "nothing" })).toEqual([412, 1063]);
      expect(await refusedWith({ order: "name,down" })).toEqual([412, 1042]);
      expect(await refusedWith({ order: "name,asc,code" })).toEqual([412, 1096]);
    });

    it("references and additional fields cannot be sorted by", async () => {
      expect(await refusedWith({ order: "supplier" })).toEqual([412, 1063]);
      expect(await refusedWith({ order: "attributes" })).toEqual([412, 1063]);
    });

    it("version and updatedBy are keys without a field, and names of employees are written in small letters", async () => {
      expect((await list({ order: "version;updatedBy" })).status).toBe(200);
      expect((await list({ order: "lastname" }, "employee")).status).toBe(200);
      expect(await refusedWith({ order: "lastName" }, "employee")).toEqual([412, 1063]);
      const names = (await list({ order: "lastname" }, "employee")).at("rows") as { lastName: string }[];
      expect(names.map(({ lastName }) => lastName)).toEqual(names.map(({ lastName }) => lastName).toSorted());
    });
  });

  describe("search", () => {
    it("finds goods whose words begin with every word of it, in name, code or article, better matches first", async () => {
      expect(await codes({ search: "сироп" })).toEqual(["l2", "l3", "l4"]);
      expect(await codes({ search: "клен сир" })).toEqual(["l3", "l1"]);
      expect(await codes({ search: "ироп" })).toEqual([]);
      expect(await codes({ search: "l4" })).toEqual(["l4"]);
    });

    it("goes together with filter and order", async () => {
      expect(await codes({ search: "сироп", order: "code,desc" })).toEqual(["l4", "l3", "l2"]);
      expect((await list({ search: "сироп", filter: "weight=2" })).at("meta", "size")).toBe(2);
    });

    it("matches a part of the name of counterparties, organizations, units and points of sale", async () => {
      await sandbox.call("POST", "entity/counterparty", { name: "Ромашковый чай и Ко" });
      expect((await list({ search: "машковый ЧАЙ" }, "counterparty")).at("meta", "size")).toBe(1);
      expect((await list({ search: "чай машковый" }, "counterparty")).at("meta", "size")).toBe(0);
      const store = (await list({}, "retailstore")).at("rows", 0, "name");
      expect((await list({ search: String(store).slice(1) }, "retailstore")).at("meta", "size")).toBe(1);
    });

    it("nothing but spaces searches for nothing", async () => {
      expect(await codes({ search: " " })).toHaveLength(4);
    });
  });

  describe("pages", () => {
    it("limit is 1000 unless it is said, and 1000 at most; limit=0 reads the size only", async () => {
      expect((await list({})).at("meta")).toMatchObject({ limit: 1000, offset: 0 });
      expect(await refusedWith({ limit: "1001" })).toEqual([412, 1084]);
      const empty = await list({ limit: "0", filter: "code~=l" });
      expect(empty.at("rows")).toEqual([]);
      expect(empty.at("meta")).toMatchObject({ size: 4, limit: 0 });
    });

    it.each([{ limit: "ten" }, { limit: "-1" }, { limit: "1.5" }, { offset: "-1" }, { offset: "x" }])(
      "%j is 412 with code 1084",
      async (query) => {
        expect(await refusedWith(query as Record<string, string>)).toEqual([412, 1084]);
      },
    );

    it("following nextHref meets every element once, in the order that was asked for", async () => {
      const seen: unknown[] = [];
      let next: string | undefined = `entity/product?${new URLSearchParams({ limit: "3", order: "name,desc" })}`;
      let size: unknown;
      while (next !== undefined) {
        const page = await sandbox.call("GET", next);
        size = page.at("meta", "size");
        seen.push(...(page.at("rows") as { id: string }[]).map(({ id }) => id));
        const href = page.at("meta", "nextHref");
        next = href === undefined ? undefined : String(href);
      }
      const whole = (await list({ order: "name,desc" })).at("rows") as { id: string }[];
      expect(seen).toEqual(whole.map(({ id }) => id));
      expect(seen).toHaveLength(Number(size));
    });

    it("an offset behind the end gives no rows, and the way back", async () => {
      const page = await list({ limit: "2", offset: "500" });
      expect(page.at("rows")).toEqual([]);
      expect(page.at("meta", "previousHref")).toContain("offset=498");
      expect(page.at("meta", "nextHref")).toBeUndefined();
    });
  });

  describe("expand", () => {
    it("on a list works with a stated limit of at most 100, and is ignored in silence otherwise", async () => {
      const folder = async (query: Record<string, string>) => (await list({ expand: "group", ...query })).at("rows", 0, "group", "name");
      expect(await folder({ limit: "100" })).toEqual(expect.any(String));
      expect(await folder({ limit: "101" })).toBeUndefined();
      expect(await folder({})).toBeUndefined();
      expect((await list({ expand: "nothing" })).status).toBe(200);
    });

    it("a name that cannot be expanded does nothing (D46), and a path of more than three levels is 412 with code 1089", async () => {
      for (const expand of ["nothing", "name"]) expect((await list({ expand, limit: "1" })).status).toBe(200);
      expect(await refusedWith({ expand: "owner.owner.owner.owner", limit: "1" })).toEqual([412, 1089]);
      expect((await list({ expand: "owner.owner.owner", limit: "1" })).status).toBe(200);
    });

    it("works on the answers of POST and PUT, through several levels", async () => {
      const made = await sandbox.call("POST", "entity/product?expand=owner.group,group", { name: "Развёрнутый", code: "e1" });
      expect(made.at("owner", "group", "name")).toEqual(expect.any(String));
      const changed = await sandbox.call("PUT", `${made.at("meta", "href")}?expand=owner`, { weight: 1 });
      expect(changed.at("owner", "lastName")).toEqual(expect.any(String));
    });

    it("gives a nested collection its rows, 100 at most; the rest is at its own address", async () => {
      const shop = await shopReferences(sandbox);
      const shift = await openShift(sandbox, shop);
      const positions = Array.from({ length: 130 }, (_, at) => ({ assortment: shop.product, quantity: 1, price: at }));
      const made = await sandbox.call("POST", "entity/retaildemand?expand=positions.assortment", {
        retailShift: { meta: shift.meta },
        positions,
      });
      expect(made.at("positions", "meta", "size")).toBe(130);
      expect(made.at("positions", "rows")).toHaveLength(100);
      expect(made.at("positions", "rows", 0, "assortment", "name")).toEqual(expect.any(String));
      const all = await sandbox.call("GET", String(made.at("positions", "meta", "href")));
      expect(all.at("rows")).toHaveLength(130);
      const plain = await sandbox.call("GET", String(made.at("meta", "href")));
      expect(plain.at("positions", "rows")).toBeUndefined();
    });
  });

  describe("fields", () => {
    it("takes one value (3042) of those that are known (3043)", async () => {
      expect(await refusedWith({ fields: "stock,minimumStock", limit: "1" })).toEqual([412, 3042]);
      const unknown = await list({ fields: "name", limit: "1" });
      expect(unknown.at("errors", 0)).toMatchObject({ code: 3043, parameter: "fields" });
      expect(unknown.at("errors", 0, "error")).toContain("name");
    });

    it("of a nested collection are checked alike", async () => {
      const images = `entity/product/${(await list({ limit: "1" })).at("rows", 0, "id")}/images`;
      expect((await sandbox.call("GET", `${images}?fields=name`)).at("errors", 0, "code")).toBe(3043);
      expect((await sandbox.call("GET", `${images}?fields=downloadPermanentHref`)).status).toBe(200);
    });

    it("on a list works with a stated limit of at most 100 only", async () => {
      const minimum = async (query: Record<string, string>) =>
        (await list({ fields: "minimumStock", ...query })).at("rows", 0, "minimumStock");
      expect(await minimum({ limit: "100" })).toBeDefined();
      expect(await minimum({ limit: "101" })).toBeUndefined();
      expect(await minimum({})).toBeUndefined();
    });
  });

  it("namedfilter stands alone (63000), and a filter that nobody saved is 63001", async () => {
    const namedfilter = `${sandbox.api}/entity/product/namedfilter/00000000-0000-4000-8000-000000000000`;
    for (const other of ["filter", "search", "order"]) expect(await refusedWith({ namedfilter, [other]: "name" })).toEqual([412, 63000]);
    expect(await refusedWith({ namedfilter })).toEqual([412, 63001]);
    expect(await refusedWith({ namedfilter: "https://other.example/x" })).toEqual([400, 1059]);
  });

  it("an unknown query parameter is ignored, and in strict mode 412 with code 1040", async () => {
    expect((await list({ nothing: "1" })).status).toBe(200);
    const strict = await testSandbox({ settings: { unknownFields: "refuse", filterBySyncId: true } });
    expect((await strict.call("GET", "entity/product?nothing=1")).at("errors", 0, "code")).toBe(1040);
    expect((await strict.call("GET", "entity/product?limit=1&order=name")).status).toBe(200);
    await strict.close();
  });

  it("with the setting syncId is a filter field", async () => {
    const open = await testSandbox({ settings: { filterBySyncId: true } });
    const syncId = "0b1d2c3e-0000-4000-8000-00000000000f";
    await open.call("POST", "entity/product", { name: "Свой ключ", syncId });
    expect((await open.call("GET", `entity/product?filter=syncId=${syncId.toUpperCase()}`)).at("rows", 0, "name")).toBe("Свой ключ");
    await open.close();
  });
});
