import { type Kysely, type RawBuilder, sql, type Transaction } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { EntryRow, MoveRow, Tables } from "../store/tables.ts";
import type { EntryKey, Move } from "./entry.ts";
import { begunAs } from "./newest-queries.ts";
import { SIZE_COLUMNS } from "./reading/step-queries.ts";
import type { SizedRow } from "./reading/steps.ts";
import { type DrivePlace, moveRow, NO_PLACE, type TwinRow } from "./rows.ts";
import { type EntryState, UNFINISHED } from "./states.ts";

/**
 * Queries of the journal. Reads see committed data. Changes run in the transaction of their move. A query that runs often is a
 * `statement`, which is built once. Other queries are built on each call.
 */
type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

export interface EntryFilter {
  state?: EntryState;
  appId?: string;
  accountId?: string;
  storeId?: string;
  documentId?: string;
  /** The largest number of entries, the newest first. */
  limit: number;
  /** Only entries with a lower id. Ids never change, so a page stays the same while a person turns pages. */
  beforeId?: number;
}

/** Columns of an entry without its id. An unfinished entry has no place in a drive. */
export type NewEntry = Omit<EntryRow, "id" | keyof Place> & Partial<Place>;
type Place = Pick<EntryRow, "drive_number" | "shift_number">;

/** Inserts the row and returns its id. Undefined when the key or the id is taken. `idsFrom`: the lowest possible id, in SQLite. */
export async function insertEntry(tx: Tx, row: NewEntry, idsFrom?: number): Promise<number | undefined> {
  const { rows } = await entryInsert(tx, idsFrom === undefined ? row : { ...row, idsFrom });
  return rows[0]?.id;
}

const entryInsert = statement((db, { idsFrom, ...row }: Placeholders<NewEntry & { idsFrom?: number }>) =>
  db
    .insertInto("entries")
    .values(idsFrom === undefined ? row : { ...row, id: sql<number>`(select max(${idsFrom}, coalesce(max(id), 0) + 1) from entries)` })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id"),
);

/** Changes the row if it has the given state and attempt. Otherwise changes nothing and returns false. */
export async function moveEntry(tx: Tx, from: { id: number; state: EntryState; attempt: number }, change: EntryChange): Promise<boolean> {
  const { id, state, attempt } = from;
  const { numAffectedRows } = await entryUpdate(tx, { ...change, fromId: id, fromState: state, fromAttempt: attempt });
  return numAffectedRows === 1n;
}

type EntryChange = Partial<NewEntry> & { drive_number?: string | null; shift_number?: number | null };
type Standing = { fromId: number; fromState: string; fromAttempt: number };

const entryUpdate = statement((db, { fromId, fromState, fromAttempt, ...change }: Placeholders<EntryChange & Standing>) =>
  db.updateTable("entries").set(change).where("id", "=", fromId).where("state", "=", fromState).where("attempt", "=", fromAttempt),
);

/** `place`: the drive and number of the document, if the move made a document. */
export async function insertMove(tx: Tx, move: Move, place: DrivePlace = NO_PLACE): Promise<void> {
  await moveInsert(tx, { ...moveRow(move), ...place });
}

const moveInsert = statement((db, row: Placeholders<Omit<MoveRow, "number">>) =>
  db.insertInto("moves").values({ ...row, number: NEXT_NUMBER }),
);

/**
 * The next number of a move, found with one step in an index. Numbers grow within an entry, and from turn to turn of a register, because
 * these turns follow each other. Moves that PostgreSQL commits at the same moment may have the same number.
 */
const NEXT_NUMBER = sql<number>`(select coalesce(max(number), 0) + 1 from moves)`;

/** Removes drive and document number from the moves of an entry that no longer has the document. */
export async function takeBackPlace(tx: Tx, entryId: number): Promise<void> {
  await tx.updateTable("moves").set(NO_PLACE).where("entry_id", "=", entryId).where("document_number", "is not", null).execute();
}

