import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { OrderCall } from "../../src/loyalty/till-call.ts";
import type { Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { LOYALTY_KEY, LOYALTY_STORE, LoyaltyBench } from "../support/loyalty-bench.ts";

const BUYER = "c0ffee00-aaaa-4bbb-8ccc-dddddddddddd";
const LINE = { productId: "product", priceKopecks: 10_000, discountedKopecks: 10_000 };

function order(documentId: string, pieces: number): OrderCall {
  const lines = [{ ...LINE, quantityMillionths: pieces * 1_000_000 }];
  const account = { key: LOYALTY_KEY, service: "on" } as const;
  return { account, storeId: LOYALTY_STORE, documentId, name: documentId, moment: "2026-11-29 11:00:00", lines };
}

// SQLite runs one transaction at a time, so the race is only in PostgreSQL.
for (const kind of DATABASE_KINDS.filter(({ title }) => title === "PostgreSQL"))
  describeDatabase("a return that comes while its sale is stored", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let bench: LoyaltyBench;

    beforeAll(async () => {
      database = await kind.make();
      // As in a server, the store holds files. Otherwise transactions of one process would wait for each other.
      store = await database.open({ held: new HeldFiles() });
      await store.migrate();
      bench = await LoyaltyBench.open({ store });
      await bench.members.enrol(LOYALTY_KEY, { identity: { platformId: BUYER }, personal: { name: "Иван" }, isNative: true });
    });

    afterAll(() => database.drop());

    it("is booked and does not wait for a sale that has looked for it already", async () => {
      await bench.orders.takeReturn({ ...order("r1", 4), saleId: "s1" });
      const first = Promise.withResolvers<void>();
      const held = Promise.withResolvers<number>();
      const holder = store.commit(async (tx) => {
        await sql`update loyalty_orders set state = state where document_key = 'r1'`.execute(tx);
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        held.resolve(rows[0]?.pid ?? 0);
        await first.promise;
      });
      const sale = bench.orders.sale({ ...order("s1", 10), buyer: { platformId: BUYER }, spent: 0, earned: 50, giftCards: [] });
      const salePid = await waiterFor(await held.promise);
      const late = bench.orders.takeReturn({ ...order("r2", 6), saleId: "s1" });
      await Promise.race([late, waiterFor(salePid)]);
      first.resolve();
      await Promise.all([holder, sale, late]);
      const { rows } = await sql<{ points: number }>`select sum(points) as points from loyalty_accounts`.execute(store.db);
      expect(Number(rows[0]?.points)).toBe(0);
    });

    /** The process id of the connection that waits for this one. */
    async function waiterFor(pid: number): Promise<number> {
      const waiting = sql<{ pid: number }>`select pid from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`;
      let found = 0;
      await expect.poll(async () => (found = (await waiting.execute(store.db)).rows[0]?.pid ?? 0)).toBeGreaterThan(0);
      return found;
    }
  });
