import { type Expression, type Kysely, sql } from "kysely";
import { present } from "../kernel/present.ts";
import type { Step, StepEnd } from "../kernel/work/newest-in-steps.ts";
import { type Placeholders, statement } from "../store/statement.ts";
import type { EntryRow, Tables } from "../store/tables.ts";

/**
 * Queries for the newest entry or document.
 *
 * The entry's id does not decide: a repeated entry keeps its id, and a waiting entry may have a lower id than an entry that runs earlier.
 * For documents the highest number decides, because a drive counts without gaps (fiscal-receipts 6.1). For everything else the order of the
 * moves decides, which depends on no clock. The id only orders moves with the same number.
 *
 * A drive is found by its unique number (tag 1041), because its register's address may change.
 */
type Db = Kysely<Tables>;

/** Returns the number of the drive's newest document. Every turn reads it, with one step in an index, however long the journal is. */
export async function newestNumber(db: Db, driveNumber: string): Promise<number | undefined> {
  const { rows } = await newestNumberSelect(db, { driveNumber });
  return rows[0]?.document_number ?? undefined;
}

const newestNumberSelect = statement((db, { driveNumber }: Placeholders<{ driveNumber: string }>) =>
  documentsOf(db, driveNumber).select("document_number").orderBy("document_number", "desc").limit(1),
);

export async function firstNumber(db: Db, driveNumber: string): Promise<number | undefined> {
  const { rows } = await firstNumberSelect(db, { driveNumber });
  return rows[0]?.document_number ?? undefined;
}

const firstNumberSelect = statement((db, { driveNumber }: Placeholders<{ driveNumber: string }>) =>
  documentsOf(db, driveNumber).select("document_number").orderBy("document_number").limit(1),
);

/** Returns the document numbers in the drive that are above the number `behind`, in any order. */
export async function numbersBehind(db: Db, driveNumber: string, behind: number): Promise<number[]> {
  const { rows } = await numbersSelect(db, { driveNumber, behind });
  return rows.flatMap(({ document_number }) => (document_number === null ? [] : [document_number]));
}

const numbersSelect = statement((db, { driveNumber, behind }: Placeholders<{ driveNumber: string; behind: number }>) =>
  documentsOf(db, driveNumber).select("document_number").where("document_number", ">", behind),
);

export async function hasNumber(db: Db, driveNumber: string, number: number): Promise<boolean> {
  const { rows } = await numberSelect(db, { driveNumber, number });
  return rows.length > 0;
}

const numberSelect = statement((db, { driveNumber, number }: Placeholders<{ driveNumber: string; number: number }>) =>
  documentsOf(db, driveNumber).select("document_number").where("document_number", "=", number).limit(1),
);

/**
 * Returns the entry of the drive's newest document. Two entries may share the document, such as the platform's opening of a shift and the
 * server's own opening of it. Then either entry is returned.
 */
export async function newestDocument(db: Db, driveNumber: string): Promise<EntryRow | undefined> {
  const found = await documentsOf(db, sql.val(driveNumber))
    .select("entry_id")
    .orderBy("document_number", "desc")
    .limit(1)
    .executeTakeFirst();
  return found && db.selectFrom("entries").selectAll().where("id", "=", found.entry_id).executeTakeFirst();
}

/** A place in the order of the moves. */
export interface MovePlace {
  number: number;
  entryId: number;
}

type MoveStep = Step<MovePlace>;
type FoundEntry = StepEnd<MovePlace, number>;

/** The moves of a step, the newest first. */
function movesOfStep(db: Db, { before }: MoveStep) {
  const moves = db.selectFrom("moves").orderBy("number", "desc").orderBy("entry_id", "desc");
  return before === undefined ? moves : moves.where(sql<boolean>`(number, entry_id) < (${before.number}, ${before.entryId})`);
}

