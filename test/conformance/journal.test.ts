import { afterAll, beforeAll, expect, it } from "vitest";
import type { Entry, EntryContent } from "../../src/journal/entry.ts";
import { Journal, type JournalStore } from "../../src/journal/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import type { Refusal } from "../../src/model/refusal.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { checkpoint, entryContent, entryKey, IDENTITY, openingFacts, saleDocument, saleFacts } from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const START_MS = 1_772_435_700_000;
const REFUSAL: Refusal = { code: "no-paper", device: { code: "6B", words: "Нет чековой ленты" } };

for (const kind of DATABASE_KINDS) {
  describeDatabase("the journal", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let clock: VirtualClock;
    let journal: Journal;
    let documents = 0;

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      clock = new VirtualClock(START_MS);
      journal = new Journal({ store, clock });
    });
    afterAll(() => database.drop());

    /** Content under a key that no other test has used. */
    function freshContent(changed: Partial<EntryContent> = {}): EntryContent {
      documents += 1;
      return entryContent({ key: entryKey({ documentId: `document-${documents}` }), ...changed });
    }

    it(`gives back an accepted, sent and finished sale as it was put in (${kind.title})`, async () => {
      const content = freshContent();
      const queued = await journal.accept(content);
      expect(queued).toEqual({ ...content, id: queued.id, state: "queued", attempt: 1, acceptedAtMs: START_MS, movedAtMs: START_MS });
      expect(await journal.find(content.key)).toEqual(queued);

      await clock.advance(50);
      const document = { ...saleDocument(), reference: "another" };
      const sending = await journal.send(queued, checkpoint(), document);
      expect(sending).toEqual({ ...queued, state: "sending", movedAtMs: START_MS + 50, checkpoint: checkpoint(), document });
      expect(await journal.get(queued.id)).toEqual(sending);

      await clock.advance(1_200);
      const done = await journal.finish(sending, { kind: "done", facts: saleFacts() }, "register");
      expect(done).toEqual({ ...sending, state: "done", movedAtMs: START_MS + 1_250, facts: saleFacts() });
      expect(await journal.get(queued.id)).toEqual(done);

      const move = { entryId: queued.id, attempt: 1 };
      expect(await journal.moves(queued.id)).toEqual([
        { ...move, atMs: START_MS, to: "queued", by: "caller" },
        { ...move, atMs: START_MS + 50, from: "queued", to: "sending", by: "caller" },
        { ...move, atMs: START_MS + 1_250, from: "sending", to: "done", by: "register" },
      ]);
    });

    it(`begins a sale at once in one commit (${kind.title})`, async () => {
      const content = freshContent();
      const sending = await journal.begin(content, checkpoint());
      expect(sending).toMatchObject({ state: "sending", attempt: 1, checkpoint: checkpoint() });
      expect(await journal.find(content.key)).toEqual(sending);
      expect(await journal.moves(sending.id)).toMatchObject([{ to: "sending", by: "caller" }]);
    });

    it(`finds nothing under a key that was never used (${kind.title})`, async () => {
      expect(await journal.find(entryKey({ documentId: "never" }))).toBeUndefined();
      expect(await journal.get(999_999)).toBeUndefined();
      expect(await journal.moves(999_999)).toEqual([]);
    });

    it(`makes a repeat after a refusal a new attempt with its own content (${kind.title})`, async () => {
      const content = freshContent();
      const first = await journal.begin(content, checkpoint());
      const refused = await journal.finish(first, { kind: "refused", refusal: REFUSAL }, "register");
      expect(await journal.find(content.key)).toEqual({ ...first, state: "refused", movedAtMs: refused.movedAtMs, refusal: REFUSAL });

      const changed = { ...content, contentHash: "other", twinHash: "other", document: { ...saleDocument(), totalKopecks: 1 } };
      const second = await journal.accept(changed);
      expect(second).toEqual({
        ...changed,
        id: first.id,
        state: "queued",
        attempt: 2,
        acceptedAtMs: first.acceptedAtMs,
        movedAtMs: second.movedAtMs,
        // The document of an earlier attempt may be found in the drive later. So its checkpoint is kept until something is
        // sent again.
        checkpoint: checkpoint(),
      });
      expect(await journal.find(content.key)).toEqual(second);

      const rejected = await journal.finish(second, { kind: "refused", refusal: { code: "lane-full" } }, "register");
      const third = await journal.begin(content, checkpoint({ lastDocumentNumber: 43 }));
      expect(third).toMatchObject({ id: rejected.id, state: "sending", attempt: 3, contentHash: content.contentHash });
      expect(third.checkpoint).toEqual(checkpoint({ lastDocumentNumber: 43 }));
      expect(await journal.find(content.key)).toEqual(third);
      expect((await journal.moves(first.id)).map(({ attempt, from, to, reasons }) => [attempt, from, to, reasons])).toEqual([
        [1, undefined, "sending", undefined],
        [1, "sending", "refused", [{ code: "refused", refusal: { code: "no-paper", device: { code: "6B", words: "Нет чековой ленты" } } }]],
        [2, "refused", "queued", undefined],
        [2, "queued", "refused", [{ code: "refused", refusal: { code: "lane-full" } }]],
        [3, "refused", "sending", undefined],
      ]);
    });

    it(`lets nothing begin under a key that is running, in doubt or done (${kind.title})`, async () => {
      const content = freshContent();
      const taken = { code: "journal-moved", kind: "fault", retrySafe: true };
      const sending = await journal.begin(content, checkpoint());
      await expect(journal.begin(content, checkpoint())).rejects.toMatchObject(taken);
      await expect(journal.accept(content)).rejects.toMatchObject(taken);
      const doubtful = await journal.finish(sending, { kind: "in-doubt", doubt: { code: "no-answer", reason: "no reply" } }, "register");
      await expect(journal.begin(content, checkpoint())).rejects.toMatchObject(taken);
      const done = await journal.finish(doubtful, { kind: "done", facts: saleFacts() }, "look-up", [{ code: "restored-from-drive" }]);
      await expect(journal.begin({ ...content, contentHash: "other" }, checkpoint())).rejects.toMatchObject(taken);
      expect(await journal.find(content.key)).toEqual(done);
      expect(done).not.toHaveProperty("doubt");
      expect((await journal.moves(done.id)).map(({ to, by, reasons }) => [to, by, reasons])).toEqual([
        ["sending", "caller", undefined],
        ["in-doubt", "register", [{ code: "doubt", doubt: { code: "no-answer", reason: "no reply" } }]],
        ["done", "look-up", [{ code: "restored-from-drive" }]],
      ]);
    });

    it(`keeps entries of other apps, accounts and operations under the same document apart (${kind.title})`, async () => {
      const { key } = freshContent();
      const keys = [key, { ...key, appId: "other" }, { ...key, accountId: "other" }, { ...key, operation: "sales-return" as const }];
      const entries = await Promise.all(keys.map((one) => journal.accept(entryContent({ key: one }))));
      expect(new Set(entries.map((entry) => entry.id)).size).toBe(4);
      for (const entry of entries) expect(await journal.find(entry.key)).toEqual(entry);
    });

    it(`keeps the newest reason of a doubt, and no reason for what is no doubt (${kind.title})`, async () => {
      const sending = await journal.begin(freshContent(), checkpoint());
      await expect(journal.stillInDoubt(sending, { code: "documents-unread" })).rejects.toMatchObject({ code: "journal-illegal-move" });
      const doubtful = await journal.finish(sending, { kind: "in-doubt", doubt: { code: "no-answer", reason: "no reply" } }, "register");
      expect(await journal.stillInDoubt(doubtful, { code: "no-answer", reason: "no reply" })).toBe(doubtful);
      const still = await journal.stillInDoubt(doubtful, { code: "documents-ambiguous", count: 2 });
      expect(still).toEqual({ ...doubtful, doubt: { code: "documents-ambiguous", count: 2 } });
      expect(await journal.get(doubtful.id)).toEqual(still);
      expect(await journal.moves(doubtful.id)).toHaveLength(2);
      await journal.finish(still, { kind: "refused", refusal: { code: "not-registered" } }, "person");
      await expect(journal.stillInDoubt(still, { code: "answer-late" })).rejects.toMatchObject({ code: "journal-moved" });
    });

    it(`refuses moves that the states do not know (${kind.title})`, async () => {
      const illegal = { code: "journal-illegal-move", kind: "fault", retrySafe: false };
      const queued = await journal.accept(freshContent());
      await expect(journal.finish(queued, { kind: "done", facts: saleFacts() }, "register")).rejects.toMatchObject(illegal);
      await expect(
        journal.finish(queued, { kind: "in-doubt", doubt: { code: "no-answer", reason: "?" } }, "register"),
      ).rejects.toMatchObject(illegal);
      const sending = await journal.send(queued, checkpoint());
      await expect(journal.send(sending, checkpoint())).rejects.toMatchObject(illegal);
      const done = await journal.finish(sending, { kind: "done", facts: saleFacts() }, "register");
      await expect(journal.finish(done, { kind: "refused", refusal: REFUSAL }, "person")).rejects.toMatchObject(illegal);
    });

    it(`changes nothing when the entry is not where the caller thinks (${kind.title})`, async () => {
      const queued = await journal.accept(freshContent());
      const sending = await journal.send(queued, checkpoint());
      await expect(journal.send(queued, checkpoint({ lastDocumentNumber: 99 }))).rejects.toMatchObject({ code: "journal-moved" });
      await expect(journal.finish(queued, { kind: "refused", refusal: REFUSAL }, "caller")).rejects.toMatchObject({
        code: "journal-moved",
      });
      expect(await journal.get(queued.id)).toEqual(sending);
      expect(await journal.moves(queued.id)).toHaveLength(2);
    });

    it(`takes the same outcome twice, when its first commit only seemed to fail, and no other one (${kind.title})`, async () => {
      const sending = await journal.begin(freshContent(), checkpoint());
      const done = await journal.finish(sending, { kind: "done", facts: saleFacts() }, "register");
      await clock.advance(500);
      expect(await journal.finish(sending, { kind: "done", facts: saleFacts() }, "register")).toEqual(done);
      await expect(journal.finish(sending, { kind: "done", facts: saleFacts({ documentNumber: 43 }) }, "register")).rejects.toMatchObject({
        code: "journal-moved",
      });
      await expect(journal.finish(sending, { kind: "refused", refusal: REFUSAL }, "register")).rejects.toMatchObject({
        code: "journal-moved",
      });
      expect(await journal.moves(done.id)).toHaveLength(2);
    });

    it(`tells once of what is done when its outcome is committed twice, and also when the first commit only seemed to fail (${kind.title})`, async () => {
      const told: number[] = [];
      let answersLost = 0;
      const unsure: JournalStore = {
        read: (work) => store.read(work),
        commit: async (work, what) => {
          const result = await store.commit(work, what);
          answersLost -= 1;
          if (answersLost === 0) throw new Failure("database-failed", "dependency", "the connection is gone", { retrySafe: false });
          return result;
        },
      };
      const telling = new Journal({ store: unsure, clock, done: ({ id }) => void told.push(id) });
      const outcome = { kind: "done", facts: saleFacts() } as const;
      const first = await telling.begin(freshContent(), checkpoint());
      for (let time = 1; time <= 2; time += 1) await telling.finish(first, outcome, "register");
      const second = await telling.begin(freshContent(), checkpoint());
      answersLost = 1;
      await expect(telling.finish(second, outcome, "register")).rejects.toMatchObject({ code: "database-failed" });
      for (let time = 1; time <= 2; time += 1) await telling.finish(second, outcome, "register");
      expect(told).toEqual([first.id, second.id]);
    });

    if (kind.shared)
      it(`lets exactly one of several connections win each race for a move (${kind.title})`, async () => {
        const others = await Promise.all([database.open(), database.open(), database.open()]);
        const journals = [journal, ...others.map((other) => new Journal({ store: other, clock }))];
        for (let round = 0; round < 5; round += 1) {
          const content = freshContent();
          const begun = await wonOnce(journals.map((one) => one.begin(content, checkpoint())));
          const refused = await journal.finish(begun, { kind: "refused", refusal: REFUSAL }, "register");
          const queued = await wonOnce(journals.map((one) => one.accept(content)));
          expect(queued).toMatchObject({ id: refused.id, attempt: 2 });
          const sending = await wonOnce(journals.map((one) => one.send(queued, checkpoint())));
          await wonOnce(
            journals.map((one, index) => one.finish(sending, { kind: "done", facts: saleFacts({ documentNumber: index }) }, "register")),
          );
          expect(await journal.moves(queued.id)).toHaveLength(5);
        }
      });

    it(`keeps the first answer of a done entry byte for byte, whoever comes second (${kind.title})`, async () => {
      const sending = await journal.begin(freshContent(), checkpoint());
      const body = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, index) => index % 256));
      await expect(journal.storeAnswer(sending, body)).rejects.toMatchObject({ code: "journal-no-such-entry" });
      expect(await journal.answerOf(sending.id)).toBeUndefined();
      await journal.finish(sending, { kind: "done", facts: saleFacts() }, "register");
      const answers = await Promise.all(
        [body, Buffer.from("second"), Buffer.from("third")].map((one) => journal.storeAnswer(sending, one)),
      );
      const stored = await journal.answerOf(sending.id);
      expect(stored).toBeDefined();
      for (const answer of answers) expect(answer.equals(stored ?? Buffer.alloc(0))).toBe(true);
      expect((await journal.storeAnswer(sending, Buffer.from("late"))).equals(stored ?? Buffer.alloc(0))).toBe(true);
      const other = await journal.finish(
        await journal.begin(freshContent(), checkpoint()),
        { kind: "done", facts: saleFacts() },
        "register",
      );
      await journal.storeAnswer(other, body);
      expect((await journal.answerOf(other.id))?.equals(body)).toBe(true);
    });

    it(`forgets answers that are older than the moment and no facts (${kind.title})`, async () => {
      await journal.dropAnswersBefore(clock.nowMs() + 1);
      const ids: number[] = [];
      for (let index = 0; index < 55; index += 1) {
        const sending = await journal.begin(freshContent(), checkpoint());
        const done = await journal.finish(sending, { kind: "done", facts: saleFacts() }, "register");
        await journal.storeAnswer(done, Buffer.from("answer"));
        ids.push(done.id);
        if (index === 52) await clock.advance(1_000);
      }
      expect(await journal.dropAnswersBefore(clock.nowMs())).toBe(53);
      expect(await journal.dropAnswersBefore(clock.nowMs())).toBe(0);
      expect(await journal.answerOf(ids[52] ?? 0)).toBeUndefined();
      expect(await journal.answerOf(ids[53] ?? 0)).toEqual(Buffer.from("answer"));
      expect((await journal.get(ids[0] ?? 0))?.facts).toEqual(saleFacts());
    });

    it(`lists what is unfinished, the oldest first, for all lanes and for one (${kind.title})`, async () => {
      const register = "emulator:unfinished";
      const beside = "emulator:beside-unfinished";
      const queued = await journal.accept(freshContent({ register }));
      const queuedBeside = await journal.accept(freshContent({ register: beside }));
      const sending = await journal.begin(freshContent({ register }), checkpoint());
      const doubtful = await journal.finish(
        await journal.begin(freshContent({ register }), checkpoint()),
        { kind: "in-doubt", doubt: { code: "no-answer", reason: "?" } },
        "register",
      );
      await journal.finish(
        await journal.begin(freshContent({ register }), checkpoint()),
        { kind: "refused", refusal: REFUSAL },
        "register",
      );
      await journal.finish(await journal.begin(freshContent({ register }), checkpoint()), { kind: "done", facts: saleFacts() }, "register");
      expect(await journal.unfinished(register)).toEqual([queued, sending, doubtful]);
      const all = await journal.unfinished();
      const ours = all.filter((entry) => [register, beside].includes(entry.register));
      expect(ours).toEqual([queued, queuedBeside, sending, doubtful]);
      expect(await journal.unfinished("emulator:nobody")).toEqual([]);
    });

    it(`finds the same document under the other id type by its twin (${kind.title})`, async () => {
      const twinHash = "twin-of-two";
      const { key } = freshContent();
      const sync = await journal.accept(freshContent({ twinHash, idType: "sync" }));
      const native = await journal.accept(freshContent({ twinHash, idType: "native" }));
      await journal.accept(entryContent({ twinHash, key: { ...key, accountId: "other-account" } }));
      await journal.accept(entryContent({ twinHash, key: { ...key, operation: "sales-return" } }));
      const twinOf = ({ id, key: own, idType, state }: Entry) => ({ id, key: own, idType, state });
      expect(await journal.twins({ key, twinHash, idType: "sync" })).toEqual([twinOf(native)]);
      expect(await journal.twins({ key, twinHash, idType: "native" })).toEqual([twinOf(sync)]);
      expect(await journal.twins({ key, twinHash: "no such twin", idType: "sync" })).toEqual([]);
    });

    it(`links at most one shift of each id type to a device's shift (${kind.title})`, async () => {
      const sync = { id: "shift-s", idType: "sync" } as const;
      const native = { id: "shift-n", idType: "native" } as const;
      const at = ["emulator:links", "9999078900007777", 7] as const;
      const [, ...shift] = at;
      expect(await journal.shiftLinks(...shift)).toEqual([]);
      expect(await journal.linkShift(...at, sync)).toEqual([sync]);
      expect(await journal.linkShift(...at, sync)).toEqual([sync]);
      expect(await journal.linkShift(...at, { ...sync, id: "another" })).toEqual([sync]);
      expect(await journal.linkShift(...at, native)).toEqual([native, sync]);
      expect(await journal.shiftLinks(...shift)).toEqual([native, sync]);
      expect(await journal.shiftLinks("9999078900007777", 8)).toEqual([]);
      expect(await journal.shiftLinks("9999078900009999", 7)).toEqual([]);
    });

    it(`knows who has opened a device's shift, the first first, whichever address led to it (${kind.title})`, async () => {
      const identity = { ...IDENTITY, driveNumber: "9999078900008888" };
      const { key } = freshContent();
      for (const [register, operation, accountId, shiftNumber, documentNumber] of [
        ["emulator:openings", "open-shift", "account-a", 7, 70],
        ["emulator:openings", "auto-open-shift", "account-b", 8, 80],
        ["emulator:another-address", "open-shift", "account-c", 8, 80],
        ["emulator:openings", "auto-open-shift", "account-d", 9, 90],
        ["emulator:openings", "close-shift", "account-e", 10, 101],
      ] as const) {
        const sending = await journal.begin(entryContent({ register, key: { ...key, operation, accountId } }), checkpoint());
        await journal.finish(sending, { kind: "done", facts: openingFacts({ identity, shiftNumber, documentNumber }) }, "register");
      }
      const owner = (shiftNumber: number) => journal.shiftOwner({ driveNumber: identity.driveNumber, shiftNumber });
      expect(await owner(7)).toEqual({ kind: "opened", accountId: "account-a", automatic: false });
      expect(await owner(8)).toEqual({ kind: "opened", accountId: "account-b", automatic: false });
      expect(await owner(9)).toEqual({ kind: "opened", accountId: "account-d", automatic: true });
      expect(await owner(10)).toEqual({ kind: "trades", accountId: "account-e", entryId: expect.any(Number) });
      expect(await owner(11)).toEqual({ kind: "nobody" });
      expect(await journal.shiftOwner({ driveNumber: "9999078900009999", shiftNumber: 7 })).toEqual({ kind: "nobody" });
    });

    it(`knows the fiscal sign of a done sale and of nothing else (${kind.title})`, async () => {
      const sending = await journal.begin(freshContent(), checkpoint());
      const { appId, accountId, documentId } = sending.key;
      expect(await journal.signOfSale(appId, accountId, documentId)).toBeUndefined();
      await journal.finish(sending, { kind: "done", facts: saleFacts({ fiscalSign: "0034567890" }) }, "register");
      expect(await journal.signOfSale(appId, accountId, documentId)).toBe("0034567890");
      expect(await journal.signOfSale("other", accountId, documentId)).toBeUndefined();
    });

    it(`lists the newest first, a page at a time, and counts by state (${kind.title})`, async () => {
      const accountId = "account-of-lists";
      for (const [index, storeId] of ["a", "b", "a", "a"].entries()) {
        const content = entryContent({ key: entryKey({ accountId, documentId: `listed-${index}` }) });
        await journal.accept({ ...content, operation: { ...content.operation, storeId } });
      }
      const all = await journal.list({ accountId, limit: 10 });
      expect(all.map((entry) => entry.key.documentId)).toEqual(["listed-3", "listed-2", "listed-1", "listed-0"]);
      expect((await journal.list({ accountId, storeId: "a", limit: 2 })).map((entry) => entry.key.documentId)).toEqual([
        "listed-3",
        "listed-2",
      ]);
      expect((await journal.list({ accountId, beforeId: all[2]?.id ?? 0, limit: 10 })).map((entry) => entry.key.documentId)).toEqual([
        "listed-0",
      ]);
      expect(await journal.list({ accountId, state: "done", limit: 10 })).toEqual([]);
      expect(await journal.list({ documentId: "listed-1", limit: 10 })).toEqual([all[2]]);
      const counts = await journal.heads.unfinishedCounts();
      expect(counts.queued).toBe((await journal.list({ state: "queued", limit: 1_000 })).length);
      expect(Object.keys(counts).toSorted()).toEqual(["in-doubt", "queued", "sending"]);
    });

    it(`keeps words of a device that hold control characters and broken surrogates (${kind.title})`, async () => {
      const sending = await journal.begin(freshContent(), checkpoint());
      const doubtful = await journal.finish(
        sending,
        { kind: "in-doubt", doubt: { code: "no-answer", reason: "reply \0 \uD800 cut" } },
        "register",
      );
      expect(doubtful.doubt).toEqual({ code: "no-answer", reason: "reply \0 \uD800 cut" });
      expect(await journal.get(sending.id)).toEqual(doubtful);
      const refusal: Refusal = { code: "device-refused", device: { code: "FF", words: "\0\u0001\uDC00" } };
      const refused = await journal.finish(doubtful, { kind: "refused", refusal }, "look-up");
      expect((await journal.get(sending.id))?.refusal).toEqual(refused.refusal);
    });
  });
}

/** The result of the one that succeeded. All others must have been told that the entry has moved. */
async function wonOnce<T>(racers: Promise<T>[]): Promise<T> {
  const results = await Promise.allSettled(racers);
  const won = results.filter((result) => result.status === "fulfilled");
  for (const result of results) if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "journal-moved" });
  expect(won).toHaveLength(1);
  const [winner] = won;
  if (winner === undefined) throw new Error("nobody won");
  return winner.value;
}
