import { type Kysely, sql } from "kysely";
import { type Placeholders, statement } from "../../store/statement.ts";
import type { Tables } from "../../store/tables.ts";

type Step = { id: number; attempt: number; state: string };

/** The entry as the database has it, and whether its move to the state in the attempt is there. Undefined: the entry is missing. */
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
