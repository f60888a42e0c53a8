import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { newestOf } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";

/** Longer than anything else waits for a lock. PostgreSQL itself lets it pass, while it holds the lock. */
const LONG_MIGRATION_SECONDS = 2.5;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("servers that start together on one database", kind, () => {
    it("wait for the one that makes the tables, however long that takes", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const [first, second] = [await database.open(), await database.open()];
      const { schema = "" } = database.options.kind === "postgres" ? database.options : {};
      const locked = Promise.withResolvers<void>();
      const making = first.db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended(${`fiscal-solution migrate ${schema}`}, 0))`.execute(tx);
        locked.resolve();
        await sql`select pg_sleep(${LONG_MIGRATION_SECONDS})`.execute(tx);
      });
      await locked.promise;
      await second.migrate();
      await making;
      expect(await second.schemaVersion()).toBe(newestOf(MIGRATIONS));
    });

    it("start on tables that another one has made between two looks at an empty database", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const [first, second] = [await database.open(), await database.open()];
      expect(await second.schemaVersion()).toBe(0);
      await first.migrate();
      await second.refuseLeftovers();
      await second.migrate();
      await second.ping();
    });

    it("make the tables once when several make them at the same moment", async () => {
      const database = await kind.make();
      onTestFinished(() => database.drop());
      const stores = [await database.open(), await database.open(), await database.open()];
      await Promise.all(stores.map((store) => store.migrate()));
      for (const store of stores) await store.ping();
    });
  });
