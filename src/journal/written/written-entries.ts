import { rowsLost } from "../../store/failures.ts";
import type { Entry, EntryKey } from "../entry.ts";
import { ENTRY_STATES, type EntryState } from "../states.ts";
import { type StandingRow, standingWith } from "./written-queries.ts";

type Db = Parameters<typeof standingWith>[0];

/** An entry as this process has committed it last. */
type Written = Pick<Entry, "id" | "key" | "register" | "state" | "attempt">;

/** How many of the newest entries are remembered: a day of a large shop, and 3 MB. */
const MAX_ENTRIES = 10_000;

/**
 * The newest entries that this process has committed, as they must stand in the database. The owner of a PostgreSQL database can set rows
 * back to earlier values, or delete some, and the count of changes does not show it (store/changes.ts). An operation whose entry is gone
 * would be made again. So each operation that begins compares the newest entry of its register, which takes one read by the primary key,
 * and its own key, which takes none. A later state in the database than the remembered one is accepted, because another process may have
 * made it.
 */
export class WrittenEntries {
  readonly #byKey = new Map<string, Written>();
  readonly #newest = new Map<string, Written>();

  /** Remembers a committed entry, and returns it. */
  note<E extends Written>(entry: E): E {
    const { id, key, register, state, attempt } = entry;
    const written = { id, key, register, state, attempt };
    keep(this.#byKey, nameOf(key), written);
    keep(this.#newest, register, written);
    return entry;
  }

  /**
   * Throws `database-rows-lost` when the newest entry of the register is missing or in an earlier state than was committed. Call it in the
   * transaction that begins the register's next operation.
   */
  async mustStand(db: Db, register: string): Promise<void> {
    const newest = this.#newest.get(register);
    if (newest === undefined) return;
    const found = await standingWith(db, newest);
    if (found === undefined || nameOf(keyOf(found)) !== nameOf(newest.key) || found.moved === null || isBehind(found, newest)) {
      throw lost(newest);
    }
  }

  /** Throws `database-rows-lost` when an entry with this key was committed, and the database has none, or an earlier state of it. */
  mustHave(key: EntryKey, found?: Pick<StandingRow, "state" | "attempt">): void {
    const written = this.#byKey.get(nameOf(key));
    if (written !== undefined && (found === undefined || isBehind(found, written))) throw lost(written);
  }
}

/** Whether the row is of an earlier moment than the entry that was committed. */
function isBehind(found: Pick<StandingRow, "state" | "attempt">, { state, attempt }: Written): boolean {
  if (found.attempt !== attempt) return found.attempt < attempt;
  const ended = state === "done" || state === "refused";
  return ended ? found.state !== state : placeOf(found.state) < placeOf(state);
}

function placeOf(state: string): number {
  return ENTRY_STATES.indexOf(state as EntryState);
}

function keep(entries: Map<string, Written>, name: string, written: Written): void {
  // The oldest stands first, so what has just been used moves to the end.
  entries.delete(name);
  entries.set(name, written);
  const [oldest] = entries.keys();
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
}

function keyOf({ app_id, account_id, operation, document_id }: StandingRow) {
  return { appId: app_id, accountId: account_id, operation, documentId: document_id };
}

function nameOf({ appId, accountId, operation, documentId }: Record<keyof EntryKey, string>): string {
  return JSON.stringify([appId, accountId, operation, documentId]);
}

function lost({ id, state }: Written) {
  return rowsLost(`entry ${id}, which was ${state}, is missing or as it was before`);
}
