import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Entry, EntryContent, Move } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import type { JournalOutcome } from "../../src/journal/outcome.ts";
import type { FiscalFacts } from "../../src/model/facts.ts";
import type { Store } from "../../src/store/database.ts";
import { describeDatabase, type TestDatabase, TRIED_DATABASES } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, openingFacts, saleDocument, saleFacts, saleOperation } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const ILLEGAL = { code: "journal-illegal-move" };
const NOT_REGISTERED: JournalOutcome & { kind: "refused" } = { kind: "refused", refusal: { code: "not-registered" } };

for (const kind of TRIED_DATABASES) {
  describeDatabase("what a person has said, in the journal", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let journal: Journal;
    let documents = 0;
    /** The entries that the journal has reported as done. */
    const told: number[] = [];
    /** Each test has a drive of its own. */
    let drive = "";

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      journal = new Journal({ store, clock: new VirtualClock(1_772_435_700_000), done: ({ id }) => void told.push(id) });
    });
    afterAll(() => database.drop());
    beforeEach(() => {
      drive = `99990789${String(documents).padStart(8, "0")}`;
    });

    /** An entry in doubt on a register of its own. */
    async function doubtful(changed: Partial<EntryContent> = {}): Promise<Entry> {
      documents += 1;
      const key = entryKey({ documentId: `document-${documents}` });
      const content = entryContent({ key, register: `emulator:again-${documents}`, ...changed });
      return journal.finish(
        await journal.begin(content, checkpoint()),
        { kind: "in-doubt", doubt: { code: "no-answer", reason: "no reply" } },
        "register",
      );
    }

    function done(facts: FiscalFacts): JournalOutcome & { kind: "done" } {
      return { kind: "done", facts: inDrive(facts) };
    }

    function inDrive(facts: FiscalFacts): FiscalFacts {
      return { ...facts, identity: { ...facts.identity, driveNumber: drive } };
    }

    const WRONG = saleFacts({ documentNumber: 44, fiscalSign: "0000000044" });

    it(`is replaced by what the person says now, with both moves, and the lane's last number is true again (${kind.title})`, async () => {
      const wrong = await journal.finish(await doubtful(), done(WRONG), "person", [{ code: "said", words: "paper seen" }]);
      const { id } = wrong;
      expect(await journal.lastDocumentNumber(drive)).toBe(44);
      const right = await journal.settleAgain(wrong, done(saleFacts()), [{ code: "said", words: "the right paper" }]);
      expect(await journal.get(id)).toEqual(right);
      expect(right).toMatchObject({ state: "done", attempt: 2, facts: inDrive(saleFacts()) });
      expect(await journal.lastDocumentNumber(drive)).toBe(42);
      const told = (await journal.moves(id)).map(({ attempt, from, to, by, reasons }: Move) => [attempt, from, to, by, reasons]);
      const was = { kind: "done", documentNumber: 44, fiscalSign: "0000000044", shiftNumber: 7, time: "2026-03-02 10:15:00" };
      expect(told.slice(2)).toEqual([
        [1, "in-doubt", "done", "person", [{ code: "said", words: "paper seen" }]],
        [2, "done", "in-doubt", "person", [{ code: "taken-back", was }]],
        [2, "in-doubt", "done", "person", [{ code: "said", words: "the right paper" }]],
      ]);
      await journal.settleAgain(right, done(WRONG), [{ code: "said", words: "and once more" }]);
      expect(await journal.moves(id)).toHaveLength(7);
    });

    it(`may turn out to be nothing registered, and then a document after all (${kind.title})`, async () => {
      const wrong = await journal.finish(await doubtful(), done(WRONG), "person");
      const refused = await journal.settleAgain(wrong, NOT_REGISTERED, [{ code: "said", words: "the drive has none" }]);
      expect(await journal.get(wrong.id)).toEqual(refused);
      expect(refused).toMatchObject({ state: "refused", checkpoint: checkpoint() });
      expect(refused).not.toHaveProperty("facts");
      expect(await journal.lastDocumentNumber(drive)).toBe(0);
      expect(await journal.doneInShift(wrong.register, drive, 7)).toEqual([]);
      const found = await journal.settleAgain(refused, done(saleFacts()));
      expect(found).toMatchObject({ state: "done", facts: inDrive(saleFacts()) });
      expect(found).not.toHaveProperty("refusal");
      await expect(journal.begin(found, checkpoint())).rejects.toMatchObject({ code: "journal-moved" });
    });

    it.each([
      ["another number", 42, ""],
      ["the same number of another drive", 44, "9999078900099999"],
    ])(`gives back the document of the drive that it no longer names: %s (${kind.title})`, async (_what, documentNumber, otherDrive) => {
      const wrong = await journal.finish(await doubtful(), done(WRONG), "person");
      const named = drive;
      if (otherDrive !== "") drive = otherDrive;
      await journal.settleAgain(wrong, done(saleFacts({ documentNumber })));
      const lost = await store.read((db) => db.selectFrom("lost_documents").selectAll().where("drive_number", "=", named).execute());
      expect(lost.map(({ document_number: number }) => Number(number))).toEqual([44]);
    });

    it(`is told of once where a new statement makes the entry done, and not when only its figures are replaced (${kind.title})`, async () => {
      const refused = await journal.finish(await doubtful(), NOT_REGISTERED, "person");
      const right = await journal.settleAgain(refused, done(WRONG));
      await journal.settleAgain(right, done(saleFacts()));
      const wrong = await journal.finish(await doubtful(), done(WRONG), "person");
      const none = await journal.settleAgain(wrong, NOT_REGISTERED);
      await journal.settleAgain(none, done(saleFacts()));
      expect(told.filter((id) => [refused.id, wrong.id].includes(id))).toEqual([refused.id, wrong.id]);
    });

    it(`says of unread marks beside the person's words (${kind.title})`, async () => {
      const lines = saleDocument().lines.map((line) => ({ ...line, unreadMark: "shape" as const }));
      const document = { ...saleDocument(), lines };
      const marks = { code: "marks-unread", marks: lines.map((_, line) => ({ line, problem: "shape" })) };
      const said = { code: "said", words: "paper seen" } as const;
      const wrong = await journal.finish(await doubtful({ document }), done(WRONG), "person", [said]);
      expect((await journal.moves(wrong.id)).at(-1)?.reasons).toEqual([said, marks]);
      const none = await journal.settleAgain(wrong, NOT_REGISTERED, [said]);
      expect((await journal.moves(none.id)).at(-1)?.reasons).toEqual([said]);
      const right = await journal.settleAgain(none, done(saleFacts()), [said]);
      expect((await journal.moves(right.id)).at(-1)?.reasons).toEqual([said, marks]);
    });

    it(`is taken back also when a repeat was refused before anything was sent, and not once it was sent (${kind.title})`, async () => {
      const refused = await journal.finish(await doubtful(), NOT_REGISTERED, "person");
      const waited = await journal.finish(await journal.accept(refused), { kind: "refused", refusal: { code: "no-paper" } }, "register");
      const found = await journal.settleAgain(waited, done(saleFacts()));
      expect(found).toMatchObject({ state: "done", attempt: 3 });

      const again = await journal.finish(await doubtful(), NOT_REGISTERED, "person");
      const sent = await journal.finish(await journal.begin(again, checkpoint()), done(saleFacts()), "register");
      await expect(journal.settleAgain(sent, done(WRONG))).rejects.toMatchObject(ILLEGAL);
    });

    it.each(["register", "look-up", "restart"] as const)(
      `is all that can be taken back: not what was found out by %s (${kind.title})`,
      async (by) => {
        for (const outcome of [done(saleFacts()), NOT_REGISTERED]) {
          const ended = await journal.finish(await doubtful(), outcome, by);
          await expect(journal.settleAgain(ended, done(WRONG))).rejects.toMatchObject(ILLEGAL);
          expect(await journal.get(ended.id)).toEqual(ended);
        }
        await expect(journal.settleAgain(await doubtful(), done(WRONG))).rejects.toMatchObject(ILLEGAL);
      },
    );

    it(`is taken back by one of two, and not by somebody who has read what is no longer there (${kind.title})`, async () => {
      const wrong = await journal.finish(await doubtful(), done(WRONG), "person");
      const both = [journal.settleAgain(wrong, done(saleFacts())), journal.settleAgain(wrong, NOT_REGISTERED)];
      const ends = await Promise.allSettled(both);
      expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await journal.moves(wrong.id)).toHaveLength(5);
    });

    it(`takes its stored answer with it, and none that was made of it comes after (${kind.title})`, async () => {
      const wrong = await journal.finish(await doubtful(), done(WRONG), "person");
      await journal.storeAnswer(wrong, Buffer.from("44"));
      const right = await journal.settleAgain(wrong, done(saleFacts()));
      expect(await journal.answerOf(wrong.id)).toBeUndefined();
      await expect(journal.storeAnswer(wrong, Buffer.from("late 44"))).rejects.toMatchObject({ code: "journal-moved" });
      expect((await journal.storeAnswer(right, Buffer.from("42"))).toString()).toBe("42");
    });

    it(`moves the platform's shift with the opening, and leaves another's alone (${kind.title})`, async () => {
      const { shift } = saleOperation("s");
      const operation = { ...saleOperation("s"), kind: "open-shift", document: shift } as const;
      const key = entryKey({ operation: "open-shift", documentId: "opening" });
      const opening = await doubtful({ key, operation, document: { kind: "open-shift", reference: "r" } });
      const wrong = await journal.finish(opening, done(openingFacts({ shiftNumber: 8, documentNumber: 42 })), "person");
      const { register } = opening;
      const till = { id: "of-the-till", idType: "native" } as const;
      expect(await journal.linkShift(register, drive, 8, till)).toEqual([till, shift]);
      const right = await journal.settleAgain(wrong, done(openingFacts({ documentNumber: 42 })));
      expect(await journal.shiftLinks(drive, 8)).toEqual([till]);
      expect(await journal.shiftLinks(drive, 7)).toEqual([shift]);
      const { accountId } = key;
      expect(await journal.shiftOwner({ driveNumber: drive, shiftNumber: 7 })).toEqual({ kind: "opened", accountId, automatic: false });
      expect(await journal.shiftOwner({ driveNumber: drive, shiftNumber: 8 })).toEqual({ kind: "nobody" });
      await journal.settleAgain(right, NOT_REGISTERED);
      expect(await journal.shiftLinks(drive, 7)).toEqual([]);
    });

    it(`links the shift of a closing that was denied before (${kind.title})`, async () => {
      const { shift } = saleOperation("s");
      const operation = { ...saleOperation("s"), kind: "close-shift", document: shift } as const;
      const key = entryKey({ operation: "close-shift", documentId: "closing" });
      const closing = await doubtful({ key, operation, document: { kind: "close-shift", reference: "r" } });
      const denied = await journal.finish(closing, NOT_REGISTERED, "person");
      expect(await journal.shiftLinks(drive, 7)).toEqual([]);
      await journal.settleAgain(denied, done({ ...openingFacts({ documentNumber: 42 }), document: "close-shift" }));
      expect(await journal.shiftLinks(drive, 7)).toEqual([shift]);
    });
  });
}
