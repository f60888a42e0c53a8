import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LEFT_OUT } from "../../../src/tools/sandbox/types/left-out.ts";
import { Receiver } from "../../support/receiver.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";

// The webhooks of the seed document and json-api 9, fact by fact. The facts of webhooks.test.ts are not repeated.

const DISCOUNTS = ["discount", "accumulationdiscount", "personaldiscount", "specialpricediscount", "roundoffdiscount"];

describe("webhooks", () => {
  let sandbox: TestSandbox;
  let receiver: Receiver;
  beforeEach(async () => {
    [sandbox, receiver] = await Promise.all([testSandbox(), Receiver.open()]);
  });
  afterEach(() => Promise.all([sandbox.close(), receiver.close()]));

  const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sandbox.call(method, path, body, headers);
  const faultOf = (answer: SandboxAnswer) => [answer.status, answer.at("errors", 0, "code")];
  const watch = (action: string, more: object = {}) =>
    call("POST", "entity/webhook", { url: receiver.url, action, entityType: "product", ...more });
  const product = async () => {
    const made = await call("POST", "entity/product", { name: "Чай" });
    return { href: String(made.at("meta", "href")), meta: made.at("meta"), accountId: made.at("accountId") };
  };
  interface Told {
    events: { meta: object; action: string; accountId: string; updatedFields?: string[] }[];
    auditContext: { meta: { type: string; href: string }; uid: string; moment: string };
  }
  const bodies = async (count: number) => (await receiver.until(count)).map(({ body }) => body as Told);

  it("url, action and entityType are all needed, each is named when it is missing", async () => {
    for (const missing of ["url", "action", "entityType"]) {
      const refused = await watch("CREATE", { [missing]: undefined });
      expect([missing, refused.status, refused.at("errors", 0, "code"), refused.at("errors", 0, "parameter")]).toEqual([
        missing,
        412,
        3000,
        missing,
      ]);
    }
  });

  it("method is POST and enabled true, unless it says otherwise; the answer has no diffType that was not asked for", async () => {
    const made = await watch("CREATE");
    expect(made.body).toMatchObject({ method: "POST", enabled: true, accountId: expect.any(String), id: expect.any(String) });
    expect(made.at("diffType")).toBeUndefined();
    expect((await watch("DELETE", { enabled: false })).at("enabled")).toBe(false);
    expect((await watch("UPDATE", { diffType: "NONE" })).at("diffType")).toBe("NONE");
  });

  it("are made by an array, listed, read, and deleted one by one or by a list of meta", async () => {
    const made = await call(
      "POST",
      "entity/webhook",
      ["CREATE", "UPDATE"].map((action) => ({ url: receiver.url, action, entityType: "product" })),
    );
    expect([made.at(0, "action"), made.at(1, "action")]).toEqual(["CREATE", "UPDATE"]);
    const list = await call("GET", "entity/webhook");
    expect(list.at("meta")).toMatchObject({ type: "webhook", size: 2, limit: 1000, offset: 0 });
    expect((await call("GET", String(made.at(0, "meta", "href")))).body).toEqual(made.at(0));
    const gone = await call("POST", "entity/webhook/delete", [{ meta: made.at(0, "meta") }]);
    expect(gone.body).toEqual([{ info: expect.any(String) }]);
    const last = await call("DELETE", String(made.at(1, "meta", "href")));
    expect([last.status, last.text]).toEqual([200, ""]);
    expect((await call("GET", "entity/webhook")).at("meta", "size")).toBe(0);
  });

  it("of webhooks, discounts and what is no type at all there are none (30000)", async () => {
    const types = ["webhook", "webhookstock", "attributemetadata", "elephant", ...DISCOUNTS];
    for (const entityType of types) {
      expect([entityType, ...faultOf(await watch("CREATE", { entityType }))]).toEqual([entityType, 412, 30000]);
    }
  });

  it("may watch every type that the sandbox leaves out, the discounts excepted", async () => {
    const types = [...LEFT_OUT].filter((type) => !DISCOUNTS.includes(type));
    expect(types.length).toBeGreaterThan(30);
    const made = await call(
      "POST",
      "entity/webhook",
      types.map((entityType) => ({ url: receiver.url, action: "CREATE", entityType })),
    );
    expect((made.body as { entityType: string }[]).map(({ entityType }) => entityType)).toEqual(types);
  });

  it("an address has at most 255 characters (30010) and a scheme of the web (30005)", async () => {
    const long = (length: number) => `https://hooks.example/${"x".repeat(length - "https://hooks.example/".length)}`;
    expect((await watch("CREATE", { url: long(255) })).status).toBe(200);
    expect(faultOf(await watch("DELETE", { url: long(256) }))).toEqual([412, 30010]);
    for (const url of ["ftp://hooks.example/", "hooks.example/in", "/in", ""]) {
      expect([url, (await watch("DELETE", { url })).status]).toEqual([url, 412]);
    }
  });

  it("one that is changed keeps the rules: the pair stays unique, the action known", async () => {
    const made = await watch("CREATE");
    const href = String(made.at("meta", "href"));
    await watch("UPDATE");
    expect(faultOf(await call("PUT", href, { action: "UPDATE" }))).toEqual([412, 30003]);
    expect(faultOf(await call("PUT", href, { action: "TOUCH" }))).toEqual([412, 30002]);
    expect((await call("PUT", href, { action: "DELETE" })).at("action")).toBe("DELETE");
  });

  it("a notification is a POST of JSON with a User-Agent and without any other proof of who sends it", async () => {
    await watch("CREATE");
    await product();
    const [first] = await receiver.until(1);
    expect(first?.headers["content-type"]).toMatch(/^application\/json/);
    expect(first?.headers["user-agent"]).toMatch(/^\S+ webhook touch agent 1\.0 \(\S+\)$/);
    expect(Object.keys(first?.headers ?? {}).filter((name) => /auth|sign|token|secret/.test(name))).toEqual([]);
  });

  it("an event has meta of type and href only, its action and the account; updatedFields is only of UPDATE with FIELDS", async () => {
    for (const action of ["CREATE", "DELETE"]) await watch(action);
    await watch("UPDATE");
    const { href, accountId } = await product();
    await call("PUT", href, { code: "1" });
    await call("DELETE", href);
    const told = await bodies(3);
    expect(told.map(({ events }) => events)).toEqual(
      ["CREATE", "UPDATE", "DELETE"].map((action) => [{ meta: { type: "product", href }, action, accountId }]),
    );
  });

  it("the audit context names who, when and an address of the audit", async () => {
    await watch("CREATE");
    await product();
    const [first] = await bodies(1);
    expect(first?.auditContext).toEqual({
      meta: { type: "audit", href: expect.stringMatching(new RegExp(`^${sandbox.api}/audit/[0-9a-f-]{36}$`)) },
      uid: "admin@shop",
      moment: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
    });
  });

  it("several events of one request come in the order of the work, in one notification for each webhook (D21)", async () => {
    await watch("CREATE");
    await watch("UPDATE");
    const { meta } = await product();
    const made = await call("POST", "entity/product", [{ name: "А" }, { meta, code: "1" }, { name: "Б" }]);
    const told = await bodies(3);
    const byAction = (action: string) =>
      told.filter(({ events }) => events[0]?.action === action).map(({ events }) => events.map((event) => Reflect.get(event.meta, "href")));
    expect(byAction("UPDATE")).toEqual([[made.at(1, "meta", "href")]]);
    expect(byAction("CREATE")[1]).toEqual([made.at(0, "meta", "href"), made.at(2, "meta", "href")]);
  });

  it("each attempt at one notification carries the same requestId, another notification another one", async () => {
    receiver.statuses = [500, 200, 204];
    await watch("CREATE");
    await product();
    await product();
    const told = await receiver.until(3);
    const ids = told.map(({ path }) => new URL(path, receiver.url).searchParams.get("requestId"));
    expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("requestId joins a query that the address has", async () => {
    await watch("CREATE", { url: `${receiver.url}?secret=s` });
    await product();
    const [first] = await receiver.until(1);
    expect(first?.path).toMatch(/^\/in\?secret=s&requestId=[0-9a-f-]{36}$/);
  });

  it("what was not delivered in four attempts is never sent again, and the next change is told as ever", async () => {
    receiver.statuses = [500, 500, 500, 500, 204];
    await watch("CREATE");
    await product();
    await receiver.until(4);
    const next = await product();
    const told = await bodies(5);
    expect(told[4]?.events).toMatchObject([{ meta: { href: next.href } }]);
    expect(receiver.received).toHaveLength(5);
  });

  it("reading is no event, nor is a request that was refused", async () => {
    for (const action of ["CREATE", "UPDATE", "DELETE"]) await watch(action);
    const { href } = await product();
    await call("GET", href);
    await call("PUT", href, { name: null });
    await call("POST", "entity/product", { code: "без имени" });
    await call("DELETE", href);
    const told = await bodies(2);
    expect(told.map(({ events }) => events[0]?.action)).toEqual(["CREATE", "DELETE"]);
  });

  it("shift totals that follow from a sale raise nothing (D22)", async () => {
    const rows = async (type: string) => ({ meta: (await call("GET", `entity/${type}`)).at("rows", 0, "meta") });
    const shift = await call("POST", "entity/retailshift", {
      organization: await rows("organization"),
      retailStore: await rows("retailstore"),
    });
    await watch("UPDATE", { entityType: "retailshift" });
    await watch("CREATE", { entityType: "retaildemand" });
    const positions = [{ assortment: await rows("product"), quantity: 1, price: 100 }];
    await call("POST", "entity/retaildemand", { retailShift: { meta: shift.at("meta") }, positions });
    await call("PUT", String(shift.at("meta", "href")), { description: "конец" });
    const told = await bodies(2);
    expect(told.map(({ events }) => events[0]?.action)).toEqual(["CREATE", "UPDATE"]);
  });

  it("several prefixes mute with a header each; the value must name scheme and domain (3030)", async () => {
    await watch("CREATE");
    const name = "x-platform-webhook-disablebyprefix";
    expect(faultOf(await call("POST", "entity/product", { name: "Чай" }, { [name]: "hooks" }))).toEqual([412, 3030]);
    await call("POST", "entity/product", { name: "Тихо" }, { [name]: new URL(receiver.url).origin });
    const loud = await product();
    expect((await bodies(1))[0]?.events).toMatchObject([{ meta: { href: loud.href } }]);
  });

  it("on the free plan creating and changing is 403 with 30006, nothing is delivered, reading and deleting work", async () => {
    const free = await testSandbox({ settings: { plan: "free" } });
    const values = { url: receiver.url, action: "CREATE", entityType: "product", method: "POST", enabled: true, version: "1.2" };
    const id = "11111111-2222-4333-8444-555555555555";
    await free.account.commit(() => free.account.put({ type: "webhook", id, values }));
    expect(faultOf(await free.call("POST", "entity/webhook", { ...values, action: "UPDATE" }))).toEqual([403, 30006]);
    expect(faultOf(await free.call("PUT", `entity/webhook/${id}`, { enabled: false }))).toEqual([403, 30006]);
    await free.call("POST", "entity/product", { name: "Чай" });
    expect((await free.call("GET", "entity/webhook")).at("rows", 0, "id")).toBe(id);
    expect((await free.call("DELETE", `entity/webhook/${id}`)).status).toBe(200);
    await free.close();
    expect(receiver.received).toEqual([]);
  });

  describe("of stock", () => {
    const stock = (more: object = {}) =>
      call("POST", "entity/webhookstock", { url: receiver.url, stockType: "stock", reportType: "all", ...more });

    it("need stockType, reportType and url, and are on unless they say otherwise", async () => {
      const refused = await call("POST", "entity/webhookstock", {});
      const missing = (refused.at("errors") as { code: number; parameter: string }[]).map(({ code, parameter }) => `${code} ${parameter}`);
      expect(missing.sort()).toEqual(["3000 reportType", "3000 stockType", "3000 url"]);
      const made = await stock();
      expect(made.body).toMatchObject({
        meta: { type: "webhookstock" },
        enabled: true,
        stockType: "stock",
        reportType: "all",
        url: receiver.url,
      });
      const href = String(made.at("meta", "href"));
      expect((await call("PUT", href, { enabled: false })).at("enabled")).toBe(false);
      expect((await call("GET", href)).at("enabled")).toBe(false);
      expect((await call("DELETE", href)).text).toBe("");
    });

    it("are at most five for a pair, each with another address (30003, 30007)", async () => {
      for (const at of [1, 2, 3, 4, 5]) expect((await stock({ url: `https://hooks.example/${at}` })).status).toBe(200);
      expect(faultOf(await stock({ url: "https://hooks.example/5" }))).toEqual([412, 30003]);
      expect(faultOf(await stock({ url: "https://hooks.example/6" }))).toEqual([412, 30007]);
      expect((await stock({ url: "https://hooks.example/6", reportType: "bystore" })).status).toBe(200);
    });

    it("know the kind stock and the reports all and bystore", async () => {
      expect(faultOf(await stock({ stockType: "reserve" }))).toEqual([400, 2029]);
      expect(faultOf(await stock({ reportType: "byslot" }))).toEqual([400, 2029]);
      expect(faultOf(await stock({ url: "x" }))).toEqual([412, 30005]);
    });
  });
});
