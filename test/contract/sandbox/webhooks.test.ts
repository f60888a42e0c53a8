import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Receiver } from "../../support/receiver.ts";
import { EMPLOYEE, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { openShift, shopReferences } from "../../support/sandbox-shop.ts";

const AS_EMPLOYEE = { authorization: `Basic ${Buffer.from(`${EMPLOYEE.login}:${EMPLOYEE.password}`).toString("base64")}` };

describe("webhooks of the sandbox", () => {
  let sandbox: TestSandbox;
  let receiver: Receiver;
  beforeEach(async () => {
    [sandbox, receiver] = await Promise.all([testSandbox(), Receiver.open()]);
  });
  afterEach(() => Promise.all([sandbox.close(), receiver.close()]));

  const watch = (action: string, more: object = {}) =>
    sandbox.call("POST", "entity/webhook", { url: receiver.url, action, entityType: "product", ...more });

  it("a webhook needs url, action and entityType, and answers method POST and enabled true", async () => {
    const refused = await sandbox.call("POST", "entity/webhook", {});
    expect([0, 1, 2].map((at) => refused.at("errors", at, "parameter"))).toEqual(["action", "entityType", "url"]);
    const made = await watch("CREATE");
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({
      meta: { type: "webhook" },
      entityType: "product",
      url: receiver.url,
      method: "POST",
      enabled: true,
      action: "CREATE",
    });
    expect((await sandbox.call("GET", "entity/webhook")).at("rows", 0)).toEqual(made.body);
    expect((await sandbox.call("DELETE", String(made.at("meta", "href")))).text).toBe("");
  });

  it("the pair of type and action is unique", async () => {
    await watch("CREATE");
    expect((await watch("CREATE")).at("errors", 0, "code")).toBe(30003);
    const other = await watch("UPDATE");
    expect((await sandbox.call("PUT", String(other.at("meta", "href")), { action: "CREATE" })).at("errors", 0, "code")).toBe(30003);
  });

  it("each fault of a webhook has its code", async () => {
    const faults: [object, number][] = [
      [{ entityType: "webhook" }, 30000],
      [{ entityType: "elephant" }, 30000],
      [{ method: "GET" }, 30001],
      [{ action: "TOUCH" }, 30002],
      [{ url: "not an address" }, 30005],
      [{ action: "PROCESSED" }, 30008],
      [{ diffType: "FIELDS" }, 30009],
      [{ url: `https://hooks.example/${"x".repeat(250)}` }, 30010],
    ];
    for (const [fault, code] of faults) expect((await watch("CREATE", fault)).at("errors", 0, "code"), JSON.stringify(fault)).toBe(code);
  });

  it("only the administrator manages webhooks", async () => {
    const answer = await sandbox.call("GET", "entity/webhook", undefined, AS_EMPLOYEE);
    expect([answer.status, answer.at("errors", 0, "code")]).toEqual([403, 30004]);
  });

  it("a change is told with the product string, the type, the href and the action", async () => {
    await watch("CREATE");
    const made = await sandbox.call("POST", "entity/product", { name: "Чай" });
    const [first] = await receiver.until(1);
    expect(first?.path).toMatch(/^\/in\?requestId=[0-9a-f-]{36}$/);
    expect(first?.headers["user-agent"]).toMatch(/^\S+ webhook touch agent 1\.0 \(https:\/\/\S+\)$/);
    expect(first?.body).toMatchObject({
      auditContext: { meta: { type: "audit" }, uid: "admin@shop" },
      events: [{ meta: { type: "product", href: made.at("meta", "href") }, action: "CREATE" }],
    });
  });

  it("several objects of one request are several events of one notification", async () => {
    await watch("CREATE");
    await sandbox.call("POST", "entity/product", [{ name: "1" }, { name: "2" }, { code: "broken" }]);
    const [first] = await receiver.until(1);
    expect(first?.body).toMatchObject({ events: [{ action: "CREATE" }, { action: "CREATE" }] });
  });

  it("UPDATE names the changed fields when diffType asks for them", async () => {
    const made = await sandbox.call("POST", "entity/product", { name: "Чай" });
    await watch("UPDATE", { diffType: "FIELDS" });
    await sandbox.call("PUT", String(made.at("meta", "href")), { name: "Чай чёрный", article: "A" });
    const [first] = await receiver.until(1);
    expect(first?.body).toMatchObject({ events: [{ action: "UPDATE", updatedFields: ["article", "name"] }] });
  });

  it("UPDATE names what the user changed, not the sums that follow, and a PUT that changes nothing is no event", async () => {
    const shop = await shopReferences(sandbox);
    const shift = await openShift(sandbox, shop);
    const line = { assortment: shop.product, quantity: 1, price: 10000, vat: 20, vatEnabled: true };
    const sale = await sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions: [line] });
    const href = String(sale.at("meta", "href"));
    await watch("UPDATE", { entityType: "retaildemand", diffType: "FIELDS" });
    await sandbox.call("PUT", href, { noCashSum: 4000 });
    await sandbox.call("POST", `${href}/positions`, line);
    await sandbox.call("PUT", href, { noCashSum: 4000 });
    await sandbox.call("PUT", href, {});
    await sandbox.call("PUT", href, { description: "после", positions: [line] }, AS_EMPLOYEE);
    const told = await receiver.until(3);
    expect(told.map(({ body }) => (body as { events: { updatedFields: string[] }[] }).events.map((each) => each.updatedFields))).toEqual([
      [["noCashSum"]],
      [["positions"]],
      [["description", "positions"]],
    ]);
  });

  it("anything but 200 and 204 is tried three times more at once with the same requestId, then dropped", async () => {
    receiver.statuses = [500, 302, 404, 503, 204];
    await watch("CREATE");
    await sandbox.call("POST", "entity/product", { name: "1" });
    const tries = await receiver.until(4);
    expect(new Set(tries.map(({ path }) => path)).size).toBe(1);
    await sandbox.call("POST", "entity/product", { name: "2" });
    const all = await receiver.until(5);
    expect(all[4]?.path).not.toBe(tries[0]?.path);
  });

  it("a webhook that is switched off tells nothing, and tells again when it is on", async () => {
    const hook = String((await watch("CREATE")).at("meta", "href"));
    expect((await sandbox.call("PUT", hook, { enabled: false })).at("enabled")).toBe(false);
    await sandbox.call("POST", "entity/product", { name: "тихо" });
    await sandbox.call("PUT", hook, { enabled: true });
    const loud = await sandbox.call("POST", "entity/product", { name: "громко" });
    const [first] = await receiver.until(1);
    expect(first?.body).toMatchObject({ events: [{ meta: { href: loud.at("meta", "href") } }] });
  });

  it("a header mutes the webhooks whose address begins with its value, for one request", async () => {
    await watch("CREATE");
    const mute = { "X-Platform-WebHook-DisableByPrefix": receiver.url.slice(0, -1) };
    await sandbox.call("POST", "entity/product", { name: "тихо" }, mute);
    const elsewhere = { "X-Platform-WebHook-DisableByPrefix": "https://other.example/" };
    const loud = await sandbox.call("POST", "entity/product", { name: "громко" }, elsewhere);
    const [first] = await receiver.until(1);
    expect(first?.body).toMatchObject({ events: [{ meta: { href: loud.at("meta", "href") } }] });
  });

  it("documents have events too, and a line through its own address is an UPDATE of its document", async () => {
    const shop = await shopReferences(sandbox);
    const shift = await openShift(sandbox, shop);
    await watch("CREATE", { entityType: "retaildemand" });
    await watch("UPDATE", { entityType: "retaildemand", diffType: "FIELDS" });
    const line = { assortment: shop.product, quantity: 1, price: 100 };
    const sale = await sandbox.call("POST", "entity/retaildemand", { retailShift: { meta: shift.meta }, positions: [line] });
    await sandbox.call("POST", `${String(sale.at("meta", "href"))}/positions`, [line]);
    const [created, changed] = await receiver.until(2);
    const meta = { type: "retaildemand", href: sale.at("meta", "href") };
    expect(created?.body).toMatchObject({ events: [{ meta, action: "CREATE" }] });
    expect(changed?.body).toMatchObject({ events: [{ meta, action: "UPDATE", updatedFields: ["positions"] }] });
  });

  it("url and entityType are changed by PUT, and events follow them", async () => {
    const hook = String((await watch("CREATE", { url: "https://hooks.example/old" })).at("meta", "href"));
    expect((await sandbox.call("PUT", hook, { url: receiver.url, entityType: "counterparty" })).body).toMatchObject({
      url: receiver.url,
      entityType: "counterparty",
      action: "CREATE",
    });
    await sandbox.call("POST", "entity/product", { name: "не о том" });
    const buyer = await sandbox.call("POST", "entity/counterparty", { name: "Новый" });
    const [first] = await receiver.until(1);
    expect(first?.body).toMatchObject({ events: [{ meta: { href: buyer.at("meta", "href") } }] });
  });

  it("a webhook made under 1.1 is listed under 1.2, and its events carry hrefs of 1.1", async () => {
    await sandbox.call("POST", `${sandbox.base}/api/remap/1.1/entity/webhook`, {
      url: receiver.url,
      action: "DELETE",
      entityType: "product",
    });
    expect((await sandbox.call("GET", "entity/webhook")).at("meta", "size")).toBe(1);
    const made = await sandbox.call("POST", "entity/product", { name: "Чай" });
    await sandbox.call("DELETE", String(made.at("meta", "href")));
    const [first] = await receiver.until(1);
    expect(JSON.stringify(first?.body)).toContain("/api/remap/1.1/entity/product/");
  });
});

