import type { Store } from "../../store/database.ts";
import { idTakenFailure } from "../failures.ts";
import { idsAbove, raiseSequence } from "./entry-id-queries.ts";
import { markUnread, strayPlaces } from "./stray-queries.ts";
import { READ_MOVES } from "./written-queries.ts";

type Work = Parameters<Store["commit"]>[0];

/** A document that is named by a move in the journal, although the entry of this move was deleted. */
export interface StrayDocument {
  entryId: number;
  driveNumber: string;
  documentNumber: number;
}

/**
 * Finds the moves of entries that were deleted while no server ran. A program that enforces no foreign keys deletes the entries and leaves
 * their moves. Such a move would show its document as known. The server would then not look for the document in the drive, and would
 * register a repeated operation a second time.
 */
export class Strays {
  readonly #store: Pick<Store, "commit" | "read">;
  readonly #told: ((documents: readonly StrayDocument[]) => void) | undefined;
  #idsFrom: number | undefined;

  constructor(store: Pick<Store, "commit" | "read">, told?: (documents: readonly StrayDocument[]) => void) {
    this.#store = store;
    this.#told = told;
  }

  /** The lowest id of new entries in SQLite. It is above the ids of entries that somebody has deleted while other rows still name them. */
  get idsFrom(): number | undefined {
    return this.#idsFrom;
  }

  /**
   * Marks the documents of missing entries as unread, so that they are read in their drives again. The moves stay without their documents,
   * as a trace. Looks only at the newest moves, which belong to about 4,000 entries. New entries get higher ids than the missing entries
   * had, whatever is left of the missing entries. Call it before the first new entry.
   */
  async settle(): Promise<void> {
    const [ids, found] = await this.#store.read(async (db) => [await idsAbove(db), await strayPlaces(db, READ_MOVES)] as const);
    this.#idsFrom = ids.from;
    if (ids.behind) await this.#store.commit(raiseSequence);
    if (found.length === 0) return;
    // Another process of a cluster may mark the same documents at the same time. The work is safe to repeat.
    await this.#store.commit((tx) => markUnread(tx, found));
    this.#told?.(found.map((row) => ({ entryId: row.entry_id, driveNumber: row.drive_number, documentNumber: row.document_number })));
  }

  /**
   * Commits the work, which inserts an entry. The work must change nothing and return undefined if the entry's id is taken. An id can be
   * taken when somebody has put the sequence of the ids back. In that case the sequence is set above all ids, and the work runs once more.
   * Throws if the id is taken again.
   */
  async commitEntry<T extends { id: number }>(work: (tx: Parameters<Work>[0]) => Promise<T | undefined>): Promise<T> {
    const entered = await this.#store.commit(work);
    if (entered !== undefined) return this.#used(entered);
    await this.#store.commit(raiseSequence);
    const again = await this.#store.commit(work);
    if (again === undefined) throw idTakenFailure();
    return this.#used(again);
  }

  #used<T extends { id: number }>(entered: T): T {
    if (this.#idsFrom !== undefined) this.#idsFrom = Math.max(this.#idsFrom, entered.id + 1);
    return entered;
  }
}
