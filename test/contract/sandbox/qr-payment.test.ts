import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { callsOf, QrScene } from "../../support/qr-scene.ts";
import { testSandbox } from "../../support/sandbox.ts";
import { shopReferences } from "../../support/sandbox-shop.ts";

describe("the sandbox's tills and QR payment", () => {
  let scene: QrScene;
  beforeEach(async () => {
    scene = await QrScene.open();
  });
  afterEach(() => scene.close());

  it("creates, asks each second until DONE, opens a shift, sells, and the sale goes to the fiscal path with its QR sum", async () => {
    scene.qr.states = ["IN_PROGRESS", "IN_PROGRESS", "DONE"];
    const id = await scene.begin({ amount: 12_345, sale: true });
    const told = await scene.until(id);
    expect(told.body).toMatchObject({ operationId: id, amount: 12_345, status: "DONE", told: ["IN_PROGRESS", "DONE"] });
    expect(told.at("data")).toContain("sum=12345");
    expect(callsOf(told)).toEqual([
      ["create", 200],
      ["state", 200],
      ["state", 200],
      ["state", 200],
    ]);
    expect(told.at("calls", 3)).toMatchObject({ body: { operationId: id, status: "DONE" }, ms: expect.any(Number) });
    const sale = await scene.sandbox.call("GET", `entity/retaildemand/${String(told.at("saleId"))}`);
    expect(sale.body).toMatchObject({ sum: 12_345, qrSum: 12_345, cashSum: 0, noCashSum: 0 });
    await expect.poll(() => scene.fiscalSales().length).toBe(1);
    expect(scene.solution.fiscal().map(({ path }) => path)).toEqual(["/fiscal/1/openshift", "/fiscal/1/retaildemand"]);
    expect(scene.fiscalSales()[0]?.body).toMatchObject({ payments: { qrSum: "123.45", cashSum: "0.00", cardSum: "0.00" } });
    expect(scene.fiscalSales()[0]?.body.cashier).toMatchObject({ meta: { type: "Employee" } });
  });

  it("every call names amount, operation, account and point of sale, and has a right token of its own", async () => {
    scene.qr.states = ["IN_PROGRESS", "DONE"];
    await scene.pay({ amount: 100 });
    const { accountId } = (await scene.own("solution")).body as { accountId: string };
    expect(new Set(scene.qr.calls.map(({ problem }) => problem))).toEqual(new Set([undefined]));
    expect(new Set(scene.qr.calls.map(({ claims }) => claims.id)).size).toBe(3);
    for (const { body, claims } of scene.qr.calls) {
      expect(Object.keys(body).sort()).toEqual(["accountId", "amount", "operationId", "retailStoreId"]);
      expect(body).toMatchObject({ amount: 100, accountId });
      expect(Object.keys(claims).sort()).toEqual(["exp", "iat", "id", "iss"]);
      expect(Number(claims.exp) - Number(claims.iat)).toBe(60);
    }
  });

  it("asks once a second", async () => {
    const id = await scene.begin({ amount: 100 });
    await scene.until(id, { told: ["IN_PROGRESS"] });
    const before = scene.qr.calls.length;
    const [fromMs, count] = [scene.clock.nowMs(), 4];
    await expect.poll(async () => (await scene.clock.advance(100)) ?? scene.qr.calls.length, { interval: 5 }).toBe(before + count);
    const tookMs = scene.clock.nowMs() - fromMs;
    expect(tookMs).toBeGreaterThan((count - 1) * 1000 - 100);
  });

  it("ends at REJECTED without a document", async () => {
    scene.qr.states = ["IN_PROGRESS", "REJECTED"];
    const told = await scene.pay({ amount: 100, sale: true });
    expect(told.body).toMatchObject({ status: "REJECTED", told: ["IN_PROGRESS", "REJECTED"] });
    expect(told.at("saleId")).toBeUndefined();
    expect(scene.solution.fiscal()).toEqual([]);
  });

  it("without `sale` a payment that is done has no document", async () => {
    scene.qr.states = ["DONE"];
    expect((await scene.pay({ amount: 100 })).at("saleId")).toBeUndefined();
  });

  it("sells lines of its own: their sum is the amount, and an amount beside them has to be it", async () => {
    const shop = await shopReferences(scene.sandbox);
    const positions = [
      { assortment: shop.product, quantity: 2, price: 5_490, discount: 10, vat: 10, vatEnabled: true },
      { assortment: shop.service, quantity: 1, price: 15_000 },
    ];
    scene.qr.states = ["DONE"];
    const told = await scene.pay({ positions, sale: true });
    expect(told.at("amount")).toBe(24_882);
    const sale = await scene.sandbox.call("GET", `entity/retaildemand/${String(told.at("saleId"))}?expand=positions`);
    expect(sale.body).toMatchObject({ qrSum: 24_882, positions: { rows: [{ quantity: 2, discount: 10 }, { price: 15_000 }] } });
    expect((await scene.own("qr", "POST", { positions, amount: 1 })).at("errors", 0, "code")).toBe(18000);
    expect((await scene.own("qr", "POST", { positions: [{ quantity: 1 }] })).status).toBe(412);
  });

  it("sells a product whose price is the amount, where there is one, in the shift that is open, at the point of sale that is named", async () => {
    const second = (await scene.sandbox.call("GET", "entity/retailstore")).at("rows", 1) as {
      id: string;
      meta: object;
      organization: object;
    };
    const shift = await scene.sandbox.call("POST", "entity/retailshift", {
      organization: second.organization,
      retailStore: { meta: second.meta },
    });
    scene.qr.states = ["DONE"];
    const told = await scene.pay({ amount: 6_490, retailStoreId: second.id, sale: true });
    const sale = await scene.sandbox.call("GET", `entity/retaildemand/${String(told.at("saleId"))}?expand=positions.assortment&limit=10`);
    expect(sale.at("retailShift", "meta", "href")).toBe(shift.at("meta", "href"));
    expect(sale.at("positions", "rows", 0, "assortment", "name")).toContain("Макароны");
  });

  it.each([
    ["no answer", "silence", 1],
    ["500", { status: 500, code: 500 }, 2],
    ["a bank out of reach", { status: 424, code: 1007 }, 2],
    ["a bank with no time", { status: 429, code: 1006 }, 1],
  ] as const)("create is repeated as it was after %s, with another token", async (_, answer, times) => {
    scene.qr.states = ["DONE"];
    scene.qr.answers.push(...Array.from({ length: times }, () => answer));
    const told = await scene.pay({ amount: 100 });
    expect(told.at("status")).toBe("DONE");
    const creates = scene.qr.calls.filter(({ name }) => name === "qr");
    expect(creates).toHaveLength(times + 1);
    expect(new Set(creates.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(new Set(creates.map(({ claims }) => claims.id)).size).toBe(times + 1);
    expect(told.at("calls", 0, "status")).toBe(answer === "silence" ? null : answer.status);
  });

  it("three answers of create without an outcome, and the state is asked for instead; a payment that nobody knows ends REFUSED", async () => {
    scene.qr.answers.push(...Array.from({ length: 3 }, () => ({ status: 424, code: 1007 })));
    const told = await scene.pay({ amount: 100, sale: true });
    expect(callsOf(told)).toEqual([
      ["create", 424],
      ["create", 424],
      ["create", 424],
      ["state", 404],
    ]);
    expect(told.body).toMatchObject({ status: "REFUSED", told: [], data: null, problem: expect.stringContaining("1002") });
  });

  it("a create that is refused ends the payment with the words of the refusal", async () => {
    scene.qr.answers.push({ status: 424, code: 1005 });
    const told = await scene.pay({ amount: 100 });
    expect(callsOf(told)).toEqual([["create", 424]]);
    expect(told.body).toMatchObject({ status: "REFUSED", problem: "424/1005 Нельзя" });
    expect(told.at("calls", 0, "body", "errors", 0, "code")).toBe(1005);
  });

  it("state is asked for again whatever stands in its way", async () => {
    const id = await scene.begin({ amount: 100 });
    await scene.until(id, { told: ["IN_PROGRESS"] });
    scene.qr.states = ["DONE"];
    scene.qr.answers.push("silence", { status: 503, code: 1 }, { status: 424, code: 1007 }, { status: 401, code: 401 });
    const told = await scene.until(id);
    expect(callsOf(told).slice(-5)).toEqual([
      ["state", null],
      ["state", 503],
      ["state", 424],
      ["state", 401],
      ["state", 200],
    ]);
    expect(told.at("told")).toEqual(["IN_PROGRESS", "DONE"]);
  });

  it("asks for an hour and five minutes at most, and once more where that time passed unseen", async () => {
    const id = await scene.begin({ amount: 100 });
    await scene.until(id, { told: ["IN_PROGRESS"] });
    scene.clock.jumpTo(scene.clock.nowMs() + 66 * 60_000);
    const before = scene.qr.calls.length;
    const told = await scene.until(id);
    expect(told.body).toMatchObject({ status: "IN_PROGRESS", problem: expect.stringContaining("in time") });
    expect(scene.qr.calls).toHaveLength(before + 1);
  });

  it("cancel goes out at once with the whole amount and the operation's store, or with what is named, and its answer comes back", async () => {
    const id = await scene.begin({ amount: 100 });
    await scene.until(id, { told: ["IN_PROGRESS"] });
    const whole = await scene.own(`qr/${id}/cancel`, "POST");
    expect([whole.status, whole.body]).toEqual([200, { call: "cancel", status: 200, body: {}, ms: expect.any(Number) }]);
    await scene.own(`qr/${id}/cancel`, "POST", { amount: 40 });
    expect(scene.qr.payments.get(id)?.cancelled).toEqual([100, 40]);
    const elsewhere = await scene.own(`qr/${id}/cancel`, "POST", { retailStoreId: "elsewhere" });
    expect(elsewhere.body).toMatchObject({ status: 404, body: { errors: [{ code: 1002 }] } });
    scene.qr.states = ["REJECTED"];
    const told = await scene.until(id);
    expect(callsOf(told).filter(([call]) => call === "cancel")).toEqual([
      ["cancel", 200],
      ["cancel", 200],
      ["cancel", 404],
    ]);
    expect((await scene.own("qr/nothing/cancel", "POST")).status).toBe(404);
  });

  it("a sale by QR is returned by QR alone, and the return's QR sum goes to the fiscal path", async () => {
    scene.qr.states = ["DONE"];
    const told = await scene.pay({ amount: 7_000, sale: true });
    const id = String(told.at("operationId"));
    const sale = await scene.sandbox.call("GET", `entity/retaildemand/${String(told.at("saleId"))}?expand=positions`);
    const { organization, store, retailStore, agent, retailShift } = sale.body as Record<string, unknown>;
    const assortment = sale.at("positions", "rows", 0, "assortment");
    const back = { organization, store, retailStore, agent, retailShift, demand: { meta: sale.at("meta") } };
    const bring = (more: object) =>
      scene.sandbox.call("POST", "entity/retailsalesreturn", { ...back, positions: [{ assortment, quantity: 1, price: 7_000 }], ...more });
    expect((await bring({ cashSum: 7_000 })).at("errors", 0, "code")).toBe(19003);
    expect((await scene.own(`qr/${id}/cancel`, "POST", { amount: 7_000 })).at("status")).toBe(200);
    expect((await bring({ qrSum: 7_000 })).status).toBe(200);
    const sent = () => scene.solution.fiscal().find(({ path }) => path === "/fiscal/1/retaisalesreturn");
    await expect.poll(() => sent()?.body).toMatchObject({ payments: { qrSum: "70.00" } });
  });

  it("lists every payment", async () => {
    scene.qr.states = ["DONE"];
    const ids = [await scene.begin({ amount: 100 }), await scene.begin({ amount: 200 })];
    for (const id of ids) await scene.until(id);
    expect((await scene.own("qr")).body).toMatchObject(
      ids.map((operationId, index) => ({ operationId, amount: 100 * (index + 1), status: "DONE" })),
    );
  });

  it.each([
    ["a fraction", { amount: 1.5 }, 400],
    ["nothing to pay", { amount: 0 }, 400],
    ["a text for an amount", { amount: "100" }, 400],
    ["lines that are no array", { positions: {} }, 400],
    ["a sale that is neither true nor false", { sale: "yes" }, 400],
    ["an array", [], 400],
    ["what is no JSON", "{", 400],
    ["a point of sale that is not there", { amount: 100, retailStoreId: "nowhere" }, 404],
  ])("does not begin with %s", async (_, body, status) => {
    expect((await scene.own("qr", "POST", body)).status).toBe(status);
    expect(scene.qr.calls).toEqual([]);
  });

  it("other addresses and methods are not there", async () => {
    expect((await scene.own("qr/nothing")).status).toBe(404);
    expect((await scene.own("qr/nothing", "PUT")).status).toBe(405);
    expect((await scene.own("qr/nothing/elephant", "POST")).status).toBe(404);
    expect((await scene.own("qr/a/b/c", "POST")).status).toBe(404);
    expect((await scene.own("qr", "DELETE")).status).toBe(405);
  });
});

it("without a solution there is nobody to pay", async () => {
  const sandbox = await testSandbox();
  expect((await sandbox.call("POST", `${sandbox.base}/sandbox/qr`, { amount: 100 })).status).toBe(404);
  expect((await sandbox.call("GET", `${sandbox.base}/sandbox/qr`)).status).toBe(404);
  await sandbox.close();
});
