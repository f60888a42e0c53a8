import type { Transaction } from "kysely";
import type { Reason } from "../model/reason.ts";
import type { Tables } from "../store/tables.ts";
import { insertMissedDocuments } from "./drives/drive-reading-queries.ts";
import type { Entry } from "./entry.ts";
import { illegalMove, movedFailure } from "./failures.ts";
import { closedShift, type JournalOutcome, openedShift, outcomeColumns, placeIn, takenBack } from "./outcome.ts";
import { deleteAnswer, deleteShiftLink, insertMove, insertShiftLink, moveEntry, movesOf, takeBackPlace } from "./queries.ts";
import { moveOf } from "./rows.ts";
import { mayMove, mayTakeBack } from "./states.ts";

/** A person's new statement, which replaces the person's earlier statement. */
interface NewStatement {
  outcome: Exclude<JournalOutcome, { kind: "in-doubt" }>;
  reasons: readonly Reason[];
  attempt: number;
  atMs: number;
}

/**
 * Writes the entry's new end and the two moves to this end. Returns whether the entry was ever done before. Throws `journal-illegal-move`
 * when the last statement was not a person's, and `journal-moved` when the entry has moved since it was read.
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

interface DocumentPlace {
  driveNumber: string;
  documentNumber: number;
}

/**
 * Replaces the traces of a person's earlier statement outside the entry: the stored answer, the link of the opened or closed shift, and the
 * claim on a document of the drive. The link of a closing stays when the closing is taken back, because the shift's opening may have made
 * the same link. Returns the document that the entry no longer claims, if any. This document must be read again in the drive, because it
 * may still be the operation's document.
 */
export async function replaceTraces(tx: Transaction<Tables>, entry: Entry, outcome: JournalOutcome): Promise<DocumentPlace | undefined> {
  await deleteAnswer(tx, entry.id);
  const before = entry.facts === undefined ? undefined : openedShift(entry, { kind: "done", facts: entry.facts });
  if (before !== undefined) await deleteShiftLink(tx, before);
  const linked = openedShift(entry, outcome) ?? closedShift(entry, outcome);
  if (linked !== undefined) await insertShiftLink(tx, linked);
  const claimed = claimedDocument(entry, outcome);
  if (claimed === undefined) return undefined;
  const { driveNumber: drive_number, documentNumber: document_number } = claimed;
  await insertMissedDocuments(tx, drive_number, [document_number]);
  return claimed;
}

/** Returns the document that the entry claimed before, and does not claim now. A number alone is not enough: each drive has one. */
function claimedDocument({ facts }: Entry, outcome: JournalOutcome): DocumentPlace | undefined {
  if (facts?.kind !== "fiscal") return undefined;
  const { documentNumber, identity } = facts;
  const now = placeIn(outcome);
  const isSame = now?.drive_number === identity.driveNumber && now.document_number === documentNumber;
  return isSame ? undefined : { driveNumber: identity.driveNumber, documentNumber };
}
