import { Failure } from "../kernel/failure.ts";
import { storeFailure } from "../store/failures.ts";
import type { Entry, EntryKey } from "./entry.ts";
import type { EntryState } from "./states.ts";

/** Codes of the journal's failures. Failures of the store (`database-failed`) stay unchanged. */
type JournalFailureCode =
  /** Another caller moved the entry or took the key meanwhile. Nothing was changed: read the entry again. */
  | "journal-moved"
  /** The caller requested a move that states.ts does not allow. This is a bug of the caller. */
  | "journal-illegal-move"
  /** Another process may have the register. Nothing was recorded, and nothing was sent. */
  | "journal-fenced"
  /** Another lane has begun to send an operation that makes the same registration (`withoutRival`). Nothing was recorded or sent. */
  | "journal-rivalled"
  /** Another address of the device uses the drive (`withoutOtherAddress`). Nothing was recorded or sent. */
  | "journal-drive-in-use"
  /** There is no entry of that number, or an answer came for an entry that is not done. The answer was not stored. */
  | "journal-no-such-entry";

function failure(code: JournalFailureCode, message: string, retrySafe: boolean): Failure {
  return new Failure(code, "fault", message, { retrySafe });
}

/** Throws `journal-fenced` when this process does not hold the register. `held`: undefined in a process that holds all registers. */
export async function mustHold(held: Promise<boolean> | undefined, register: string): Promise<void> {
  if ((await held) === false) throw fencedFailure(register);
}

function fencedFailure(register: string): Failure {
  return failure("journal-fenced", `Another process may have the register ${register}`, true);
}

export function isFenced(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.code === "journal-fenced";
}

/** Nothing was inserted, because the database gave the new entry the id of an existing entry. */
export function idTakenFailure(): Failure {
  const text =
    "A new entry has the id of another one, because the sequence of the ids is behind the rows: start the server again, which sets it";
  return storeFailure("database-failed", "dependency", text, { retrySafe: true });
}

export function rivalledFailure(key: EntryKey): Failure {
  return failure("journal-rivalled", `Another operation may register what ${describeKey(key)} registers`, true);
}

export function isRivalled(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.code === "journal-rivalled";
}

export function driveInUseFailure(driveNumber: string): Failure {
  return failure("journal-drive-in-use", `The drive ${driveNumber} is used through another address of its device`, true);
}

export function isDriveInUse(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.code === "journal-drive-in-use";
}

export function isMoved(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.code === "journal-moved";
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