export async function entryByKey(db: Db, key: EntryKey): Promise<EntryRow | undefined> {
  const { rows } = await keySelect(db, key);
  return rows[0];
}

const keySelect = statement((db, { appId, accountId, operation, documentId }: Placeholders<EntryKey>) =>
  db
    .selectFrom("entries")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("app_id", "=", appId)
    .where("operation", "=", operation)
    .where("document_id", "=", documentId),
);

export function entryById(db: Db, id: number): Promise<EntryRow | undefined> {
  return db.selectFrom("entries").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Returns the unfinished entries in the order of their newest attempts. */
export async function unfinishedSizes(db: Db, of: { register?: string }): Promise<SizedRow[]> {
  const { rows } = await unfinishedSelect(db, of);
  return rows;
}

/** Returns the entries of a register that may be in its drive and are neither done nor refused. Most turns find none. */
export async function sentSizes(db: Db, register: string): Promise<SizedRow[]> {
  const { rows } = await sentSelect(db, { register });
  return rows;
}

/** The states are literals, exactly as in the partial index. Otherwise the database would not use the index. */
const isUnfinished = sql<boolean>`state in (${sql.join(UNFINISHED.map((state) => sql.lit(state)))})`;

const unfinishedSelect = statement((db, { register }: Placeholders<{ register?: string }>) => {
  const query = db.selectFrom("entries").select(SIZE_COLUMNS).where(isUnfinished).orderBy(begunAs).orderBy("id");
  return register === undefined ? query : query.where("register", "=", register);
});

const sentSelect = statement((db, { register }: Placeholders<{ register: string }>) =>
  db
    .selectFrom("entries")
    .select(SIZE_COLUMNS)
    .where(isUnfinished)
    .where("state", "<>", sql.lit("queued"))
    .where("register", "=", register)
    .orderBy(begunAs)
    .orderBy("id"),
);

/** Returns the entries that may be in a drive and are neither done nor refused, at any address. Most turns find none. */
export async function sentToDriveSizes(db: Db, driveNumber: string): Promise<SizedRow[]> {
  const { rows } = await sentToDriveSelect(db, { checkpoints: `%${JSON.stringify({ driveNumber }).slice(1, -1)}%` });
  return rows;
}

/** A drive number with a wildcard of `like` also finds other entries. So the caller compares the drive of each checkpoint. */
const sentToDriveSelect = statement((db, { checkpoints }: Placeholders<{ checkpoints: string }>) =>
  sentToDrive(db, checkpoints).select(SIZE_COLUMNS).orderBy(begunAs).orderBy("id"),
);

/** The entries that may be in a drive and are neither done nor refused. */
export function sentToDrive(db: Db, checkpoints: RawBuilder<string>) {
  return db.selectFrom("entries").where(isUnfinished).where("state", "<>", sql.lit("queued")).where("checkpoint", "like", checkpoints);
}

/** Returns the ids of the entries in this unfinished state. */
export async function idsInState(db: Db, state: EntryState): Promise<number[]> {
  const { rows } = await stateSelect(db, { state });
  return rows.map(({ id }) => id);
}

const stateSelect = statement((db, { state }: Placeholders<{ state: string }>) =>
  db.selectFrom("entries").select("id").where(isUnfinished).where("state", "=", state),
);

export async function doubtedRegisters(db: Db): Promise<string[]> {
  const { rows } = await doubtedSelect(db, {});
  return rows.map(({ register }) => register);
}

const doubtedSelect = statement((db) =>
  db.selectFrom("entries").select("register").distinct().where(isUnfinished).where("state", "=", sql.lit("in-doubt")).orderBy("register"),
);

/**
 * Returns the entries of the same document under another id type, oldest first. Only short columns are read: any number of entries may have
 * the same twin hash.
 */
export async function entriesByTwin(db: Db, { key, twinHash, idType }: OfTwin): Promise<TwinRow[]> {
  const { appId, accountId, operation } = key;
  const { rows } = await twinSelect(db, { appId, accountId, operation, twin: twinHash, idType });
  return rows;
}

type OfTwin = { key: Omit<EntryKey, "documentId">; twinHash: string; idType: string };
type Twin = { appId: string; accountId: string; operation: string; twin: string; idType: string };

const twinSelect = statement((db, { appId, accountId, operation, twin, idType }: Placeholders<Twin>) =>
  db
    .selectFrom("entries")
    .select(["id", "document_id", "id_type", "state"])
    .where("twin", "=", twin)
    .where("app_id", "=", appId)
    .where("account_id", "=", accountId)
    .where("operation", "=", operation)
    .where("id_type", "<>", idType)
    .orderBy("id"),
);

/** Returns the entries of a document that fit, the newest first. Served by the index `entries_document`. */
export function entriesOfDocument(db: Db, filter: EntryFilter & { documentId: string }): Promise<SizedRow[]> {
  let query = db.selectFrom("entries").select(SIZE_COLUMNS).where("document_id", "=", filter.documentId);
  if (filter.state !== undefined) query = query.where("state", "=", filter.state);
  if (filter.appId !== undefined) query = query.where("app_id", "=", filter.appId);
  if (filter.accountId !== undefined) query = query.where("account_id", "=", filter.accountId);
  if (filter.storeId !== undefined) query = query.where("store_id", "=", filter.storeId);
  if (filter.beforeId !== undefined) query = query.where("id", "<", filter.beforeId);
  return query.orderBy("id", "desc").limit(filter.limit).execute();
}

export function movesOf(db: Db, entryId: number): Promise<MoveRow[]> {
  return db.selectFrom("moves").selectAll().where("entry_id", "=", entryId).execute();
}

/** Counts only unfinished entries. Finished entries become ever more, and this query runs at every scrape of the metrics. */
export async function countUnfinished(db: Db): Promise<{ state: string; count: number }[]> {
  const { rows } = await unfinishedCount(db, {});
  return rows;
}

const unfinishedCount = statement((db) =>
  db
    .selectFrom("entries")
    .select(["state", (expression) => expression.fn.countAll<number>().as("count")])
    .where(isUnfinished)
    .groupBy("state"),
);

export function standingOf(db: Db, id: number): Promise<{ state: string; attempt: number } | undefined> {
  return db.selectFrom("entries").select(["state", "attempt"]).where("id", "=", id).executeTakeFirst();
}

/** Inserts the answer. False when there is an answer already, when the entry is not done, or when it is in another attempt. */
export async function insertAnswer(tx: Tx, { id, attempt }: Done, body: Buffer): Promise<boolean> {
  const { numAffectedRows } = await answerInsert(tx, { id, attempt, body });
  return numAffectedRows === 1n;
}

type Done = { id: number; attempt: number };

const answerInsert = statement((db, { id, attempt, body }: Placeholders<Done & { body: Buffer }>) =>
  db
    .insertInto("day_answers")
    .columns(["entry_id", "done_at_ms", "body"])
    .expression((from) =>
      from
        .selectFrom("entries")
        .select(["id", "moved_at_ms", body.as("body")])
        .where("id", "=", id)
        .where("attempt", "=", attempt)
        .where("state", "=", "done")
        .where(({ not, exists, selectFrom }) => not(exists(selectFrom("answers").select("entry_id").where("entry_id", "=", id)))),
    )
    .onConflict((conflict) => conflict.doNothing()),
);

/** There are two queries, so that the second query names the day. PostgreSQL then uses only that day's part of the table. */
export async function answerBody(db: Db, entryId: number): Promise<Buffer | undefined> {
  const doneAtMs = (await movedSelect(db, { entryId })).rows[0]?.moved_at_ms;
  if (doneAtMs === undefined) return undefined;
  const { rows } = await answerSelect(db, { entryId, doneAtMs });
  return rows[0]?.body;
}

const movedSelect = statement((db, { entryId }: Placeholders<{ entryId: number }>) =>
  db.selectFrom("entries").select("moved_at_ms").where("id", "=", entryId),
);

const answerSelect = statement((db, { entryId, doneAtMs }: Placeholders<{ entryId: number; doneAtMs: number }>) =>
  db
    .selectFrom("day_answers")
    .select("body")
    .where("entry_id", "=", entryId)
    .where("done_at_ms", "=", doneAtMs)
    .unionAll(db.selectFrom("answers").select("body").where("entry_id", "=", entryId)),
);

/** Deletes an answer that is no longer true. The entry may have moved on, so all days are searched. */
export async function deleteAnswer(tx: Tx, entryId: number): Promise<void> {
  await tx.deleteFrom("answers").where("entry_id", "=", entryId).execute();
  await tx.deleteFrom("day_answers").where("entry_id", "=", entryId).execute();
}

/** Deletes at most `limit` answers of each table from before the moment. Returns their number, and whether more may be left. */
export async function deleteAnswers(tx: Tx, beforeMs: number, limit: number): Promise<{ deleted: number; more: boolean }> {
  const old = await tx
    .deleteFrom("answers")
    .where("entry_id", "in", (sub) =>
      sub.selectFrom("answers").select("entry_id").where("stored_at_ms", "<", beforeMs).orderBy("stored_at_ms").limit(limit),
    )
    .executeTakeFirstOrThrow();
  const ofDays = await tx
    .deleteFrom("day_answers")
    .where("done_at_ms", "<", beforeMs)
    .where("entry_id", "in", (sub) =>
      sub.selectFrom("day_answers").select("entry_id").where("done_at_ms", "<", beforeMs).orderBy("done_at_ms").limit(limit),
    )
    .executeTakeFirstOrThrow();
  const counts = [Number(old.numDeletedRows), Number(ofDays.numDeletedRows)] as const;
  return { deleted: counts[0] + counts[1], more: counts.some((count) => count >= limit) };
}

export interface ShiftLinkRow {
  register: string;
  drive_number: string;
  shift_number: number;
  id_type: string;
  shift_id: string;
}

/** Inserts the link, unless the device's shift at this address already has an id of this type. */
export async function insertShiftLink(tx: Tx, row: ShiftLinkRow): Promise<void> {
  await tx
    .insertInto("shift_links")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteShiftLink(tx: Tx, row: ShiftLinkRow): Promise<void> {
  await tx
    .deleteFrom("shift_links")
    .where("register", "=", row.register)
    .where("drive_number", "=", row.drive_number)
    .where("shift_number", "=", row.shift_number)
    .where("id_type", "=", row.id_type)
    .where("shift_id", "=", row.shift_id)
    .execute();
}

/** Returns the links of the drive's shift, for any address of the register. */
export async function shiftLinks(db: Db, driveNumber: string, shiftNumber: number): Promise<ShiftLinkRow[]> {
  const { rows } = await linksSelect(db, { driveNumber, shiftNumber });
  return rows;
}

type DeviceShift = { driveNumber: string; shiftNumber: number };

const linksSelect = statement((db, { driveNumber, shiftNumber }: Placeholders<DeviceShift>) =>
  db
    .selectFrom("shift_links")
    .selectAll()
    .where("drive_number", "=", driveNumber)
    .where("shift_number", "=", shiftNumber)
    .orderBy("id_type"),
);

/** Returns the numbers of the drive's shifts with a link to the platform's shift, newest first. */
export async function linkedShifts(db: Db, driveNumber: string, idType: string, shiftId: string): Promise<number[]> {
  const { rows } = await linkedSelect(db, { driveNumber, idType, shiftId });
  return rows.map(({ shift_number }) => shift_number);
}

/** Reads all links of the drive. They are few: about one shift a day for three years. */
const linkedSelect = statement(
  (db, { driveNumber, idType, shiftId }: Placeholders<{ driveNumber: string; idType: string; shiftId: string }>) =>
    db
      .selectFrom("shift_links")
      .select("shift_number")
      .where("drive_number", "=", driveNumber)
      .where("id_type", "=", idType)
      .where("shift_id", "=", shiftId)
      .orderBy("shift_number", "desc"),
);
