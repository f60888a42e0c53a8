import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SHOP_TYPES } from "../../../src/accounts/shop/shop-object.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { draftDocument } from "../../../src/model/draft/draft.ts";
import { GOODS } from "../../../src/tools/sandbox/caller/shop.ts";
import { eventually } from "../../support/notifications.ts";
import { stocked } from "../../support/sandbox-bodies.ts";
import { answered, openShopScene, type ShopScene, saleAt, silence, sold, WINDOW_MS } from "../../support/shop-scene.ts";
import { RULES } from "../../support/till.ts";

let first: ShopScene;
let scene: ShopScene;
beforeAll(async () => {
  first = await openShopScene();
});
beforeEach(async () => {
  // Time stands still in a test, so each test has a window of the platform's rate limit for itself.
  await first.clock.advance(WINDOW_MS);
  scene = await openShopScene({ beside: first });
  // The money scale is pinned, so the sales need no document to compare with. Other tests are about money.
  await scene.links.pinMoneyScale(scene.key, 1);
});
afterEach(() => scene.close());
afterAll(() => first.close());

const MINUTE_MS = 60_000;
const kept = async (id: string) => (await scene.objects.list(scene.key, SHOP_TYPES)).find((each) => each.id === id);
/** Waits until the data of these objects is stored. No sale waits for this. */
const allKept = (...ids: string[]) => eventually(async () => (await Promise.all(ids.map(kept))).every((each) => each !== undefined));

/** A new product, which other tests do not change. */
async function product(fields: object = {}) {
  const made = await first.sandbox.call("POST", "entity/product", { name: `Товар ${randomUUID()}`, ...fields });
  if (made.status !== 200) throw new Error(made.text);
  return { type: "product", id: String(made.at("id")) };
}

const change = async ({ type, id }: { type: string; id: string }, fields: object) => {
  const changed = await first.sandbox.call("PUT", `entity/${type}/${id}`, fields);
  if (changed.status !== 200) throw new Error(changed.text);
};

