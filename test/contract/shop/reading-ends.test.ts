import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ShopType } from "../../../src/accounts/shop/shop-object.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { answered, openShopScene, type ShopScene, WINDOW_MS } from "../../support/shop-scene.ts";

const DAY_MS = 24 * 3_600_000;
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
const idsInTables = async (type: ShopType) => (await scene.objects.list(scene.key, [type])).map(({ id }) => id).toSorted();

describe("a shop that is suspended while it is read", () => {
  const endings = ["suspended", "uninstalled"] as const;
  const units = Array.from({ length: 5_000 }, () => ({ id: randomUUID(), meta: {}, name: "мешок" }));

  it.each(endings)("is not asked for after the page that was on its way, and nothing is kept or noted of it: %s", async (ending) => {
    let pages = 0;
    scene.wire.behave = async ({ url }, pass) => {
      if (!url.includes("entity/uom")) return pass();
      pages += 1;
      if (pages === 3) await scene.installations.deactivate(scene.key, ending);
      const offset = Number(new URL(url).searchParams.get("offset"));
      return answered(200, { meta: { size: units.length, offset }, rows: units.slice(offset, offset + 1_000) });
    };
    expect(await read()).toBe("not-active");
    expect([pages, scene.wire.taken()]).toEqual([3, expect.not.arrayContaining(["entity/product"])]);
    // The rows of two pages, less those that the third page repeats, in whole batches of 25.
    expect(await idsInTables("uom")).toHaveLength(1_975);
    expect(await scene.links.of(scene.key)).not.toHaveProperty("readAtMs");
    expect(scene.complaints()).toEqual([]);
    await scene.reading.rereadAll(scene.key, NEVER);
    expect(scene.wire.asked).toEqual([]);
  });

  it("loses nothing that was known, nor a word to people about a token that was taken away", async () => {
    await read();
    await first.clock.advance(DAY_MS);
    const known = await idsInTables("uom");
    scene.wire.behave = async ({ url }, pass) => {
      if (!url.includes("entity/uom")) return pass();
      await scene.installations.deactivate(scene.key, "suspended");
      return answered(200, { meta: { size: 0 }, rows: [] });
    };
    expect(await read()).toBe("not-active");
    expect(await idsInTables("uom")).toEqual(known);
    await scene.installations.activate(scene.key, {}, "active");
    scene.wire.behave = async () => {
      await scene.installations.deactivate(scene.key, "suspended");
      return answered(401, { errors: [{ code: 1056, error: "нет" }] });
    };
    expect(await read()).toBe("not-active");
    expect((await scene.links.of(scene.key)).readProblem).toBeUndefined();
    expect(scene.complaints()).toEqual([]);
  });

  it("is not gone on with under a token that has been replaced", async () => {
    scene.wire.behave = async ({ url }, pass) => {
      if (url.includes("entity/organization")) {
        await scene.installations.activate(scene.key, { accessToken: new Secret("another") }, "active");
      }
      return pass();
    };
    expect(await read()).toBe("not-active");
    expect(scene.wire.taken()).toEqual(["entity/organization", "entity/retailstore"]);
  });

  it.each(endings)("is not asked for the rest of what a notification names: %s", async (ending) => {
    const people = Array.from({ length: 5 }, () => ({ type: "employee", id: randomUUID(), action: "UPDATE" }));
    scene.wire.behave = async ({ url }) => {
      if (scene.wire.asked.length === 2) await scene.installations.deactivate(scene.key, ending);
      return answered(200, { id: url.slice(-36), meta: {}, lastName: "Орлова" });
    };
    await scene.reading.reread(scene.key, people, NEVER);
    expect(scene.wire.asked).toHaveLength(2);
    expect(await idsInTables("employee")).toEqual([people[0]?.id]);
  });
});
