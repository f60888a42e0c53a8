import type { Transaction } from "kysely";
import type { Reason } from "../model/reason.ts";
import type { Tables } from "../store/tables.ts";
import type { Entry } from "./entry.ts";
import { illegalMove, movedFailure } from "./failures.ts";
import { type JournalOutcome, outcomeColumns, placeIn, takenBack } from "./outcome.ts";
import { insertMove, moveEntry, movesOf, takeBackPlace } from "./queries.ts";
import { moveOf } from "./rows.ts";
import { mayMove, mayTakeBack } from "./states.ts";

/** A person's statement that replaces an earlier one, as the journal writes it. */
interface NewStatement {
  outcome: Exclude<JournalOutcome, { kind: "in-doubt" }>;
  reasons: readonly Reason[];
  attempt: number;
  atMs: number;
}

/**
 * Writes the entry's new end and the two moves to it. Returns whether the entry had been done at any time before. Throws
 * `journal-illegal-move` when the last statement was not a person's.
 */
export async function writeNewStatement(
  tx: Transaction<Tables>,
  entry: Entry,
  { outcome, reasons, attempt, atMs }: NewStatement,
): Promise<{ wasDone: boolean }> {
  const moves = (await movesOf(tx, entry.id)).map(moveOf);
  if (!mayTakeBack(entry.state, moves) || !mayMove("in-doubt", outcome.kind)) throw illegalMove(entry, outcome.kind);
  const placed = outcome.kind === "done" ? {} : { drive_number: null, shift_number: null };
  const changed = { ...outcomeColumns(outcome), ...placed, state: outcome.kind, attempt, moved_at_ms: atMs };
  if (!(await moveEntry(tx, entry, changed))) throw movedFailure(entry);
  await takeBackPlace(tx, entry.id);
  const round = { entryId: entry.id, attempt, atMs, by: "person" } as const;
  await insertMove(tx, { ...round, from: entry.state, to: "in-doubt", reasons: [{ code: "taken-back", was: takenBack(entry) }] });
  await insertMove(tx, { ...round, from: "in-doubt", to: outcome.kind, reasons }, placeIn(outcome));
  return { wasDone: moves.some(({ to }) => to === "done") };
}