describe("what the platform says of a sale", () => {
  it("is kind, unit, tax system and marks of each type of goods, once for each request, and is kept", async () => {
    const uom = { meta: (await first.sandbox.call("GET", "entity/uom?filter=name=кг")).at("rows", 0, "meta") };
    const tea = await product({ paymentItemType: "EXCISABLE_GOOD", taxSystem: "PATENT_BASED", uom });
    const shoes = stocked(first.sandbox, "product", GOODS.shoes.name);
    const others = ["service", "variant", "bundle"].map((type) => stocked(first.sandbox, type));
    const positions = [tea, shoes, ...others, tea].map((each) => sold(each));
    const { known } = await scene.ask(saleAt(scene, positions));
    expect(known?.goods[0]).toEqual({ kind: "excisable", taxSystem: "patent", unit: { name: "кг", code: "166" } });
    expect(known?.goods[5]).toEqual(known?.goods[0]);
    expect(known?.goods[1]).toMatchObject({ marked: true });
    expect(known?.goods[3]).toMatchObject({ unit: { name: "шт", code: "796" } });
    expect(scene.wire.taken()).toEqual([
      expect.stringMatching(/^entity\/bundle\/.{36}$/),
      "entity/product",
      expect.stringMatching(/^entity\/retailstore\/.{36}$/),
      expect.stringMatching(/^entity\/service\/.{36}$/),
      expect.stringMatching(/^entity\/variant\/.{36}$/),
    ]);
    await allKept(...positions.map(({ assortment }) => assortment.id ?? ""), stocked(first.sandbox, "retailstore").id);
    expect(await scene.ask(saleAt(scene, positions))).toEqual({ known, scale: "pinned" });
    expect([scene.wire.taken(), scene.outcomes]).toEqual([[], ["complete", "complete"]]);
  });

  it("is the cashier's name and what the point of sale is taxed by", async () => {
    const store = stocked(first.sandbox, "retailstore");
    await change(store, { defaultTaxSystem: "SIMPLIFIED_TAX_SYSTEM_INCOME" });
    const employee = stocked(first.sandbox, "employee");
    const { known } = await scene.ask(saleAt(scene, [sold({ type: "product", id: "till-7" })], { cashier: { id: employee.id } }));
    expect(known).toEqual({
      goods: [null],
      taxSystem: "usn-income",
      cashier: expect.objectContaining({ id: employee.id, lastName: String(employee.values.lastName) }),
    });
    await change(store, { defaultTaxSystem: "GENERAL_TAX_SYSTEM" });
  });

  it("shows on the next receipt once it was told that a card has changed", async () => {
    const tea = await product();
    const sale = () => saleAt(scene, [sold(tea)]);
    expect((await scene.ask(sale())).known?.goods[0]).toMatchObject({ kind: "goods" });
    await allKept(tea.id);
    const uom = { meta: (await first.sandbox.call("GET", "entity/uom?filter=name=л")).at("rows", 0, "meta") };
    await change(tea, { paymentItemType: "EXCISABLE_GOOD", trackingType: "TOBACCO", taxSystem: "PATENT_BASED", uom });
    await first.clock.advance(1);
    expect((await scene.ask(sale())).known?.goods[0]).toMatchObject({ kind: "goods" });
    await scene.reading.reread(scene.key, [{ ...tea, action: "UPDATE" }], new AbortController().signal);
    const now = { kind: "excisable", marked: true, taxSystem: "patent", unit: { name: "л", code: "112" } };
    scene.wire.taken();
    expect((await scene.ask(sale())).known?.goods[0]).toEqual(now);
    expect(scene.wire.taken()).toEqual([]);
  });

  it("is asked for again when it was told of while a sale's own question was on its way", async () => {
    const variant = stocked(first.sandbox, "variant");
    const product = { type: "product", id: (variant.values.product as { id: string }).id };
    const sale = () => saleAt(scene, [sold(variant)]);
    const held = Promise.withResolvers<void>();
    scene.wire.behave = async (_, pass) => {
      const answer = await pass();
      await held.promise;
      return answer;
    };
    const asking = scene.ask(sale());
    await eventually(() => scene.wire.asked.length > 0 && scene.wire.busy === 0);
    await first.clock.advance(1);
    await change(product, { paymentItemType: "EXCISABLE_GOOD" });
    await scene.reading.reread(scene.key, [{ ...product, action: "UPDATE" }], new AbortController().signal);
    held.resolve();
    await asking;
    await allKept(variant.id);
    expect((await scene.ask(sale())).known?.goods[0]).toMatchObject({ kind: "excisable" });
    await change(product, { paymentItemType: "GOOD" });
  });

  it("is refreshed beside a sale after a minute, and waited for after an hour", async () => {
    const tea = await product();
    const sale = () => saleAt(scene, [sold(tea)]);
    const kindNow = async () => (await scene.ask(sale())).known?.goods[0]?.kind;
    expect(await kindNow()).toBe("goods");
    await allKept(tea.id);
    await change(tea, { paymentItemType: "ANOTHER_PAYMENT_ITEM" });
    await first.clock.advance(MINUTE_MS - 10);
    expect(await kindNow()).toBe("goods");
    await first.clock.advance(20);
    expect(await kindNow()).toBe("goods");
    await eventually(
      async () => (await kept(tea.id))?.object?.type === "product" && (await kept(tea.id))?.readAtMs === first.clock.nowMs(),
    );
    expect(await kindNow()).toBe("other");
    await change(tea, { paymentItemType: "COMPOUND_PAYMENT_ITEM" });
    await first.clock.advance(60 * MINUTE_MS + 1);
    expect(await kindNow()).toBe("composite");
  });

  it("is refreshed for each installation by itself, and once at a time for one", async () => {
    const tea = { type: "product" as const, id: randomUUID() };
    const other = { ...scene.key, accountId: randomUUID() };
    await scene.installations.activate(other, { accessToken: new Secret("another") }, "active");
    await scene.links.pinMoneyScale(other, 1);
    const sale = saleAt(scene, [sold(tea)], { storeId: "till-7" });
    for (const key of [scene.key, other]) await scene.objects.keep(key, [{ ...tea, object: tea }], first.clock.nowMs() - 2 * MINUTE_MS);
    scene.wire.behave = silence;
    for (const key of [scene.key, scene.key, other, other]) await scene.lookUp.lookUp(key, sale);
    await eventually(() => scene.wire.asked.length >= 2);
    expect(scene.wire.taken()).toEqual([`entity/product/${tea.id}`, `entity/product/${tea.id}`]);
  });

  it("is nothing of goods that were deleted, that never were, and of ids that a till has made", async () => {
    const tea = await product({ paymentItemType: "EXCISABLE_GOOD" });
    const never = { type: "product", id: randomUUID() };
    const sale = () => saleAt(scene, [sold(tea), sold(never), sold({ type: "Product", id: "sync-17" })]);
    expect((await scene.ask(sale())).known?.goods).toEqual([expect.objectContaining({ kind: "excisable" }), null, null]);
    await allKept(never.id, tea.id);
    expect(await kept(never.id)).not.toHaveProperty("object");
    await first.sandbox.call("DELETE", `entity/product/${tea.id}`);
    await scene.reading.reread(scene.key, [{ ...tea, action: "DELETE" }], new AbortController().signal);
    expect((await scene.ask(sale())).known?.goods ?? [null, null, null]).toEqual([null, null, null]);
  });

  it("is waited for again a minute after the platform knew no such goods", async () => {
    const tea = await product();
    const sale = () => saleAt(scene, [sold(tea)]);
    scene.wire.behave = async ({ url }, pass) =>
      url.includes(tea.id) ? answered(404, { errors: [{ code: 1021, error: "Объект не найден" }] }) : pass();
    expect((await scene.ask(sale())).known?.goods).toEqual([null]);
    await allKept(tea.id, stocked(first.sandbox, "retailstore").id);
    scene.wire.behave = (_, pass) => pass();
    scene.wire.taken();
    await scene.ask(sale());
    expect(scene.wire.taken()).toEqual([]);
    await first.clock.advance(MINUTE_MS + 1);
    expect((await scene.ask(sale())).known?.goods).toEqual([expect.objectContaining({ kind: "goods" })]);
  });

  it("is there of goods that lists do not show, because they are in the archive", async () => {
    const services = await Promise.all(
      ["WORK", "PROVIDING_RID"].map(async (paymentItemType) => {
        const made = await first.sandbox.call("POST", "entity/service", { name: `Услуга ${randomUUID()}`, paymentItemType });
        return { type: "service", id: String(made.at("id")) };
      }),
    );
    for (const each of services) await change(each, { archived: true });
    const { known } = await scene.ask(
      saleAt(
        scene,
        services.map((each) => sold(each)),
      ),
    );
    expect(known?.goods).toEqual([{ kind: "work" }, { kind: "results" }]);
  });

  it("is asked for once each by two sales at once, and one that comes after asks for nothing", async () => {
    const tea = await product();
    const sale = () => saleAt(scene, [sold(tea)]);
    const [one, two] = await Promise.all([scene.ask(sale()), scene.ask(sale())]);
    expect(one).toEqual(two);
    expect(scene.wire.taken().filter((path) => path.startsWith("entity/product")).length).toBeLessThanOrEqual(2);
    await allKept(tea.id);
    await first.clock.advance(MINUTE_MS + 1);
    await Promise.all([scene.ask(sale()), scene.ask(sale()), scene.ask(sale())]);
    await eventually(async () => (await kept(tea.id))?.readAtMs === first.clock.nowMs());
    expect(scene.wire.taken().filter((path) => path.startsWith("entity/product")).length).toBe(1);
  });

  it("is nothing without access: never installed, suspended, without a token", async () => {
    await scene.installations.deactivate(scene.key, "suspended");
    expect(await scene.ask(saleAt(scene, [sold(stocked(first.sandbox, "product"))]))).toEqual({ scale: "none" });
    const stranger = { appId: randomUUID(), accountId: randomUUID() };
    expect(await scene.lookUp.lookUp(stranger, saleAt(scene, [sold(stocked(first.sandbox, "product"))]))).toEqual({ scale: "none" });
    expect([scene.wire.asked, scene.outcomes, scene.complaints()]).toEqual([[], ["off", "off"], []]);
  });

  it("does not outlive the server: what is being asked for when it closes ends with it", async () => {
    scene.wire.behave = silence;
    const asking = scene.ask(saleAt(scene, [sold(stocked(first.sandbox, "product"))]));
    await eventually(() => scene.wire.asked.length > 0);
    await scene.lookUp.close();
    expect(await asking).toEqual({ scale: "pinned" });
    expect(scene.outcomes).toEqual(["failed"]);
    expect(await scene.ask(saleAt(scene, [sold(stocked(first.sandbox, "product"))]))).toEqual({ scale: "pinned" });
  });
});

