import { randomUUID } from "node:crypto";
import { Installations } from "../../../src/accounts/installations.ts";
import { Clients } from "../../../src/accounts/shop/clients.ts";
import { Links } from "../../../src/accounts/shop/links.ts";
import { ShopReading } from "../../../src/accounts/shop/reading.ts";
import type { ShopObject, ShopType } from "../../../src/accounts/shop/shop-object.ts";
import { ShopObjects } from "../../../src/accounts/shop/shop-objects.ts";
import { systemChance, systemClock } from "../../../src/kernel/clock.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { PLATFORM_PROFILES } from "../../../src/kernel/platform-profile.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import type { Wire } from "../../../src/platform/api/exchange.ts";
import { createSeal } from "../../../src/security/seal.ts";
import { openMemoryStore } from "../memory-store.ts";

/** A server's reading of a shop whose platform gives every question the same answer. */
export interface HostileReading {
  /** Forgets what is stored except these objects, each last read at its moment, and reads the whole shop. */
  read(answer: Buffer | ((url: URL) => Buffer), earlier?: readonly { object: ShopObject; readAtMs: number }[]): Promise<void>;
  /** The stored objects of a type. */
  kept(type: ShopType): Promise<ShopObject[]>;
  close(): Promise<void>;
}

export async function openHostileReading(): Promise<HostileReading> {
  const store = await openMemoryStore();
  const seal = createSeal(new Secret("key of the tests"));
  const [clock, log] = [systemClock, silentLog];
  const installations = new Installations({ store, seal, clock });
  const key = { appId: randomUUID(), accountId: randomUUID() };
  await installations.activate(key, { accessToken: new Secret("token") }, "active");
  let body: (url: URL) => Buffer = () => Buffer.from("{}");
  const wire: Wire = {
    exchange: async ({ url }) => ({ status: 200, headers: {}, body: body(new URL(url)) }),
    close: async () => {},
    abandon: async () => {},
  };
  const profile = { ...PLATFORM_PROFILES.canonical, baseUrl: "http://127.0.0.1:9" };
  const objects = new ShopObjects(store);
  const reading = new ShopReading({
    clients: new Clients({ installations, profile, wire, clock, log }),
    objects,
    links: new Links({ store, seal, chance: systemChance }),
    clock,
    log,
  });
  return {
    async read(answer, earlier = []) {
      body = typeof answer === "function" ? answer : () => answer;
      await store.commit(async (tx) => {
        await tx.deleteFrom("shop_objects").execute();
        await tx.updateTable("platform_links").set({ whole_read_at_ms: null }).execute();
      });
      for (const { object, readAtMs } of earlier) await objects.keep(key, [{ type: object.type, id: object.id, object }], readAtMs);
      await reading.read(key, new AbortController().signal);
    },
    async kept(type) {
      return (await objects.list(key, [type])).flatMap(({ object }) => (object === undefined ? [] : [object]));
    },
    close: () => store.close(),
  };
}
