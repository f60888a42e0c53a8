import { sql } from "kysely";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { CommandIo } from "../../src/cli/command.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import { answerOf } from "../../src/contracts/fiscal/answer.ts";
import type { Entry, EntryContent } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import type { FiscalFacts } from "../../src/model/facts.ts";
import type { Store } from "../../src/store/database.ts";
import { DATABASE_KINDS, describeDatabase, type TestDatabase } from "../support/databases.ts";
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

/** Changes one thing of a sale that is done and answered, and names a part of the line that tells of it. */
const OF_A_SALE: [what: string, alter: (id: number) => ReturnType<typeof sql>, line: string][] = [
  ["facts", (id) => sql`update entries set facts = null where id = ${id}`, "is done without facts"],
  ["a refusal", (id) => sql`update entries set refusal = '{"code":"not-registered"}' where id = ${id}`, "is done and has refusal"],
  ["a doubt", (id) => sql`update entries set doubt = '{"code":"not-committed"}' where id = ${id}`, "is done and has doubt"],
  ["its checkpoint", (id) => sql`update entries set checkpoint = null where id = ${id}`, "is done without checkpoint"],
  [
    "a checkpoint behind the document",
    (id) => sql`update entries set checkpoint = ${JSON.stringify(checkpoint({ lastDocumentNumber: 999_999 }))} where id = ${id}`,
    "already had ФД 999999",
  ],
  ["its state", (id) => sql`update entries set state = 'refused' where id = ${id}`, "state is refused, counted done"],
  ["its attempt", (id) => sql`update entries set attempt = 2 where id = ${id}`, "attempt is 2, counted 1"],
  ["when it moved", (id) => sql`update entries set moved_at_ms = 5 where id = ${id}`, "moved_at_ms is 5"],
  ["when it came", (id) => sql`update entries set accepted_at_ms = 5 where id = ${id}`, "accepted_at_ms is 5"],
  ["its drive", (id) => sql`update entries set drive_number = '9999078900009999' where id = ${id}`, "drive_number is 9999078900009999"],
  ["its shift", (id) => sql`update entries set shift_number = 8 where id = ${id}`, "shift_number is 8, counted 7"],
  ["its point of sale", (id) => sql`update entries set store_id = 'other' where id = ${id}`, "store_id is other"],
  [
    "the sale that it returns",
    (id) => sql`update entries set original_id = 'other' where id = ${id}`,
    "original_id is other, counted nothing",
  ],
  ["its QR sum", (id) => sql`update entries set qr_kopecks = 7 where id = ${id}`, "qr_kopecks is 7, counted nothing"],
  ["its number at the till", (id) => sql`update entries set name = '00018' where id = ${id}`, "name is 00018, counted 00017"],
  ["its sum", (id) => sql`update entries set sum_kopecks = 7 where id = ${id}`, "sum_kopecks is 7, counted 39002"],
  ["its operation", (id) => sql`update entries set operation = 'sales-return' where id = ${id}`, "operation is sale, counted sales-return"],
  ["its content", (id) => sql`update entries set content = '{}' where id = ${id}`, "Column content"],
  [
    "its document",
    (id) => sql`update entries set document = '{"kind":"open-shift","reference":"r"}' where id = ${id}`,
    "document is open-shift, counted receipt",
  ],
  [
    "the facts' sum",
    (id) => sql`update entries set facts = replace(facts, '"totalKopecks":39002', '"totalKopecks":39003') where id = ${id}`,
    "facts is 39003, counted 39002",
  ],
  [
    "the facts' document",
    (id) => sql`update entries set facts = replace(facts, '"document":"receipt"', '"document":"correction"') where id = ${id}`,
    "facts is correction, counted receipt",
  ],
  [
    "the facts' number",
    (id) => sql`update entries set facts = replace(facts, '"documentNumber":', '"documentNumber":9') where id = ${id}`,
    "document_number is",
  ],
  ["a word of its state", (id) => sql`update entries set paper = 'silk' where id = ${id}`, "Column paper"],
  ["all its moves", (id) => sql`delete from moves where entry_id = ${id}`, "is missing"],
  [
    "its first move",
    (id) => sql`delete from moves where entry_id = ${id} and to_state = 'sending'`,
    "from_state is sending, counted nothing",
  ],
  ["its last move", (id) => sql`delete from moves where entry_id = ${id} and to_state = 'done'`, "state is done, counted sending"],
  [
    "a move's beginning",
    (id) => sql`update moves set from_state = 'queued' where entry_id = ${id} and to_state = 'done'`,
    "from_state is queued, counted sending",
  ],
  [
    "a move's end",
    (id) => sql`update moves set to_state = 'queued' where entry_id = ${id} and to_state = 'sending'`,
    "no entry may go from queued to done",
  ],
  ["a move's attempt", (id) => sql`update moves set attempt = 3 where entry_id = ${id} and to_state = 'done'`, "attempt is 3, counted 1"],
  ["a move's order", (id) => sql`update moves set number = 1 where entry_id = ${id}`, "does not follow"],
  ["who moved it", (id) => sql`update moves set by = 'nobody' where entry_id = ${id} and to_state = 'done'`, "Column by"],
  ["why it moved", (id) => sql`update moves set reasons = '[7]' where entry_id = ${id} and to_state = 'done'`, "Column reasons"],
  ["a state that is none", (id) => sql`update moves set to_state = 'gone' where entry_id = ${id} and to_state = 'done'`, "Column to_state"],
  [
    "the document's number",
    (id) => sql`update moves set document_number = 77777 where entry_id = ${id} and to_state = 'done'`,
    "document_number is 77777",
  ],
  [
    "the document's drive",
    (id) => sql`update moves set drive_number = '9999078900009999' where entry_id = ${id} and to_state = 'done'`,
    "drive_number is 9999078900009999",
  ],
  [
    "a number of a move that made nothing",
    (id) => sql`update moves set document_number = 88888 where entry_id = ${id} and to_state = 'sending'`,
    "document_number is 88888, counted nothing",
  ],
];

