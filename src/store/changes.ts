import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Counts the commits in the database itself and compares the count with the count in this process. A database that was
 * replaced by an older copy or by another database lacks the newest change. The process that holds the lock also marks
 * each commit with a random number, so that a copy with the same count is recognised too. Commands that run beside the
 * server count their commits and set no mark.
 */
export interface Changes {
  /** From now on each change gets a mark of this process. Called once, by the process that holds the lock. */
  take(tx: Transaction<Tables>): Promise<void>;
  /**
   * The first step of a transaction: counts the change. When the database was replaced, reports this through `HeldFiles` and counts
   * nothing.
   */
  next(tx: Transaction<Tables>): Promise<Counted>;
  /** Makes the same comparison without counting a change. */
  compare(db: Kysely<Tables>): Promise<void>;
}

/** The place of a process among those that share the database (schema-lock.ts). */
export interface SharedPlace {
  /** 0, 1, 2 …: no other process has this number at the same time. */
  readonly number: number;
  /**
   * Throws and reports the loss of the lock when this process no longer holds the place. Another process may then have changed the marks.
   */
  mustBeHeld(db: Kysely<Tables>): Promise<void>;
}

/** A change that was counted in a transaction that has not ended yet. */
export interface Counted {
  /** `undone`: no commit was tried. `unknown`: a commit was tried, and it failed or its end is unknown. */
  end(how: "committed" | "undone" | "unknown"): void;
}

/**
 * The count of changes, and the token of the newest change that was marked. Both are 32-bit integers; the count begins again
 * after 2^32.
 */
export interface Mark {
  count: number;
  token: number;
}

/** Returns how many changes the first mark is ahead of the second. */
export function ahead(one: Pick<Mark, "count">, other: Pick<Mark, "count">): number {
  return (one.count - other.count) | 0;
}

export function sameMark(one: Mark, other: Mark): boolean {
  return one.count === other.count && one.token === other.token;
}

/** Returns how far the found database is behind the committed changes, in words for people. */
export function difference(found: Mark, newest: Mark): string {
  const missing = ahead(newest, found);
  return missing > 0 ? `without the newest ${missing} changes` : "with other changes than were made in it";
}
