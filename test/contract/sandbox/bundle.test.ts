import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

describe("bundles of the sandbox", () => {
  let sandbox: TestSandbox;
  let goods: { assortment: { meta: unknown }; quantity: number }[];
  beforeAll(async () => {
    sandbox = await testSandbox();
    const names = Array.from({ length: 51 }, (_, index) => ({ name: `Часть ${index}` }));
    const made = await sandbox.call("POST", "entity/product", names);
    goods = names.map((_, index) => ({ assortment: { meta: made.at(index, "meta") }, quantity: 2 }));
  });
  afterAll(() => sandbox.close());

  const make = (components: unknown, path = "entity/bundle") => sandbox.call("POST", path, { name: "Набор", components });
  const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const idsOf = async (href: unknown) =>
    ((await sandbox.call("GET", `${String(href)}/components`)).at("rows") as { id: string }[]).map(({ id }) => id);

  it("a bundle has 1 to 50 components (29000)", async () => {
    expect(codeOf(await make(undefined))).toEqual([412, 29000]);
    expect(codeOf(await make([]))).toEqual([412, 29000]);
    expect(codeOf(await make(goods))).toEqual([412, 29000]);
    expect((await make(goods.slice(0, 50))).at("components", "meta", "size")).toBe(50);
  });

  it("a component that comes twice is 29002", async () => {
    expect(codeOf(await make([goods[0], goods[0]]))).toEqual([412, 29002]);
  });

  it("bundles, serial goods and alcohol are no components (29003); variants and services are", async () => {
    const serial = await sandbox.call("POST", "entity/product", { name: "Номерной", isSerialTrackable: true });
    const alcohol = await sandbox.call("POST", "entity/product", { name: "Вино", alcoholic: { strength: 12 } });
    for (const assortment of [shopReference(sandbox, "bundle"), { meta: serial.at("meta") }, { meta: alcohol.at("meta") }]) {
      expect(codeOf(await make([{ assortment, quantity: 1 }]))).toEqual([412, 29003]);
    }
    const both = ["variant", "service"].map((type) => ({ assortment: shopReference(sandbox, type), quantity: 1 }));
    expect((await make(both)).status).toBe(200);
  });

  it("a component needs its goods and a quantity above zero", async () => {
    expect(codeOf(await make([{ assortment: goods[0]?.assortment }]))).toEqual([412, 3000]);
    expect(codeOf(await make([{ ...goods[0], quantity: 0 }]))).toEqual([412, 3003]);
  });

  it("POST ?expand=components answers with the components, each with meta, id, accountId, assortment and quantity", async () => {
    const made = await make(goods.slice(0, 2), "entity/bundle?expand=components.assortment");
    expect(made.at("components", "meta", "size")).toBe(2);
    expect(made.at("components", "rows", 0)).toMatchObject({
      meta: { type: "bundlecomponent", href: expect.stringMatching(/\/entity\/bundle\/[^/]+\/components\/[^/]+$/) },
      id: expect.any(String),
      accountId: sandbox.account.id,
      assortment: { name: "Часть 0" },
      quantity: 2,
    });
    expect((await make(goods.slice(0, 2))).at("components", "rows")).toBeUndefined();
  });

  it("components of a change are merged by their ids: those that are not named stay", async () => {
    const made = await make(goods.slice(0, 2));
    const href = made.at("meta", "href");
    const [first = "", second = ""] = await idsOf(href);
    await sandbox.call("PUT", String(href), { components: [{ id: second, quantity: 5 }, goods[2]] });
    const rows = (await sandbox.call("GET", `${String(href)}/components`)).at("rows") as { id: string; quantity: number }[];
    expect(rows.map(({ quantity }) => quantity)).toEqual([2, 5, 2]);
    expect(rows.slice(0, 2).map(({ id }) => id)).toEqual([first, second]);
  });

  it("a component is read, added, changed and deleted at an address of its own, and the rules hold there too", async () => {
    const list = `${String((await make(goods.slice(0, 1))).at("meta", "href"))}/components`;
    const added = await sandbox.call("POST", list, [goods[1], goods[2]]);
    expect([added.status, added.at(1, "quantity")]).toEqual([200, 2]);
    expect((await sandbox.call("POST", list, goods[3])).at(0, "assortment", "meta", "type")).toBe("product");
    const one = String(added.at(0, "meta", "href"));
    expect((await sandbox.call("PUT", one, { quantity: 7 })).at("quantity")).toBe(7);
    expect((await sandbox.call("GET", `${one}?expand=assortment`)).body).toMatchObject({ quantity: 7, assortment: { name: "Часть 1" } });
    expect(codeOf(await sandbox.call("PUT", one, { quantity: 0 }))).toEqual([412, 3003]);
    expect(codeOf(await sandbox.call("POST", list, goods[1]))).toEqual([412, 29002]);
    expect((await sandbox.call("DELETE", one)).text).toBe("");
    expect(codeOf(await sandbox.call("GET", one))).toEqual([404, 1021]);
    const rest = (await sandbox.call("GET", list)).at("rows") as { meta: object }[];
    expect(
      codeOf(
        await sandbox.call(
          "POST",
          `${list}/delete`,
          rest.map(({ meta }) => ({ meta })),
        ),
      ),
    ).toEqual([412, 29000]);
    const deleted = await sandbox.call(
      "POST",
      `${list}/delete`,
      rest.slice(1).map(({ meta }) => ({ meta })),
    );
    expect(deleted.at(0, "info")).toEqual(expect.any(String));
    expect((await sandbox.call("GET", list)).at("meta", "size")).toBe(1);
  });

  it("a page of components names its neighbours, and components of nobody are 1020", async () => {
    const list = `${String((await make(goods.slice(0, 5))).at("meta", "href"))}/components`;
    const page = await sandbox.call("GET", `${list}?limit=2&offset=2`);
    expect(page.at("meta")).toMatchObject({ type: "bundlecomponent", size: 5, nextHref: `${list}?limit=2&offset=4` });
    expect(page.at("rows")).toHaveLength(2);
    const nobody = "entity/bundle/11111111-2222-4333-8444-555555555555/components";
    expect(codeOf(await sandbox.call("GET", nobody))).toEqual([404, 1020]);
    expect(codeOf(await sandbox.call("GET", `${list.replace("components", "positions")}`))).toEqual([404, 1002]);
  });

  it("once it is used in documents, components and overhead do not change (29001)", async () => {
    const made = await make(goods.slice(0, 2));
    const href = String(made.at("meta", "href"));
    await sandbox.call("PUT", href, { overhead: { value: 100 } });
    const order = await sandbox.call("POST", "entity/customerorder", {
      organization: shopReference(sandbox, "organization"),
      agent: shopReference(sandbox, "counterparty"),
      positions: [{ assortment: { meta: made.at("meta") }, quantity: 1, price: 100 }],
    });
    expect(order.status).toBe(200);
    expect(codeOf(await sandbox.call("PUT", href, { components: [goods[3]] }))).toEqual([412, 29001]);
    expect(codeOf(await sandbox.call("PUT", href, { overhead: { value: 200 } }))).toEqual([412, 29001]);
    expect(codeOf(await sandbox.call("POST", `${href}/components`, goods[3]))).toEqual([412, 29001]);
    expect((await sandbox.call("PUT", href, { name: "Набор иначе" })).status).toBe(200);
  });
});
