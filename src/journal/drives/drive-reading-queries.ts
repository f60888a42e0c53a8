import { type ExpressionBuilder, type Kysely, sql, type Transaction } from "kysely";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { EntryRow, LostDocumentsTable, Tables } from "../../store/tables.ts";
import { documentsOf, firstNumber, numbersBehind } from "../newest-queries.ts";

type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

/**
 * Returns the last read document number of this drive. Undefined when none is stored, or when the journal lacks the entry that was stored
 * with the number.
 */
export async function readToOf(db: Db, driveNumber: string): Promise<number | undefined> {
  const { rows } = await readToSelect(db, { driveNumber });
  return rows[0]?.read_to;
}

/** Every turn runs this query. It takes one step in each of two indexes. */
const readToSelect = statement((db, { driveNumber }: Placeholders<{ driveNumber: string }>) =>
  readings(db).select("read_to").where("drive_number", "=", driveNumber).where(hasEntry),
);

/**
 * Stores the last read document number of a drive, and with it the newest entry that has a document of the drive (0: none).
 *
 * The stored entry shows later whether somebody has deleted the newest entries with documents of the drive: then the stored entry is
 * missing. The newest entry of the whole journal would not show the deletion: in a cluster that entry may belong to another register, and
 * may still be there.
 */
export async function upsertReadTo(tx: Tx, drive_number: string, read_to: number): Promise<void> {
  const row = { read_to, entry_id: await newestEntryOf(tx, drive_number) };
  await tx
    .insertInto("drive_readings")
    .values({ drive_number, ...row })
    .onConflict((conflict) => conflict.column("drive_number").doUpdateSet(row))
    .execute();
}

/**
 * The newest entry (the highest id) is searched among this many of the drive's newest documents. The newest document need not belong to the
 * newest entry: an operation of another account may be registered before waiting operations with lower ids. At most 256 operations wait in
 * a lane.
 */
const OUT_OF_ORDER = 300;

async function newestEntryOf(db: Db, driveNumber: string): Promise<number> {
  const documents = documentsOf(db, sql.val(driveNumber)).select("entry_id").orderBy("document_number", "desc").limit(OUT_OF_ORDER);
  const found = await db
    .selectFrom(documents.as("documents"))
    .select((row) => row.fn.max("entry_id").as("id"))
    .executeTakeFirst();
  return found?.id ?? 0;
}

/** Deletes the progress of each drive whose stored entry is missing in this journal. */
export async function deleteReadingsAhead(tx: Tx): Promise<void> {
  await tx
    .deleteFrom("drive_readings")
    .where((row) => row.not(hasEntry(row)))
    .execute();
}

/** Returns the drives whose stored entry is missing in the journal. */
export function readingsAhead(db: Db): Promise<{ drive_number: string; entry_id: number }[]> {
  return readings(db)
    .select(["drive_number", "entry_id"])
    .where((row) => row.not(hasEntry(row)))
    .orderBy("drive_number")
    .execute();
}

function readings(db: Db) {
  return db.selectFrom("drive_readings");
}

/** Whether the journal has the entry that was stored with the progress. True if no entry was stored (0). */
function hasEntry(row: ExpressionBuilder<Tables, "drive_readings">) {
  const entry = row.selectFrom("entries").select("entries.id").whereRef("entries.id", "=", "drive_readings.entry_id");
  return row.or([row("entry_id", "=", 0), row.exists(entry)]);
}

/** Returns the drive's rows, in the order of the document numbers. */
export function lostDocuments(db: Db, driveNumber: string): Promise<LostDocumentsTable[]> {
  return db.selectFrom("lost_documents").selectAll().where("drive_number", "=", driveNumber).orderBy("document_number").execute();
}

/**
 * Returns what is stored about the drive. `unread`: the numbers of the unread documents. `leftOut`: the numbers of the unread documents
 * that a person left out. `read`: how many documents were read, without documents of others. Every turn runs this query. It reads one range
 * of an index of this small table.
 */
export async function knownDocuments(db: Db, driveNumber: string): Promise<{ unread: number[]; leftOut: number[]; read: number }> {
  const { rows } = await knownSelect(db, { driveNumber });
  const numbers = (isNamed: (reference: string | null) => boolean) =>
    rows.filter(({ reference }) => isNamed(reference)).map(({ document_number }) => document_number);
  return {
    unread: numbers((reference) => reference === null || reference === MISSED),
    leftOut: numbers((reference) => reference === LEFT_OUT),
    read: numbers((reference) => reference === READ)[0] ?? 0,
  };
}

/** The text in the row of the query that has the number of read documents. */
const READ = "read";

const knownSelect = statement((db, { driveNumber }: Placeholders<{ driveNumber: string }>) =>
  db
    .selectFrom("lost_documents")
    .select(["document_number", "reference"])
    .where("drive_number", "=", driveNumber)
    .where((row) => row.or([row("reference", "is", null), row("reference", "in", [sql.lit(MISSED), sql.lit(LEFT_OUT)])]))
    .unionAll(
      db
        .selectFrom("lost_documents")
        .select((row) => [row.fn.countAll<number>().as("document_number"), sql<string>`${sql.lit(READ)}`.as("reference")])
        .where("drive_number", "=", driveNumber)
        .where("reference", "not in", [sql.lit(MISSED), sql.lit(LEFT_OUT), sql.lit(OTHERS)]),
    ),
);

