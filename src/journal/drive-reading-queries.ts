import type { Kysely, Transaction } from "kysely";
import type { LostDocumentsTable, Tables } from "../store/tables.ts";

type Db = Kysely<Tables>;
type Tx = Transaction<Tables>;

/**
 * Returns the last document number that was read in this drive. Undefined when none is stored, or when it was stored after an
 * entry that this journal does not have.
 */
export async function readToOf(db: Db, driveNumber: string): Promise<number | undefined> {
  const found = await db
    .selectFrom("drive_readings")
    .select(["read_to", "entry_id"])
    .where("drive_number", "=", driveNumber)
    .executeTakeFirst();
  return found === undefined || found.entry_id > (await newestEntry(db)) ? undefined : found.read_to;
}

export async function upsertReadTo(tx: Tx, drive_number: string, read_to: number): Promise<void> {
  const row = { read_to, entry_id: await newestEntry(tx) };
  await tx
    .insertInto("drive_readings")
    .values({ drive_number, ...row })
    .onConflict((conflict) => conflict.column("drive_number").doUpdateSet(row))
    .execute();
}

async function newestEntry(db: Db): Promise<number> {
  const found = await db
    .selectFrom("entries")
    .select((expression) => expression.fn.max("id").as("id"))
    .executeTakeFirst();
  return found?.id ?? 0;
}

export function lostDocuments(db: Db, driveNumber: string): Promise<LostDocumentsTable[]> {
  return db.selectFrom("lost_documents").selectAll().where("drive_number", "=", driveNumber).orderBy("document_number").execute();
}

export async function upsertLostDocument(tx: Tx, row: LostDocumentsTable): Promise<void> {
  await tx
    .insertInto("lost_documents")
    .values(row)
    .onConflict((conflict) => conflict.columns(["drive_number", "document_number"]).doUpdateSet({ reference: row.reference }))
    .execute();
}

export async function deleteLostDocument(tx: Tx, { drive_number, document_number }: Omit<LostDocumentsTable, "reference">): Promise<void> {
  await tx.deleteFrom("lost_documents").where("drive_number", "=", drive_number).where("document_number", "=", document_number).execute();
}

export async function deleteLostDocuments(tx: Tx, driveNumber: string): Promise<void> {
  await tx.deleteFrom("lost_documents").where("drive_number", "=", driveNumber).execute();
}