/** Changes one part of the stored answer. */
const OF_AN_ANSWER: [part: string, from: string, to: string][] = [
  ["fnNumber", '"fnNumber":"9', '"fnNumber":"8'],
  ["kktRegNumber", '"kktRegNumber":"0', '"kktRegNumber":"1'],
  ["fiscalDocNumber", '"fiscalDocNumber":"', '"fiscalDocNumber":"9'],
  ["fiscalDocSign", '"fiscalDocSign":"2', '"fiscalDocSign":"3'],
  ["time", '"time":"2026', '"time":"2025'],
  ["body", '{"fnNumber', "{fnNumber"],
];

for (const kind of DATABASE_KINDS)
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

    /** The lines that tell of an entry that was altered. */
    async function linesAfter(change: ReturnType<typeof sql>): Promise<string[]> {
      expect((await run()).code).toBe(0);
      await alter(change);
      const { code, lines } = await run();
      expect(code).toBe(1);
      expect(lines.at(-1)).toMatch(/: \d+ rows differ$/);
      return lines.slice(0, -1);
    }

    /** Removes everything, so that what was altered disturbs no other test. */
    async function clear(): Promise<void> {
      for (const table of ["answers", "moves", "shift_links", "drive_readings", "entries"])
        await alter(sql`delete from ${sql.table(table)}`);
    }

    it(`agrees with every life that an entry may have (${kind.title})`, async () => {
      await sale();
      await journal.accept(content());
      await journal.begin(content(), checkpoint());
      // The settings have changed while it waited.
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
      const { code, lines } = await run();
      expect(lines).toEqual(["9 entries, 24 moves, 1 answers and 3 documents of drives were counted: everything agrees"]);
      expect(code).toBe(0);
      const json = JSON.parse((await run("--json")).lines.join("\n"));
      expect(json).toMatchObject({ entries: 9, findings: [], isCut: false, isRight: true });
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
        const [line, more] = await linesAfter(sql`update answers set body = ${body} where entry_id = ${done.id}`);
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

    it(`reads a journal of many pages, and finds what is wrong at its far end (${kind.title})`, async () => {
      const { id } = await sale();
      await multiply(store, id, 11_000);
      const { code, lines } = await run();
      expect(lines).toEqual(["11001 entries, 22002 moves, 1 answers and 11001 documents of drives were counted: everything agrees"]);
      expect(code).toBe(0);
      const found = await linesAfter(sql`update entries set document_id = 'copy-10999', attempt = 2 where document_id = 'copy-11000'`);
      expect(found).toEqual([
        expect.stringMatching(/^entries \d+: attempt is 2, counted 1$/),
        expect.stringMatching(/sale\/copy-10999: only one entry may have it/),
      ]);
      await clear();
    }, 60_000);

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
    }, 60_000);

    it(`finds a drive that was read after an entry that is missing (${kind.title})`, async () => {
      const { id } = await sale();
      const row = sql`insert into drive_readings (drive_number, read_to, entry_id) values ('9999078900001234', 5, ${id + 1})`;
      const lines = await linesAfter(row);
      expect(lines).toEqual([`drive_readings 9999078900001234: was stored after entry ${id + 1}, which is missing`]);
      await clear();
    });
  });

/** Copies a done sale, each copy with a key and a document of its own. */
async function multiply(store: Store, id: number, times: number): Promise<void> {
  const numbers = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(times)})`;
  const [entry] = (await sql<{ facts: string }>`select * from entries where id = ${id}`.execute(store.db)).rows;
  const [move] = (await sql<object>`select * from moves where entry_id = ${id}`.execute(store.db)).rows;
  if (entry === undefined || move === undefined) throw new Error("there is no such sale");
  const number = /"documentNumber":(\d+)/.exec(entry.facts)?.[0] ?? "";
  const same = (row: object, changed: string[]) =>
    sql.join(Object.keys(row).flatMap((name) => (changed.includes(name) ? [] : [sql.ref(name)])));
  const [columns, moved] = [same(entry, ["id", "document_id", "facts"]), same(move, ["entry_id", "document_number"])];
  await store.commit(async (tx) => {
    await sql`${numbers} insert into entries (document_id, facts, ${columns})
      select 'copy-' || n, replace(facts, ${number}, '"documentNumber":' || (100000 + n)), ${columns}
      from entries cross join numbers where id = ${id} order by n`.execute(tx);
    await sql`${numbers}, copies(copy, n) as (
        select entries.id, n from numbers join entries on document_id = 'copy-' || n)
      insert into moves (entry_id, document_number, ${moved})
      select copy, case when document_number is null then null else 100000 + n end, ${moved}
      from moves cross join copies where entry_id = ${id}`.execute(tx);
  });
}

/** Removes what the database itself would refuse to hold. Damage and other programs do not ask it. */
async function withoutGuards(store: Store): Promise<void> {
  const statements =
    store.kind === "sqlite"
      ? ["pragma ignore_check_constraints = on", "pragma foreign_keys = off", "drop index entries_key"]
      : [
          "alter table entries drop constraint entries_done_has_facts, drop constraint entries_sent_has_checkpoint",
          "alter table moves drop constraint moves_entry_id_fkey",
          "alter table answers drop constraint answers_entry_id_fkey",
          "drop index entries_key",
        ];
  for (const text of statements) await sql.raw(text).execute(store.db);
}
