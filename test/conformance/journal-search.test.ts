import { afterAll, beforeAll, expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, saleFacts } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

/** More entries than a search takes for one meaning. */
const OTHERS = 2_100;
const NOW_MS = 1_772_435_700_000;

for (const kind of TRIED_DATABASES) {
  describeDatabase("a search by a term within an account", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let journal: Journal;
    let own: { id: number; accountId: string; sumKopecks: number };
    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      journal = new Journal({ store, clock: new VirtualClock(NOW_MS) });
      const sending = await journal.begin(entryContent({ key: entryKey({ documentId: "shared" }) }), checkpoint());
      await journal.finish(sending, { kind: "done", facts: saleFacts({ documentNumber: 31 }) }, "register");
      const [{ id, ...row }, move] = await store.read(async (db) => [
        await db.selectFrom("entries").selectAll().executeTakeFirstOrThrow(),
        await db.selectFrom("moves").selectAll().where("document_number", "is not", null).executeTakeFirstOrThrow(),
      ]);
      own = { id, accountId: row.account_id, sumKopecks: row.sum_kopecks ?? 0 };
      await store.commit(async (tx) => {
        for (let at = 0; at < OTHERS; at += 1) {
          const account = { account_id: `other-${at}`, accepted_at_ms: NOW_MS + at, store_id: "other store" };
          const copy = await tx
            .insertInto("entries")
            .values({ ...row, ...account })
            .returning("id")
            .executeTakeFirstOrThrow();
          const drive = { drive_number: `drive-${at}`, number: move.number + 1 + at };
          await tx
            .insertInto("moves")
            .values({ ...move, ...drive, entry_id: copy.id })
            .execute();
        }
      });
    });
    afterAll(() => database.drop());

    it.each(["a sum", "a document number", "a document id"])(
      `finds its entry by %s that many newer ones of others have (${kind.title})`,
      async (what) => {
        const meant = {
          "a sum": { names: [], documentId: "", sumKopecks: own.sumKopecks },
          "a document number": { names: [], documentId: "", documentNumber: 31 },
          "a document id": { names: [], documentId: "shared" },
        };
        const term = meant[what as keyof typeof meant];
        const found = async (wanted: object) => (await journal.heads.search({ term, limit: 3, ...wanted })).map(({ id }) => id);
        expect(await found({ accountId: own.accountId })).toEqual([own.id]);
        expect(await found({ toMs: NOW_MS })).toEqual([]);
        expect(await found({ toMs: NOW_MS + 1, storeId: "other store" })).toEqual([own.id + 1]);
        expect(await found({ before: { acceptedAtMs: NOW_MS, id: own.id + 1 } })).toEqual([own.id]);
        expect(await found({})).toEqual([0, 1, 2].map((at) => own.id + OTHERS - at));
        expect(await found({ accountId: "nobody" })).toEqual([]);
      },
    );
  });
}
