import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { pause, systemClock } from "../../src/kernel/clock.ts";
import { insertPayment, newestAttempt } from "../../src/payments/payment-queries.ts";
import { lockedNewest } from "../../src/payments/till/newest-attempt.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { PaymentBench } from "../support/payment-bench.ts";
import { ACCOUNT, APP } from "../support/payment-process.ts";

const LOOK_EVERY_MS = 10;
/** The looks take half a second, which is less than a transaction may be idle. */
const LOOKS = 50;

for (const kind of DATABASE_KINDS.filter(({ kind }) => kind === "postgres"))
  describeDatabase("a QR payment at two processes", kind, () => {
    it("is read as its newest attempt, also when that attempt was made while the reading waited for the attempt before", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const [one, two, watcher] = [await database.open(), await database.open(), await database.open()];
      await one.migrate();
      const bench = await PaymentBench.open({ store: one });
      await bench.create();
      await bench.settled(bench.turns.idle());
      const key = { appId: APP, accountId: ACCOUNT };
      const first = await one.read((db) => newestAttempt(db, key, bench.call().operationId));
      if (first === undefined) throw new Error("the payment is gone");

      const reading = Promise.withResolvers<Awaited<ReturnType<typeof lockedNewest>>>();
      await one.commit(async (tx) => {
        await lockedNewest(tx, key, first.operation_id);
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
        two.commit((other) => lockedNewest(other, key, first.operation_id)).then(reading.resolve, reading.reject);
        await somebodyWaitsFor(rows[0]?.pid ?? 0, watcher);
        await insertPayment(tx, { ...first, id: "attempt-2", attempt: 2 });
      });
      expect(await reading.promise).toMatchObject({ id: "attempt-2", attempt: 2 });
    });
  });

/** Waits until another connection waits for this one, for half a second at most. */
async function somebodyWaitsFor(pid: number, watcher: Store): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const waiting = sql<{ pid: number }>`select pid from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`;
    if ((await waiting.execute(watcher.db)).rows.length > 0) return;
    await pause(systemClock, LOOK_EVERY_MS);
  }
}
