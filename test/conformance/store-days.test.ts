import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NOTIFICATIONS_KEPT_MS } from "../../src/accounts/shop/notification-work.ts";
import { Housekeeping } from "../../src/app/housekeeping.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Store } from "../../src/store/database.ts";
import { DayParts, dayOf } from "../../src/store/day-parts.ts";
import { HeldFiles } from "../../src/store/held-files.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.parse("2026-03-02T09:00:00Z");

for (const kind of DATABASE_KINDS)
  describeDatabase("what is forgotten by days", kind, () => {
    const hasParts = kind.kind === "postgres";
    let database: TestDatabase;
    let store: Store;
    let journal: Journal;
    let clock: VirtualClock;
    let days: DayParts;
    let sales = 0;

    beforeEach(async () => {
      database = await kind.make();
      clock = new VirtualClock(NOW_MS);
      store = await database.open({ held: new HeldFiles() });
      await store.migrate();
      journal = new Journal({ store, clock });
      days = new DayParts(store);
    });
    afterEach(() => database.drop());

    async function sold(): Promise<Entry> {
      sales += 1;
      const begun = await journal.begin(entryContent({ key: entryKey({ documentId: `sale-${sales}` }) }), checkpoint());
      const done = await journal.finish(begun, { kind: "done", facts: saleFacts() }, "register");
      await journal.storeAnswer(done, Buffer.from(`answer ${sales}`));
      return done;
    }

    /** The parts that hold rows of a table. */
    async function filled(table: "day_answers" | "day_notifications"): Promise<string[]> {
      const query = sql<{ name: string }>`select distinct tableoid::regclass::text as name from ${sql.table(table)} order by 1`;
      return (await query.execute(store.db)).rows.map(({ name }) => name.replace(/^.*\./, ""));
    }

    async function parts(table: string): Promise<string[]> {
      const { rows } = await sql<{ name: string }>`
        select relname as name from pg_inherits join pg_class on oid = inhrelid where inhparent = ${table}::regclass order by 1`.execute(
        store.db,
      );
      return rows.map(({ name }) => name);
    }

    async function notified(requestId: string, atMs: number, doneAtMs: number | null): Promise<void> {
      const row = {
        app_id: "a",
        account_id: "b",
        request_id: requestId,
        objects: 1,
        events: "[]",
        day_ms: dayOf(atMs),
        received_at_ms: atMs,
      };
      await store.commit((tx) =>
        tx
          .insertInto("day_notifications")
          .values({ ...row, done_at_ms: doneAtMs })
          .execute(),
      );
    }

    /** Tries again as the next round of a server does, because no process waits for the table's lock for long. */
    async function inSomeRound<T>(work: () => Promise<T>): Promise<T> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          expect(error).toMatchObject({ code: "database-failed", message: expect.stringContaining("lock timeout") });
        }
      }
    }

    async function keepHouse(): Promise<void> {
      const housekeeping = new Housekeeping({ journal, days, clock, log: silentLog });
      housekeeping.start();
      await housekeeping.close();
    }

    it(`is kept for its time, and then the whole of it is gone, and nothing else (${kind.title})`, async () => {
      await keepHouse();
      const old = await sold();
      await clock.advance(DAY_MS);
      const young = await sold();
      await clock.advance(90 * DAY_MS - 60_000);
      await keepHouse();
      expect(await journal.answerOf(old.id)).toBeUndefined();
      expect((await journal.answerOf(young.id))?.toString()).toBe(`answer ${sales}`);
      await clock.advance(DAY_MS);
      await keepHouse();
      expect(await journal.answerOf(young.id)).toBeUndefined();
      expect([await journal.get(old.id), await journal.get(young.id)]).toEqual([old, young]);
      expect(await journal.moves(old.id)).toHaveLength(2);
      await store.mustBeInPlace();
      await store.ping();
    });

    it(`is read from the old table too, until that is empty, and an old answer stays the only one (${kind.title})`, async () => {
      const begun = await journal.begin(entryContent({ key: entryKey({ documentId: "before" }) }), checkpoint());
      const done = await journal.finish(begun, { kind: "done", facts: saleFacts() }, "register");
      const body = Buffer.from("from before");
      await store.commit((tx) => tx.insertInto("answers").values({ entry_id: done.id, stored_at_ms: NOW_MS, body }).execute());
      expect(await journal.answerOf(done.id)).toEqual(body);
      expect(await journal.storeAnswer(done, Buffer.from("another"))).toEqual(body);
      expect(await store.db.selectFrom("day_answers").select("entry_id").execute()).toEqual([]);
      await clock.advance(91 * DAY_MS);
      await keepHouse();
      expect(await journal.answerOf(done.id)).toBeUndefined();
      expect(await store.db.selectFrom("answers").select("entry_id").execute()).toEqual([]);
    });

    it.runIf(hasParts)("has a part for today and the next two days, and rows of other days in the rest", async () => {
      await days.prepare("day_answers", NOW_MS);
      await days.prepare("day_answers", NOW_MS);
      expect(await parts("day_answers")).toEqual([
        "day_answers_20260302",
        "day_answers_20260303",
        "day_answers_20260304",
        "day_answers_rest",
      ]);
      await sold();
      await clock.advance(3 * DAY_MS);
      const late = await sold();
      expect(await filled("day_answers")).toEqual(["day_answers_20260302", "day_answers_rest"]);
      expect((await journal.answerOf(late.id))?.toString()).toBe(`answer ${sales}`);
      await days.prepare("day_answers", clock.nowMs());
      expect(await filled("day_answers")).toEqual(["day_answers_20260302", "day_answers_20260305"]);
      expect((await journal.answerOf(late.id))?.toString()).toBe(`answer ${sales}`);
      expect(await days.dropBefore("day_answers", clock.nowMs() - 2 * DAY_MS)).toBe(1);
      expect(await parts("day_answers")).toEqual(
        ["03", "04", "05", "06", "07", ""].map((day) => `day_answers_${day === "" ? "rest" : `202603${day}`}`),
      );
    });

    it.runIf(hasParts)("is deleted by an index where it lies in the rest, however many rows are there", async () => {
      const body = Buffer.from("answer");
      for (let from = 1; from <= 20_000; from += 2_000) {
        const rows = sql`insert into day_answers select n, ${NOW_MS}, ${body} from generate_series(${sql.lit(from)}, ${sql.lit(from + 1_999)}) as n`;
        await store.commit((tx) => rows.execute(tx));
      }
      await sql`analyze day_answers_rest`.execute(store.db);
      const { rows } = await sql<{ "QUERY PLAN": string }>`explain delete from day_answers where done_at_ms < ${NOW_MS + 1} and entry_id in
        (select entry_id from day_answers where done_at_ms < ${NOW_MS + 1} order by done_at_ms limit 50)`.execute(store.db);
      expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/Index (Only )?Scan using day_answers_rest_age/);
      await clock.advance(91 * DAY_MS);
      await keepHouse();
      expect(await filled("day_answers")).toEqual([]);
    });

    it.runIf(hasParts)("is read from the part of its day alone", async () => {
      await days.prepare("day_answers", NOW_MS);
      const { id, movedAtMs } = await sold();
      const { rows } = await sql<{ "QUERY PLAN": string }>`
        explain select body from day_answers where entry_id = ${id} and done_at_ms = ${movedAtMs}`.execute(store.db);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toContain("day_answers_20260302");
      expect(plan).not.toMatch(/day_answers_(20260303|rest)/);
    });

    it.runIf(hasParts)("is one part a day, however many processes make it at once", async () => {
      const others = [new DayParts(await database.open()), new DayParts(await database.open())];
      await Promise.all([days, ...others].map((one) => inSomeRound(() => one.prepare("day_notifications", NOW_MS))));
      expect(await parts("day_notifications")).toHaveLength(4);
      for (const beforeMs of [1, 2, 3].map((day) => NOW_MS + day * DAY_MS)) {
        const drop = (one: DayParts) => inSomeRound(() => one.dropBefore("day_notifications", beforeMs));
        const dropped = await Promise.all([days, ...others].map(drop));
        expect(dropped.reduce((sum, count) => sum + count)).toBe(1);
      }
      expect(await parts("day_notifications")).toEqual(["day_notifications_rest"]);
    });

    it.runIf(hasParts)("stays with its day while one notification of the day waits", async () => {
      await days.prepare("day_notifications", NOW_MS);
      await notified("r-1", NOW_MS, NOW_MS);
      await notified("r-2", NOW_MS, null);
      await notified("r-3", NOW_MS + DAY_MS, NOW_MS + DAY_MS);
      await clock.advance(NOTIFICATIONS_KEPT_MS + 2 * DAY_MS);
      await keepHouse();
      expect(await filled("day_notifications")).toEqual(["day_notifications_20260302"]);
      await store.commit((tx) => tx.updateTable("day_notifications").set({ done_at_ms: 1 }).execute());
      await keepHouse();
      expect(await filled("day_notifications")).toEqual([]);
      expect(await parts("day_notifications")).toEqual(
        ["04", "07", "08", "09", ""].map((day) => `day_notifications_${day === "" ? "rest" : `202603${day}`}`),
      );
    });

    it.runIf(hasParts)(
      "waits for nobody who reads the table for long, as a copy of the database does, and is dropped by the next round",
      async () => {
        await days.prepare("day_answers", NOW_MS);
        await sold();
        await clock.advance(100 * DAY_MS);
        const reader = await database.open();
        await reader.db.transaction().execute(async (tx) => {
          await sql`select 1 from day_answers limit 1`.execute(tx);
          await expect(days.dropBefore("day_answers", clock.nowMs())).rejects.toMatchObject({ code: "database-failed" });
          await sold();
        });
        expect(await days.dropBefore("day_answers", clock.nowMs())).toBe(3);
      },
    );
  });
