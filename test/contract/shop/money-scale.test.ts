import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { MoneyScale } from "../../../src/accounts/shop/links.ts";
import { LOOK_UP_LIMIT_MS } from "../../../src/accounts/shop/look-up.ts";
import type { TradeOperation } from "../../../src/model/operation.ts";
import { eventually } from "../../support/notifications.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { openShift, shopReferences } from "../../support/sandbox-shop.ts";
import { openShopScene, type ShopScene, saleAt, silence, sold, WINDOW_MS } from "../../support/shop-scene.ts";
import { SHIFT, Till, textOf } from "../../support/till.ts";

const UNPROVED = "warn: nothing proves in which unit amounts come: the setting stands";

let first: ShopScene;
let scene: ShopScene;
let shift: { meta: unknown };
beforeAll(async () => {
  first = await openShopScene();
  shift = await openShift(first.sandbox, await shopReferences(first.sandbox));
});
beforeEach(async () => {
  await first.clock.advance(WINDOW_MS);
  scene = await openShopScene({ beside: first });
});
afterEach(() => scene.close());
afterAll(() => first.close());

/** A sale that was made at the platform for so many kopecks. */
async function demand(kopecks: number): Promise<string> {
  const made = await first.sandbox.call("POST", "entity/retaildemand", {
    retailShift: { meta: shift.meta },
    positions: [{ assortment: shopReference(first.sandbox, "service"), quantity: 1, price: kopecks }],
    cashSum: kopecks,
  });
  if (made.status !== 200) throw new Error(made.text);
  return String(made.at("id"));
}

function saleOf(id: string, kopecks: number, over: Partial<TradeOperation> = {}): TradeOperation {
  const position = sold({ type: "product", id: "a till's own" }, { priceKopecks: kopecks });
  return saleAt(scene, [position], { document: { id, idType: "native" }, storeId: "store", ...over });
}

const documentsAsked = () => scene.wire.taken().filter((path) => path.startsWith("entity/retail"));
const pinned = () => eventually(async () => (await scene.links.moneyScale(scene.key)) !== undefined);

