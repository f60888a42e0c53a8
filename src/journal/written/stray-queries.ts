import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../store/tables.ts";
import { insertMissedDocuments } from "../drives/drive-reading-queries.ts";
import { hasNumber } from "../newest-queries.ts";
import { takeBackPlace } from "../queries.ts";

interface StrayPlace {
  entry_id: number;
  drive_number: string;
  document_number: number;
}

/**
 * Returns documents whose entry was deleted, in the order of their numbers. A move of a deleted entry is still stored and names the
 * document. `moves`: how many of the newest moves are read. The query finds the entries with a subquery, because PostgreSQL would read all
 * entries for a join.
 */
export async function strayPlaces(db: Kysely<Tables>, moves: number): Promise<StrayPlace[]> {
  const newest = db.selectFrom("moves").select(["entry_id", "drive_number", "document_number", "number"]);
  const rows = await db
    .selectFrom(newest.orderBy("number", "desc").orderBy("entry_id", "desc").limit(moves).as("m"))
    .select(["m.entry_id", "m.drive_number", "m.document_number"])
    .where("m.document_number", "is not", null)
    .where(sql<number | null>`(select id from entries where entries.id = m.entry_id)`, "is", null)
    .orderBy("m.document_number")
    .execute();
  return rows.flatMap(({ entry_id, drive_number, document_number }) =>
    drive_number === null || document_number === null ? [] : [{ entry_id, drive_number, document_number }],
  );
}

/**
 * Removes the drive and document numbers from the moves of missing entries, and marks the documents as unread in their drives unless
 * another entry has them.
 */
export async function markUnread(tx: Transaction<Tables>, places: readonly StrayPlace[]): Promise<void> {
  for (const { entry_id } of places) await takeBackPlace(tx, entry_id);
  for (const { drive_number, document_number } of places) {
    // Two entries may have one document: the server's own opening of a shift and the platform's opening.
    if (!(await hasNumber(tx, drive_number, document_number))) await insertMissedDocuments(tx, drive_number, [document_number]);
  }
}
