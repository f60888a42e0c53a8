import Database from "better-sqlite3";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readyChecks } from "../../src/app/readiness.ts";
import type { Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { EXTENT } from "../support/extent.ts";
import { pragma } from "../support/overwritten.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** Longer than an answer is kept. */
const LATER_MS = 6_000;

// In the short run one kind of each database.
for (const kind of DATABASE_KINDS.filter(({ shared }) => shared || EXTENT === "long")) {
  describeDatabase("readiness", kind, () => {
    let database: TestDatabase;
    let clock: VirtualClock;
    let store: Store;

    beforeEach(async () => {
      database = await kind.make();
      clock = new VirtualClock(0);
      store = await database.open({ clock, held: new HeldFiles() });
      await store.migrate();
    });
    afterEach(() => database.drop());

    /**
     * Asks as `/ready` does, after an earlier answer is no longer kept. Returns the words for the caller. Undefined: the server is ready.
     */
    async function ready(): Promise<string | undefined> {
      await clock.advance(LATER_MS);
      return await readyNow();
    }

    /** Asks like `ready`, but at once, while an answer may still be kept. */
    async function readyNow(): Promise<string | undefined> {
      const [check] = readyChecks(store);
      try {
        await check?.check();
        return undefined;
      } catch (error) {
        return check?.reasonFor?.(error) ?? `for the log alone: ${String(error)}`;
      }
    }

    it(`says yes while changes are taken, and leaves nothing behind (${kind.title})`, async () => {
      expect(await ready()).toBeUndefined();
      expect(await store.db.selectFrom("lost_documents").selectAll().execute()).toEqual([]);
    });

    if (kind.kind === "sqlite") {
      it.each([1, 2, 5])(
        `says no at once after %i changes of a moment that did not fit, and yes at once after one that did (${kind.title})`,
        async (count) => {
          const change = (number: number) =>
            store.commit((tx) =>
              tx
                .insertInto("lost_documents")
                .values({ drive_number: "9999", document_number: number, reference: "x".repeat(100_000) })
                .execute(),
            );
          await change(0);
          expect(await readyNow()).toBeUndefined();
          const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
          await pragma(store, `max_page_count = ${rows[0]?.page_count}`);
          const ends = await Promise.allSettled(Array.from({ length: count }, (_, number) => change(number + 1)));
          for (const end of ends) expect(end).toMatchObject({ status: "rejected", reason: { cause: { code: "SQLITE_FULL" } } });
          expect(await readyNow()).toBe("the database has no room left: it takes no change");
          await pragma(store, "max_page_count = 1000000");
          expect(await readyNow()).toBe("the database has no room left: it takes no change");
          await change(1);
          expect(await readyNow()).toBeUndefined();
        },
      );

      it(`says no, and why, while there is no room, and yes once there is (${kind.title})`, async () => {
        const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
        await pragma(store, `max_page_count = ${rows[0]?.page_count}`);
        expect(await ready()).toBe("the database has no room left: it takes no change");
        await pragma(store, "max_page_count = 1000000");
        expect(await ready()).toBeUndefined();
      });

      it(`says no while there is no room for an operation, whatever smaller changes are still taken (${kind.title})`, async () => {
        const small = () => store.commit((tx) => tx.deleteFrom("lost_documents").execute());
        const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(store.db);
        await pragma(store, `max_page_count = ${rows[0]?.page_count}`);
        for (let times = 0; times < 3; times += 1) {
          await clock.advance(LATER_MS);
          await small();
          expect(await readyNow()).toBe("the database has no room left: it takes no change");
        }
      });

      it(`takes no other change with its trial when the database undoes the whole commit (${kind.title})`, async () => {
        await sql`create trigger no_room before insert on lost_documents when new.drive_number = 'none'
          begin select raise(rollback, 'no room'); end`.execute(store.db);
        const small = (number: number) =>
          store.commit((tx) => tx.insertInto("lost_documents").values({ drive_number: "9999", document_number: number }).execute());
        const [, words] = await Promise.all([small(1), readyNow(), small(2)]);
        expect(words).toMatch(/^for the log alone: /);
        expect(await store.db.selectFrom("lost_documents").select("document_number").execute()).toEqual([
          { document_number: 1 },
          { document_number: 2 },
        ]);
      });

      it(`names neither a full disk nor another single cause where SQLite tells only of a failed write (${kind.title})`, async () => {
        const failing = () => Promise.reject(new Database.SqliteError("disk I/O error", "SQLITE_IOERR_WRITE"));
        const words = "the files of the database cannot be written (read-only file system, quota or limit): it takes no change";
        const [check] = readyChecks({ ping: async () => {}, mustTakeChanges: () => store.commit(failing) });
        const thrown = await check?.check().catch((error: unknown) => error);
        expect([check?.reasonFor?.(thrown), await ready()]).toEqual([words, undefined]);
      });

      it(`says no, and why, while the database can only be read (${kind.title})`, async () => {
        await pragma(store, "query_only = on");
        expect(await ready()).toBe("the database can only be read: it takes no change");
        await pragma(store, "query_only = off");
        expect(await ready()).toBeUndefined();
      });
    }

    if (kind.kind === "postgres") {
      it(`says no while the disk has no room for an operation, although renewed leases still fit (${kind.title})`, async () => {
        const small = () => store.commit((tx) => tx.deleteFrom("lost_documents").execute());
        await sql`create function no_room() returns trigger language plpgsql as
          'begin raise exception ''could not extend file'' using errcode = ''53100''; end'`.execute(store.db);
        await sql`create trigger no_room before insert on lost_documents execute function no_room()`.execute(store.db);
        for (let times = 0; times < 3; times += 1) {
          await clock.advance(LATER_MS);
          await small();
          expect(await readyNow()).toBe("the database has no room left: it takes no change");
        }
        await sql`drop trigger no_room on lost_documents`.execute(store.db);
        expect(await ready()).toBeUndefined();
      });
    }

    if (kind.kind === "postgres") {
      it(`waits for no other process whose trial takes long to commit (${kind.title})`, async () => {
        await sql`create function slow() returns trigger language plpgsql as 'begin
          if pg_try_advisory_xact_lock(71) then perform pg_advisory_xact_lock(72); end if; return null; end'`.execute(store.db);
        await sql`create constraint trigger slow after insert on lost_documents deferrable initially deferred
          for each row execute function slow()`.execute(store.db);
        const other = await database.open({ clock });
        const held = Promise.withResolvers<void>();
        const locked = Promise.withResolvers<void>();
        const holder = store.db.transaction().execute(async (tx) => {
          await sql`select pg_advisory_xact_lock(72)`.execute(tx);
          locked.resolve();
          await held.promise;
        });
        await locked.promise;
        const slow = other.mustTakeChanges();
        await vi.waitUntil(
          async () => (await sql`select 1 from pg_locks where locktype = 'advisory' and not granted`.execute(store.db)).rows[0],
        );
        expect(await readyNow()).toBeUndefined();
        held.resolve();
        await Promise.all([holder, slow]);
      });
    }

    it(`says nothing of the place of what it cannot reach (${kind.title})`, async () => {
      await store.close();
      expect(await ready()).toMatch(/^for the log alone: /);
    });
  });
}
