import { afterAll, beforeAll, expect, it } from "vitest";
import { Subscriptions } from "../../src/accounts/shop/subscriptions.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { testClient } from "../support/platform-client.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NOW_MS = Date.parse("2026-03-02T09:00:00Z");
const ADDRESS = "https://fiscal.shop.example/webhooks/Zm9yIHRoZSB0ZXN0cyBvbmx5ISEhISEh";

for (const kind of TRIED_DATABASES) {
  describeDatabase("what is known of webhooks at the platform", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let scene: Awaited<ReturnType<typeof testClient>>;
    beforeAll(async () => {
      database = await kind.make();
      [scene, store] = await Promise.all([testClient(), database.open()]);
      await store.migrate();
    });
    afterAll(async () => {
      await scene.close();
      await database.drop();
    });

    it("is kept for each installation apart, follows the platform, and forgets pairs that nobody wants any more", async () => {
      const clock = new VirtualClock(NOW_MS);
      const subscriptions = new Subscriptions({ store, clock, log: silentLog });
      const [key, other] = [
        { appId: "app", accountId: "north" },
        { appId: "app", accountId: "south" },
      ];
      const { webhooks } = scene.client;
      const theirs = await webhooks.create({ entityType: "uom", action: "UPDATE", url: "https://hooks.other.example/in" });
      const forgotten = { entity_type: "moon", action: "UPDATE", webhook_id: null, problem: "30000 words", address_hash: "" };
      await store.db
        .insertInto("subscriptions")
        .values({ ...forgotten, app_id: key.appId, account_id: key.accountId, state: "refused", checked_at_ms: NOW_MS })
        .execute();

      await subscriptions.subscribe(key, scene.client, ADDRESS);
      const listed = await subscriptions.list(key);
      expect(listed).toHaveLength(24);
      expect(listed.filter(({ state }) => state !== "ours")).toEqual([
        { entityType: "uom", action: "UPDATE", state: "taken", problem: expect.stringMatching(/^30003 /), checkedAtMs: NOW_MS },
      ]);
      expect(await subscriptions.list(other)).toEqual([]);

      await webhooks.delete(theirs);
      await clock.advance(3_600_000);
      await subscriptions.subscribe(key, scene.client, ADDRESS);
      expect((await subscriptions.list(key)).every(({ state }) => state === "ours")).toBe(true);
      await subscriptions.subscribe(other, scene.client, `${ADDRESS}-another`);
      expect(new Set((await subscriptions.list(other)).map(({ state }) => state))).toEqual(new Set(["taken"]));
    });
  });
}
