import { Failure } from "../kernel/failure.ts";
import type { Entry, EntryKey } from "./entry.ts";
import type { EntryState } from "./states.ts";

/** Codes of the journal's failures. What the store throws (`database-failed`) passes through. */
type JournalFailureCode =
  /** Somebody else moved the entry, or took the key, in the meantime: nothing was changed. Read it again. */
  | "journal-moved"
  /** A move that states.ts does not know: a mistake of the caller's code. */
  | "journal-illegal-move"
  /** A row that holds no document, or no facts, of ours: somebody has changed the database. */
  | "journal-unreadable"
  /** No entry of that number, or an answer for an operation that is not done. */
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

export function unreadable(id: number, what: "document" | "facts", path: string | undefined): Failure {
  return failure("journal-unreadable", `The ${what} of entry ${id} cannot be read: ${path || "it"} is not what was written`, false);
}

function describeKey(key: EntryKey): string {
  return `${key.appId}/${key.accountId}/${key.operation}/${key.documentId}`;
}
