import { Failure } from "../../kernel/failure.ts";
import type { EntryKey } from "../entry.ts";
import type { HeadRow } from "./step-queries.ts";

/**
 * An entry whose row cannot be read, for example because an old version wrote a longer text than today's schema accepts. `problem`: the
 * column and what is wrong, without the column's value.
 */
export interface UnreadableEntry {
  id: number;
  key: Omit<EntryKey, "operation">;
  storeId: string;
  register: string;
  acceptedAtMs: number;
  problem: string;
}

/** One of a list's entries, which may be unreadable. Tell them apart by `isReadable`. */
export type Listed<E extends object> = E | UnreadableEntry;

export function isReadable<E extends object>(entry: Listed<E>): entry is E {
  return !("problem" in entry);
}

/** Returns what `read` makes of a row. Never throws `journal-unreadable`, so one row stops no list. */
export function listedOf<Row extends HeadRow, E extends object>(row: Row, read: (row: Row) => E): Listed<E> {
  const problem = problemOf(() => read(row));
  if (typeof problem !== "string") return problem.value;
  return {
    id: row.id,
    key: { appId: row.app_id, accountId: row.account_id, documentId: row.document_id },
    storeId: row.store_id,
    register: row.register,
    acceptedAtMs: row.accepted_at_ms,
    problem,
  };
}

/** Returns the value, or in words why it cannot be read. */
export function problemOf<T>(read: () => T): { value: T } | string {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}
