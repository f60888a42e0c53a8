import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tokenId } from "../../../src/tools/sandbox/account/users.ts";
import { EMPLOYEE, type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});
afterAll(() => sandbox.close());

const codeOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];

describe("the context of the sandbox", () => {
  it("context/employee is whoever asks", async () => {
    expect((await sandbox.call("GET", "context/employee")).body).toMatchObject({ uid: "admin@shop", name: "Соколова А. С." });
    const authorization = `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}`;
    expect((await sandbox.call("GET", "context/employee", undefined, { authorization })).at("uid")).toBe(EMPLOYEE.login);
  });

  it("company settings name the currency and the price types, each at an address that answers", async () => {
    const settings = await sandbox.call("GET", "context/companysettings");
    expect(settings.at("currency")).toMatchObject(shopReference(sandbox, "currency"));
    const types = settings.at("priceTypes") as { meta: { href: string }; name: string }[];
    expect(types.map(({ name }) => name)).toEqual(["Цена продажи", "Оптовая цена"]);
    expect((await sandbox.call("GET", String(types[1]?.meta.href))).body).toEqual(types[1]);
    expect((await sandbox.call("GET", "context/companysettings/pricetype")).body).toEqual(types);
    expect((await sandbox.call("GET", "context/companysettings/pricetype/default")).body).toEqual(types[0]);
    expect(codeOf(await sandbox.call("GET", "context/companysettings/pricetype/none"))).toEqual([404, 1021]);
    expect(codeOf(await sandbox.call("GET", "entity/pricetype"))).toEqual([412, 1005]);
  });

  it("user settings name the company and the warehouse that documents are filled with", async () => {
    const settings = await sandbox.call("GET", "context/usersettings");
    expect(settings.at("defaultCompany")).toMatchObject(shopReference(sandbox, "organization"));
    expect(settings.at("defaultPlace")).toMatchObject(shopReference(sandbox, "store"));
  });

  it("a solution's token meeting what only a user has gets 55005", async () => {
    const { account } = sandbox;
    await account.commit(() => account.put({ type: "token", id: tokenId("solution"), values: { appId: "some-solution" } }));
    const authorization = "Bearer solution";
    for (const path of ["context/employee", "context/usersettings"]) {
      expect(codeOf(await sandbox.call("GET", path, undefined, { authorization }))).toEqual([403, 55005]);
    }
    expect((await sandbox.call("GET", "context/companysettings", undefined, { authorization })).status).toBe(200);
  });
});

describe("units and other directories of the sandbox", () => {
  it("a system unit is not changed (1024) and not deleted (1025); one of one's own is", async () => {
    const piece = shopReference(sandbox, "uom", "шт").meta.href;
    expect(codeOf(await sandbox.call("PUT", piece, { name: "штука" }))).toEqual([412, 1024]);
    expect(codeOf(await sandbox.call("DELETE", piece))).toEqual([412, 1025]);
    const own = String((await sandbox.call("POST", "entity/uom", { name: "поддон" })).at("meta", "href"));
    expect((await sandbox.call("PUT", own, { name: "паллета" })).at("name")).toBe("паллета");
    expect((await sandbox.call("DELETE", own)).status).toBe(200);
  });

  it("department, owner and the shared flag are for units of one's own", async () => {
    const system = await sandbox.call("GET", shopReference(sandbox, "uom", "шт").meta.href);
    expect([system.at("owner"), system.at("group"), system.at("shared")]).toEqual([undefined, undefined, undefined]);
    const own = await sandbox.call("POST", "entity/uom", { name: "ведро" });
    expect(own.body).toMatchObject({ owner: { meta: {} }, group: { meta: {} }, shared: false });
  });

  it("a standard country and the account's currency stay as they are", async () => {
    for (const type of ["country", "currency"]) {
      const { href } = shopReference(sandbox, type).meta;
      expect(codeOf(await sandbox.call("PUT", href, { name: "Иначе" }))).toEqual([412, 1024]);
      expect(codeOf(await sandbox.call("DELETE", href))).toEqual([412, 1025]);
    }
  });

  it("regions are only read", async () => {
    expect(codeOf(await sandbox.call("POST", "entity/region", { name: "Новый" }))).toEqual([405, 1011]);
    expect((await sandbox.call("GET", "entity/group")).at("rows", 0, "name")).toBe("Основной");
    expect((await sandbox.call("GET", "entity/region")).at("meta", "size")).toBe(86);
  });
});

describe("the assortment of the sandbox", () => {
  const list = (query: string) => sandbox.call("GET", `entity/assortment?${query}`);
  const typesOf = (answer: SandboxAnswer) => [...new Set((answer.at("rows") as { meta: { type: string } }[]).map(({ meta }) => meta.type))];

  it("it lists products, variants, bundles and services, each as it is in its own list", async () => {
    const all = await list("");
    expect(typesOf(all).sort()).toEqual(["bundle", "product", "service", "variant"]);
    const first = (await sandbox.call("GET", "entity/product?limit=1")).at("rows", 0);
    // The goods with their stock (json-api 13.10).
    expect(all.at("rows", 0)).toEqual({ ...(first as object), stock: 40, reserve: 0, inTransit: 0, quantity: 40 });
    expect(all.at("meta", "type")).toBe("assortment");
  });

  it("it is filtered by common fields, searched and turned over by pages", async () => {
    expect((await list(`filter=${encodeURIComponent("name~набор")}`)).at("rows", 0, "meta", "type")).toBe("bundle");
    expect((await list("filter=code%3D00012-1")).at("rows", 0, "meta", "type")).toBe("variant");
    expect((await list(`search=${encodeURIComponent("достав")}`)).at("rows", 0, "meta", "type")).toBe("service");
    expect((await list("limit=2&offset=2")).at("meta", "previousHref")).toBe(`${sandbox.api}/entity/assortment?limit=2&offset=0`);
    expect(codeOf(await list("filter=nosuch%3D1"))).toEqual([412, 1034]);
  });
});
