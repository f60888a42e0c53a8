import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GOODS_TYPES, SHOP_TYPES, type ShopType, WHOLE_TYPES } from "../../../src/accounts/shop/shop-object.ts";
import { pause } from "../../../src/kernel/clock.ts";
import { stocked } from "../../support/sandbox-bodies.ts";
import { answered, openShopScene, type ShopScene, silence, WINDOW_MS } from "../../support/shop-scene.ts";

const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;

let first: ShopScene;
let scene: ShopScene;
beforeAll(async () => {
  first = await openShopScene();
});
beforeEach(async () => {
  await first.clock.advance(WINDOW_MS);
  scene = await openShopScene({ beside: first });
});
afterEach(() => scene.close());
afterAll(() => first.close());

const read = () => scene.reading.read(scene.key, NEVER);
const reread = (...objects: { type: string; id: string; action: string }[]) => scene.reading.reread(scene.key, objects, NEVER);
const inTables = async (type: ShopType) => (await scene.objects.list(scene.key, [type])).map(({ object }) => object);
const idsInTables = async (type: ShopType) => (await scene.objects.list(scene.key, [type])).map(({ id }) => id).toSorted();
const idsInShop = (type: string) => [...first.sandbox.account.objects.all(type).keys()].toSorted();
const keptOf = async ({ type, id }: { type: string; id: string }) =>
  (await scene.objects.list(scene.key, SHOP_TYPES)).find((each) => each.id === id && each.type === type);

