import type { Kysely, Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/**
 * Counts what is committed, in the database itself, and compares it with what this process remembers: a database that
 * was overwritten under it, with an older copy of itself or with another one, does not have the newest change. The
 * process that holds the lock marks each of its commits with a random number besides, so that a copy with as many
 * changes is none of its own. Commands beside it only count.
 */
export interface Changes {
  /** From now on each change is marked as this process' own. Called once, by whoever holds the lock. */
  take(tx: Transaction<Tables>): Promise<void>;
  /**
   * The first step of a transaction. Tells whoever holds the database when it is not the one that was committed to;
   * nothing is counted then.
   */
  next(tx: Transaction<Tables>): Promise<Counted>;
  /** The same comparison, for a look that changes nothing. */
  compare(db: Kysely<Tables>): Promise<void>;
}

/** A change that was counted inside a transaction which has not ended yet. */
export interface Counted {
  /** `undone`: it was never asked to be committed. `unknown`: it was, and that failed or could not say how it ended. */
  end(how: "committed" | "undone" | "unknown"): void;
}

/** Where the count stands, and the mark of whoever counted last. Both are 32-bit integers; the count starts anew after 2^32. */
export interface Mark {
  count: number;
  token: number;
}

/** How many changes the first is ahead of the second. */
export function ahead(one: Pick<Mark, "count">, other: Pick<Mark, "count">): number {
  return (one.count - other.count) | 0;
}

export function sameMark(one: Mark, other: Mark): boolean {
  return one.count === other.count && one.token === other.token;
}

/** For people: how far what is there is behind what was committed. */
export function difference(found: Mark, newest: Mark): string {
  const missing = ahead(newest, found);
  return missing > 0 ? `without the newest ${missing} changes` : "with other changes than were made in it";
}
