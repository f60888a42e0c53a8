import { afterEach, expect, it } from "vitest";
import { SeenTokens } from "../../src/accounts/seen-tokens.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { listedPayments } from "../../src/payments/finding/found-payments.ts";
import type { Store } from "../../src/store/database.ts";
import { migrate } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const EARLIER = MIGRATIONS.filter(({ version }) => version < 18);
const NOW_MS = 1_772_435_700_000;
const PAYMENT = { app_id: "app", account_id: "account", store_id: "store", acquirer: "bank", merchant: "m", description: "d" };
const OLD = [
  { id: "a", created_at_ms: NOW_MS },
  { id: "b", created_at_ms: NOW_MS + 1 },
  { id: "c", created_at_ms: NOW_MS + 1 },
];

for (const kind of TRIED_DATABASES) {
  describeDatabase("a database of version 17", kind, () => {
    let database: TestDatabase;
    afterEach(() => database.drop());

    async function earlier(): Promise<Store> {
      database = await kind.makeEmpty();
      const store = await database.open();
      const { options } = database;
      const schema = options.kind === "postgres" && options.schema !== undefined ? { schema: options.schema } : {};
      await migrate({ db: store.db, kind: store.kind, ...schema }, EARLIER, systemClock);
      return store;
    }

    it(`keeps its payments and used tokens when their indexes are made (${kind.title})`, async () => {
      const store = await earlier();
      const zeros = {
        attempt: 1,
        amount_kopecks: 1,
        cancelled: 0,
        freed: 0,
        refunded_kopecks: 0,
        moved_at_ms: 0,
        expires_at_ms: 0,
      } as const;
      const rows = OLD.map((row) => ({ ...PAYMENT, ...zeros, ...row, operation_id: row.id, state: "paid", unsold_told: 0 as const }));
      await store.db.insertInto("payments").values(rows).execute();
      const clock = new VirtualClock(NOW_MS);
      const call = {
        appId: "app",
        tokenId: "used",
        requestId: "r",
        method: "PUT",
        path: "/p",
        bodyHash: "h",
        expiresAtMs: NOW_MS + 60_000,
      };
      const seen = new SeenTokens({ store, clock });
      expect(await seen.once(call, async () => ({ status: 200 }))).toMatchObject({ kind: "answer", replayed: false });
      await store.migrate();
      expect((await listedPayments(store, { limit: 10 })).map(({ id }) => id)).toEqual(["b", "c", "a"]);
      expect(await seen.once({ ...call, path: "/q" }, async () => ({ status: 200 }))).toEqual({ kind: "used" });
    });
  });
}
