import { sql } from "kysely";
import type { Store } from "../../src/store/database.ts";
import { checkpoint } from "./journal-entries.ts";

/** Alterations of a sale that is done and answered, each with a part of the line that verification must print. */
export const OF_A_SALE: [what: string, alter: (id: number) => ReturnType<typeof sql>, line: string][] = [
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

/** Alterations of one part of the stored answer. */
export const OF_AN_ANSWER: [part: string, from: string, to: string][] = [
  ["fnNumber", '"fnNumber":"9', '"fnNumber":"8'],
  ["kktRegNumber", '"kktRegNumber":"0', '"kktRegNumber":"1'],
  ["fiscalDocNumber", '"fiscalDocNumber":"', '"fiscalDocNumber":"9'],
  ["fiscalDocSign", '"fiscalDocSign":"2', '"fiscalDocSign":"3'],
  ["time", '"time":"2026', '"time":"2025'],
  ["body", '{"fnNumber', "{fnNumber"],
];

/** The number of copies in one commit. A statement for thousands of copies would run into the store's own time limit on a busy machine. */
const COPIED_TOGETHER = 500;

/** Copies a done sale, each copy with a key and a document of its own. */
export async function multiply(store: Store, id: number, times: number): Promise<void> {
  const [entry] = (await sql<{ facts: string }>`select * from entries where id = ${id}`.execute(store.db)).rows;
  const [move] = (await sql<object>`select * from moves where entry_id = ${id}`.execute(store.db)).rows;
  if (entry === undefined || move === undefined) throw new Error("there is no such sale");
  const number = /"documentNumber":(\d+)/.exec(entry.facts)?.[0] ?? "";
  const same = (row: object, changed: string[]) =>
    sql.join(Object.keys(row).flatMap((name) => (changed.includes(name) ? [] : [sql.ref(name)])));
  const [columns, moved] = [same(entry, ["id", "document_id", "facts"]), same(move, ["entry_id", "document_number"])];
  for (let from = 1; from <= times; from += COPIED_TOGETHER) {
    const to = Math.min(times, from + COPIED_TOGETHER - 1);
    const numbers = sql`with recursive numbers(n) as (select ${sql.lit(from)} union all select n + 1 from numbers where n < ${sql.lit(to)})`;
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
}

/** Removes the constraints with which the database refuses wrong rows, because damage and other programs may write such rows. */
export async function withoutGuards(store: Store): Promise<void> {
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
