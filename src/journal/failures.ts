import { Failure } from "../kernel/failure.ts";
import type { Entry, EntryKey } from "./entry.ts";
import type { EntryState } from "./states.ts";

/** Codes of the journal's failures. Failures of the store (`database-failed`) pass through unchanged. */
type JournalFailureCode =
  /** Another caller moved the entry or took the key meanwhile. Nothing was changed: read the entry again. */
  | "journal-moved"
  /** The caller made a move that states.ts does not allow. This is a bug of the caller. */
  | "journal-illegal-move"
  /** There is no entry of that number, or an answer was stored for an entry that is not done. */
  | "journal-no-such-entry";

function failure(code: JournalFailureCode, message: string, retrySafe: boolean): Failure {
  return new Failure(code, "fault", message, { retrySafe });
}

export function movedFailure(entry: Pick<Entry, "id" | "state" | "attempt">): Failure {
  return failure("journal-moved", `Entry ${entry.id} is no longer ${entry.state} in attempt ${entry.attempt}`, true);
}

export function takenFailure(key: EntryKey): Failure {
  return failure("journal-moved", `${describeKey(key)} is in the journal already and was not refused`, true);
}

export function illegalMove(entry: Pick<Entry, "id" | "state">, to: EntryState): Failure {
  return failure("journal-illegal-move", `Entry ${entry.id} cannot move from ${entry.state} to ${to}`, false);
}

export function noSuchEntry(id: number, what: string): Failure {
  return failure("journal-no-such-entry", `There is no ${what} of number ${id}`, false);
}

function describeKey(key: EntryKey): string {
  return `${key.appId}/${key.accountId}/${key.operation}/${key.documentId}`;
}
