import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SHOP_TYPES } from "../../../src/accounts/shop/shop-object.ts";
import { Subscriptions } from "../../../src/accounts/shop/subscriptions.ts";
import { ShopUpkeep } from "../../../src/accounts/shop/upkeep.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { eventually } from "../../support/notifications.ts";
import { answered, openShopScene, type ShopScene, silence, WINDOW_MS } from "../../support/shop-scene.ts";

const MINUTE_MS = 60_000;

let first: ShopScene;
let scene: ShopScene;
let upkeep: ShopUpkeep;
beforeAll(async () => {
  first = await openShopScene();
});
beforeEach(async () => {
  await first.clock.advance(WINDOW_MS);
  scene = await openShopScene({ beside: first });
  const { installations, clients, links, reading, store, log } = scene;
  const subscriptions = new Subscriptions({ store, clock: first.clock, log });
  upkeep = new ShopUpkeep({ installations, clients, links, reading, subscriptions, clock: first.clock, log });
});
afterEach(async () => {
  await upkeep.close();
  await scene.close();
});
afterAll(() => first.close());

/** The time of the newest finished reading. */
const readAt = async () => (await scene.links.of(scene.key)).readAtMs;
const readNow = () => eventually(async () => (await readAt()) === first.clock.nowMs());
const refused = async () => answered(401, { errors: [{ code: 1056, error: "нет" }] });

describe("a shop", () => {
  it("is read at the start and an hour after that, not in between", async () => {
    upkeep.start(undefined);
    await readNow();
    scene.wire.taken();
    const beganMs = first.clock.monotonicMs();
    await scene.timeGoesOn(5_000, () => scene.wire.asked.length > 0);
    expect(first.clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(60 * MINUTE_MS);
    expect(first.clock.monotonicMs() - beganMs).toBeLessThan(61 * MINUTE_MS);
  });

  it("is read although the row of another installation cannot be read", async () => {
    const other = { appId: scene.key.appId, accountId: "another account" };
    await scene.installations.activate(other, {}, "active");
    await scene.store.commit((tx) =>
      tx.updateTable("installations").set({ subscription: "{" }).where("account_id", "=", other.accountId).execute(),
    );
    try {
      upkeep.start(undefined);
      await readNow();
      expect(scene.lines.filter(({ text }) => text.includes("could not be looked after"))).toEqual([]);
    } finally {
      await scene.store.commit((tx) => tx.deleteFrom("installations").where("account_id", "=", other.accountId).execute());
    }
  });

  it("is read again five minutes after a reading that failed", async () => {
    scene.wire.behave = refused;
    upkeep.start(undefined);
    await eventually(async () => (await scene.links.of(scene.key)).readProblem !== undefined);
    scene.wire.taken();
    scene.wire.behave = (_, pass) => pass();
    const beganMs = first.clock.monotonicMs();
    await scene.timeGoesOn(1_000, async () => (await scene.links.of(scene.key)).readProblem === undefined);
    expect(first.clock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(5 * MINUTE_MS);
    expect(first.clock.monotonicMs() - beganMs).toBeLessThan(6 * MINUTE_MS);
  });

  it("is read although its webhooks cannot be had, and soon both are tried again", async () => {
    scene.wire.behave = async ({ url }, pass) => (url.includes("/entity/webhook") ? answered(200, "<html>") : pass());
    upkeep.start("https://fiscal.shop.example");
    await scene.timeGoesOn(1_000, async () => (await readAt()) !== undefined);
    expect((await scene.objects.list(scene.key, ["retailstore"])).length).toBeGreaterThan(0);
    expect(scene.lines).toContainEqual(expect.objectContaining({ text: expect.stringContaining("webhooks could not be made") }));
    scene.wire.taken();
    const beganMs = first.clock.monotonicMs();
    await scene.timeGoesOn(5_000, () => scene.wire.asked.length > 0);
    expect(first.clock.monotonicMs() - beganMs).toBeLessThan(6 * MINUTE_MS);
  });

  it("is read although the platform hangs over its webhooks", async () => {
    scene.wire.behave = (exchange, pass) => (exchange.url.includes("/entity/webhook") ? silence(exchange) : pass());
    upkeep.start("https://fiscal.shop.example");
    await scene.timeGoesOn(5_000, async () => (await readAt()) !== undefined);
    expect((await scene.objects.list(scene.key, ["retailstore"])).length).toBeGreaterThan(0);
  });

  it("is read within seconds after its installation has become active by itself, and not before", async () => {
    await scene.installations.deactivate(scene.key, "suspended");
    upkeep.start(undefined);
    const beganMs = first.clock.monotonicMs();
    await scene.timeGoesOn(5_000, () => first.clock.monotonicMs() - beganMs > 10 * MINUTE_MS);
    expect(scene.wire.asked).toEqual([]);
    await scene.installations.activate(scene.key, { accessToken: new Secret(first.sandbox.token) }, "active");
    const activeMs = first.clock.monotonicMs();
    await scene.timeGoesOn(5_000, () => scene.wire.asked.length > 0);
    expect(first.clock.monotonicMs() - activeMs).toBeLessThanOrEqual(30_000);
  });

  it("is read at once when its installation is activated, and once more when that comes in the middle of a reading", async () => {
    upkeep.soon(scene.key);
    await readNow();
    scene.wire.taken();
    let inTheMiddle = true;
    scene.wire.behave = async (_, pass) => {
      if (inTheMiddle) for (const _time of ["once", "twice"]) upkeep.soon(scene.key);
      inTheMiddle = false;
      return pass();
    };
    upkeep.soon(scene.key);
    await eventually(() => scene.wire.asked.length === 2 * SHOP_TYPES.length);
    const beganMs = first.clock.monotonicMs();
    await scene.timeGoesOn(5_000, () => first.clock.monotonicMs() - beganMs > MINUTE_MS);
    expect(scene.wire.asked).toHaveLength(2 * SHOP_TYPES.length);
  });

  it("is left where it is when the server ends in the middle", async () => {
    scene.wire.behave = silence;
    upkeep.start(undefined);
    await eventually(() => scene.wire.asked.length > 0);
    await upkeep.close();
    upkeep.soon(scene.key);
    expect(scene.wire.asked).toHaveLength(1);
    expect(await scene.links.of(scene.key)).not.toHaveProperty("wholeReadAtMs");
  });
});
