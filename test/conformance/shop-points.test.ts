import { expect, it } from "vitest";
import { PointsOfSale } from "../../src/accounts/shop/points-of-sale.ts";
import { ShopObjects } from "../../src/accounts/shop/shop-objects.ts";
import { silentLog } from "../../src/kernel/log.ts";
import { openMemoryStore } from "../support/memory-store.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const KEY = { appId: "app", accountId: "account" };

type ReadStores = ConstructorParameters<typeof PointsOfSale>[0]["readStores"];

it.each<[standing: string, what: string, readStores: ReadStores]>([
  ["read", "has none", async () => []],
  ["not-asked", "gave the solution no access", async () => undefined],
  ["failed", "does not answer", () => Promise.reject(new Error("no answer"))],
])("the points of sale of an account are %s when the platform %s", async (standing, _what, readStores) => {
  const clock = new VirtualClock(0);
  const objects = new ShopObjects(await openMemoryStore({ clock }));
  const points = new PointsOfSale({ objects, settings: { storesSet: async () => ["set"] }, readStores, clock, log: silentLog });
  expect(await points.list(KEY)).toEqual({ points: [{ id: "set", archived: false }], standing });
});
