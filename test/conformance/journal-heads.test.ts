import { afterAll, beforeAll, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { isReadable } from "../../src/journal/reading/unreadable.ts";
import { nextTurn } from "../../src/kernel/clock.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, saleDocument, saleFacts } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const START_MS = 1_772_435_700_000;

for (const kind of DATABASE_KINDS) {
  describeDatabase("heads in the journal", kind, () => {
    let database: TestDatabase;
    let journal: Journal;
    let serial = 0;
    beforeAll(async () => {
      database = await kind.make();
      const store = await database.open();
      await store.migrate();
      journal = new Journal({ store, clock: new VirtualClock(START_MS) });
    });
    afterAll(() => database.drop());

    const content = (register: string, changes: Parameters<typeof entryContent>[0] = {}) => {
      serial += 1;
      return entryContent({ key: entryKey({ documentId: `heads-${serial}` }), register, ...changes });
    };
    const begun = (register: string, changes: Parameters<typeof entryContent>[0] = {}) =>
      journal.begin(content(register, changes), checkpoint());

    it(`reads heads of entries as the entries are, in the same order (${kind.title})`, async () => {
      const register = "emulator:heads";
      const queued = await journal.accept(content(register));
      const sending = await begun(register);
      const doubtful = await journal.finish(
        await begun(register),
        { kind: "in-doubt", doubt: { code: "no-answer", reason: "?" } },
        "register",
      );
      const done = await journal.finish(await begun(register), { kind: "done", facts: saleFacts() }, "register");
      expect(await journal.sentOn(register)).toEqual([sending, doubtful]);
      expect(await journal.heads.sentOn(register)).toEqual([sending, doubtful].map(headOf));
      expect(await journal.heads.unfinishedOn(register)).toEqual([queued, sending, doubtful].map(headOf));
      expect(await journal.heads.unfinished()).toEqual((await journal.unfinished()).map(headOf));
      expect(await journal.heads.doubtedRegisters()).toEqual([register]);
      const { accountId } = done.key;
      expect(await journal.heads.list({ accountId, documentId: done.key.documentId, limit: 9 })).toEqual([headOf(done)]);
      const found = await journal.heads.search({ accountId, limit: 3 });
      expect(found.map(({ id }) => id)).toEqual([done, doubtful, sending].map(({ id }) => id));
      const documents: unknown[] = [];
      for await (const { head, ...read } of journal.heads.withDocuments(found.filter(isReadable))) documents.push([head.id, read]);
      expect(documents).toEqual([done, doubtful, sending].map(({ id, document }) => [id, { document }]));
      expect(await journal.heads.sentOn("emulator:nobody")).toEqual([]);
      expect((await journal.heads.withDocuments([]).next()).done).toBe(true);
    });

    it(`lets other work run between large entries (${kind.title})`, async () => {
      const register = "emulator:large";
      const [line] = saleDocument().lines;
      if (line === undefined) throw new Error("the sale has no line");
      const document = { ...saleDocument(), lines: Array.from({ length: 1_000 }, () => line) };
      const large: Entry[] = [];
      for (let number = 0; number < 3; number += 1) large.push(await begun(register, { document }));
      let turns = 0;
      let isRead = false;
      const counting = (async () => {
        for (; !isRead; turns += 1) await nextTurn();
      })();
      expect(await journal.sentOn(register)).toEqual(large);
      isRead = true;
      await counting;
      expect(turns).toBeGreaterThanOrEqual(large.length - 1);
    });
  });
}

/** The head that the journal reads of an entry of a sale. */
function headOf({ contentHash: _c, twinHash: _t, idType: _i, paper: _p, operation, document, ...own }: Entry) {
  return { ...own, storeId: operation.storeId, name: operation.name, sumKopecks: "totalKopecks" in document ? document.totalKopecks : 0 };
}