/** Returns the entries of the drive's documents next to a number, before and after it. For a person's requests. */
export async function entriesAround(
  db: Db,
  driveNumber: string,
  number: number,
): Promise<{ before: EntryRow | undefined; after: EntryRow | undefined }> {
  const nextTo = async (side: "<" | ">") => {
    const places = documentsOf(db, sql.val(driveNumber)).select("entry_id").where("document_number", side, number);
    const found = await places
      .orderBy("document_number", side === "<" ? "desc" : "asc")
      .limit(1)
      .executeTakeFirst();
    return found && db.selectFrom("entries").selectAll().where("id", "=", found.entry_id).executeTakeFirst();
  };
  return { before: await nextTo("<"), after: await nextTo(">") };
}

/**
 * Returns the documents with one of the ids, from all drives. Reads the whole table, which is small: the journal lacks few documents of
 * this server, and old documents of others are deleted.
 */
export async function lostWithId(db: Db, one: string, other: string): Promise<LostDocumentsTable[]> {
  return (await withIdSelect(db, { one, other })).rows;
}

const withIdSelect = statement((db, { one, other }: Placeholders<{ one: string; other: string }>) =>
  db
    .selectFrom("lost_documents")
    .selectAll()
    .where((row) => row.or([row("reference", "=", one), row("reference", "=", other)]))
    .orderBy("drive_number")
    .orderBy("document_number"),
);

export async function upsertLostDocument(tx: Tx, row: LostDocumentsTable): Promise<void> {
  await tx
    .insertInto("lost_documents")
    .values(row)
    .onConflict((conflict) => conflict.columns(["drive_number", "document_number"]).doUpdateSet({ reference: row.reference }))
    .execute();
}

/** Marks documents as unread with `MISSED`. If a document was read before, that reading stays, because its drive may be gone. */
export async function insertMissedDocuments(tx: Tx, drive_number: string, numbers: readonly number[]): Promise<void> {
  if (numbers.length === 0) return;
  await tx
    .insertInto("lost_documents")
    .values(numbers.map((document_number) => ({ drive_number, document_number, reference: MISSED })))
    .onConflict((conflict) =>
      conflict
        .columns(["drive_number", "document_number"])
        .doUpdateSet({ reference: MISSED })
        .where("lost_documents.reference", "is", null),
    )
    .execute();
}

/** Marks a document as unread. If the document has a row, the row stays: another lane may have read the document meanwhile. */
export async function insertUnreadDocument(tx: Tx, place: Omit<LostDocumentsTable, "reference">): Promise<void> {
  await tx
    .insertInto("lost_documents")
    .values({ ...place, reference: null })
    .onConflict((conflict) => conflict.columns(["drive_number", "document_number"]).doNothing())
    .execute();
}

/** The text that stands for the id of a document which this server did not make. No id of this server has this form. */
export const OTHERS = "others";

/**
 * The text that stands for the id of an unread document which the journal had before, or which an attempt of this server may have made. The
 * document is requested again, even if its number is below the journal's first document of the drive. No id of this server has this form.
 */
export const MISSED = "missed";

/**
 * The text that stands for the id of an unread document that a person left out. The document is not requested again. No id of this server
 * has this form.
 */
export const LEFT_OUT = "left-out";

/** Marks an unread document as left out. False: the document is not unread. */
export async function updateToLeftOut(tx: Tx, { drive_number, document_number }: Omit<LostDocumentsTable, "reference">): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("lost_documents")
    .set({ reference: LEFT_OUT })
    .where("drive_number", "=", drive_number)
    .where("document_number", "=", document_number)
    .where((row) => row.or([row("reference", "is", null), row("reference", "=", MISSED)]))
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

/**
 * The number of a drive's newest documents among which gaps are searched: more than a busy shop makes in two days. Documents that this
 * server did not make are remembered in the same range. Otherwise their numbers would look like gaps.
 */
const SEARCHED_FOR_GAPS = 2_000;

export async function upsertDocumentOfOthers(tx: Tx, place: Omit<LostDocumentsTable, "reference">): Promise<void> {
  await upsertLostDocument(tx, { ...place, reference: OTHERS });
}

/**
 * Forgets documents that this server did not make and that are too old for `gapsIn`. So the table stays small even if another program uses
 * the register all day.
 */
export async function deleteOldDocumentsOfOthers(tx: Tx, driveNumber: string, readTo: number): Promise<void> {
  await tx
    .deleteFrom("lost_documents")
    .where("drive_number", "=", driveNumber)
    .where("document_number", "<=", readTo - SEARCHED_FOR_GAPS)
    .where("reference", "=", OTHERS)
    .execute();
}

/**
 * Returns the missing numbers in ascending order. A missing number is above the journal's first document of the drive, at most `upTo`, and
 * known neither to the journal nor to the reading of the drive. A drive numbers its documents without gaps. So the rows of these documents
 * were deleted, or others made the documents unnoticed. `seenTo`: the highest number that was ever read in the drive. Rows of documents of
 * others are deleted when their number is `SEARCHED_FOR_GAPS` below `seenTo`, so only higher numbers are searched.
 */
export async function gapsIn(db: Db, driveNumber: string, { upTo, seenTo }: { upTo: number; seenTo: number }): Promise<number[]> {
  const first = (await firstNumber(db, driveNumber)) ?? upTo;
  const behind = Math.max(first, seenTo - SEARCHED_FOR_GAPS);
  const known = new Set(await numbersBehind(db, driveNumber, behind));
  for (const { document_number } of await lostDocuments(db, driveNumber)) known.add(document_number);
  const numbers = Array.from({ length: Math.max(0, upTo - behind) }, (_, at) => behind + 1 + at);
  return numbers.filter((number) => !known.has(number));
}

export async function deleteLostDocument(tx: Tx, { drive_number, document_number }: Omit<LostDocumentsTable, "reference">): Promise<void> {
  await tx.deleteFrom("lost_documents").where("drive_number", "=", drive_number).where("document_number", "=", document_number).execute();
}
