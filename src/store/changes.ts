import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Counts the commits in the database and compares the count with this process's own count. An older copy or another database lacks the
 * newest change. The process with the lock also marks each commit with a random number, which reveals a copy with the same count.
 * Commands, which run beside the server, count their commits but set no mark.
 */
export interface Changes {
  /** From now on each change gets a mark of this process. Called once, by the process with the lock. */
  take(tx: Transaction<Tables>): Promise<void>;
  /**
   * The first step of a transaction: counts the change. If the database was replaced, reports it through `HeldFiles`; the count then does
   * not matter.
   */
  next(tx: Transaction<Tables>): Promise<Counted>;
  /** Compares the counts as `next` does, without counting a change. */
  compare(db: Kysely<Tables>): Promise<void>;
}

/** The place of a process among those that share the database (schema-lock.ts). */
export interface SharedPlace {
  /** 0, 1, 2 …: unique at any time. */
  readonly number: number;
  /** Throws and reports the loss of the lock when this process has lost the place. Another process may then have changed the marks. */
  mustBeHeld(db: Kysely<Tables>): Promise<void>;
}

/** A counted change in a transaction that has not ended. */
export interface Counted {
  /** `undone`: no commit was tried. `unknown`: a commit was tried, and it failed or its end is unknown. */
  end(how: "committed" | "undone" | "unknown"): void;
}

/** The count of changes, and the token of the newest marked change. In SQLite both are 32-bit integers, and the count wraps around. */
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

/** Describes how far the found database is behind the committed changes, for people. */
export function difference(found: Mark, newest: Mark): string {
  const missing = ahead(newest, found);
  return missing > 0 ? `without the newest ${missing} changes` : "with other changes than were made in it";
}
