import { CompiledQuery, type Kysely, type Transaction } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { Checkpoint, Entry, EntryContent, EntryKey } from "../../src/journal/entry.ts";
import { searchedRows } from "../../src/journal/finding/found-entries.ts";
import { fewCandidates } from "../../src/journal/finding/search-queries.ts";
import { Journal } from "../../src/journal/journal.ts";
import { lastDoneIn, newestNumber, numbersBehind } from "../../src/journal/newest-queries.ts";
import {
  countUnfinished,
  doubtedRegisters,
  insertMove,
  sentSizes,
  sentToDriveSizes,
  shiftLinks,
  unfinishedSizes,
} from "../../src/journal/queries.ts";
import { documentFrom, firstSlip, openersOf } from "../../src/journal/shift-owner-queries.ts";
import type { DocumentFacts, RegisterIdentity } from "../../src/model/facts.ts";
import type { Store } from "../../src/store/database.ts";
import type { Tables } from "../../src/store/tables.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import {
  cashFacts,
  checkpoint,
  entryContent,
  entryKey,
  IDENTITY,
  openingFacts,
  saleFacts,
  saleOperation,
} from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

const START_MS = 1_772_435_700_000;
const NO_PAPER = { kind: "refused", refusal: { code: "no-paper" } } as const;
/** So many rows that a database prefers an index to reading everything. */
const MANY = 2_000;

