import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GOODS_TYPES } from "../../../src/accounts/shop/shop-object.ts";
import { eventually } from "../../support/notifications.ts";
import { shopReference } from "../../support/sandbox-bodies.ts";
import { answered, openShopScene, type ShopScene, WINDOW_MS } from "../../support/shop-scene.ts";

const MINUTE_MS = 60_000;

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

async function made(type: string, fields: object): Promise<string> {
  const { status, text, at } = await first.sandbox.call("POST", `entity/${type}`, { name: `${type} ${randomUUID()}`, ...fields });
  if (status !== 200) throw new Error(text);
  return String(at("id"));
}

/** New goods of each type, in one new folder. */
async function goodsOfAllTypes(): Promise<{ folder: string; ids: string[] }> {
  const folder = await made("productfolder", {});
  const productFolder = referenceTo("productfolder", folder);
  const product = await made("product", { productFolder });
  const service = await made("service", { productFolder });
  const characteristics = [{ name: "Цвет", value: randomUUID() }];
  const variant = await made("variant", { name: undefined, product: referenceTo("product", product), characteristics });
  const components = [{ assortment: shopReference(first.sandbox, "product"), quantity: 1 }];
  const bundle = await made("bundle", { productFolder, components });
  return { folder, ids: [product, service, variant, bundle] };
}

function referenceTo(type: string, id: string) {
  return { meta: { href: `${first.sandbox.base}/api/remap/1.2/entity/${type}/${id}`, type, mediaType: "application/json" } };
}

const foldersOf = (ids: readonly string[]) => scene.lookUp.foldersOf(scene.key, ids);
/** Moves the clock on until the folders are returned. */
async function foldersWhileTimePasses(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  let found: ReadonlyMap<string, readonly string[]> | undefined;
  const finding = foldersOf(ids).then((folders) => {
    found = folders;
  });
  while (found === undefined) await first.clock.advance(10);
  await finding;
  return found;
}
const stored = async (id: string) => (await scene.objects.list(scene.key, GOODS_TYPES)).filter((each) => each.id === id);
const typesAsked = () => scene.wire.taken().map((path) => path.replace(/^entity\//, "").replace(/\/.*/, "/…"));

describe("the folders of goods that were never stored", () => {
  it("are found for goods of each type, together and alone", async () => {
    const { folder, ids } = await goodsOfAllTypes();
    const alone = await goodsOfAllTypes();
    expect([...(await foldersOf(ids))].toSorted()).toEqual(ids.map((id) => [id, [folder]]).toSorted());
    expect(typesAsked()).toEqual(["bundle", "product", "service", "variant"]);
    for (const id of alone.ids) expect(await foldersOf([id])).toEqual(new Map([[id, [alone.folder]]]));
  });

  it("are stored, so that nothing is asked for again", async () => {
    const { ids } = await goodsOfAllTypes();
    const found = await foldersOf(ids);
    await eventually(async () => (await Promise.all(ids.map(stored))).every((each) => each.length === 1));
    typesAsked();
    expect(await foldersOf(ids)).toEqual(found);
    expect(typesAsked()).toEqual([]);
  });

  it("are asked for with one request while all goods are products", async () => {
    const folder = await made("productfolder", {});
    const productFolder = referenceTo("productfolder", folder);
    const ids = await Promise.all([1, 2].map(() => made("product", { productFolder })));
    expect((await foldersOf(ids)).size).toBe(2);
    expect(typesAsked()).toEqual(["product"]);
  });

  it("are found for goods in the archive, which lists do not show", async () => {
    const { folder, ids } = await goodsOfAllTypes();
    const service = ids[1] ?? "";
    expect((await first.sandbox.call("PUT", `entity/service/${service}`, { archived: true })).status).toBe(200);
    expect(await foldersOf([service])).toEqual(new Map([[service, [folder]]]));
  });

  it("are asked for again a minute after the platform knew no such goods", async () => {
    const { folder, ids } = await goodsOfAllTypes();
    const [, service = ""] = ids;
    const [never, late] = [randomUUID(), [service]];
    const isThere = { value: false };
    scene.wire.behave = async ({ url }, pass) => (isThere.value || !url.includes(service) ? pass() : nothingAt(url));
    expect((await foldersOf([never, service])).size).toBe(0);
    await eventually(async () => (await stored(service)).length === 1 && (await stored(never)).length === 1);
    isThere.value = true;
    typesAsked();
    expect((await foldersOf(late)).size).toBe(0);
    expect(typesAsked()).toEqual([]);
    await first.clock.advance(MINUTE_MS + 1);
    expect(await foldersOf(late)).toEqual(new Map([[service, [folder]]]));
  });

  it("are waited for once while the platform does not answer, and a late answer changes no map that was returned", async () => {
    const { ids } = await goodsOfAllTypes();
    const released = Promise.withResolvers<void>();
    scene.wire.behave = async (_, pass) => {
      await released.promise;
      return pass();
    };
    const found = await foldersWhileTimePasses(ids);
    expect(found).toEqual(new Map());
    scene.wire.taken();
    expect(await foldersOf(await Promise.all([made("product", {})]))).toEqual(new Map());
    expect(scene.wire.taken()).toEqual([]);
    released.resolve();
    await eventually(async () => (await Promise.all(ids.map(stored))).every((each) => each.length === 1));
    expect(found).toEqual(new Map());
  });

  it("of the types that may be read are found where the right for another type is missing", async () => {
    const { folder, ids } = await goodsOfAllTypes();
    const [product = "", service = ""] = ids;
    scene.wire.behave = async ({ url }, pass) =>
      url.includes("/entity/bundle") ? answered(403, { errors: [{ code: 1016, error: "Нет прав" }] }) : pass();
    const found = await foldersOf(ids);
    expect([found.get(product), found.get(service)]).toEqual([[folder], [folder]]);
    // The missing right makes no sale of the installation stop waiting for the platform.
    typesAsked();
    await foldersOf([randomUUID()]);
    expect(typesAsked()).not.toEqual([]);
    expect(scene.complaints()).toEqual(["warn: rights are missing to ask the platform about operations"]);
  });
});

/** The answer to a request for goods that the platform does not know. */
function nothingAt(url: string) {
  const isList = new URL(url).searchParams.has("filter");
  return isList
    ? answered(200, { meta: { size: 0, limit: 100, offset: 0 }, rows: [] })
    : answered(404, { errors: [{ code: 1021, error: "Нет" }] });
}
