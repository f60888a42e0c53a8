import { type KyselyPlugin, sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CommandIo } from "../../src/cli/command.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import { answerOf } from "../../src/contracts/fiscal/answer.ts";
import type { Entry, EntryContent } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { verifyJournal } from "../../src/journal/verify/verify-journal.ts";
import type { FiscalFacts } from "../../src/model/facts.ts";
import type { Store } from "../../src/store/database.ts";
import { multiply, OF_A_SALE, OF_AN_ANSWER, withoutGuards } from "../support/altered-journal.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
import { sample } from "../support/extent.ts";
import {
  cashFacts,
  checkpoint,
  entryContent,
  entryKey,
  openingFacts,
  saleDocument,
  saleFacts,
  saleOperation,
} from "../support/journal-entries.ts";
import { VirtualClock } from "../support/virtual-clock.ts";

for (const kind of sample(DATABASE_KINDS, 1))
  describeDatabase("counting the journal anew", kind, () => {
    let database: TestDatabase;
    let store: Store;
    let journal: Journal;
    let made = 0;
    const clock = new VirtualClock(1_772_435_700_000);

    beforeAll(async () => {
      database = await kind.make();
      store = await database.open();
      await store.migrate();
      journal = new Journal({ store, clock });
    });
    afterAll(() => database.drop());

    function content(changed: Partial<EntryContent> = {}): EntryContent {
      made += 1;
      const key = entryKey({ documentId: `document-${made}`, operation: changed.operation?.kind ?? "sale" });
      return entryContent({ key, register: `emulator:verify-${made}`, ...changed });
    }

    function facts(number = made): FiscalFacts {
      return saleFacts({ documentNumber: 1_000 + number });
    }

    async function sale(): Promise<Entry> {
      const sending = await journal.begin(content(), checkpoint({ lastDocumentNumber: 1_000 + made - 1 }));
      await clock.advance(1_000);
      const done = await journal.finish(sending, { kind: "done", facts: facts() }, "register");
      await journal.storeAnswer(done, answerOf({ facts: facts(), receipt: Buffer.from("zip") }));
      return done;
    }

    /** An opening of the shift with this number. */
    async function opening(shiftNumber: number): Promise<Entry> {
      const operation = { ...saleOperation("x"), kind: "open-shift" as const };
      const sending = await journal.begin(content({ operation, document: { kind: "open-shift", reference: "r" } }), checkpoint());
      const report = openingFacts({ shiftNumber, documentNumber: 1_000 + made });
      return journal.finish(sending, { kind: "done", facts: report }, "register");
    }

    async function run(...args: string[]): Promise<{ code: number; lines: string[] }> {
      const lines: string[] = [];
      const io: CommandIo = { out: (text) => lines.push(text), err: (text) => lines.push(text), signal: new AbortController().signal };
      const open = () => Promise.reject(new Error("not needed"));
      const place = { open, openStore: async () => ({ store, close: async () => {} }) };
      const code = await journalCommand(place).run(["verify", ...args], io);
      return { code, lines };
    }

    async function alter(change: ReturnType<typeof sql>): Promise<void> {
      await store.commit((tx) => change.execute(tx));
    }

    /** The findings about an altered entry, as lines. */
    async function linesAfter(change: ReturnType<typeof sql>): Promise<string[]> {
      expect((await run()).code).toBe(0);
      await alter(change);
      const { code, lines } = await run();
      expect(code).toBe(1);
      expect(lines.at(-1)).toMatch(/: \d+ rows differ$/);
      return lines.slice(0, -1);
    }

    /** Removes everything, so that an altered row disturbs no other test. */
    async function clear(): Promise<void> {
      for (const table of ["answers", "day_answers", "moves", "shift_links", "drive_readings", "entries"])
        await alter(sql`delete from ${sql.table(table)}`);
    }

    it(`agrees with every life that an entry may have (${kind.title})`, async () => {
      await sale();
      await journal.accept(content());
      await journal.begin(content(), checkpoint());
      // The settings have changed while the operation waited.
      const rounded = { ...saleDocument(), totalKopecks: 39_000, roundingKopecks: 2 };
      await journal.send(await journal.accept(content()), checkpoint(), rounded);
      const queued = await journal.send(await journal.accept(content()), checkpoint());
      const doubtful = await journal.finish(queued, { kind: "in-doubt", doubt: { code: "not-committed" } }, "restart");
      const refused = await journal.finish(doubtful, { kind: "refused", refusal: { code: "not-registered" } }, "look-up");
      await journal.accept(refused);
      const wrong = await journal.finish(
        await journal.finish(
          await journal.begin(content(), checkpoint()),
          { kind: "in-doubt", doubt: { code: "not-committed" } },
          "register",
        ),
        { kind: "done", facts: facts() },
        "person",
      );
      const none = await journal.settleAgain(wrong, { kind: "refused", refusal: { code: "not-registered" } });
      await journal.settleAgain(none, { kind: "done", facts: { ...facts(), receipt: { number: 1, sign: 1, totalKopecks: 1 } } });
      const cash = { ...saleOperation("x"), kind: "cash-in" as const, sumKopecks: 150_000 };
      const slip = await journal.begin(
        content({ operation: cash, document: { kind: "cash-in", reference: "r", sumKopecks: 150_000 } }),
        checkpoint(),
      );
      await journal.finish(slip, { kind: "done", facts: cashFacts() }, "register");
      const { facts: opened } = await opening(70);
      const adopting = await journal.begin(
        content({ operation: { ...saleOperation("x"), kind: "open-shift" }, document: { kind: "open-shift", reference: "r" } }),
        checkpoint(),
      );
      if (opened === undefined) throw new Error("the shift was not opened");
      const number = opened.kind === "fiscal" ? opened.documentNumber : 0;
      await journal.finish(adopting, { kind: "done", facts: opened }, "look-up", [{ code: "shift-adopted", number }]);
      const finding = await journal.begin(
        content({ operation: { ...saleOperation("x"), kind: "open-shift" }, document: { kind: "open-shift", reference: "r" } }),
        checkpoint(),
      );
      await journal.finish(finding, { kind: "done", facts: opened }, "look-up", [{ code: "report-found", number }]);
      const { code, lines } = await run();
      expect(lines).toEqual(["10 entries, 26 moves, 1 answers and 3 documents of drives were counted: everything agrees"]);
      expect(code).toBe(0);
      const json = JSON.parse((await run("--json")).lines.join("\n"));
      expect(json).toMatchObject({ entries: 10, findings: [], isCut: false, isRight: true });
      await clear();
    });

    it(`finds each thing of a sale that was altered (${kind.title})`, async () => {
      await withoutGuards(store);
      for (const [what, change, line] of OF_A_SALE) {
        const { id } = await sale();
        const lines = await linesAfter(change(id));
        expect(lines, what).toContainEqual(expect.stringContaining(line));
        await clear();
      }
    });

    it(`finds an answer that says something else than the facts (${kind.title})`, async () => {
      for (const [part, from, to] of OF_AN_ANSWER) {
        const done = await sale();
        const body = Buffer.from(
          answerOf({ facts: facts(), receipt: Buffer.from("zip") })
            .toString()
            .replace(from, to),
        );
        const [line, more] = await linesAfter(sql`update day_answers set body = ${body} where entry_id = ${done.id}`);
        expect(line, part).toMatch(new RegExp(`^answers ${done.id}: ${part} is`));
        expect(more).toBeUndefined();
        await clear();
      }
    });

    it(`finds an answer to an operation that was not done (${kind.title})`, async () => {
      const { id } = await journal.accept(content());
      const lines = await linesAfter(sql`insert into answers (entry_id, stored_at_ms, body) values (${id}, 1, ${Buffer.from("{}")})`);
      expect(lines).toEqual([`answers ${id}: is queued and has body`]);
      await clear();
    });

    it(`finds an answer kept for another day than its entry's, and two answers that differ (${kind.title})`, async () => {
      const { id, movedAtMs } = await sale();
      const moved = sql`update day_answers set done_at_ms = done_at_ms + 5 where entry_id = ${id}`;
      expect(await linesAfter(moved)).toEqual([`answers ${id}: done_at_ms is ${movedAtMs + 5}, counted ${movedAtMs}`]);
      await clear();
      const other = await sale();
      const copied = sql`insert into answers (entry_id, stored_at_ms, body) select entry_id, done_at_ms, body from day_answers`;
      await alter(copied);
      const [line] = await linesAfter(sql`update answers set body = ${Buffer.concat([answerOf({ facts: facts() }), Buffer.from(" ")])}`);
      expect(line).toBe(`answers ${other.id}: two answers are stored, and they differ`);
      await clear();
    });

    it(`finds an entry that was never sent with a checkpoint, and one sent and not settled without its doubt (${kind.title})`, async () => {
      const waiting = await journal.accept(content());
      const changed = sql`update entries set checkpoint = ${JSON.stringify(checkpoint())} where id = ${waiting.id}`;
      expect(await linesAfter(changed)).toEqual([`entries ${waiting.id}: is queued and has checkpoint`]);
      await clear();
      const sending = await journal.begin(content(), checkpoint());
      const { id } = await journal.finish(sending, { kind: "in-doubt", doubt: { code: "not-committed" } }, "restart");
      expect(await linesAfter(sql`update entries set doubt = null where id = ${id}`)).toEqual([`entries ${id}: is in-doubt without doubt`]);
      await clear();
      const refused = await journal.finish(
        await journal.accept(content()),
        { kind: "refused", refusal: { code: "not-registered" } },
        "caller",
      );
      const lines = await linesAfter(sql`update entries set refusal = null where id = ${refused.id}`);
      expect(lines).toEqual([`entries ${refused.id}: is refused without refusal`]);
      await clear();
    });

    it(`finds an end taken back that a person had not decided (${kind.title})`, async () => {
      const sending = await journal.begin(content(), checkpoint());
      const doubtful = await journal.finish(sending, { kind: "in-doubt", doubt: { code: "not-committed" } }, "register");
      const wrong = await journal.finish(doubtful, { kind: "done", facts: facts() }, "person");
      const { id } = await journal.settleAgain(wrong, { kind: "refused", refusal: { code: "not-registered" } });
      const lines = await linesAfter(sql`update moves set by = 'look-up' where entry_id = ${id} and attempt = 1`);
      expect(lines).toContainEqual(`moves ${id}/2/in-doubt: no entry may go from done to in-doubt`);
      await clear();
    });

    it(`finds two entries of one key (${kind.title})`, async () => {
      const [one, other] = [await sale(), await sale()];
      const lines = await linesAfter(sql`update entries set document_id = ${one.key.documentId} where id = ${other.id}`);
      const { appId, accountId, operation, documentId } = one.key;
      const place = `entries ${appId}/${accountId}/${operation}/${documentId}`;
      expect(lines).toEqual([`${place}: only one entry may have it, and these do: ${one.id}, ${other.id}`]);
      await clear();
    });

    it(`finds a document of a drive in two entries (${kind.title})`, async () => {
      const [one, other] = [await sale(), await sale()];
      const { documentNumber } = facts(made - 1);
      const lines = await linesAfter(
        sql`update moves set document_number = ${documentNumber} where entry_id = ${other.id} and to_state = 'done'`,
      );
      const place = `moves 9999078900001234/${documentNumber}`;
      expect(lines).toContain(`${place}: only one entry may have it, and these do: ${one.id}, ${other.id}`);
      await clear();
    });

    it(`finds a shift's opening that has lost its link (${kind.title})`, async () => {
      const { id, register } = await opening(71);
      const lines = await linesAfter(sql`delete from shift_links where register = ${register}`);
      expect(lines).toEqual([`shift_links ${register}/9999078900001234/71/sync: is missing`]);
      expect(id).toBeGreaterThan(0);
      await clear();
    });

    it(`finds moves and answers of entries that are missing, in the middle and at the end (${kind.title})`, async () => {
      const [one, , last] = [await sale(), await sale(), await sale()];
      const lines = await linesAfter(sql`delete from entries where id in (${one.id}, ${last.id})`);
      expect(lines.toSorted()).toEqual(
        [one.id, last.id]
          .flatMap((id) => ["answers", "moves"].map((table) => `${table} ${id}: there is no entry ${id} to which it belongs`))
          .toSorted(),
      );
      await clear();
    });

    // Keys are read in pages of 5,000.
    const copies = 5_200;

    it(`reads a journal of many pages, and finds what is wrong at its far end (${kind.title})`, async () => {
      const { id } = await sale();
      await multiply(store, id, copies);
      const { code, lines } = await run();
      expect(lines).toEqual([
        `${copies + 1} entries, ${2 * copies + 2} moves, 1 answers and ${copies + 1} documents of drives were counted: everything agrees`,
      ]);
      expect(code).toBe(0);
      const found = await linesAfter(
        sql`update entries set document_id = ${`copy-${copies - 1}`}, attempt = 2 where document_id = ${`copy-${copies}`}`,
      );
      expect(found).toEqual([
        expect.stringMatching(/^entries \d+: attempt is 2, counted 1$/),
        expect.stringMatching(new RegExp(`sale/copy-${copies - 1}: only one entry may have it`)),
      ]);
      await clear();
    });

    it(`reads large entries a few at a time (${kind.title})`, async () => {
      const { id } = await sale();
      await multiply(store, id, 20);
      await alter(sql`update entries set document = document || ${" ".repeat(600_000)}`);
      const read: number[] = [];
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        async transformResult({ result }) {
          read.push(result.rows.reduce((sum: number, { document }) => sum + String(document ?? "").length, 0));
          return result;
        },
      };
      const counted: Pick<Store, "read" | "commit" | "kind"> = {
        kind: store.kind,
        commit: (work) => store.commit(work),
        read: (work) => store.read((db) => work(db.withPlugin(counting))),
      };
      expect(await verifyJournal(counted, { answerCheck: () => [] })).toMatchObject({ entries: 21, moves: 42, findings: [] });
      expect(Math.max(...read)).toBeLessThan(2_000_000);
      await clear();
    });

    it(`ends after a thousand findings, and when the caller gives up, and says so (${kind.title})`, async () => {
      const { id } = await sale();
      await multiply(store, id, 1_100);
      await alter(sql`update entries set attempt = 2`);
      const { code, lines } = await run();
      expect(code).toBe(1);
      expect(lines).toHaveLength(1_001);
      expect(lines.at(-1)).toMatch(/1000 rows differ, and counting ended$/);
      const io: CommandIo = { out: (text) => lines.push(text), err: (text) => lines.push(text), signal: AbortSignal.abort() };
      const place = { open: () => Promise.reject(new Error("not needed")), openStore: async () => ({ store, close: async () => {} }) };
      expect(await journalCommand(place).run(["verify"], io)).toBe(1);
      expect(lines.at(-1)).toBe("A signal came first: not everything was counted.");
      await clear();
    });

    it(`says that the list is cut when the last thing that it counts has too many findings (${kind.title})`, async () => {
      const { id } = await sale();
      const drives = Array.from({ length: 1_001 }, (_, at) => sql`(${`9999${String(at).padStart(12, "0")}`}, 5, ${id + 1})`);
      await alter(sql`insert into drive_readings (drive_number, read_to, entry_id) values ${sql.join(drives)}`);
      const { code, lines } = await run();
      expect([code, lines.length]).toEqual([1, 1_001]);
      expect(lines.at(-1)).toMatch(/1000 rows differ, and counting ended$/);
      await clear();
    });

    it(`finds a drive that was read after an entry that is missing (${kind.title})`, async () => {
      const { id } = await sale();
      const row = sql`insert into drive_readings (drive_number, read_to, entry_id) values ('9999078900001234', 5, ${id + 1})`;
      const lines = await linesAfter(row);
      expect(lines).toEqual([`drive_readings 9999078900001234: was stored after entry ${id + 1}, which is missing`]);
      await clear();
    });
  });
