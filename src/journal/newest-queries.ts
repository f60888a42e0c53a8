import { type Expression, type Kysely, sql } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { EntryRow, Tables } from "../store/tables.ts";

/**
 * Queries for the newest entry or document. The entry's id never decides: a refused entry keeps its id when it is
 * repeated, and a waiting entry has a lower id than one that runs before it. For a drive's documents the highest number
 * decides, because a drive counts without gaps (fiscal-receipts 6.1). For everything else the order of the moves
 * decides, which depends on no clock. A drive is found by its number alone, which is unique (tag 1041): the address of
 * its register may change.
 */
type Db = Kysely<Tables>;

/** Number of the newest document of the drive. Read in every turn: one step in an index, however long the journal is. */
export async function newestNumber(db: Db, driveNumber: string): Promise<number | undefined> {
  const { rows } = await newestNumberSelect(db, { driveNumber });
  return rows[0]?.document_number ?? undefined;
}

const newestNumberSelect = statement((db, { driveNumber }: Placeholders<{ driveNumber: string }>) =>
  documentsOf(db, driveNumber).select("document_number").orderBy("document_number", "desc").limit(1),
);

/** Number of the drive's first document. */
export async function firstNumber(db: Db, driveNumber: string): Promise<number | undefined> {
  const { rows } = await firstNumberSelect(db, { driveNumber });
  return rows[0]?.document_number ?? undefined;
}

const firstNumberSelect = statement((db, { driveNumber }: Placeholders<{ driveNumber: string }>) =>
  documentsOf(db, driveNumber).select("document_number").orderBy("document_number").limit(1),
);

/** Numbers of the drive's documents above `behind`, in no order. */
export async function numbersBehind(db: Db, driveNumber: string, behind: number): Promise<number[]> {
  const { rows } = await numbersSelect(db, { driveNumber, behind });
  return rows.flatMap(({ document_number }) => (document_number === null ? [] : [document_number]));
}

const numbersSelect = statement((db, { driveNumber, behind }: Placeholders<{ driveNumber: string; behind: number }>) =>
  documentsOf(db, driveNumber).select("document_number").where("document_number", ">", behind),
);

/** Whether the journal has the drive's document of this number. */
export async function hasNumber(db: Db, driveNumber: string, number: number): Promise<boolean> {
  const { rows } = await numberSelect(db, { driveNumber, number });
  return rows.length > 0;
}

const numberSelect = statement((db, { driveNumber, number }: Placeholders<{ driveNumber: string; number: number }>) =>
  documentsOf(db, driveNumber).select("document_number").where("document_number", "=", number).limit(1),
);

/**
 * Returns the entry of the drive's newest document. When two entries share the document, such as the platform's opening and
 * the server's own, returns either of them.
 */
export async function newestDocument(db: Db, driveNumber: string): Promise<EntryRow | undefined> {
  const found = await documentsOf(db, sql.val(driveNumber))
    .select("entry_id")
    .orderBy("document_number", "desc")
    .limit(1)
    .executeTakeFirst();
  return found && db.selectFrom("entries").selectAll().where("id", "=", found.entry_id).executeTakeFirst();
}

/**
 * Returns the register's last done entry; slips for cash count too. `driveNumber`: only entries made with this drive.
 * Reads all entries of the register.
 */
export function lastDone(db: Db, register: string, driveNumber?: string): Promise<EntryRow | undefined> {
  const done = db.selectFrom("entries").selectAll().where("register", "=", register).where("state", "=", "done");
  return (driveNumber === undefined ? done : done.where("drive_number", "=", driveNumber))
    .orderBy(endedAs, "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns the entry of a point of sale that moved last, in any state. Reads moves backwards until one is of this point
 * of sale.
 */
export async function newestOfStore(db: Db, accountId: string, storeId: string): Promise<EntryRow | undefined> {
  const found = await db
    .selectFrom("moves")
    .select("entry_id")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("entries")
          .select("entries.id")
          .whereRef("entries.id", "=", "moves.entry_id")
          .where("account_id", "=", accountId)
          .where("store_id", "=", storeId),
      ),
    )
    .orderBy("number", "desc")
    .orderBy("entry_id", "desc")
    .limit(1)
    .executeTakeFirst();
  return found && db.selectFrom("entries").selectAll().where("id", "=", found.entry_id).executeTakeFirst();
}

/** The order in which the newest attempts of entries began. For waiting entries this is the order of arrival. */
export const begunAs = sql<number>`(
  select min(moves.number) from moves where moves.entry_id = entries.id and moves.attempt = entries.attempt)`;

/** The order in which entries reached their present state. */
export const endedAs = sql<number>`(
  select moves.number from moves where moves.entry_id = entries.id and moves.attempt = entries.attempt and moves.to_state = entries.state)`;

/** Returns the documents of a drive. The conditions have the order of the index that serves them. */
export function documentsOf(db: Db, driveNumber: Expression<string>) {
  return db.selectFrom("moves").where("drive_number", "=", driveNumber).where("document_number", "is not", null);
}
