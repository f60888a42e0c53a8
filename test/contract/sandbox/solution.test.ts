import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { signToken } from "../../../src/tools/sandbox/caller/vendor-token.ts";
import { FakeSolution } from "../../support/fake-solution.ts";
import { type SandboxAnswer, type TestSandbox, testSandbox } from "../../support/sandbox.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, type ShopReferences, shopReferences } from "../../support/sandbox-shop.ts";

const APP = {
  appId: "00000000-0000-4000-8000-000000000001",
  appUid: "fiscal-solution.dev",
  secretKey: "development-secret-not-for-production",
};

describe("the sandbox as caller of a solution", () => {
  let solution: FakeSolution;
  let sandbox: TestSandbox;
  let shop: ShopReferences;
  beforeAll(async () => {
    solution = await FakeSolution.open();
    sandbox = await testSandbox({ solution: { target: solution.url, ...APP } });
    await sandbox.beginSolution();
    shop = await shopReferences(sandbox);
  });
  afterAll(() => Promise.all([sandbox.close(), solution.close()]));
  beforeEach(() => {
    solution.calls.length = 0;
  });

  const own = (path: string, method = "GET", body?: unknown) => sandbox.call(method, `${sandbox.base}/sandbox/${path}`, body);
  const receipt = (id: unknown) => own(`receipts/${String(id)}`);
  /** Waits until the till's request has its outcome. */
  const outcome = async (id: unknown): Promise<SandboxAnswer> => {
    await expect.poll(async () => (await receipt(id)).status).toBe(200);
    return receipt(id);
  };
  const sell = (shift: { meta: unknown }, more: object = {}) =>
    sandbox.call("POST", "entity/retaildemand", {
      retailShift: { meta: shift.meta },
      positions: [{ assortment: shop.product, quantity: 2, price: 5490, discount: 10, vat: 10, vatEnabled: true }],
      ...more,
    });

  it("installs it with a key, a registration and a token of its own", async () => {
    const told = await own("solution");
    expect(told.body).toMatchObject({ status: "Activated", appId: APP.appId, registrationId: expect.any(String) });
    expect(told.text).not.toContain("PRIVATE");
    for (const step of ["elephant", "__proto__", "constructor"]) expect((await own(`solution/${step}`, "POST")).status, step).toBe(405);
  });

  it.each([
    ["window/%E0%A4%A", "GET"],
    ["window/%", "GET"],
    ["context/%zz", "POST"],
  ])("a login that cannot be decoded is 400: %s", async (path, method) => {
    expect((await own(path, method)).status).toBe(400);
  });

  it("a shift that is opened is sent, signed, and its cheque.start filled", async () => {
    const shift = await openShift(sandbox, shop);
    const { id } = (await sandbox.call("GET", shift.href)).body as { id: string };
    await outcome(id);
    const [call] = solution.fiscal();
    expect(call).toMatchObject({ method: "PUT", path: "/fiscal/1/openshift", signed: true });
    expect(call?.body).toMatchObject({
      retailShift: { meta: { id, type: "RetailShift", idType: "native" } },
      retailstore: { meta: { type: "RetailStore" } },
      name: expect.stringMatching(/^\d{5}$/),
      openMoment: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:00$/),
      cashier: { meta: { type: "Employee" }, lastName: expect.any(String) },
    });
    expect((await sandbox.call("GET", shift.href)).at("cheque", "start")).toMatchObject({
      shiftNumber: "1",
      fiscalDocNumber: expect.any(String),
    });
  });

  it("a sale answers at once, travels in roubles, gets its cheque, and its receipt is a PDF", async () => {
    const sale = await sell(await openShift(sandbox, shop), { noCashSum: 5000 });
    expect(sale.at("cheque")).toBeUndefined();
    const got = await outcome(sale.at("id"));
    expect(got.headers.get("content-type")).toBe("application/pdf");
    expect(got.text).toMatch(/^%PDF-/);
    const call = solution.fiscal().find(({ path }) => path === "/fiscal/1/retaildemand");
    expect(call).toMatchObject({ method: "POST", signed: true });
    expect(call?.body).toMatchObject({
      meta: { id: sale.at("id"), type: "RetailDemand", href: sale.at("meta", "href") },
      name: sale.at("name"),
      payments: { cashSum: "48.82", cardSum: "50.00" },
      positions: [
        {
          assortment: { meta: { type: "Product" }, name: expect.any(String) },
          quantity: 2,
          price: "54.90",
          discount: "10",
          pack: null,
          vat: 10,
          vatEnabled: true,
          marks: [],
        },
      ],
      vatEnabled: true,
      vatIncluded: true,
    });
    const cheque = (await sandbox.call("GET", String(sale.at("meta", "href")))).at("cheque");
    expect(Object.keys(cheque as object).sort()).toEqual(["fiscalDocNumber", "fiscalDocSign", "fnNumber", "kktRegNumber", "time"]);
  });

  it("a line's pack travels with the name of its unit and how many it holds, whatever of it the line said", async () => {
    const uom = (code: string) => ({ meta: shopReference(sandbox, "uom", code).meta });
    const product = await sandbox.call("POST", "entity/product", {
      name: "Чай в коробке",
      uom: uom("шт"),
      packs: [{ uom: uom("кг"), quantity: 12 }],
    });
    const line = { assortment: { meta: product.at("meta") }, quantity: 1, price: 100, pack: { id: product.at("packs", 0, "id") } };
    const sale = await sell(await openShift(sandbox, shop), { positions: [line] });
    await outcome(sale.at("id"));
    const sent = solution.fiscal().find(({ path }) => path.endsWith("retaildemand"))?.body;
    expect(sent).toMatchObject({ positions: [{ pack: { name: "кг", quantity: 12 } }] });
  });

  it("return, cash in, cash out and the closing of the shift are sent in their order", async () => {
    const shift = await openShift(sandbox, shop);
    const sale = await sell(shift);
    const common = { organization: shop.organization, retailShift: { meta: shift.meta } };
    await sandbox.call("POST", "entity/retailsalesreturn", {
      ...{ ...common, store: shop.store, retailStore: shop.retailStore, agent: shop.buyer, demand: { meta: sale.at("meta") } },
      positions: [{ assortment: shop.product, quantity: 1, price: 5490, discount: 10 }],
    });
    await sandbox.call("POST", "entity/retaildrawercashin", { ...common, agent: shop.employee, sum: 100_000 });
    await sandbox.call("POST", "entity/retaildrawercashout", { ...common, agent: shop.employee, sum: 5_050 });
    await sandbox.call("PUT", shift.href, { closeDate: "2099-01-01 00:00:00" });
    const { id } = (await sandbox.call("GET", shift.href)).body as { id: string };
    await outcome(`${id}/close`);
    expect(solution.fiscal().map(({ path }) => path.slice("/fiscal/1/".length))).toEqual([
      "openshift",
      "retaildemand",
      "retaisalesreturn",
      "retaildrawercashin",
      "retaildrawercashout",
      "closeshift",
    ]);
    expect(solution.fiscal()[2]?.body).toMatchObject({ demand: { meta: { id: sale.at("id") } }, payments: { cashSum: "49.41" } });
    expect(solution.fiscal()[3]?.body).toMatchObject({ sum: "100000" });
    expect((await sandbox.call("GET", shift.href)).at("cheque", "end")).toMatchObject({ chequesTotal: 1, fiscalDocsTotal: 3 });
  });

  it.each([
    ["a refusal", 424, 50020, "refused"],
    ["a refusal that conflicts", 409, 50002, "refused"],
    ["a doubt", 409, 50004, "in-doubt"],
  ])("%s is kept with its errors, and there is no cheque", async (_, status, code, state) => {
    const shift = await openShift(sandbox, shop);
    await sandbox.call("GET", shift.href);
    await expect.poll(() => solution.fiscal().length).toBe(1);
    solution.answers.push({ status, code });
    const sale = await sell(shift);
    const got = await outcome(sale.at("id"));
    expect(got.body).toMatchObject({ state, status, errors: [{ code, error_message: "Нельзя" }] });
    expect((await sandbox.call("GET", String(sale.at("meta", "href")))).at("cheque")).toBeUndefined();
  });

  it("409 with 50003 and silence are answered with the very same bytes", async () => {
    const shift = await openShift(sandbox, shop);
    await expect.poll(() => solution.fiscal().length).toBe(1);
    solution.answers.push({ status: 409, code: 50003 }, "silence");
    const sale = await sell(shift);
    await outcome(sale.at("id"));
    const sent = solution.fiscal().filter(({ path }) => path.endsWith("retaildemand"));
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ text }) => text)).size).toBe(1);
  });

  it("documents that are not posted are not sent", async () => {
    const shift = await openShift(sandbox, shop);
    await sell(shift, { applicable: false });
    const posted = await sell(shift);
    await outcome(posted.at("id"));
    expect(solution.fiscal().filter(({ path }) => path.endsWith("retaildemand"))).toHaveLength(1);
  });

  it("suspended it is not called, its token and webhooks are gone; resumed it gets a new token", async () => {
    expect((await own("solution/suspend", "POST")).body).toMatchObject({ cause: "Suspend", status: 200, installation: "Suspended" });
    expect(solution.calls.at(-1)).toMatchObject({ method: "DELETE", body: { cause: "Suspend" } });
    solution.calls.length = 0;
    await sell(await openShift(sandbox, shop));
    expect((await own("solution/resume", "POST")).at("installation")).toBe("Activated");
    expect(solution.fiscal()).toEqual([]);
    const [access] = (solution.calls.at(-1)?.body.access ?? []) as { access_token: string }[];
    const token = String(access?.access_token);
    const asSolution = { authorization: `Bearer ${token}` };
    expect((await sandbox.call("GET", "entity/product?limit=1", undefined, asSolution)).status).toBe(200);
    expect((await own("solution/tariff", "POST")).at("cause")).toBe("TariffChanged");
    expect(solution.calls.at(-1)?.body.access).toBeUndefined();
    expect((await sandbox.call("GET", "entity/product?limit=1", undefined, asSolution)).status).toBe(200);
    await own("solution/suspend", "POST");
    expect((await sandbox.call("GET", "entity/product?limit=1", undefined, asSolution)).status).toBe(401);
    await own("solution/resume", "POST");
  });

  it("a solution has one webhook for a pair; suspension switches it off, resumption on again, removal deletes it", async () => {
    await own("solution/resume", "POST");
    const [access] = (solution.calls.at(-1)?.body.access ?? []) as { access_token: string }[];
    const asSolution = { authorization: `Bearer ${String(access?.access_token)}` };
    const hook = { url: "https://hooks.example/1", action: "CREATE", entityType: "uom" };
    const made = await sandbox.call("POST", "entity/webhook", hook, asSolution);
    const enabled = async () => (await sandbox.call("GET", String(made.at("meta", "href")))).at("enabled");
    await own("solution/suspend", "POST");
    expect(await enabled()).toBe(false);
    await own("solution/resume", "POST");
    expect(await enabled()).toBe(true);
  });

  it("a second start leaves the installation as it is: no Install, no other token, suspended stays suspended", async () => {
    await sandbox.beginSolution();
    expect(solution.calls.map(({ method }) => method)).toEqual(["GET"]);
    await own("solution/suspend", "POST");
    await sandbox.beginSolution();
    expect((await own("solution")).at("status")).toBe("Suspended");
    await own("solution/resume", "POST");
  });

  it("a sale that is posted later is sent then, and once", async () => {
    const shift = await openShift(sandbox, shop);
    const sale = await sell(shift, { applicable: false });
    const post = (applicable: boolean) => sandbox.call("PUT", String(sale.at("meta", "href")), { applicable });
    await post(true);
    await outcome(sale.at("id"));
    await post(false);
    await post(true);
    await outcome((await sell(shift)).at("id"));
    const sent = solution.fiscal().filter(({ body }) => Reflect.get(Object(body.meta), "id") === sale.at("id"));
    expect(sent).toHaveLength(1);
  });

  it("a document made while suspended is told as not sent, and goes when it is sent again", async () => {
    await own("solution/suspend", "POST");
    const shift = await openShift(sandbox, shop);
    const { id } = (await sandbox.call("GET", shift.href)).body as { id: string };
    expect((await outcome(id)).body).toMatchObject({ state: "not-sent", reason: expect.any(String) });
    await own("solution/resume", "POST");
    expect((await own(`receipts/${id}`, "POST")).status).toBe(202);
    await expect.poll(async () => (await sandbox.call("GET", shift.href)).at("cheque", "start")).toBeDefined();
    expect((await own(`receipts/${id}`, "POST")).status).toBe(409);
  });

  /** A call of the solution's server. */
  const call = (method: string, path: string, body?: unknown) => {
    const iat = Math.floor(Date.now() / 1000);
    const authorization = `Bearer ${signToken({ sub: APP.appUid, iat, jti: crypto.randomUUID() }, APP.secretKey)}`;
    return sandbox.call(method, `${sandbox.base}/api/vendor/1.0/${path}`, body, { authorization });
  };

  it("answers the solution's own calls: status, and who sits in front of its window", async () => {
    const { accountId } = (await own("solution")).body as { accountId: string };
    expect((await call("GET", `apps/${APP.appId}/${accountId}/status`)).at("status")).toBe("Activated");
    expect((await call("PUT", `apps/${APP.appId}/${accountId}/status`, { status: "SettingsRequired" })).status).toBe(200);
    expect((await own("solution")).at("status")).toBe("SettingsRequired");
    const window = await own(`context/${encodeURIComponent("admin@shop")}`, "POST");
    expect((await call("POST", `context/${String(window.at("contextKey"))}`)).body).toMatchObject({
      uid: "admin@shop",
      permissions: { admin: { view: "ALL" } },
    });
    const token = { token: window.at("token") };
    expect((await call("POST", "context/user", token)).body).toMatchObject({ userUid: "admin@shop", role: "admin", accountId });
    expect((await call("POST", "context/user", token)).at("errors", 0, "code")).toBe(3007);
    expect((await sandbox.call("GET", `${sandbox.base}/api/vendor/1.0/apps/${APP.appId}/${accountId}/status`)).status).toBe(401);
  });

  it("takes loyalty settings: PUT all three, PATCH any of them; they are told, and go with the installation", async () => {
    const { accountId } = (await own("solution")).body as { accountId: string };
    const say = (method: string, body: unknown) => call(method, `apps/${APP.appId}/${accountId}/loyalty`, body);
    const whole = { url: "https://x.example/loyalty", token: "t", externalSearch: true };
    const { token: _token, ...tokenless } = whole;
    const wrong: [string, unknown][] = [
      ["PUT", tokenless],
      ["PUT", { ...whole, url: "no address" }],
      ["PUT", { ...whole, externalSearch: "yes" }],
      ["PUT", [whole]],
      ["PUT", "{"],
      ["PATCH", {}],
      ["PATCH", { token: "" }],
    ];
    for (const [method, body] of wrong) expect([method, body, (await say(method, body)).status]).toEqual([method, body, 400]);
    expect((await own("solution")).at("loyalty")).toBeUndefined();
    expect((await say("PUT", whole)).status).toBe(200);
    expect((await own("solution")).at("loyalty")).toEqual(whole);
    expect((await say("PATCH", { externalSearch: false })).status).toBe(200);
    expect((await own("solution")).at("loyalty")).toEqual({ ...whole, externalSearch: false });
    await own("solution/suspend", "POST");
    await own("solution/resume", "POST");
    expect((await own("solution")).at("loyalty", "token")).toBe("t");
    await own("solution/uninstall", "POST");
    await own("solution/install", "POST");
    expect((await own("solution")).at("loyalty")).toBeUndefined();
  });

  it("what is created while the solution is being installed waits for it", async () => {
    const early = await testSandbox({ solution: { target: solution.url, ...APP } });
    const shift = await openShift(early, await shopReferences(early));
    expect(solution.fiscal()).toEqual([]);
    await early.beginSolution();
    await expect.poll(async () => (await early.call("GET", shift.href)).at("cheque", "start")).toBeDefined();
    await early.close();
  });

  it("removed it is known no more, and installed again it is called again", async () => {
    expect((await own("solution/uninstall", "POST")).body).toMatchObject({ cause: "Uninstall", status: 200 });
    expect((await own("solution")).at("status")).toBeNull();
    expect((await own("solution/install", "POST")).at("installation")).toBe("Activated");
    const shift = await openShift(sandbox, shop);
    await expect.poll(() => solution.fiscal().length).toBe(1);
    expect(shift.href).toContain("/entity/retailshift/");
    expect(solution.fiscal()[0]?.signed).toBe(true);
  });
});
