import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { LOOK_UP_LIMIT_MS } from "../../../src/accounts/shop/look-up.ts";
import { draftDocument } from "../../../src/model/draft/draft.ts";
import type { TradeOperation } from "../../../src/model/operation.ts";
import type { Fault } from "../../../src/tools/sandbox/api/faults.ts";
import { eventually } from "../../support/notifications.ts";
import { stocked } from "../../support/sandbox-bodies.ts";
import { answered, openShopScene, type ShopScene, saleAt, silence, sold, WINDOW_MS } from "../../support/shop-scene.ts";
import { RULES, Till, textOf } from "../../support/till.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A scene whose money scale is proved, so that only goods and their point of sale are asked for. */
async function settled(...given: Parameters<typeof openShopScene>) {
  const scene = await openShopScene(...given);
  closing.push(scene.close);
  await scene.links.pinMoneyScale(scene.key, 1);
  return scene;
}

const teaOf = ({ sandbox }: ShopScene) => stocked(sandbox, "product");
const teaSale = (scene: ShopScene) => saleAt(scene, [sold(teaOf(scene))]);
const isKept = (scene: ShopScene, count = 2) =>
  eventually(async () => (await scene.objects.list(scene.key, ["product", "retailstore"])).length >= count);

/** Waits for nothing: time stands still. */
async function atOnce<T>(scene: ShopScene, work: Promise<T>): Promise<T> {
  const beganMs = scene.clock.monotonicMs();
  const done = await work;
  expect(scene.clock.monotonicMs()).toBe(beganMs);
  return done;
}

describe("a platform that does not answer", () => {
  it("costs a sale 300 ms, those of the next ten seconds nothing, and then again", async () => {
    const scene = await settled();
    scene.wire.behave = silence;
    const { tookMs, known, scale } = await scene.askWithin(teaSale(scene));
    expect([tookMs, known, scale]).toEqual([LOOK_UP_LIMIT_MS, undefined, "pinned"]);
    const asked = scene.wire.asked.length;
    expect(await atOnce(scene, scene.ask(teaSale(scene)))).toEqual({ scale: "pinned" });
    await scene.clock.advance(9_900);
    expect(await atOnce(scene, scene.ask(teaSale(scene)))).toEqual({ scale: "pinned" });
    expect(scene.wire.asked).toHaveLength(asked);
    await scene.clock.advance(100);
    expect((await scene.askWithin(teaSale(scene))).tookMs).toBe(LOOK_UP_LIMIT_MS);
    expect(scene.wire.asked.length).toBeGreaterThan(asked);
    expect(scene.outcomes).toEqual(["late", "quiet", "quiet", "late"]);
  });

  it("is asked for no longer than nine seconds, and what is kept goes onto receipts meanwhile, marked as changed or not", async () => {
    const scene = await settled();
    const before = await scene.ask(teaSale(scene));
    await isKept(scene);
    await scene.objects.mark(scene.key, [{ type: "product" }], scene.clock.nowMs());
    let given = 0;
    scene.wire.behave = (exchange) => silence(exchange).finally(() => (given += 1));
    expect(await scene.askWithin(teaSale(scene))).toEqual({ ...before, tookMs: LOOK_UP_LIMIT_MS });
    await scene.clock.advance(8_500);
    expect(given).toBe(0);
    await scene.clock.advance(200);
    await eventually(() => given === 1);
    expect(await atOnce(scene, scene.ask(teaSale(scene)))).toMatchObject({ ...before });
  });

  it("never keeps a sale from being registered: with what is kept, or with the settings", async () => {
    const scene = await settled();
    const uom = { meta: (await scene.sandbox.call("GET", "entity/uom?filter=name=кг")).at("rows", 0, "meta") };
    await scene.sandbox.call("PUT", `entity/product/${teaOf(scene).id}`, { paymentItemType: "EXCISABLE_GOOD", uom });
    const till = await Till.open({ lookUp: (_, operation) => scene.lookUp.lookUp(scene.key, operation) });
    await till.openShift();
    const submit = async (sale: TradeOperation) => textOf(await scene.register(till, sale, "goes on"));
    const entryOf = async (id: string) => (await till.journal.list({ limit: 10 })).find(({ key }) => key.documentId === id);
    const lineOf = async (id: string) => {
      const document = (await entryOf(id))?.document;
      return document?.kind === "receipt" ? document.lines[0] : undefined;
    };
    scene.wire.behave = silence;
    const [first, second] = [teaSale(scene), teaSale(scene)];
    expect(await submit(first)).toBe("receipt 3 receipt 2");
    expect(await lineOf(first.document.id)).toMatchObject({ subject: 1, unit: { code: 0 } });
    scene.wire.behave = (_, pass) => pass();
    await scene.clock.advance(15_000);
    await scene.ask(teaSale(scene));
    await isKept(scene);
    scene.wire.behave = silence;
    await scene.objects.mark(scene.key, [{ type: "product" }], scene.clock.nowMs());
    expect(await submit(second)).toBe("receipt 4 receipt 3");
    expect(await lineOf(second.document.id)).toMatchObject({ subject: 2, unit: { code: 11 } });
    // The journal keeps for ever which data was used.
    expect((await entryOf(first.document.id))?.operation).not.toHaveProperty("known");
    expect((await entryOf(second.document.id))?.operation.known?.goods).toEqual([{ kind: "excisable", unit: { name: "кг", code: "166" } }]);
  });

  it("serves the next sale with an answer that was too late for the first one", async () => {
    const scene = await settled();
    const held: (() => void)[] = [];
    scene.wire.behave = (_, pass) => new Promise((resolve) => held.push(() => resolve(pass())));
    expect((await scene.askWithin(teaSale(scene))).known).toBeUndefined();
    await eventually(async () => {
      for (const answer of held.splice(0)) answer();
      return (await scene.objects.list(scene.key, ["product", "retailstore"])).length === 2;
    });
    expect((await atOnce(scene, scene.ask(teaSale(scene)))).known?.goods[0]).toMatchObject({ unit: { name: "шт" } });
    expect(scene.outcomes).toEqual(["late", "quiet"]);
  });

  it("that is not there at all is no other: connection refused", async () => {
    const scene = await settled();
    scene.wire.behave = () => Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
    const { tookMs, known } = await scene.askWithin(teaSale(scene));
    expect([known, tookMs]).toEqual([undefined, LOOK_UP_LIMIT_MS]);
    expect(await atOnce(scene, scene.ask(teaSale(scene)))).toEqual({ scale: "pinned" });
    await scene.clock.advance(20_000);
    await eventually(() => scene.complaints().some((line) => line.includes("in vain")));
  });
});