describe("a sale of a thousand positions", () => {
  it("asks for a hundred goods at a time, and once", async () => {
    const made = await first.sandbox.call(
      "POST",
      "entity/product",
      Array.from({ length: 1_000 }, (_, at) => ({ name: `Много ${at}`, paymentItemType: at % 2 === 0 ? "GOOD" : "EXCISABLE_GOOD" })),
    );
    const ids = (made.body as { id: string }[]).map(({ id }) => id);
    expect(ids).toHaveLength(1_000);
    const positions = ids.map((id) => sold({ type: "product", id }));
    const sale = saleAt(scene, positions);
    const { known } = await scene.ask(sale);
    expect(known?.goods.map((each) => each?.kind)).toEqual(ids.map((_, at) => (at % 2 === 0 ? "goods" : "excisable")));
    expect(scene.wire.taken().filter((path) => path === "entity/product")).toHaveLength(10);
    const drafted = draftDocument({ ...sale, ...(known === undefined ? {} : { known }) }, RULES, {
      reference: "1",
      lineSums: "within-kopeck",
    });
    expect(drafted.kind).toBe("document");
    await eventually(async () => (await scene.objects.list(scene.key, SHOP_TYPES)).length === 1_001);
    expect((await scene.ask(sale)).known?.goods[999]).toEqual({ kind: "excisable" });
    expect(scene.wire.taken()).toEqual([]);
  });
});
