import { afterAll, beforeAll, expect, it } from "vitest";
import type { EntryKey } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, saleDocument, saleFacts } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

for (const kind of TRIED_DATABASES) {
  describeDatabase("what a person asks the journal before a correction", kind, () => {
    let database: TestDatabase;
    let journal: Journal;

    beforeAll(async () => {
      database = await kind.make();
      const store = await database.open();
      await store.migrate();
      journal = new Journal({ store, clock: new VirtualClock(1_772_435_700_000) });
      for (const [documentId, sign] of [
        ["sale:a_1:0000000042:undo", "0000000050"],
        ["sale:ab1:0000000042:undo", "0000000051"],
        ["sale:a_1:0000000042:redo", "0000000052"],
      ] as const) {
        await done({ operation: "correction", documentId }, sign);
      }
      await done({ operation: "correction", documentId: "sale:a_1:0000000042:undo", accountId: "another" }, "0000000050");
    });
    afterAll(() => database.drop());

    async function done(key: Partial<EntryKey>, fiscalSign: string): Promise<void> {
      const sending = await journal.begin(entryContent({ key: entryKey(key) }), checkpoint());
      await journal.finish(sending, { kind: "done", facts: saleFacts({ fiscalSign }) }, "register");
    }

    it(`tells the entries under one beginning of an id, letter for letter, the oldest first (${kind.title})`, async () => {
      const found = await journal.entriesUnder(entryKey({ operation: "correction" }), "sale:a_1:");
      expect(found.map(({ key }) => key.documentId)).toEqual(["sale:a_1:0000000042:undo", "sale:a_1:0000000042:redo"]);
      expect(await journal.entriesUnder(entryKey({ operation: "sale" }), "sale:a_1:")).toEqual([]);
    });

    it(`tells the returns that name a sale by its sign (${kind.title})`, async () => {
      const key = entryKey({ operation: "sales-return", documentId: "return" });
      const document = { ...saleDocument(), sign: 2 as const, originalSign: "0000000060" };
      const { id } = await journal.accept(entryContent({ key, document }));
      expect((await journal.returnsNaming(key, "0000000060")).map((found) => found.id)).toEqual([id]);
      expect(await journal.returnsNaming(key, "0000000061")).toEqual([]);
      expect(await journal.returnsNaming({ ...key, accountId: "another" }, "0000000060")).toEqual([]);
    });

    it(`tells whose a fiscal sign is in a drive, the newest first (${kind.title})`, async () => {
      const { driveNumber } = checkpoint();
      const found = await journal.doneBySign(driveNumber, "0000000050");
      expect(found.map(({ key }) => key.accountId)).toEqual(["another", entryKey().accountId]);
      expect(await journal.doneBySign(driveNumber, "0000000005")).toEqual([]);
      expect(await journal.doneBySign("9999000000000000", "0000000050")).toEqual([]);
    });
  });
}