describe("a sandbox that is made to misbehave", () => {
  const costs: [Fault["name"], string][] = [
    ["slow-answer", "late"],
    ["burst-429", "late"],
    ["html-error", "late"],
  ];
  it.each(costs)("costs a sale 300 ms at most: %s", async (name, outcome) => {
    const scene = await settled({ faults: [{ name, share: 1 }] });
    const { tookMs, known, scale } = await scene.askWithin(teaSale(scene));
    expect([known, scale, scene.outcomes]).toEqual([undefined, "pinned", [outcome]]);
    expect(tookMs).toBeLessThanOrEqual(LOOK_UP_LIMIT_MS);
  });

  it("loses no reading to lost answers, which strike what is written alone", async () => {
    const scene = await settled({ faults: [{ name: "lost-answer", share: 1 }] });
    expect((await scene.ask(teaSale(scene))).known).toBeDefined();
  });

  it("is asked at the goods' own addresses for what its lists do not show yet", async () => {
    const scene = await settled({ faults: [{ name: "late-lists", share: 1 }] });
    const made = await scene.sandbox.call("POST", "entity/product", [
      { name: "Новый чай", paymentItemType: "EXCISABLE_GOOD" },
      { name: "Новый кофе", paymentItemType: "ANOTHER_PAYMENT_ITEM" },
    ]);
    const goods = (made.body as { id: string }[]).map(({ id }) => sold({ type: "product", id }));
    expect((await scene.ask(saleAt(scene, goods))).known?.goods).toEqual([
      expect.objectContaining({ kind: "excisable" }),
      expect.objectContaining({ kind: "other" }),
    ]);
  });
});

describe("a platform that refuses", () => {
  let first: ShopScene;
  let scene: ShopScene;
  beforeAll(async () => {
    first = await openShopScene();
  });
  beforeEach(async () => {
    await first.clock.advance(WINDOW_MS);
    scene = await settled({ beside: first });
  });
  afterAll(() => first.close());

  it("shows what it does not forbid, at no cost of time, to each sale, and one line tells of the right", async () => {
    scene.wire.behave = async ({ url }, pass) =>
      url.includes("entity/employee") ? answered(403, { errors: [{ code: 1016, error: "Доступ запрещен" }] }) : pass();
    const sale = () => ({ ...teaSale(scene), cashier: { id: stocked(scene.sandbox, "employee").id } });
    for (let round = 0; round < 3; round += 1) {
      expect((await atOnce(scene, scene.ask(sale()))).known?.goods[0]).toMatchObject({ unit: { name: "шт" } });
    }
    expect(scene.outcomes).toEqual(["forbidden", "forbidden", "forbidden"]);
    expect(scene.complaints().filter((line) => line.includes("rights"))).toHaveLength(1);
  });

  it("is asked again beside each sale for what it has shown before, and one line tells of the right", async () => {
    const forbidden = async () => answered(403, { errors: [{ code: 1016, error: "Доступ запрещен" }] });
    const before = await scene.ask(teaSale(scene));
    await isKept(scene);
    scene.wire.behave = forbidden;
    for (let round = 0; round < 3; round += 1) {
      await scene.clock.advance(61_000);
      scene.wire.taken();
      expect(await atOnce(scene, scene.ask(teaSale(scene)))).toEqual(before);
      await eventually(() => scene.wire.asked.length === 2);
    }
    await scene.lookUp.close();
    expect(scene.complaints()).toEqual(["warn: rights are missing to ask the platform about operations"]);
  });

  it("a forbidden type first does not take the document's proof away", async () => {
    const fresh = await openShopScene({ beside: first });
    closing.push(fresh.close);
    const [known, unseen] = [...first.sandbox.account.objects.all("product").values()];
    if (known === undefined || unseen === undefined) throw new Error("no goods");
    // A client that has its first answers asks for several things at once.
    await fresh.ask(saleAt(fresh, [sold(known)]));
    const id = randomUUID();
    let forbidden = false;
    fresh.wire.behave = async ({ url }) => {
      if (url.includes("entity/product")) {
        forbidden = true;
        return answered(403, { errors: [{ code: 1016, error: "Доступ запрещен" }] });
      }
      await eventually(() => forbidden);
      return answered(200, { meta: {}, id, sum: 10_000 });
    };
    expect(await fresh.ask(saleAt(fresh, [sold(unseen)], { document: { id, idType: "native" } }))).toMatchObject({ scale: "agrees" });
    expect(fresh.outcomes).toEqual(["complete", "forbidden"]);
  });

  it("a token that is no longer good costs one answer, and nobody asks for ten seconds", async () => {
    scene.wire.behave = async () => answered(401, { errors: [{ code: 1056, error: "Ошибка аутентификации" }] });
    expect(await atOnce(scene, scene.ask(teaSale(scene)))).toEqual({ scale: "pinned" });
    const asked = scene.wire.asked.length;
    expect(await atOnce(scene, scene.ask(teaSale(scene)))).toEqual({ scale: "pinned" });
    expect([scene.wire.asked.length, scene.outcomes]).toEqual([asked, ["failed", "quiet"]]);
  });
});