describe("webhooks of the sandbox under other settings", () => {
  it("on the free plan nothing is created, but read", async () => {
    const sandbox = await testSandbox({ settings: { plan: "free" } });
    const refused = await sandbox.call("POST", "entity/webhook", {
      url: "https://hooks.example/",
      action: "CREATE",
      entityType: "product",
    });
    expect([refused.status, refused.at("errors", 0, "code")]).toEqual([403, 30006]);
    expect((await sandbox.call("GET", "entity/webhook")).status).toBe(200);
    await sandbox.close();
  });

  it("by the public rule a pair may have five webhooks of different addresses", async () => {
    const sandbox = await testSandbox({ settings: { webhookUniqueness: "triple" } });
    const watch = (at: number) =>
      sandbox.call("POST", "entity/webhook", { url: `https://hooks.example/${at}`, action: "CREATE", entityType: "product" });
    for (const at of [1, 2, 3, 4, 5]) expect((await watch(at)).status).toBe(200);
    expect((await watch(5)).at("errors", 0, "code")).toBe(30003);
    expect((await watch(6)).at("errors", 0, "code")).toBe(30007);
    await sandbox.close();
  });

  it("with separate versions a webhook of 1.1 is not seen under 1.2", async () => {
    const sandbox = await testSandbox({ settings: { webhookVersions: "separate" } });
    const made = await sandbox.call("POST", `${sandbox.base}/api/remap/1.1/entity/webhook`, {
      url: "https://hooks.example/",
      action: "CREATE",
      entityType: "product",
    });
    expect(made.status).toBe(200);
    expect((await sandbox.call("GET", "entity/webhook")).at("meta", "size")).toBe(0);
    expect((await sandbox.call("GET", `entity/webhook/${String(made.at("id"))}`)).status).toBe(404);
    await sandbox.close();
  });
});