for (const kind of DATABASE_KINDS) {
  describeDatabase("what is newest in the journal", kind, () => {
    let database: TestDatabase;
    let store: Store;
    /** The journal's time. Each reading of the clock gives a minute less than the one before. */
    let nowMs = START_MS;
    let journal: Journal;
    let documents = 0;
    /** Each test has a drive of its own. */
    let drive: RegisterIdentity;
    let before: Checkpoint;
    let register = "";

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      const backwards = () => {
        nowMs -= 60_000;
        return nowMs;
      };
      journal = new Journal({
        store,
        clock: { ...new VirtualClock(START_MS), nowMs: backwards, monotonicMs: () => 0, after: () => () => {} },
      });
    });
    afterAll(() => database.drop());
    beforeEach(() => {
      documents += 1;
      const driveNumber = `99990788${String(documents).padStart(8, "0")}`;
      drive = { ...IDENTITY, driveNumber };
      before = checkpoint({ driveNumber });
      register = `emulator:newest-${documents}`;
    });

    function freshContent(changed: Partial<EntryContent> = {}): EntryContent {
      documents += 1;
      return entryContent({ key: entryKey({ documentId: `document-${documents}` }), register, ...changed });
    }

    async function refused(content: EntryContent): Promise<void> {
      await journal.finish(await journal.accept(content), NO_PAPER, "register");
    }

    async function done(content: EntryContent, facts: DocumentFacts): Promise<Entry> {
      const sending = await journal.begin(content, before);
      return journal.finish(sending, { kind: "done", facts: { ...facts, identity: drive } as DocumentFacts }, "register");
    }

    it(`of a drive is the highest number, though its entry was refused before all others came (${kind.title})`, async () => {
      const content = freshContent();
      await refused(content);
      await done(freshContent(), saleFacts({ documentNumber: 50 }));
      const newest = await done(content, saleFacts({ documentNumber: 51 }));
      expect(await journal.lastDocumentNumber(drive.driveNumber)).toBe(51);
      expect(await journal.newestFiscal(drive.driveNumber)).toEqual(newest);
      expect(await journal.documentNumbers(drive.driveNumber, 49)).toEqual(new Set([50, 51]));
      expect(await journal.documentNumbers(drive.driveNumber, 50)).toEqual(new Set([51]));
      expect(await journal.lastDocumentNumber("9999078700000000")).toBe(0);
    });

    it(`of a drive is the same whichever address led to it, and no slip or report without a number (${kind.title})`, async () => {
      await done(freshContent({ register: "emulator:here" }), saleFacts({ documentNumber: 60 }));
      const opening = freshContent({
        register: "emulator:there",
        key: entryKey({ operation: "open-shift", documentId: `o-${documents}` }),
      });
      await done(opening, openingFacts({ documentNumber: 58 }));
      const slip = freshContent({ key: entryKey({ operation: "cash-in", documentId: `c-${documents}` }) });
      await done(slip, cashFacts());
      expect(await journal.lastDocumentNumber(drive.driveNumber)).toBe(60);
      expect(await journal.documentNumbers(drive.driveNumber, 0)).toEqual(new Set([58, 60]));
    });

    it(`that a register said of itself is in its newest document, else in what it did last, whatever the clocks showed (${kind.title})`, async () => {
      const first = freshContent({ key: entryKey({ operation: "cash-in", documentId: `c-${documents}` }) });
      await refused(first);
      await done(freshContent({ key: entryKey({ operation: "cash-out", documentId: `d-${documents}` }) }), cashFacts());
      const slip = await done(first, cashFacts());
      expect(await journal.newestWith(register, drive.driveNumber)).toEqual(slip);
      const again = freshContent();
      await refused(again);
      await done(freshContent(), saleFacts({ documentNumber: 60 }));
      const sale = await done(again, saleFacts({ documentNumber: 61 }));
      await done(freshContent({ key: entryKey({ operation: "cash-in", documentId: `e-${documents}` }) }), cashFacts());
      expect(await journal.newestWith(register, drive.driveNumber)).toEqual(sale);
      expect(await journal.newestWith(register, "9999078700000000")).toBeUndefined();
    });

    it(`of a register is what it finished last, with any drive, and nothing that was refused or is in doubt (${kind.title})`, async () => {
      expect(await journal.lastDone(register)).toBeUndefined();
      const first = freshContent();
      await refused(first);
      const sale = await done(freshContent(), saleFacts({ documentNumber: 62 }));
      await done(freshContent({ register: "emulator:another" }), saleFacts({ documentNumber: 63 }));
      await refused(freshContent());
      await journal.finish(
        await journal.begin(freshContent(), before),
        { kind: "in-doubt", doubt: { code: "no-answer", reason: "?" } },
        "register",
      );
      expect(await journal.lastDone(register)).toEqual(sale);
      const again = await done(first, cashFacts());
      expect(again.id).toBeLessThan(sale.id);
      expect(await journal.lastDone(register)).toEqual(again);
    });

    it(`comes last of what waits, also when it was refused first, and whatever the clocks showed (${kind.title})`, async () => {
      const [first, second, third] = [freshContent(), freshContent(), freshContent()];
      await refused(first);
      const doubt = await journal.finish(
        await journal.begin(second, before),
        { kind: "in-doubt", doubt: { code: "no-answer", reason: "?" } },
        "register",
      );
      const waiting = await journal.accept(third);
      const again = await journal.accept(first);
      expect(again.id).toBeLessThan(doubt.id);
      expect(await journal.unfinished(register)).toEqual([doubt, waiting, again]);
      const all = (await journal.unfinished()).filter((entry) => entry.register === register);
      expect(all.map(({ id }) => id)).toEqual([doubt.id, waiting.id, again.id]);
      for (const { id } of all)
        await store.commit((tx) => tx.updateTable("entries").set({ state: "refused" }).where("id", "=", id).execute());
    });

    it(`of a point of sale is what moved last, also at a register that it had before (${kind.title})`, async () => {
      const accountId = `account-of-${documents}`;
      const key = (documentId: string) => entryKey({ accountId, documentId });
      const at = (documentId: string, register: string) => entryContent({ key: key(documentId), register });
      await refused(at("one", "emulator:before"));
      await refused(at("two", "emulator:before"));
      await refused(at("one", "emulator:after"));
      const { storeId } = saleOperation("one");
      expect((await journal.newestOf(accountId, storeId))?.register).toBe("emulator:after");
      expect(await journal.newestOf(accountId, "another")).toBeUndefined();
    });

    it(`comes first of those with a sign, and last of those that correct a document (${kind.title})`, async () => {
      const accountId = `account-of-${documents}`;
      const correction = (documentId: string) =>
        entryContent({ key: entryKey({ accountId, operation: "correction", documentId }), register });
      await refused(correction("sale:a:redo"));
      const undo = await done(correction("sale:a:undo"), saleFacts({ fiscalSign: "0000000070", documentNumber: 70 }));
      const redo = await done(correction("sale:a:redo"), saleFacts({ fiscalSign: "0000000070", documentNumber: 71 }));
      expect(redo.id).toBeLessThan(undo.id);
      expect((await journal.doneBySign(drive.driveNumber, "0000000070")).map(({ id }) => id)).toEqual([redo.id, undo.id]);
      const found = await journal.entriesUnder(entryKey({ accountId, operation: "correction" }), "sale:a:");
      expect(found.map(({ id }) => id)).toEqual([undo.id, redo.id]);
    });

    it(`first of a shift is the lowest number, of no report of the state and no shift before, else a slip (${kind.title})`, async () => {
      const of = (accountId: string, operation: EntryKey["operation"] = "sale") =>
        freshContent({ key: entryKey({ accountId, operation, documentId: `${accountId}-${documents}` }) });
      const { driveNumber } = drive;
      const first = async (openReportNumber?: number) => {
        const owner = await journal.shiftOwner({ driveNumber, shiftNumber: 5, openReportNumber });
        return owner.kind === "trades" ? owner.accountId : undefined;
      };
      await done(of("earlier"), saleFacts({ documentNumber: 80, shiftNumber: 4 }));
      await done(of("state", "state-report"), saleFacts({ documentNumber: 82, shiftNumber: 5 }));
      expect([await first(), await first(81)]).toEqual([undefined, undefined]);
      await done(of("slip", "cash-in"), { ...cashFacts(), shiftNumber: 5 });
      await done(of("another-slip", "cash-out"), { ...cashFacts(), shiftNumber: 5 });
      expect([await first(), await first(81)]).toEqual(["slip", "slip"]);
      await done(of("second"), saleFacts({ documentNumber: 84, shiftNumber: 5 }));
      await done(of("first"), saleFacts({ documentNumber: 83, shiftNumber: 5 }));
      expect([await first(), await first(81)]).toEqual(["first", "first"]);
      for (const shift of [
        { driveNumber, shiftNumber: 6 },
        { driveNumber: "9999078700000000", shiftNumber: 5 },
      ])
        expect(await journal.shiftOwner(shift)).toEqual({ kind: "nobody" });
    });

    it(`first of an old shift is found among those of all shifts after it (${kind.title})`, async () => {
      const { driveNumber } = drive;
      // The journal lacks the reports of all shifts, and all documents of shift 13, so its numbers have gaps.
      for (const shiftNumber of [11, 12, 14, 15, 16]) {
        for (const number of [3, 4, 6]) {
          const key = entryKey({ accountId: `${shiftNumber}/${number}`, documentId: `${driveNumber}/${shiftNumber}/${number}` });
          await done(freshContent({ key }), saleFacts({ documentNumber: shiftNumber * 10 + number, shiftNumber }));
        }
      }
      for (const shiftNumber of [11, 12, 14, 15, 16]) {
        const trades = { kind: "trades", accountId: `${shiftNumber}/3`, entryId: expect.any(Number) };
        expect(await journal.shiftOwner({ driveNumber, shiftNumber })).toEqual(trades);
        expect(await journal.shiftOwner({ driveNumber, shiftNumber, openReportNumber: shiftNumber * 10 + 2 })).toEqual(trades);
      }
      for (const shiftNumber of [10, 13, 17]) expect(await journal.shiftOwner({ driveNumber, shiftNumber })).toEqual({ kind: "nobody" });
    });

    it(`is found in an index, and no more is read of a journal of any length (${kind.title})`, async () => {
      const driveNumber = await fill(store);
      const { id: entryId } = await done(freshContent(), saleFacts({ documentNumber: MANY }));
      const move = { entryId, attempt: 2, atMs: 1, to: "queued", by: "caller" } as const;
      const sending = await journal.begin(freshContent(), before);
      const questions = {
        newest: (db: Kysely<Tables>) => newestNumber(db, driveNumber),
        behind: (db: Kysely<Tables>) => numbersBehind(db, driveNumber, MANY - 50),
        openers: (db: Kysely<Tables>) => openersOf(db, driveNumber, 1),
        "first account": (db: Kysely<Tables>) => documentFrom(db, driveNumber, 7),
        slip: (db: Kysely<Tables>) => firstSlip(db, driveNumber, 1),
        "last done": (db: Kysely<Tables>) => lastDoneIn(db, { register: "emulator:3" }, { rows: 100, limit: 1 }),
        links: (db: Kysely<Tables>) => shiftLinks(db, driveNumber, 1),
        unfinished: (db: Kysely<Tables>) => unfinishedSizes(db, {}),
        "unfinished here": (db: Kysely<Tables>) => unfinishedSizes(db, { register: "emulator:3" }),
        "sent here": (db: Kysely<Tables>) => sentSizes(db, "emulator:3"),
        "sent to a drive": (db: Kysely<Tables>) => sentToDriveSizes(db, driveNumber),
        "in doubt": (db: Kysely<Tables>) => doubtedRegisters(db),
        "unfinished, counted": (db: Kysely<Tables>) => countUnfinished(db),
        "search of a state": (db: Kysely<Tables>) => fewCandidates(db, { state: "sending", limit: 50 }),
        "next move": (db: Kysely<Tables>) => insertMove(db as Transaction<Tables>, move),
      };
      const indexes: Record<keyof typeof questions, string> = {
        newest: "moves_documents",
        behind: "moves_documents",
        openers: "entries_openings",
        "first account": "moves_documents",
        slip: "entries_slips",
        "last done": "moves_number",
        links: "shift_links",
        unfinished: "entries_unfinished",
        "unfinished here": "entries_unfinished",
        "sent here": "entries_unfinished",
        "sent to a drive": "entries_unfinished",
        "in doubt": "entries_unfinished",
        "unfinished, counted": "entries_unfinished",
        "search of a state": "entries_unfinished",
        "next move": "moves_number",
      };
      for (const [name, ask] of Object.entries(questions)) {
        const plan = await planOf(store, ask);
        expect(plan, name).toContain(indexes[name as keyof typeof indexes]);
        // Slips are searched only among the newest moves, and the last entry of a register from the newest move on: the index is read
        // up to a bound, or to the first move that fits.
        const walked = name === "slip" || name === "last done" ? "moves_number" : "entries_unfinished";
        const whole = `Seq Scan on (moves|entries)|SCAN (moves|entries)(?! USING( COVERING)? INDEX ${walked})`;
        expect(plan, name).not.toMatch(new RegExp(whole));
      }
      const found = await searchedRows(store, { state: "sending", limit: 1 });
      expect(found.map(({ id }) => id)).toEqual([sending.id]);
    });
  });
}