describe("the unit of amounts", () => {
  it("is proved by a document of the same sum, and no later one is asked for", async () => {
    const id = await demand(25_920);
    expect(await scene.ask(saleOf(id, 25_920))).toEqual({ scale: "agrees" });
    await pinned();
    expect(await scene.links.moneyScale(scene.key)).toBe(1);
    expect(documentsAsked()).toEqual([`entity/retaildemand/${id}`]);
    expect(await scene.ask(saleOf(id, 2_592_000))).toEqual({ scale: "pinned" });
    expect(documentsAsked()).toEqual([]);
    expect(scene.complaints()).toEqual([]);
  });

  it.each<[MoneyScale, number]>([
    [1, 2_592_000],
    [100, 259],
  ])(
    "refuses a sale whose document shows a hundredfold difference, with the variable's name, and nothing is registered (%i)",
    async (scale, kopecks) => {
      const id = await demand(scale === 1 ? 25_920 : 25_900);
      const lookUp = scene.lookUpWith(scale);
      const till = await Till.open({ lookUp: (_, operation) => lookUp.lookUp(scene.key, operation) });
      await till.openShift();
      const before = await till.documents();
      const refused = { kind: "refused", refusal: { code: "money-scale-differs", parameter: "FISCAL_MONEY_SCALE" } };
      expect(await scene.register(till, saleOf(id, kopecks))).toMatchObject(refused);
      expect(await scene.register(till, saleOf(id, kopecks))).toMatchObject(refused);
      expect([await till.documents(), await till.states()]).toEqual([before, ["open-shift done"]]);
      expect(await scene.links.moneyScale(scene.key)).toBeUndefined();
      const other = scene.lookUpWith(scale === 1 ? 100 : 1);
      expect((await other.lookUp(scene.key, saleOf(id, scale === 1 ? 25_920 : 25_900))).scale).toBe("agrees");
    },
  );

  it.each([
    ["a document that is not there", () => saleOf(randomUUID(), 25_920)],
    ["a document that a till has named", () => saleOf(randomUUID(), 25_920, { document: { id: randomUUID(), idType: "sync" } })],
    ["a document whose id is none", () => saleOf("sale-17", 25_920)],
    ["nothing to pay", () => saleOf(randomUUID(), 0)],
  ])("stays as it was set after %s: sales are registered, and one line warns", async (_, sale) => {
    const till = await Till.open({ lookUp: (_key, operation) => scene.lookUp.lookUp(scene.key, operation) });
    await till.openShift();
    for (let round = 1; round <= 3; round += 1) {
      const made = sale();
      const document = { ...made.document, id: `${made.document.id.slice(0, -1)}${round}` };
      expect(textOf(await scene.register(till, { ...made, document }))).toMatch(/^receipt /);
    }
    expect(scene.complaints().filter((line) => line === UNPROVED)).toHaveLength(1);
    expect(scene.complaints()).toHaveLength(1);
  });

  it("is not told by a document that was changed to any other sum", async () => {
    expect(await scene.ask(saleOf(await demand(25_930), 25_920))).toEqual({ scale: "none" });
    expect(await scene.ask(saleOf(await demand(25_929), 25_920))).toEqual({ scale: "agrees" });
  });

  it("is not compared for the repeat of a sale that is done, whatever its document says by now", async () => {
    const till = await Till.open({ lookUp: (_, operation) => scene.lookUp.lookUp(scene.key, operation) });
    await till.openShift();
    const sale = saleOf(await demand(25_920), 25_920);
    expect(textOf(await scene.register(till, sale))).toBe("receipt 3 receipt 2");
    scene.wire.taken();
    const repeated = await till.submitAndWait({ ...sale, shift: SHIFT });
    expect([textOf(repeated), scene.wire.taken(), scene.outcomes]).toEqual(["receipt 3 receipt 2", [], ["complete"]]);
  });

  it("is compared again after it was set otherwise", async () => {
    const id = await demand(25_920);
    await scene.ask(saleOf(id, 25_920));
    await pinned();
    const restarted = scene.lookUpWith(100);
    expect((await restarted.lookUp(scene.key, saleOf(id, 2_592_000))).scale).toBe("differs-by-100");
    expect((await restarted.lookUp(scene.key, saleOf(id, 25_920))).scale).toBe("agrees");
    await eventually(async () => (await scene.links.moneyScale(scene.key)) === 100);
  });

  it("is proved by a return too", async () => {
    const { organization, buyer, retailStore, store } = await shopReferences(first.sandbox);
    const returned = await first.sandbox.call("POST", "entity/retailsalesreturn", {
      ...{ organization, agent: buyer, retailStore, store },
      retailShift: { meta: shift.meta },
      demand: { meta: (await first.sandbox.call("GET", `entity/retaildemand/${await demand(5_000)}`)).at("meta") },
      positions: [{ assortment: shopReference(first.sandbox, "service"), quantity: 1, price: 5_000 }],
      cashSum: 5_000,
    });
    expect([returned.status, returned.text.slice(0, returned.status === 200 ? 0 : 500)]).toEqual([200, ""]);
    const operation = saleOf(String(returned.at("id")), 5_000, { kind: "sales-return" });
    expect(await scene.ask(operation)).toEqual({ scale: "agrees" });
    expect(documentsAsked()).toEqual([`entity/retailsalesreturn/${String(returned.at("id"))}`]);
  });

  it("is proved for the next sales by a document that came too late for its own", async () => {
    const id = await demand(25_920);
    const held: (() => void)[] = [];
    scene.wire.behave = (_, pass) => new Promise((resolve) => held.push(() => resolve(pass())));
    const late = await scene.askWithin(saleOf(id, 25_920));
    expect([late.scale, late.tookMs, scene.complaints()]).toEqual(["none", LOOK_UP_LIMIT_MS, [UNPROVED]]);
    for (const answer of held) answer();
    await pinned();
    expect(await scene.ask(saleOf(id, 25_920))).toEqual({ scale: "pinned" });
  });

  it("is told of as an error when a document shows too late that it is another one", async () => {
    const id = await demand(25_920);
    const held: (() => void)[] = [];
    scene.wire.behave = (_, pass) => new Promise((resolve) => held.push(() => resolve(pass())));
    await scene.askWithin(saleOf(id, 2_592_000));
    for (const answer of held) answer();
    await eventually(() => scene.complaints().some((line) => line.startsWith("error: a document shows, too late")));
    expect(scene.lines.find(({ level }) => level === "error")?.values).toMatchObject({ variable: "FISCAL_MONEY_SCALE", document: id });
  });

  it("costs a sale 300 ms while the platform is silent, and no registration", async () => {
    scene.wire.behave = silence;
    const found = await scene.askWithin(saleOf(randomUUID(), 25_920));
    expect([found.scale, found.tookMs]).toEqual(["none", LOOK_UP_LIMIT_MS]);
    expect(await scene.ask(saleOf(randomUUID(), 25_920))).toEqual({ scale: "none" });
    expect(scene.complaints().filter((line) => line === UNPROVED)).toHaveLength(1);
  });

  it.each([null, "25920", [], {}, true, -25_920, 0.5, undefined])("is not told by a sum that is none: %o", async (sum) => {
    scene.wire.behave = async ({ url }) => ({
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify({ meta: {}, id: url.split("/").at(-1), sum })),
    });
    expect(await scene.ask(saleOf(randomUUID(), 25_920))).toEqual({ scale: "none" });
  });

  it("is not told by another document than the sale's own", async () => {
    scene.wire.behave = async () => ({
      status: 200,
      headers: {},
      body: Buffer.from(JSON.stringify({ meta: {}, id: randomUUID(), sum: 25_920 })),
    });
    expect(await scene.ask(saleOf(randomUUID(), 2_592_000))).toEqual({ scale: "none" });
  });
});