async function endOfStep(db: Db, step: MoveStep, [found]: readonly { entry_id: number }[]): Promise<FoundEntry> {
  if (found !== undefined) return { found: [found.entry_id] };
  const last = await movesOfStep(db, step)
    .select(["number", "entry_id"])
    .limit(1)
    .offset(step.rows - 1)
    .executeTakeFirst();
  return { found: [], ...present({ last: last && { number: last.number, entryId: last.entry_id } }) };
}

/**
 * Finds the register's last done entry among the moves of a step. The newest move to done decides, in the present attempt of its entry.
 * Slips for cash count too. `driveNumber`: only entries with this drive. `by`: only entries that were made done in this way. Without `by`
 * the document may be old, and its drive may be gone: a look-up may have found the document, or a person may have stated it.
 */
export async function lastDoneIn(db: Db, of: OfRegister, step: MoveStep): Promise<FoundEntry> {
  const { rows } = await lastDoneSelect(db, { ...of, ...step.before, rows: step.rows });
  return endOfStep(db, step, rows);
}

interface OfRegister {
  register: string;
  driveNumber?: string;
  by?: "register";
}

/** The moves of a step are a subquery with a limit. Without the limit SQLite would read all moves until one fits. */
const lastDoneSelect = statement(
  (db, { register, driveNumber, by, rows, number, entryId }: Placeholders<OfRegister & Partial<MovePlace> & { rows: number }>) => {
    const all = db.selectFrom("moves").select(["entry_id", "attempt", "to_state", "by", "number"]);
    const earlier =
      number === undefined || entryId === undefined ? all : all.where(sql<boolean>`(number, entry_id) < (${number}, ${entryId})`);
    const recent = earlier.orderBy("number", "desc").orderBy("entry_id", "desc").limit(rows);
    const query = db
      .selectFrom(recent.as("recent"))
      .select("recent.entry_id")
      .where("recent.to_state", "=", sql.lit("done"))
      .where(({ exists, selectFrom }) => {
        const done = selectFrom("entries")
          .select("entries.id")
          .whereRef("entries.id", "=", "recent.entry_id")
          .whereRef("entries.attempt", "=", "recent.attempt")
          .where("register", "=", register)
          .where("state", "=", sql.lit("done"));
        return exists(driveNumber === undefined ? done : done.where("entries.drive_number", "=", driveNumber));
      })
      .orderBy("recent.number", "desc")
      .orderBy("recent.entry_id", "desc")
      .limit(1);
    return by === undefined ? query : query.where("recent.by", "=", by);
  },
);

/** Finds the point of sale's entry that moved last, in any state, among the moves of a step. */
export async function newestOfStoreIn(db: Db, point: { accountId: string; storeId: string }, step: MoveStep): Promise<FoundEntry> {
  const found = await db
    .selectFrom(movesOfStep(db, step).select(["entry_id", "number"]).limit(step.rows).as("recent"))
    .select("recent.entry_id")
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("entries")
          .select("entries.id")
          .whereRef("entries.id", "=", "recent.entry_id")
          .where("account_id", "=", point.accountId)
          .where("store_id", "=", point.storeId),
      ),
    )
    .orderBy("recent.number", "desc")
    .orderBy("recent.entry_id", "desc")
    .limit(1)
    .execute();
  return endOfStep(db, step, found);
}

/** The order in which the newest attempts of entries began; for waiting entries the order of arrival. */
export const begunAs = sql<number>`(
  select min(moves.number) from moves where moves.entry_id = entries.id and moves.attempt = entries.attempt)`;

/** The order in which entries reached their present state. */
export const endedAs = sql<number>`(
  select moves.number from moves where moves.entry_id = entries.id and moves.attempt = entries.attempt and moves.to_state = entries.state)`;

/** Returns the moves of a drive that have a document. The conditions follow the order of the index's columns. */
export function documentsOf(db: Db, driveNumber: Expression<string>) {
  return db.selectFrom("moves").where("drive_number", "=", driveNumber).where("document_number", "is not", null);
}