describe("a platform that lies", () => {
  let first: ShopScene;
  let scene: ShopScene;
  beforeAll(async () => {
    first = await openShopScene();
  });
  beforeEach(async () => {
    await first.clock.advance(WINDOW_MS);
    scene = await openShopScene({ beside: first });
    closing.push(scene.close);
  });
  afterAll(() => first.close());

  const everyField = (value: unknown) =>
    Object.fromEntries(
      [
        ...["name", "paymentItemType", "taxSystem", "trackingType", "uom", "product", "sum", "defaultTaxSystem", "organization"],
        ...["cashiers", "employee", "firstName", "middleName", "lastName", "legalTitle", "address", "archived", "updated", "code"],
      ].map((name) => [name, value]),
    );
  const meta = { size: 2, limit: 100, offset: 0, href: "x" };
  const values = [
    null,
    5,
    -1,
    true,
    [],
    [null],
    {},
    { name: 5, code: 5 },
    { rows: [null, 5] },
    "constructor",
    "__proto__",
    "x".repeat(100_000),
  ];
  const bodies: [string, (asked: string) => unknown][] = [
    ["no JSON", () => "<html>"],
    ["half of JSON", () => '{"meta":{"href"'],
    ["an empty body", () => ""],
    ["null", () => null],
    ["an array", () => []],
    ["a number", () => 5],
    ["a list of null", () => ({ meta, rows: [null, null] })],
    ["rows that are none", () => ({ meta, rows: {} })],
    ["rows without ids", () => ({ meta, rows: [{ name: "x" }, { id: 5 }] })],
    ["an object without an id", () => ({ meta: {}, rows: [] })],
    ["another object", () => ({ meta: { ...meta, href: "x" }, id: "99990000-0000-4000-8000-00000000000f", rows: [], uom: { name: "кг" } })],
    ...values.map((value): (typeof bodies)[number] => [
      `every field ${JSON.stringify(value).slice(0, 30)}`,
      (asked) => ({ ...everyField(value), meta: { ...meta, href: "x" }, id: asked, rows: [{ ...everyField(value), id: asked, meta: {} }] }),
    ]),
  ];

  it.each(bodies)("neither keeps a sale nor breaks it: %s", async (_, body) => {
    scene.wire.behave = async ({ url }) => answered(200, body(/[0-9a-f-]{36}/.exec(decodeURIComponent(url))?.[0] ?? ""));
    const [one, two] = [...scene.sandbox.account.objects.all("product").values()];
    if (one === undefined || two === undefined) throw new Error("no goods");
    const employee = stocked(scene.sandbox, "employee").id;
    const sale = saleAt(scene, [sold(one), sold(two), sold(stocked(scene.sandbox, "variant"))], { cashier: { id: employee } });
    const { known } = await scene.askWithin(sale, LOOK_UP_LIMIT_MS);
    const drafted = draftDocument({ ...sale, ...(known === undefined ? {} : { known }) }, RULES, {
      reference: "1",
      lineSums: "within-kopeck",
    });
    expect(drafted.kind).toBe("document");
    await scene.lookUp.close();
    expect(scene.lines.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("is not believed when it shows another object than was asked for", async () => {
    const other = { meta: {}, id: randomUUID(), paymentItemType: "WORK", lastName: "Чужая", defaultTaxSystem: "PATENT_BASED" };
    scene.wire.behave = async () => answered(200, other);
    const sale = saleAt(scene, [sold(teaOf(scene))], { cashier: { id: stocked(scene.sandbox, "employee").id } });
    expect(await scene.ask(sale)).toEqual({ scale: "none" });
  });
});
