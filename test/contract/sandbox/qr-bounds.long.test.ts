import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { keepQrOperation } from "../../../src/tools/sandbox/solution/qr-operation.ts";
import { callsOf, QrScene } from "../../support/qr-scene.ts";
import { shopReferences } from "../../support/sandbox-shop.ts";
import { temporaryFolder } from "../../support/server-process.ts";

const HALF_MINUTE_MS = 30_000;

describe("a QR payment that is interrupted or runs into a bound", () => {
  let scene: QrScene;
  beforeEach(async () => {
    scene = await QrScene.open();
  });
  afterEach(() => scene.close());

  it("goes out only while the solution is installed: a till waits while it is suspended, and goes on after", async () => {
    const id = await scene.begin({ amount: 100 });
    await scene.until(id, { told: ["IN_PROGRESS"] });
    await scene.own("solution/suspend", "POST");
    expect((await scene.own("qr", "POST", { amount: 100 })).status).toBe(409);
    expect((await scene.own(`qr/${id}/cancel`, "POST")).status).toBe(409);
    const before = scene.qr.calls.length;
    await scene.clock.advance(HALF_MINUTE_MS);
    expect(scene.qr.calls).toHaveLength(before);
    expect((await scene.own(`qr/${id}`)).body).toMatchObject({ step: "polling" });
    scene.qr.states = ["DONE"];
    await scene.own("solution/resume", "POST");
    await scene.until(id);
    await scene.own("solution/uninstall", "POST");
    expect((await scene.own("qr", "POST", { amount: 100 })).status).toBe(409);
  });

  it("what is paid while the solution is begun anew waits for that, and is created once", async () => {
    const data = temporaryFolder();
    await scene.restart(data);
    await scene.start(data);
    scene.qr.states = ["DONE"];
    const id = await scene.begin({ amount: 100 });
    await scene.clock.advance(HALF_MINUTE_MS);
    expect(scene.qr.calls).toEqual([]);
    await scene.sandbox.beginSolution();
    const told = await scene.until(id);
    expect(callsOf(told)).toEqual([
      ["create", 200],
      ["state", 200],
    ]);
  });

  it("a document that a kill has left unmade is made at the next start, and one that cannot be made says why", async () => {
    const data = temporaryFolder();
    await scene.restart(data);
    const { id: retailStoreId } = (await scene.sandbox.call("GET", "entity/retailstore")).at("rows", 0) as { id: string };
    const { id: productId } = (await scene.sandbox.call("GET", "entity/product")).at("rows", 0) as { id: string };
    const lines = (product: string) =>
      JSON.stringify([
        { assortment: { meta: { href: `/api/remap/1.2/entity/product/${product}`, type: "product" } }, quantity: 1, price: 500 },
      ]);
    const left = { retailStoreId, amount: 500, sale: true, step: "selling", status: "DONE", begunMs: scene.clock.nowMs() } as const;
    await scene.sandbox.account.commit(() => {
      for (const [id, product] of [
        ["good", productId],
        ["bad", retailStoreId],
      ] as const)
        keepQrOperation(scene.sandbox.account, { ...left, id, positions: lines(product), told: ["DONE"], unclear: 0, calls: 0 });
    });
    await scene.restart(data);
    const good = await scene.until("good");
    expect((await scene.sandbox.call("GET", `entity/retaildemand/${String(good.at("saleId"))}`)).at("qrSum")).toBe(500);
    const bad = await scene.until("bad");
    expect(bad.body).toMatchObject({ status: "DONE", problem: expect.stringContaining("no document: 2013") });
    expect(bad.at("saleId")).toBeUndefined();
  });

  it("a restart goes on where the till stood: at its question, at its sale, with the same keys and goods", async () => {
    const data = temporaryFolder();
    await scene.restart(data);
    const shop = await shopReferences(scene.sandbox);
    const positions = [{ assortment: shop.otherProduct, quantity: 1, price: 321 }];
    const id = await scene.begin({ positions, sale: true });
    await scene.until(id, { told: ["IN_PROGRESS"] });
    const [{ kid } = { kid: undefined }] = scene.qr.calls;
    scene.qr.states = ["DONE"];
    await scene.restart(data);
    const told = await scene.until(id);
    expect(told.body).toMatchObject({ status: "DONE", told: ["IN_PROGRESS", "DONE"] });
    expect(callsOf(told).filter(([call]) => call === "create")).toHaveLength(1);
    expect(new Set(scene.qr.calls.map((call) => call.kid))).toEqual(new Set([kid]));
    const sale = await scene.sandbox.call("GET", `entity/retaildemand/${String(told.at("saleId"))}?expand=positions`);
    expect(sale.at("positions", "rows", 0, "assortment", "meta", "href")).toMatch(new RegExp(`^${scene.sandbox.api}`));
    expect(sale.at("qrSum")).toBe(321);
    await expect.poll(() => scene.fiscalSales().length).toBe(1);
  });

  it("nothing comes back for a minute, and the state is asked for in the place of create", async () => {
    const id = await scene.begin({ amount: 100 });
    scene.qr.answers.push(...Array.from({ length: 70 }, () => "silence" as const));
    // The till calls at 0, 1, … and 60 seconds. At 61 it calls once more and then sees that the minute is over.
    for (let call = 1; call <= 62; call += 1) {
      await expect.poll(async () => callsOf(await scene.own(`qr/${id}`)).length, { interval: 5 }).toBe(call);
      if (call < 62) await scene.clock.advance(1_000);
    }
    const calls = callsOf(await scene.own(`qr/${id}`));
    expect(calls).toEqual(Array.from({ length: 62 }, () => ["create", null]));
    expect((await scene.own(`qr/${id}`)).body).toMatchObject({ step: "polling" });
    scene.qr.answers.length = 0;
    expect((await scene.until(id)).body).toMatchObject({ status: "REFUSED", problem: expect.stringContaining("1002") });
  });

  it("of a long answer its beginning is kept", async () => {
    scene.solution.qr = async () => ({ status: 200, body: { data: "я".repeat(20_000) } });
    const told = await scene.until(await scene.begin({ amount: 100 }), { calls: [{ status: 200 }, { call: "state" }] });
    expect(String(told.at("calls", 0, "body")).length).toBeLessThanOrEqual(1_000);
  });

  it("without amount and positions one piece of a plain product is sold at its own price, by the first cashier", async () => {
    scene.qr.states = ["DONE"];
    const sale = await scene.sale(await scene.pay({ sale: true }));
    expect(sale.body).toMatchObject({ qrSum: 5_490, owner: { lastName: "Иванова" } });
    expect(sale.at("positions", "rows", 0)).toMatchObject({
      quantity: 1,
      price: 5_490,
      assortment: { name: expect.stringContaining("Хлеб") },
    });
  });

  it("cancel sends an amount of whatever kind as it was given", async () => {
    const id = await scene.begin({ amount: 100 });
    await scene.until(id, { told: ["IN_PROGRESS"] });
    const amounts = [null, "40", 1.5, -1, [1]];
    for (const amount of amounts) await scene.own(`qr/${id}/cancel`, "POST", { amount });
    expect(scene.qr.payments.get(id)?.cancelled).toEqual(amounts);
    expect((await scene.own(`qr/${id}/cancel`, "POST", [])).status).toBe(400);
  });
});