/** The SQL statement of a question to the database. */
async function asked(store: Store, ask: (db: Kysely<Tables>) => Promise<unknown>): Promise<CompiledQuery> {
  let found: CompiledQuery | undefined;
  const watching = new Proxy(store.db, {
    get(db, name) {
      const member: unknown = Reflect.get(db, name, db);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        if (name === "executeQuery") found = given[0] as CompiledQuery;
        return member.apply(db, given);
      };
    },
  });
  await ask(watching);
  if (found === undefined) throw new Error("nothing was asked");
  return found;
}

/** The database's plan for the question. */
async function planOf(store: Store, ask: (db: Kysely<Tables>) => Promise<unknown>): Promise<string> {
  const { sql: text, parameters } = await asked(store, ask);
  const explain = store.kind === "sqlite" ? "explain query plan" : "explain";
  const { rows } = await store.db.executeQuery(CompiledQuery.raw(`${explain} ${text}`, [...parameters]));
  return rows.map((row) => JSON.stringify(row)).join("\n");
}

/** Adds many done sales of several drives, as in the journal of a year. Returns one of the drives. */
async function fill(store: Store): Promise<string> {
  await store.commit(async (tx) => {
    for (let from = 0; from < MANY; from += 100) {
      const sales = Array.from({ length: 100 }, (_, at) => saleRow(from + at));
      const rows = await tx.insertInto("entries").values(sales).returning(["id", "document_id"]).execute();
      const moves = rows.map(({ id, document_id }) => ({
        ...{ entry_id: id, attempt: 1, to_state: "done", from_state: "sending", at_ms: 1, by: "register", reasons: null, number: id },
        ...{ drive_number: driveOf(Number(document_id)), document_number: Number(document_id) },
      }));
      await tx.insertInto("moves").values(moves).execute();
    }
  });
  if (store.kind === "postgres")
    for (const table of ["entries", "moves"]) await store.db.executeQuery(CompiledQuery.raw(`analyze ${table}`));
  return driveOf(0);
}

function driveOf(document: number): string {
  return `77770000${String(document % 20).padStart(8, "0")}`;
}

function saleRow(document: number) {
  const key = { app_id: "app", account_id: "filled", operation: "sale", document_id: String(document) };
  const texts = { id_type: "native", store_id: "s", content_hash: "h", twin: `t${document}`, paper: "80", content: "{}", document: "{}" };
  const facts = JSON.stringify(saleFacts({ documentNumber: document }));
  return {
    ...{ ...key, ...texts, register: `emulator:${document % 20}`, state: "done", attempt: 1, accepted_at_ms: 1, moved_at_ms: 1 },
    ...{ checkpoint: "{}", facts, refusal: null, doubt: null, drive_number: driveOf(document), shift_number: 1 },
  };
}
