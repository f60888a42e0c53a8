import { type Kysely, sql } from "kysely";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Tables } from "../../store/tables.ts";

/**
 * The number of newest moves read at the start: the moves of about 4,000 entries. The reading delays the server's start by about 0.1 s.
 */
export const READ_MOVES = 10_000;

type Step = { id: number; attempt: number; state: string };

/** Returns the entry's row, and whether the database has the move to this state in this attempt. Undefined: the entry is missing. */
export async function standingWith(db: Kysely<Tables>, step: Step): Promise<StandingRow | undefined> {
  const { rows } = await standingSelect(db, step);
  return rows[0];
}

export interface StandingRow {
  app_id: string;
  account_id: string;
  operation: string;
  document_id: string;
  state: string;
  attempt: number;
  moved: number | null;
}

const standingSelect = statement((db, { id, attempt, state }: Placeholders<Step>) => {
  const moved = sql<number>`(select 1 from moves where entry_id = ${id} and attempt = ${attempt} and to_state = ${state})`;
  return db
    .selectFrom("entries")
    .select(["app_id", "account_id", "operation", "document_id", "state", "attempt", moved.as("moved")])
    .where("id", "=", id);
});

type NewestRow = Omit<StandingRow, "moved"> & { id: number; register: string };

/**
 * Returns the entries that the newest moves brought to their present states, in the order of these moves. `moves`: the number of moves
 * read.
 */
export function newestStanding(db: Kysely<Tables>, moves: number): Promise<NewestRow[]> {
  const newest = db.selectFrom("moves").select(["entry_id", "attempt", "to_state", "number"]);
  return db
    .selectFrom(newest.orderBy("number", "desc").orderBy("entry_id", "desc").limit(moves).as("m"))
    .innerJoin("entries as e", (join) =>
      join.onRef("e.id", "=", "m.entry_id").onRef("e.attempt", "=", "m.attempt").onRef("e.state", "=", "m.to_state"),
    )
    .select(["e.id", "e.register", "e.app_id", "e.account_id", "e.operation", "e.document_id", "e.state", "e.attempt"])
    .orderBy("m.number")
    .orderBy("m.entry_id")
    .execute();
}
