import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/kernel/clock.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { openStore, type Store } from "../../src/store/database.ts";
import { newestOf } from "../../src/store/migrate.ts";
import { MIGRATIONS } from "../../src/store/migrations/list.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { EXTENT } from "../support/extent.ts";

const LARGEST = Number.MAX_SAFE_INTEGER;

for (const kind of DATABASE_KINDS) {
  describeDatabase("a store", kind, () => {
    let database: TestDatabase;
    let store: Store;

    beforeAll(async () => {
      database = await kind.makeEmpty();
      store = await database.open();
    });
    afterAll(() => database.drop());

    it(`has version 0 and is not ready before the first migration (${kind.title})`, async () => {
      expect(await store.schemaVersion()).toBe(0);
      await expect(store.ping()).rejects.toMatchObject({ code: "database-older" });
    });

    it(`is migrated once, by however many ask at the same time (${kind.title})`, async () => {
      const other = kind.shared ? await database.open() : store;
      await Promise.all([store.migrate(), other.migrate(), store.migrate(), other.migrate()]);
      expect(await store.schemaVersion()).toBe(newestOf(MIGRATIONS));
      const rows = await sql<{ version: number }>`select version from schema_version order by version`.execute(store.db);
      expect(rows.rows.map((row) => row.version)).toEqual(MIGRATIONS.map((migration) => migration.version));
      await store.ping();
    });

    it(`gives back numbers, texts, nulls and bytes as they were given (${kind.title})`, async () => {
      const texts = {
        account_name: "ООО «Пекарня» 'a\"b' 🥖 \\ %_ \n",
        subscription: '{"trial":true}',
        permissions: null,
        access_token_sealed: null,
      };
      await store.db
        .insertInto("installations")
        .values({ app_id: "app", account_id: "acc", state: "active", ...texts, installed_at_ms: LARGEST, updated_at_ms: 1_795_822_245_286 })
        .execute();
      const row = await store.db.selectFrom("installations").selectAll().executeTakeFirstOrThrow();
      expect(row).toEqual({
        app_id: "app",
        account_id: "acc",
        state: "active",
        ...texts,
        installed_at_ms: LARGEST,
        updated_at_ms: 1_795_822_245_286,
      });

      await store.db
        .insertInto("settings")
        .values({ app_id: "app", account_id: "acc", store_id: "*", name: "paper", value: "58", sealed: 1, updated_at_ms: -1 })
        .execute();
      expect(await store.db.selectFrom("settings").select(["sealed", "updated_at_ms"]).executeTakeFirst()).toEqual({
        sealed: 1,
        updated_at_ms: -1,
      });
    });

    it(`numbers the keys of installations and counts in plain numbers (${kind.title})`, async () => {
      const key = {
        registration_id: "reg",
        app_id: "app",
        account_id: "acc",
        spki: null,
        problem: "too short",
        added_at_ms: 1,
        retires_at_ms: null,
      };
      const first = await store.db.insertInto("fiscal_keys").values(key).returning("id").executeTakeFirstOrThrow();
      const second = await store.db.insertInto("fiscal_keys").values(key).returning("id").executeTakeFirstOrThrow();
      expect(second.id).toBe(first.id + 1);
      const { count } = await store.db
        .selectFrom("fiscal_keys")
        .select((e) => e.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      expect(count).toBe(2);
    });

    it(`refuses a key of an installation that does not exist (${kind.title})`, async () => {
      const orphan = {
        registration_id: "reg",
        app_id: "app",
        account_id: "nobody",
        spki: null,
        problem: null,
        added_at_ms: 1,
        retires_at_ms: null,
      };
      const failing = store.commit((tx) => tx.insertInto("fiscal_keys").values(orphan).execute());
      await expect(failing).rejects.toMatchObject({ code: "database-failed", kind: "dependency", retrySafe: false });
    });

    it(`undoes all of a transaction whose work throws, and passes our own failure on (${kind.title})`, async () => {
      const failure = new Failure("journal-moved", "fault", "moved");
      const failing = store.commit(async (tx) => {
        await tx.updateTable("installations").set({ state: "suspended" }).execute();
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      expect(await store.db.selectFrom("installations").select("state").executeTakeFirst()).toEqual({ state: "active" });
    });

    if (kind.shared)
      it(`keeps what was committed when it is closed and opened again (${kind.title})`, async () => {
        const other = await database.open();
        await other.commit((tx) => tx.updateTable("installations").set({ account_name: "kept" }).execute());
        await other.close();
        const again = await database.open();
        expect(await again.db.selectFrom("installations").select("account_name").executeTakeFirst()).toEqual({ account_name: "kept" });
      });

    if (kind.shared)
      it(`refuses to open or migrate a database that a newer program has changed (${kind.title})`, async () => {
        const newer = await kind.makeEmpty();
        try {
          const before = await newer.open();
          await before.migrate();
          const newest = newestOf(MIGRATIONS);
          await sql`insert into schema_version (version, name, applied_at) values (${newest + 1}, 'later', 'then')`.execute(before.db);
          await expect(before.migrate()).rejects.toMatchObject({ code: "database-newer", kind: "caller" });
          await expect(before.ping()).rejects.toMatchObject({ code: "database-newer" });
          await expect(newer.open()).rejects.toThrow(`has version ${newest + 1} and this program knows ${newest}`);
        } finally {
          await newer.drop();
        }
      });

    if (kind.shared)
      it(`waits for another's transaction and then commits (${kind.title})`, async () => {
        const other = await database.open();
        const holding = holdRow(other);
        await holding.held;
        const waiting: Clock = {
          ...systemClock,
          // The first pause between attempts is when the other lets go.
          after(delayMs, callback) {
            holding.letGo();
            return systemClock.after(delayMs, callback);
          },
        };
        const patient = await database.open({ clock: waiting });
        const change = patient.commit((tx) => tx.updateTable("installations").set({ account_name: "second" }).execute());
        // PostgreSQL waits by itself and needs no second attempt.
        if (kind.kind === "postgres") holding.letGo();
        await change;
        await holding.over;
        expect(await store.db.selectFrom("installations").select("account_name").executeTakeFirst()).toEqual({ account_name: "second" });
      });

    if (kind.shared)
      it.runIf(EXTENT === "long")(`gives up on a lock that is never freed, having changed nothing (${kind.title})`, async () => {
        const other = await database.open();
        const holding = holdRow(other);
        await holding.held;
        const change = store.commit((tx) => tx.updateTable("installations").set({ account_name: "third" }).execute());
        await expect(change).rejects.toMatchObject({ code: "database-failed", retrySafe: true });
        holding.letGo();
        await holding.over;
      });
  });
}

describe("opening a store that is not there", () => {
  it("names the address, without the password, when no PostgreSQL answers", async () => {
    const opening = openStore({ kind: "postgres", url: "postgres://someone:s3cret@127.0.0.1:1/nothing" });
    const failure = await opening.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "database-failed", kind: "dependency", retrySafe: true });
    expect(String(failure)).toContain("127.0.0.1:1");
    expect(String(failure)).not.toContain("s3cret");
  });

  it("makes the folder of a file, and names the file when that cannot be done", async () => {
    const folder = mkdtempSync(join(tmpdir(), "store-"));
    try {
      const store = await openStore({ kind: "sqlite", file: join(folder, "new", "fiscal.db") });
      await store.close();
      const opening = openStore({ kind: "sqlite", file: join(folder, "new", "fiscal.db", "below.db") });
      await expect(opening).rejects.toMatchObject({ code: "database-failed", message: expect.stringContaining("below.db") });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("refuses a schema whose name is no plain word", async () => {
    const opening = openStore({ kind: "postgres", url: "postgres://postgres@127.0.0.1:5432/test", schema: "a; drop schema public" });
    await expect(opening).rejects.toMatchObject({ code: "store-misconfigured" });
  });
});

/** A transaction that has written and is not ended until it is told to. */
function holdRow(store: Store): { held: Promise<void>; over: Promise<unknown>; letGo: () => void } {
  const held = Promise.withResolvers<void>();
  const freed = Promise.withResolvers<void>();
  const over = store.db.transaction().execute(async (tx) => {
    await tx.updateTable("installations").set({ updated_at_ms: 2 }).execute();
    held.resolve();
    await freed.promise;
  });
  return { held: held.promise, over, letGo: freed.resolve };
}
