import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import type { Store } from "../../src/store/database.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";

const gone = { code: "database-gone", kind: "dependency", retrySafe: true };
/** What a dump of this test holds: the tables that it writes to. */
const TABLES = ["commit_marks", "shift_links"] as const;

for (const kind of DATABASE_KINDS.filter((one) => one.kind === "postgres")) {
  describeDatabase("a schema that is restored under a running server", kind, () => {
    let database: TestDatabase;
    let reasons: string[];
    let store: Store;
    let number = 0;

    beforeAll(async () => {
      database = await kind.make();
    });
    afterAll(() => database.drop());
    beforeEach(async () => {
      reasons = [];
      store = await served();
      for (let made = 0; made < 3; made += 1) await change();
    });
    // The next test begins with the tables as they were made.
    afterEach(async () => {
      await run("alter table if exists put_away rename to commit_marks");
      await run(...TABLES.map((table) => `drop table if exists dump_of_${table}`));
    });

    async function served(): Promise<Store> {
      const opened = await database.open({ held: new HeldFiles((reason) => reasons.push(reason)) });
      await opened.migrate();
      return opened;
    }

    function change(to = store, what?: "outcome"): Promise<unknown> {
      number += 1;
      const row = { register: "r", drive_number: "9999", shift_number: number, id_type: "t", shift_id: "s" };
      return to.commit((tx) => tx.insertInto("shift_links").values(row).execute(), what);
    }

    async function run(...texts: string[]): Promise<void> {
      for (const text of texts) await sql.raw(text).execute(store.db);
    }

    const dump = () => run(...TABLES.map((table) => `create table dump_of_${table} as table ${table}`));
    const restore = () => run(...TABLES.flatMap((table) => [`truncate ${table}`, `insert into ${table} table dump_of_${table}`]));

    const RESTORATIONS: Record<string, () => Promise<void>> = {
      "from a dump of one change ago": async () => {
        await dump();
        await change();
        await restore();
      },
      "from a dump of long ago": async () => {
        await dump();
        await Promise.all(Array.from({ length: 30 }, () => change()));
        await restore();
      },
      "from a dump of one change ago, and changed by commands since": async () => {
        await dump();
        await change();
        await restore();
        const command = await database.open();
        await command.migrate();
        for (let made = 0; made < 3; made += 1) await change(command);
      },
      "from another database that has as many changes": async () => run("update commit_marks set token = token + 1 where slot > 0"),
      "from a dump of an earlier program": async () => run("alter table commit_marks rename to put_away"),
      "from a dump that lacks what a command changed beside the server": async () => {
        const command = await database.open();
        await command.migrate();
        await dump();
        await change(command);
        await store.mustBeInPlace();
        await restore();
      },
    };

    it.each(Object.keys(RESTORATIONS))("takes no change from then on and is not ready: %s", async (how) => {
      await store.ping();
      await RESTORATIONS[how]?.();
      expect(reasons).toEqual([]);
      await expect(change()).rejects.toMatchObject(gone);
      await expect(store.ping()).rejects.toMatchObject(gone);
      expect(reasons).toEqual([
        expect.stringMatching(/^The journal in PostgreSQL at .* under the running server: nothing more is registered/),
      ]);
      await change(store, "outcome");
    });

    it.each(Object.keys(RESTORATIONS).slice(3))("is missed by a look alone: %s", async (how) => {
      await RESTORATIONS[how]?.();
      await expect(store.mustBeInPlace()).rejects.toMatchObject(gone);
      expect(reasons).toHaveLength(1);
    });

    it("still takes what has happened already, and that does not hide it", async () => {
      await dump();
      await change();
      await restore();
      await change(store, "outcome");
      await expect(change()).rejects.toMatchObject(gone);
    });

    it("is another one's from the moment that somebody else takes it", async () => {
      await change(await served());
      await expect(change()).rejects.toMatchObject(gone);
    });

    it("is not restored when nobody did: many at once, some that fail, commands beside", async () => {
      const command = await database.open();
      await command.migrate();
      const fails = () => store.commit(() => Promise.reject(new RangeError("changed its mind")));
      for (let round = 0; round < 5; round += 1) {
        const all = Array.from({ length: 20 }, (_, at) => (at % 5 === 0 ? fails() : at % 5 === 1 ? store.mustBeInPlace() : change()));
        const ends = await Promise.allSettled([...all, change(command), store.ping()]);
        expect(ends.map(({ status }) => status)).toEqual([
          ...all.map((_, at) => (at % 5 === 0 ? "rejected" : "fulfilled")),
          "fulfilled",
          "fulfilled",
        ]);
      }
      expect(reasons).toEqual([]);
    });

    it("is not restored when a connection is lost in the middle of a change", async () => {
      for (let round = 0; round < 3; round += 1) {
        const lost = store.commit(async (tx) => {
          await tx.deleteFrom("shift_links").where("shift_number", "=", 1).execute();
          await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
        });
        await expect(lost).rejects.toMatchObject({ code: "database-failed" });
        await change();
      }
      expect(reasons).toEqual([]);
    });
  });
}
