import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SeenTokens, type TokenCall } from "../../src/accounts/seen-tokens.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const NOW_MS = Date.UTC(2026, 10, 29, 9);

for (const kind of TRIED_DATABASES)
  describeDatabase("one-time tokens, replayed", kind, () => {
    let database: TestDatabase;
    let store: Store;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
    });
    afterAll(() => database.drop());

    const callOf = (): TokenCall => ({
      appId: "app",
      tokenId: randomUUID(),
      expiresAtMs: NOW_MS + 300_000,
      requestId: "r",
      method: "PUT",
      path: "/p",
      bodyHash: "h",
    });

    it("answer an honest retry although a replay with other content comes right before it", async () => {
      const call = callOf();
      const seen = new SeenTokens({ store, clock: new VirtualClock(NOW_MS) });
      await seen.once(call, async () => ({ status: 200, body: "{}" }));
      const replay = seen.once({ ...call, path: "/other" }, async () => ({ status: 200 }));
      const retries = [1, 2].map(() => seen.once({ ...call }, async () => ({ status: 500 })));
      expect(await replay).toEqual({ kind: "used" });
      for (const retry of await Promise.all(retries))
        expect(retry).toEqual({ kind: "answer", answer: { status: 200, body: "{}" }, replayed: true });
    });

    it("refuse a replay with other content beside the call itself", async () => {
      const call = callOf();
      const seen = new SeenTokens({ store, clock: new VirtualClock(NOW_MS) });
      const honest = seen.once(call, async () => ({ status: 200, body: "{}" }));
      const replays = [1, 2].map(() => seen.once({ ...call, path: "/other" }, async () => ({ status: 201 })));
      expect(await honest).toMatchObject({ answer: { status: 200 }, replayed: false });
      expect(await Promise.all(replays)).toEqual([{ kind: "used" }, { kind: "used" }]);
    });
  });
