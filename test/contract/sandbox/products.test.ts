import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestSandbox, testSandbox } from "../../support/sandbox.ts";

describe("products of the sandbox", () => {
  let sandbox: TestSandbox;
  beforeAll(async () => {
    sandbox = await testSandbox();
  });
  afterAll(() => sandbox.close());

  it("a product needs its name, and without one nothing is stored", async () => {
    const size = async () => (await sandbox.call("GET", "entity/product?limit=0")).at("meta", "size");
    const before = await size();
    const refused = await sandbox.call("POST", "entity/product", { code: "1" });
    expect(refused.status).toBe(412);
    expect(refused.at("errors", 0)).toMatchObject({ code: 3000, parameter: "name" });
    expect(await size()).toBe(before);
  });

  it("a product is created, read, changed in part and deleted", async () => {
    const created = await sandbox.call("POST", "entity/product", { name: "Чай", article: "A-1", weight: 0.1 });
    expect(created.status).toBe(200);
    const href = String(created.at("meta", "href"));
    expect(created.body).toMatchObject({ name: "Чай", article: "A-1", weight: 0.1, archived: false });
    expect(created.at("externalCode")).toMatch(/^[\w-]{22}$/);

    const changed = await sandbox.call("PUT", href, { name: "Чай зелёный" });
    expect(changed.body).toMatchObject({ name: "Чай зелёный", article: "A-1" });
    expect((await sandbox.call("PUT", href, { name: null })).at("errors", 0, "code")).toBe(2016);

    const gone = await sandbox.call("DELETE", href);
    expect([gone.status, gone.text]).toEqual([200, ""]);
    expect((await sandbox.call("GET", href)).status).toBe(404);
    expect((await sandbox.call("DELETE", href)).at("errors", 0, "code")).toBe(1021);
  });

  it("good elements of a mass write stay although others fail", async () => {
    const answer = await sandbox.call("POST", "entity/product", [{ name: "Хлеб" }, { code: "2" }, { name: 5 }]);
    expect(answer.status).toBe(400);
    expect(answer.at(0, "name")).toBe("Хлеб");
    expect(answer.at(1, "errors", 0, "code")).toBe(3000);
    expect(answer.at(2, "errors", 0, "code")).toBe(2016);
  });

  it("a page names its neighbours", async () => {
    await sandbox.call("POST", "entity/product", [{ name: "1" }, { name: "2" }, { name: "3" }]);
    const page = await sandbox.call("GET", "entity/product?limit=2&offset=1");
    expect(page.at("rows")).toHaveLength(2);
    expect(page.at("meta", "nextHref")).toBe(`${sandbox.api}/entity/product?limit=2&offset=3`);
    expect(page.at("meta", "previousHref")).toBe(`${sandbox.api}/entity/product?limit=1&offset=0`);
  });
});
