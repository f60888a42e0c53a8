import { afterEach, beforeEach, expect, it } from "vitest";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { isReadable, type UnreadableEntry } from "../../src/journal/reading/unreadable.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const PROBLEM = /^Column doubt of row \d+ in table entries cannot be read: it is no JSON$/;

for (const kind of TRIED_DATABASES) {
  describeDatabase("an entry whose row cannot be read", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let journal: Journal;
    let told: UnreadableEntry[];
    let spoilt: Entry;
    let sound: Entry;
    beforeEach(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      told = [];
      journal = new Journal({ store, clock: new VirtualClock(0), tellUnreadable: (entry) => void told.push(entry) });
      [spoilt, sound] = [await doubtful("spoilt", "emulator:one"), await doubtful("sound", "emulator:two")];
      await spoil("doubt", spoilt.id);
    });
    afterEach(() => database.drop());

    async function doubtful(documentId: string, register: string): Promise<Entry> {
      const content = entryContent({ key: entryKey({ documentId }), register });
      const sending = await journal.begin(content, { ...checkpoint(), attemptId: `attempt of ${documentId}` });
      return journal.finish(sending, { kind: "in-doubt", doubt: { code: "no-answer", reason: "?" } }, "register");
    }

    const spoil = (column: "doubt" | "document" | "checkpoint", id: number) =>
      store.commit((tx) =>
        tx
          .updateTable("entries")
          .set({ [column]: "{" })
          .where("id", "=", id)
          .execute(),
      );

    it(`hinders no work at other registers, is told of once, and stops its own register (${kind.title})`, async () => {
      for (let look = 0; look < 3; look += 1) expect((await journal.heads.unfinished()).map(({ id }) => id)).toEqual([sound.id]);
      expect(told).toEqual([expect.objectContaining({ id: spoilt.id, register: "emulator:one", problem: expect.stringMatching(PROBLEM) })]);
      await expect(journal.heads.unfinishedOn("emulator:one")).rejects.toMatchObject({ code: "journal-unreadable" });
      await expect(journal.heads.sentOn("emulator:one")).rejects.toMatchObject({ code: "journal-unreadable" });
    });

    it(`keeps its attempt at an agent, or stops the settling when the attempt is unknown (${kind.title})`, async () => {
      expect(await journal.heads.unfinishedAttempts()).toEqual(new Set(["attempt of spoilt", "attempt of sound"]));
      await spoil("checkpoint", spoilt.id);
      await expect(journal.heads.unfinishedAttempts()).rejects.toMatchObject({ code: "journal-unreadable" });
    });

    it(`stands in lists in its place, with what is wrong (${kind.title})`, async () => {
      const lists = [journal.heads.list({ limit: 9 }), journal.heads.search({ limit: 9 })];
      for (const listed of await Promise.all(lists))
        expect(listed).toEqual([
          expect.objectContaining({ id: sound.id, state: "in-doubt" }),
          expect.objectContaining({ id: spoilt.id, key: expect.objectContaining({ documentId: "spoilt" }), problem: expect.anything() }),
        ]);
      await spoil("document", sound.id);
      const read: unknown[] = [];
      const heads = (await journal.heads.list({ limit: 9 })).filter(isReadable);
      for await (const { head, problem } of journal.heads.withDocuments(heads)) read.push([head.id, problem]);
      expect(read).toEqual([[sound.id, expect.stringContaining("Column document")]]);
    });
  });
}
