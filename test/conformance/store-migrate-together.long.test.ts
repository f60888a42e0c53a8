import { sql } from "kysely";
import { expect, it, onTestFinished } from "vitest";
import { newestOf } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { DATABASE_KINDS, describeDatabase } from "../support/databases.ts";

/** Longer than anything else waits for a lock. PostgreSQL sleeps so long while the lock is held. */
const LONG_MIGRATION_SECONDS = 2.5;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres"))
  describeDatabase("servers that start together on one database", kind, () => {
    it("wait for the one that makes the tables, however long that takes", async () => {
      const database = await kind.makeEmpty();
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
      const database = await kind.makeEmpty();
      onTestFinished(() => database.drop());
      const [first, second] = [await database.open(), await database.open()];
      expect(await second.schemaVersion()).toBe(0);
      await first.migrate();
      await second.refuseLeftovers();
      await second.migrate();
      await second.ping();
    });

    it("make the tables once when several make them at the same moment", async () => {
      const database = await kind.makeEmpty();
      onTestFinished(() => database.drop());
      const stores = [await database.open(), await database.open(), await database.open()];
      await Promise.all(stores.map((store) => store.migrate()));
      for (const store of stores) await store.ping();
    });

    it("wait for the rows of one that is paused in a transaction no longer than for any other lock", async () => {
      const database = await kind.makeEmpty();
      onTestFinished(() => database.drop());
      const [paused, other] = [
        await database.open({ place: { number: 0, mustBeHeld: async () => {} } }),
        await database.open({ place: { number: 1, mustBeHeld: async () => {} } }),
      ];
      await paused.migrate();
      await paused.commit((tx) => tx.insertInto("leases").values({ name: "one", holder: "paused", token: 1, counter: 0 }).execute());
      const [locked, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const lock = paused.db.transaction().execute(async (tx) => {
        await tx.updateTable("leases").set({ counter: 1 }).execute();
        locked.resolve();
        await goesOn.promise;
        await tx.updateTable("leases").set({ counter: 2 }).execute();
      });
      await locked.promise;
      await other.commit((tx) => tx.updateTable("leases").set({ holder: "" }).execute());
      goesOn.resolve();
      await expect(lock).rejects.toThrow();
      expect(await other.read((db) => db.selectFrom("leases").select(["holder", "counter"]).execute())).toEqual([
        { holder: "", counter: 0 },
      ]);
    });
  });
