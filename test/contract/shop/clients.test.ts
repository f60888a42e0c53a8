import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Installations } from "../../../src/accounts/installations.ts";
import { Clients } from "../../../src/accounts/shop/clients.ts";
import { SaleLookUp } from "../../../src/accounts/shop/look-up.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import { createSeal } from "../../../src/security/seal.ts";
import { stocked } from "../../support/sandbox-bodies.ts";
import { answered, openShopScene, type ShopScene, saleAt, sold } from "../../support/shop-scene.ts";

let scene: ShopScene;
let said: unknown[];
beforeAll(async () => {
  scene = await openShopScene();
  said = [];
  scene.wire.behave = async ({ headers }) => {
    said.push(headers.authorization);
    return answered(200, { meta: { size: 0 }, rows: [] });
  };
});
afterAll(() => scene.close());

const key = () => ({ appId: randomUUID(), accountId: randomUUID() });
const sale = () => saleAt(scene, [sold(stocked(scene.sandbox, "product"))]);

it("an installation has one client, whose calls carry its token, until it is given another one", async () => {
  const one = key();
  const { clients, installations } = scene;
  await installations.activate(one, { accessToken: new Secret("first-token") }, "active");
  const first = await clients.of(one);
  expect(await clients.of(one)).toBe(first);
  await first?.uoms.list();
  await installations.activate(one, { accessToken: new Secret("second-token") }, "active");
  const second = await clients.of(one);
  expect(second).not.toBe(first);
  await second?.uoms.list();
  expect(said.splice(0)).toEqual(["Bearer first-token", "Bearer second-token"]);
  expect(JSON.stringify(scene.lines)).not.toContain("-token");
});

it("an installation that is not active, or has no token, has no client; one that is active again has", async () => {
  const { clients, installations } = scene;
  const one = key();
  expect(await clients.of(one)).toBeUndefined();
  await installations.activate(one, { accessToken: new Secret("a token") }, "settings_required");
  expect(await clients.of(one)).toBeUndefined();
  await installations.activate(one, {}, "active");
  expect(await clients.of(one)).toBeDefined();
  for (const state of ["suspended", "uninstalled"] as const) {
    await installations.deactivate(one, state);
    expect(await clients.of(one)).toBeUndefined();
  }
  await installations.activate(one, {}, "active");
  expect(await clients.of(one)).toBeUndefined();
  await installations.activate(one, { accessToken: new Secret("a new token") }, "active");
  expect(await clients.of(one)).toBeDefined();
});

it.each(["suspended", "uninstalled", "given another token"] as const)(
  "a client that work still holds sends nothing once its installation is %s",
  async (change) => {
    const { clients, installations } = scene;
    const one = key();
    await installations.activate(one, { accessToken: new Secret("held-token") }, "active");
    const held = await clients.of(one);
    await held?.uoms.list();
    expect(said.splice(0)).toEqual(["Bearer held-token"]);
    if (change === "given another token") await installations.activate(one, { accessToken: new Secret("next-token") }, "active");
    else await installations.deactivate(one, change);
    await expect(held?.uoms.list()).rejects.toMatchObject({ code: "platform-cancelled" });
    await expect(held?.webhooks.list()).rejects.toMatchObject({ code: "platform-cancelled" });
    expect(said).toEqual([]);
  },
);

it("nobody is asked where the platform has no address", async () => {
  const { installations, wire, clock, key: active } = scene;
  const log = scene.log;
  const clients = new Clients({ installations, profile: PLATFORM_PROFILES.canonical, wire, clock, log });
  expect(await clients.of(active)).toBeUndefined();
});

it("a sale goes on with the settings when the token cannot be opened, and when the database fails", async () => {
  const { wire, clock, log, store, objects, links, key: active } = scene;
  const installations = new Installations({ store, seal: createSeal(new Secret("another key")), clock });
  const profile = { ...PLATFORM_PROFILES.canonical, baseUrl: scene.sandbox.base };
  const clients = new Clients({ installations, profile, wire, clock, log });
  const observe = () => {};
  const sealed = new SaleLookUp({ clients, objects, links, moneyScale: 1, clock, log, observe });
  expect(await sealed.lookUp(active, sale())).toEqual({ scale: "none" });
  expect(scene.complaints()).toContain("warn: the platform was asked about an operation in vain");
  await store.close();
  expect(await scene.lookUp.lookUp(active, sale())).toEqual({ scale: "none" });
});
