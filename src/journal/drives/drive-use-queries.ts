import { type Kysely, sql, type Transaction } from "kysely";
import { holdName } from "../../store/dialects/named-lock.ts";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Tables } from "../../store/tables.ts";
import { driveInUseFailure } from "../failures.ts";
import { sentToDrive } from "../queries.ts";

/** Use of one drive through several addresses of its device. Each address has a lane, and the turns of two lanes run at the same time. */
type Db = Kysely<Tables>;

/** What a turn has seen: it looked at the drive through the address `register`. `lastMove`: the journal's newest move before that look. */
interface SeenDrive {
  driveNumber: string;
  register: string;
  lastMove: number;
}

/** The use of a drive is searched among this many of the newest moves. All registers of a cluster make fewer moves during one turn. */
const MOVES_DURING_A_TURN = 10_000;

/** Returns the number of the newest move. */
export async function lastMove(db: Db): Promise<number> {
  const { rows } = await lastMoveSelect(db, {});
  return rows[0]?.number ?? 0;
}

const lastMoveSelect = statement((db) => db.selectFrom("moves").select("number").orderBy("number", "desc").limit(1));

/**
 * Returns a check for the transaction that begins to send. The check throws `journal-drive-in-use` in two cases. An operation that was sent
 * to the same drive through another address may still be in progress or in doubt. Or another address has made a document or slip in the
 * drive since the turn looked at it: then the checkpoint would be older than this document or slip. After a lost answer, a slip of the
 * other address would change the sum in the drawer, and would seem to be the slip of this operation.
 *
 * Two transactions that begin at the same moment have no row in common, so one waits for the lock of the drive's name.
 */
export function withoutOtherAddress({ driveNumber, register, lastMove }: SeenDrive): (tx: Transaction<Tables>) => Promise<void> {
  return async (tx) => {
    await holdName(tx, `drive ${driveNumber}`);
    const checkpoints = `%${JSON.stringify({ driveNumber }).slice(1, -1)}%`;
    const { rows } = await useSelect(tx, { driveNumber, register, lastMove, checkpoints });
    if (rows.length > 0) throw driveInUseFailure(driveNumber);
  };
}

/** One statement, because the document of the other address may be finished between two statements. */
const useSelect = statement((db, { driveNumber, register, lastMove, checkpoints }: Placeholders<SeenDrive & { checkpoints: string }>) => {
  // A subquery with a limit. Without the limit a database could read all moves of the drive.
  const since = db
    .selectFrom("moves")
    .select(["entry_id", "drive_number"])
    .where("number", ">", lastMove)
    .orderBy("number", "desc")
    .limit(MOVES_DURING_A_TURN);
  const made = db
    .selectFrom(since.as("since"))
    .select("since.entry_id as id")
    .where("since.drive_number", "=", driveNumber)
    .where(sql<boolean>`(select register from entries where entries.id = since.entry_id) <> ${register}`);
  return sentToDrive(db, checkpoints).select("id").where("register", "<>", register).unionAll(made).limit(1);
});
