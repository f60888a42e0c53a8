import { type Kysely, sql } from "kysely";
import type { EntryRow, MoveRow, ShiftLinksTable, Tables } from "../../store/tables.ts";
import { SIZE_COLUMNS } from "../reading/step-queries.ts";
import type { SizedRow } from "../reading/steps.ts";

export type Db = Kysely<Tables>;

/** The ids of a page: greater than `after`, and at most `upTo`, if given. */
export interface IdRange {
  after: number;
  upTo?: number;
}

/** Returns the ids and lengths of the next entries, in order. */
export function sizesAfter(db: Db, after: number, limit: number): Promise<SizedRow[]> {
  return db.selectFrom("entries").select(SIZE_COLUMNS).where("id", ">", after).orderBy("id").limit(limit).execute();
}

export function entriesIn(db: Db, { after, upTo }: Required<IdRange>): Promise<EntryRow[]> {
  return db.selectFrom("entries").selectAll().where("id", ">", after).where("id", "<=", upTo).orderBy("id").execute();
}

/** Reads the entry. With `lock` no other process changes the entry until the transaction ends. */
export function entryAlone(db: Db, id: number, lock: boolean): Promise<EntryRow | undefined> {
  const query = db.selectFrom("entries").selectAll().where("id", "=", id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

export function movesIn(db: Db, { after, upTo }: IdRange): Promise<MoveRow[]> {
  const query = db.selectFrom("moves").selectAll().where("entry_id", ">", after);
  return (upTo === undefined ? query : query.where("entry_id", "<=", upTo)).execute();
}

export interface AnswerRow {
  entry_id: number;
  /** Null: the answer is in the old table, which does not store this time. */
  done_at_ms: number | null;
  body: Buffer;
}

export async function answersIn(db: Db, { after, upTo }: IdRange): Promise<AnswerRow[]> {
  const old = db.selectFrom("answers").select(["entry_id", "body"]).where("entry_id", ">", after);
  const ofDays = db.selectFrom("day_answers").select(["entry_id", "done_at_ms", "body"]).where("entry_id", ">", after);
  const oldRows = await (upTo === undefined ? old : old.where("entry_id", "<=", upTo)).execute();
  const rows = await (upTo === undefined ? ofDays : ofDays.where("entry_id", "<=", upTo)).execute();
  return [...oldRows.map((row) => ({ ...row, done_at_ms: null })), ...rows];
}

/**
 * Returns the links of these shifts. The result may have links of other shifts too, because drives and shift numbers are compared
 * separately.
 */
export async function linksOf(db: Db, shifts: readonly { driveNumber: string; shiftNumber: number }[]): Promise<ShiftLinksTable[]> {
  if (shifts.length === 0) return [];
  return db
    .selectFrom("shift_links")
    .selectAll()
    .where("drive_number", "in", [...new Set(shifts.map(({ driveNumber }) => driveNumber))])
    .where("shift_number", "in", [...new Set(shifts.map(({ shiftNumber }) => shiftNumber))])
    .execute();
}

/** A key and the number of its entries. */
export interface KeyCount {
  account_id: string;
  app_id: string;
  operation: string;
  document_id: string;
  times: number;
}

/** Returns the keys that follow the key `after`, in order, each once. */
export async function keysAfter(db: Db, after: KeyCount | undefined, limit: number): Promise<KeyCount[]> {
  const behind =
    after === undefined
      ? sql``
      : sql`where (account_id, app_id, operation, document_id) > (${after.account_id}, ${after.app_id}, ${after.operation}, ${after.document_id})`;
  const { rows } = await sql<KeyCount>`
    select account_id, app_id, operation, document_id, count(*) as times from entries ${behind}
    group by account_id, app_id, operation, document_id order by account_id, app_id, operation, document_id limit ${limit}`.execute(db);
  return rows;
}

export async function entriesOfKey(db: Db, key: KeyCount): Promise<number[]> {
  const rows = await db
    .selectFrom("entries")
    .select("id")
    .where("account_id", "=", key.account_id)
    .where("app_id", "=", key.app_id)
    .where("operation", "=", key.operation)
    .where("document_id", "=", key.document_id)
    .orderBy("id")
    .execute();
  return rows.map(({ id }) => id);
}

/** A document of a drive and the number of moves that claim it. */
export interface DocumentCount {
  drive_number: string;
  document_number: number;
  times: number;
}

/** Returns the documents that follow the document `after`, in order, each once. */
export async function documentsAfter(db: Db, after: DocumentCount | undefined, limit: number): Promise<DocumentCount[]> {
  const behind = after === undefined ? sql`` : sql`and (drive_number, document_number) > (${after.drive_number}, ${after.document_number})`;
  const { rows } = await sql<DocumentCount>`
    select drive_number, document_number, count(*) as times from moves where document_number is not null ${behind}
    group by drive_number, document_number order by drive_number, document_number limit ${limit}`.execute(db);
  return rows;
}

/** Returns the moves that claim a document. */
export function movesOfDocument(
  db: Db,
  { drive_number, document_number }: DocumentCount,
): Promise<Pick<MoveRow, "entry_id" | "reasons">[]> {
  return db
    .selectFrom("moves")
    .select(["entry_id", "reasons"])
    .where("drive_number", "=", drive_number)
    .where("document_number", "=", document_number)
    .orderBy("entry_id")
    .execute();
}
