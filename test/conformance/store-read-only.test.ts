import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { readyChecks } from "../../src/app/readiness.ts";
import { systemClock } from "../../src/kernel/clock.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { SERVING } from "../../src/store/dialects/postgres.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";
import { newPostgresDatabase } from "../support/new-database.ts";
import { administer } from "../support/postgres-admin.ts";

/** Opens every session that a store may have. */
function openSessions({ db }: Store): Promise<unknown> {
  return Promise.all(Array.from({ length: SERVING.connections }, () => sql`select pg_sleep(0.2)`.execute(db)));
}

/** Asks as `/ready` does. Undefined: the server is ready. */
async function problemOf(store: Store): Promise<unknown> {
  const [check] = readyChecks(store);
  return check?.check().then(
    () => undefined,
    (error: unknown) => check.reasonFor?.(error) ?? error,
  );
}

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("readiness", kind, () => {
    it("says no, and why, while transactions only read, as on a standby, and yes once they do not, over sessions of that time too", async () => {
      const url = await newPostgresDatabase();
      const name = new URL(url).pathname.slice(1);
      // The monotonic time of the store's sessions. The pauses between attempts stay real.
      let laterMs = 0;
      const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
      const first = await openStore({ kind: "postgres", url }, { clock });
      await first.migrate();
      await first.close();
      await administer(`alter database ${name} set default_transaction_read_only = on`);
      const store = await openStore({ kind: "postgres", url }, { clock });
      onTestFinished(() => store.close());
      const change = () => store.commit((tx) => tx.deleteFrom("lost_documents").execute());
      await openSessions(store);
      await expect(change()).rejects.toMatchObject({ code: "database-read-only" });
      expect(await problemOf(store)).toBe("the database can only be read: it takes no change");

      await administer(`alter database ${name} reset default_transaction_read_only`);
      laterMs = 60_000;
      expect(await problemOf(store)).toBeUndefined();
      for (let nth = 0; nth < SERVING.connections; nth += 1) await change();
    });
  });
}
