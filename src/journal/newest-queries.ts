import { type Expression, type Kysely, sql } from "kysely";
import { type Placeholders, statement } from "../store/statement.ts";
import type { EntryRow, Tables } from "../store/tables.ts";

/**
 * What is newest. Never by the number of an entry's row: what was refused keeps its row when it is repeated and done, and
 * what waits has one before what has its turn. Of a drive's documents it is the highest number, which the drive
 * itself counts without a gap (fiscal-receipts 6.1); of anything else the order of the moves, which no clock decides.
 * A drive is asked for by its number alone, which no other drive has (tag 1041): its register's address may change.
 */
type Db = Kysely<Tables>;

/** Number of the newest document of the drive. Asked at every turn: one step in an index, however long the journal is. */
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

/** Numbers of the drive's documents behind one of them, in no order. */
export async function numbersBehind(db: Db, driveNumber: string, behind: number): Promise<number[]> {
  const { rows } = await numbersSelect(db, { driveNumber, behind });
  return rows.flatMap(({ document_number }) => (document_number === null ? [] : [document_number]));
}

const numbersSelect = statement((db, { driveNumber, behind }: Placeholders<{ driveNumber: string; behind: number }>) =>
  documentsOf(db, driveNumber).select("document_number").where("document_number", ">", behind),
);

/** Whether the drive's document of that number is known to have been made. */
export async function hasNumber(db: Db, driveNumber: string, number: number): Promise<boolean> {
  const { rows } = await numberSelect(db, { driveNumber, number });
  return rows.length > 0;
}

const numberSelect = statement((db, { driveNumber, number }: Placeholders<{ driveNumber: string; number: number }>) =>
  documentsOf(db, driveNumber).select("document_number").where("document_number", "=", number).limit(1),
);

/** The entry of the drive's newest document. Of two that stand for it, as the platform's opening for ours, either. */
export async function newestDocument(db: Db, driveNumber: string): Promise<EntryRow | undefined> {
  const found = await documentsOf(db, sql.val(driveNumber))
    .select("entry_id")
    .orderBy("document_number", "desc")
    .limit(1)
    .executeTakeFirst();
  return found && db.selectFrom("entries").selectAll().where("id", "=", found.entry_id).executeTakeFirst();
}

/** The entry that the register was done with last, slips for cash among them; `driveNumber`: with this drive. Reads all that it did. */
export function lastDone(db: Db, register: string, driveNumber?: string): Promise<EntryRow | undefined> {
  const done = db.selectFrom("entries").selectAll().where("register", "=", register).where("state", "=", "done");
  return (driveNumber === undefined ? done : done.where("drive_number", "=", driveNumber))
    .orderBy(endedAs, "desc")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** The entry of a point of sale that moved last, whatever came of it. Reads back to it, one move after the other. */
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

/** Who has opened a device's shift, the first first: the one that had the document made, then those that took it over. */
export async function openersOf(db: Db, driveNumber: string, shiftNumber: number): Promise<OpenerRow[]> {
  const { rows } = await openersSelect(db, { driveNumber, shiftNumber });
  return rows;
}

export interface OpenerRow {
  account_id: string;
  operation: string;
}

/** The operations stand as literals, word for word as in the partial index that serves this. */
const openersSelect = statement((db, { driveNumber, shiftNumber }: Placeholders<{ driveNumber: string; shiftNumber: number }>) =>
  db
    .selectFrom("entries")
    .select(["account_id", "operation"])
    .where(sql<boolean>`operation in ('open-shift', 'auto-open-shift')`)
    .where("drive_number", "=", driveNumber)
    .where("shift_number", "=", shiftNumber)
    .where("state", "=", "done")
    .orderBy(endedAs)
    .orderBy("id"),
);

/** The order in which the newest attempts of entries began: of what waits, the order of arrival. */
export const begunAs = sql<number>`(
  select min(moves.number) from moves where moves.entry_id = entries.id and moves.attempt = entries.attempt)`;

/** The order in which entries came to the state that they are in. */
export const endedAs = sql<number>`(
  select moves.number from moves where moves.entry_id = entries.id and moves.attempt = entries.attempt and moves.to_state = entries.state)`;

/** Where the documents of a drive stand. In the order of the index that serves this, of one column more. */
function documentsOf(db: Db, driveNumber: Expression<string>) {
  return db.selectFrom("moves").where("drive_number", "=", driveNumber).where("document_number", "is not", null);
}
