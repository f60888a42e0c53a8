import { rowsLost } from "../../store/failures.ts";
import type { Entry, EntryKey } from "../entry.ts";
import { ENTRY_STATES, type EntryState } from "../states.ts";
import { newestStanding, READ_MOVES, type StandingRow, standingWith } from "./written-queries.ts";

type Db = Parameters<typeof standingWith>[0];

/** The state of an entry as this process last committed or found it. `name`: the key as one text. */
interface Written extends Pick<Entry, "id" | "register" | "attempt"> {
  name: string;
  state: string;
}

/** The number of remembered entries: a large shop's day, in 3 MB of memory. */
const MAX_ENTRIES = 10_000;

/**
 * Remembers the newest entries that this process committed or found at its start, and compares them with the database. The owner of a
 * PostgreSQL database can delete rows or restore earlier values, and the count of changes (store/changes.ts) does not show this. The server
 * would then register an operation a second time.
 *
 * Each operation therefore begins with two comparisons: the newest entry of its register, read by the primary key, and the entry of its own
 * key. Every later move compares the state from before the move. The database may have a later state than this process remembers, because
 * another process may have made it.
 */
export class WrittenEntries {
  readonly #byKey = new Map<string, Written>();
  readonly #newest = new Map<string, Written>();

  /** Remembers a committed entry, and returns it. */
  note<E extends Pick<Entry, "id" | "key" | "register" | "state" | "attempt">>(entry: E): E {
    const { id, key, register, state, attempt } = entry;
    this.#keep({ id, name: nameOf(key), register, state, attempt });
    return entry;
  }

  /**
   * Remembers the database's newest entries as if this process had committed them. Call it before the first operation. A change from
   * before this call is not noticed: an entry without the move to its state is left out. `isHere`: whether this process works at the
   * register now. It may have committed later states of entries there since they were read, and then the later states stay remembered.
   */
  async rememberNewest(db: Db, isHere: (register: string) => boolean = () => false): Promise<void> {
    for (const row of await newestStanding(db, READ_MOVES)) {
      const { id, register, state, attempt } = row;
      const read = { id, name: nameOf(keyOf(row)), register, state, attempt };
      if (!isHere(register)) this.#keep(read);
      else if (this.#isNews(read)) keep(this.#byKey, read.name, read);
    }
  }

  /** Whether this process remembers no state of the entry, or only an earlier state. */
  #isNews(read: Written): boolean {
    const written = this.#byKey.get(read.name);
    return written === undefined || isBehind(written, read);
  }

  /**
   * Throws `database-rows-lost` when the register's newest entry or its last move is missing, when another entry has its id, or when the
   * entry has an earlier state than was committed. Call it in each transaction that accepts or sends an operation of the register.
   */
  async mustStand(db: Db, register: string): Promise<void> {
    const newest = this.#newest.get(register);
    if (newest === undefined) return;
    const found = await standingWith(db, newest);
    if (found === undefined || nameOf(keyOf(found)) !== newest.name || found.moved === null || isBehind(found, newest)) {
      throw lost(newest);
    }
  }

  /** Throws `database-rows-lost` when the database has lost a committed entry with this key, or has an earlier state of it. */
  mustHave(key: EntryKey, found?: Pick<StandingRow, "state" | "attempt">): void {
    const written = this.#byKey.get(nameOf(key));
    if (written !== undefined && (found === undefined || isBehind(found, written))) throw lost(written);
  }

  #keep(written: Written): void {
    keep(this.#byKey, written.name, written);
    keep(this.#newest, written.register, written);
  }
}

/** Whether the row has an earlier state than the committed entry. */
function isBehind(found: Pick<StandingRow, "state" | "attempt">, { state, attempt }: Written): boolean {
  if (found.attempt !== attempt) return found.attempt < attempt;
  const ended = state === "done" || state === "refused";
  return ended ? found.state !== state : placeOf(found.state) < placeOf(state);
}

function placeOf(state: string): number {
  return ENTRY_STATES.indexOf(state as EntryState);
}

function keep(entries: Map<string, Written>, name: string, written: Written): void {
  // The first name of the map is forgotten first, so the name just used moves to the end.
  entries.delete(name);
  entries.set(name, written);
  const [oldest] = entries.keys();
  if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
}

function keyOf({ app_id, account_id, operation, document_id }: Pick<StandingRow, KeyColumn>) {
  return { appId: app_id, accountId: account_id, operation, documentId: document_id };
}

type KeyColumn = "app_id" | "account_id" | "operation" | "document_id";

function nameOf({ appId, accountId, operation, documentId }: Record<keyof EntryKey, string>): string {
  return JSON.stringify([appId, accountId, operation, documentId]);
}

function lost({ id, state }: Written) {
  return rowsLost(`entry ${id}, which was ${state}, is missing or as it was before`);
}