async function made(type: string, body: object): Promise<{ type: string; id: string }> {
  const answer = await first.sandbox.call("POST", `entity/${type}`, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return { type, id: String(answer.at("id")) };
}

async function change({ type, id }: { type: string; id: string }, fields: object): Promise<void> {
  const answer = await first.sandbox.call("PUT", `entity/${type}/${id}`, fields);
  if (answer.status !== 200) throw new Error(answer.text);
}

/** Stores the object as a sale would. */
async function sellOnce({ type, id }: { type: string; id: string }): Promise<void> {
  const goods = GOODS_TYPES.find((each) => each === type);
  if (goods === undefined) throw new Error(type);
  await scene.objects.keep(scene.key, [{ type: goods, id, object: { type: goods, id } }], first.clock.nowMs() - HOUR_MS);
}

describe("a shop that is read for the first time", () => {
  it("has its points of sale, organizations, employees and units in the tables, as the platform has them, and no goods", async () => {
    expect(await read()).toBe("read");
    for (const type of WHOLE_TYPES) expect(await idsInTables(type)).toEqual(idsInShop(type));
    for (const type of GOODS_TYPES) expect(await idsInTables(type)).toEqual([]);
    const store = stocked(first.sandbox, "retailstore");
    const organization = stocked(first.sandbox, "organization");
    const cashiers = (await first.sandbox.call("GET", `entity/retailstore/${store.id}/cashiers?expand=employee&limit=100`)).at("rows");
    expect(await inTables("retailstore")).toContainEqual({
      type: "retailstore",
      id: store.id,
      name: store.values.name,
      address: store.values.address,
      organizationId: organization.id,
      taxSystem: expect.any(String),
      cashierIds: (cashiers as { employee: { id: string } }[]).map(({ employee }) => employee.id),
    });
    expect(await inTables("organization")).toMatchObject([{ inn: organization.values.inn }]);
    expect(await scene.links.of(scene.key)).toMatchObject({ readAtMs: first.clock.nowMs(), wholeReadAtMs: first.clock.nowMs() });
  });

  it("is not read at all while the installation is suspended, nor of a stranger", async () => {
    await scene.installations.deactivate(scene.key, "suspended");
    expect(await read()).toBe("not-active");
    await reread({ ...stocked(first.sandbox, "employee"), action: "UPDATE" });
    expect(await scene.reading.read({ appId: randomUUID(), accountId: randomUUID() }, NEVER)).toBe("not-active");
    expect(scene.wire.asked).toEqual([]);
  });
});

describe("a shop that was read before", () => {
  beforeEach(async () => {
    await read();
    await first.clock.advance(HOUR_MS);
    scene.wire.taken();
  });

  it("is asked for what has changed, and for nothing else", async () => {
    const person = await made("employee", { lastName: "Орлова", firstName: "Анна" });
    const store = stocked(first.sandbox, "retailstore");
    await change(store, { address: `ул. Новая, д. ${randomUUID()}`.slice(0, 30) });
    expect(await read()).toBe("read");
    expect(scene.wire.filters).toHaveLength(SHOP_TYPES.length);
    expect(scene.wire.filters.every((filter) => filter?.startsWith("updated>=2026-"))).toBe(true);
    expect(await keptOf(person)).toMatchObject({ object: { lastName: "Орлова" }, stale: false });
    expect((await inTables("retailstore")).find((each) => each?.id === store.id)).toMatchObject({
      address: expect.stringContaining("Новая"),
    });
  });

  it("learns what was deleted once a day, when all of it is read", async () => {
    const person = await made("employee", { lastName: "Соколова" });
    await read();
    expect(await keptOf(person)).toBeDefined();
    await change(person, { lastName: "Бывшая", archived: true });
    await first.sandbox.call("DELETE", `entity/employee/${person.id}`);
    await first.clock.advance(HOUR_MS);
    await read();
    expect(await keptOf(person)).toBeDefined();
    await first.clock.advance(DAY_MS);
    scene.wire.taken();
    await read();
    expect(scene.wire.filters.slice(0, WHOLE_TYPES.length)).toEqual(WHOLE_TYPES.map(() => null));
    expect(await keptOf(person)).toBeUndefined();
    expect(await idsInTables("uom")).toEqual(idsInShop("uom"));
  });

  it("has goods read again that were sold, and not the others", async () => {
    const [tea, coffee] = [await made("product", { name: `Чай ${randomUUID()}` }), await made("product", { name: `Кофе ${randomUUID()}` })];
    await sellOnce(tea);
    for (const each of [tea, coffee]) await change(each, { paymentItemType: "EXCISABLE_GOOD" });
    await read();
    expect(await keptOf(tea)).toMatchObject({ object: { kind: "excisable" }, stale: false });
    expect(await keptOf(coffee)).toBeUndefined();
  });

  it("has variants asked for again whose product has changed, and all goods when a unit has", async () => {
    const variant = stocked(first.sandbox, "variant");
    const service = stocked(first.sandbox, "service");
    for (const each of [variant, service]) await sellOnce(each);
    const uom = await made("uom", { name: `мешок ${randomUUID()}` });
    const product = { type: "product", id: (variant.values.product as { id: string }).id };
    await reread({ ...product, action: "UPDATE" });
    expect([(await keptOf(variant))?.stale, (await keptOf(service))?.stale]).toEqual([true, false]);
    await reread({ ...uom, action: "UPDATE" });
    expect((await keptOf(service))?.stale).toBe(true);
    expect(await keptOf(uom)).toMatchObject({ object: { name: expect.stringContaining("мешок") } });
  });

  it("passes over no change that came to a type while the others were read", async () => {
    const store = stocked(first.sandbox, "retailstore");
    const address = `ул. Поздняя, д. ${randomUUID()}`.slice(0, 30);
    // The point of sale changes after it was read, more than a minute passes, and the newest change that is seen is a
    // product's.
    const tea = await made("product", { name: `Чай ${randomUUID()}` });
    scene.wire.behave = async ({ url }, pass) => {
      if (url.includes("entity/employee") || url.includes("entity/uom")) await pause(first.clock, 40_000);
      scene.wire.busy += 1;
      if (url.includes("entity/organization")) await change(store, { address });
      if (url.includes("entity/product")) await change(tea, { description: "позднее" });
      scene.wire.busy -= 1;
      return pass();
    };
    let outcome = "under way";
    void read().then((ended) => (outcome = ended));
    await scene.timeGoesOn(500, () => outcome !== "under way");
    scene.wire.behave = (_, pass) => pass();
    await first.clock.advance(HOUR_MS);
    expect([outcome, await read()]).toEqual(["read", "read"]);
    expect((await inTables("retailstore")).find((each) => each?.id === store.id)).toMatchObject({ address });
  });

  it("has what changed after somebody else has read it, in the middle of a reading", async () => {
    const person = await made("employee", { lastName: "Прежняя" });
    scene.wire.behave = async ({ url }, pass) => {
      if (!url.includes("entity/organization")) return pass();
      await pause(first.clock, 1_000);
      const object = { ...person, type: "employee", lastName: "Прежняя" } as const;
      // The clock stands still meanwhile, because a request that takes too long would be sent again.
      scene.wire.busy += 1;
      await scene.objects.keep(scene.key, [{ type: "employee", id: person.id, object }], first.clock.nowMs());
      await change(person, { lastName: "Новая" });
      scene.wire.busy -= 1;
      return pass();
    };
    let outcome = "under way";
    void read().then((ended) => (outcome = ended));
    await scene.timeGoesOn(500, () => outcome !== "under way");
    expect(await keptOf(person)).toMatchObject({ object: { lastName: "Новая" } });
  });

  it("goes on from the same place after a failure, and says what went wrong until it is well again", async () => {
    const before = await scene.links.of(scene.key);
    const person = await made("employee", { lastName: "Терпеливая" });
    scene.wire.behave = async ({ url }, pass) =>
      url.includes("entity/uom") ? answered(401, { errors: [{ code: 1056, error: "нет" }] }) : pass();
    expect(await read()).toBe("failed");
    // An installation that is no longer known makes no further requests.
    expect(scene.wire.taken().at(-1)).toBe("entity/uom");
    const failed = await scene.links.of(scene.key);
    expect(failed).toMatchObject({ readToMs: before.readToMs, wholeReadAtMs: before.wholeReadAtMs, readAtMs: first.clock.nowMs() });
    expect(failed.readProblem).toContain("uom: ");
    scene.wire.behave = (_, pass) => pass();
    await first.clock.advance(5 * 60_000);
    expect(await read()).toBe("read");
    const well = await scene.links.of(scene.key);
    expect([well.readProblem, (well.readToMs ?? 0) > (before.readToMs ?? 0)]).toEqual([undefined, true]);
    expect(await keptOf(person)).toBeDefined();
  });

  it("is read as far as the rights go: a type that may not be seen does not hide the others, nor keep them from moving on", async () => {
    const before = await scene.links.of(scene.key);
    const unit = await made("uom", { name: `ящик ${randomUUID()}` });
    scene.wire.behave = async ({ url }, pass) =>
      url.includes("entity/employee") ? answered(403, { errors: [{ code: 1016, error: "Доступ запрещен" }] }) : pass();
    expect(await read()).toBe("read");
    expect(await keptOf(unit)).toBeDefined();
    expect(await idsInTables("employee")).not.toEqual([]);
    const link = await scene.links.of(scene.key);
    expect(link.readProblem).toContain("employee: ");
    expect(link.readToMs).toBeGreaterThan(before.readToMs ?? 0);
  });

  it.each([
    ["rows of null", { meta: { size: 2 }, rows: [null, null] }],
    ["rows without ids", { meta: { size: 2 }, rows: [{ name: "x" }, { id: 7 }] }],
  ])("is not hidden by one type that answers with %s", async (_, body) => {
    const unit = await made("uom", { name: `короб ${randomUUID()}` });
    scene.wire.behave = async ({ url }, pass) => (url.includes("entity/employee") ? answered(200, body) : pass());
    await read();
    expect(await keptOf(unit)).toBeDefined();
    expect(await idsInTables("employee")).not.toEqual([]);
  });

  it("has the rest of a list of which one row has an id that no table can hold", async () => {
    const id = randomUUID();
    const rows = [{ id: "a\u0000b", lastName: "Прочь" }, { id: 7 }, { id, lastName: "Ор\u0000лова" }];
    scene.wire.behave = async ({ url }, pass) => (url.includes("entity/employee") ? answered(200, { meta: { size: 3 }, rows }) : pass());
    expect(await read()).toBe("read");
    expect(await keptOf({ type: "employee", id })).toMatchObject({ object: { lastName: "Ор лова" } });
    expect(await idsInTables("employee")).not.toContain("a\u0000b");
  });

  it("is not led astray by a moment of the future", async () => {
    const employee = stocked(first.sandbox, "employee");
    scene.wire.behave = async ({ url }, pass) =>
      url.includes("entity/employee")
        ? answered(200, { meta: { size: 1 }, rows: [{ id: employee.id, meta: {}, lastName: "X", updated: "2999-01-01 00:00:00.000" }] })
        : pass();
    await read();
    scene.wire.behave = (_, pass) => pass();
    await first.clock.advance(HOUR_MS);
    const person = await made("employee", { lastName: "Нынешняя" });
    await read();
    expect(await keptOf(person)).toBeDefined();
  });

  it("ends when the server does", async () => {
    const closing = new AbortController();
    scene.wire.behave = (exchange) => {
      queueMicrotask(() => closing.abort(new Error("the server ends")));
      return silence(exchange);
    };
    expect(await scene.reading.read(scene.key, closing.signal)).toBe("failed");
  });
});

describe("everything anew, after more notifications than can be named", () => {
  it("is read whole, goods are asked for when they are sold, and a failure is passed on", async () => {
    await read();
    const service = stocked(first.sandbox, "service");
    await sellOnce(service);
    scene.wire.taken();
    await scene.reading.rereadAll(scene.key, NEVER);
    expect(scene.wire.filters.slice(0, WHOLE_TYPES.length)).toEqual(WHOLE_TYPES.map(() => null));
    expect((await keptOf(service))?.stale).toBe(true);
    scene.wire.behave = async () => answered(401, { errors: [{ code: 1056, error: "нет" }] });
    await expect(scene.reading.rereadAll(scene.key, NEVER)).rejects.toMatchObject({ code: "platform-unavailable" });
  });
});

describe("an object that a notification names", () => {
  it("is read as it is now, or taken away when it is gone, whatever the notification said", async () => {
    const person = await made("employee", { lastName: "Первая" });
    await reread({ ...person, action: "CREATE" });
    expect(await keptOf(person)).toMatchObject({ object: { lastName: "Первая" } });
    await change(person, { lastName: "Бывшая", archived: true });
    await first.sandbox.call("DELETE", `entity/employee/${person.id}`);
    await reread({ ...person, action: "UPDATE" });
    expect(await keptOf(person)).toBeUndefined();
  });

  it("is not asked for when it is of no type that is kept, nor goods that nobody has sold", async () => {
    await reread({ type: "counterparty", id: randomUUID(), action: "UPDATE" }, { ...stocked(first.sandbox, "product"), action: "UPDATE" });
    expect(scene.wire.asked).toEqual([]);
  });

  it("is not known any more when it was deleted, without asking", async () => {
    const service = stocked(first.sandbox, "service");
    await sellOnce(service);
    await reread({ ...service, action: "DELETE" });
    expect([await keptOf(service), scene.wire.asked]).toEqual([undefined, []]);
  });

  it("that may not be seen keeps none of the others from being read, and is asked for no more", async () => {
    const service = stocked(first.sandbox, "service");
    await sellOnce(service);
    scene.wire.behave = async ({ url }, pass) =>
      url.includes("entity/employee") ? answered(403, { errors: [{ code: 1016, error: "Доступ запрещен" }] }) : pass();
    await reread({ ...stocked(first.sandbox, "employee"), action: "UPDATE" }, { ...service, action: "UPDATE" });
    expect(await keptOf(service)).toMatchObject({ stale: false, readAtMs: first.clock.nowMs() });
    expect(scene.wire.taken()).toHaveLength(2);
  });

  it("is asked for together with the other goods of its type: a change of a thousand takes ten requests, not a thousand", async () => {
    const goods = Array.from({ length: 1_000 }, () => ({ type: "product" as const, id: randomUUID() }));
    await scene.objects.keep(
      scene.key,
      goods.map((name) => ({ ...name, object: name })),
      first.clock.nowMs() - HOUR_MS,
    );
    const service = stocked(first.sandbox, "service");
    await sellOnce(service);
    scene.wire.behave = async ({ url }, pass) => {
      const ids = [...(new URL(url).searchParams.get("filter") ?? "").matchAll(/id=([^;]+)/g)].map(([, id]) => id);
      if (ids.length === 0) return pass();
      return answered(200, { meta: { size: ids.length }, rows: ids.map((id) => ({ id, meta: {}, paymentItemType: "EXCISABLE_GOOD" })) });
    };
    await reread(...[...goods, service].map(({ type, id }) => ({ type, id, action: "UPDATE" })));
    expect(scene.wire.taken()).toEqual([...Array<string>(10).fill("entity/product"), `entity/service/${service.id}`]);
    const kept = await scene.objects.list(scene.key, ["product"]);
    expect(new Set(kept.map(({ object, stale }) => `${object?.type === "product" && object.kind} ${stale}`))).toEqual(
      new Set(["excisable false"]),
    );
  });

  it("is asked for at its own address when a list lacks it, with few others: the rest stays marked for the next sale", async () => {
    const tea = await made("product", { name: `Чай ${randomUUID()}` });
    const archived = await made("product", { name: `Кофе ${randomUUID()}`, archived: true });
    const gone = Array.from({ length: 20 }, () => ({ type: "product", id: randomUUID() }));
    for (const each of [archived, tea, ...gone]) await sellOnce(each);
    scene.wire.behave = async ({ url }, pass) =>
      url.includes("filter=") ? answered(200, { meta: { size: 1 }, rows: [{ id: tea.id, meta: {} }] }) : pass();
    await reread(...[archived, tea, ...gone].map((each) => ({ ...each, action: "UPDATE" })));
    expect(scene.wire.taken()).toHaveLength(1 + 10);
    expect([await keptOf(tea), await keptOf(archived)]).toMatchObject([{ stale: false }, { stale: false }]);
    const left = await Promise.all(gone.map(keptOf));
    expect(left.filter((each) => each === undefined)).toHaveLength(9);
    expect(left.filter((each) => each?.stale === true)).toHaveLength(11);
  });

  it("is not asked for under an id that is none", async () => {
    await reread({ type: "employee", id: "a\u0000b", action: "UPDATE" }, { type: "uom", id: "../x", action: "DELETE" });
    expect(scene.wire.asked).toEqual([]);
  });

  it("stays marked when it cannot be read now, so that the next sale asks for it", async () => {
    const service = stocked(first.sandbox, "service");
    await sellOnce(service);
    scene.wire.behave = async () => answered(401, { errors: [{ code: 1056, error: "нет" }] });
    await expect(reread({ ...service, action: "UPDATE" })).rejects.toMatchObject({ code: "platform-refused" });
    expect((await keptOf(service))?.stale).toBe(true);
  });
});
