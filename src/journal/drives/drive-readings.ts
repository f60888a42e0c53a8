import type { Entry } from "../entry.ts";
import { optionalEntry } from "../rows.ts";
import { DriveReading, type ReadingStore } from "./drive-reading.ts";
import { deleteReadingsAhead, entriesAround, knownDocuments, lostWithId, readingsAhead, updateToLeftOut } from "./drive-reading-queries.ts";

type Tx = Parameters<Parameters<ReadingStore["commit"]>[0]>[0];

/**
 * The progress of reading each drive. The journal's database stores it, so an older copy of the journal contains older progress. Only this
 * database decides whether a document counts as read.
 */
export class DriveReadings {
  readonly #store: ReadingStore;
  readonly #known = new Map<string, { reading: DriveReading; newest: number }>();

  constructor(store: ReadingStore) {
    this.#store = store;
  }

  /**
   * Forgets stored progress that does not fit this journal, because rows were removed while no server ran. Call it before the first new
   * entry: in SQLite new entries may reuse the missing ids, and the progress would seem to fit.
   */
  async forgetReadingsAhead(): Promise<void> {
    if ((await this.#store.read(readingsAhead)).length > 0) await this.#store.commit(deleteReadingsAhead);
  }

  /**
   * Returns the reading of a drive. `newest`: the number of the drive's newest document in the journal, 0 for none. If this number is lower
   * than before, the database was replaced, or a person's statement was taken back. Then the database is read anew.
   */
  async of(driveNumber: string, newest: number): Promise<DriveReading> {
    const known = this.#known.get(driveNumber);
    const reading =
      known !== undefined && newest >= known.newest ? known.reading : await DriveReading.from(this.#store, driveNumber, newest);
    reading.isNew = newest === 0;
    this.#known.set(driveNumber, { reading, newest });
    return reading;
  }

  /** Returns the documents that have one of the ids, were read in a drive, and were missing in the journal at that time. */
  async lostWithId(one: string, other = one): Promise<{ driveNumber: string; documentNumber: number; reference: string | null }[]> {
    const rows = await this.#store.read((db) => lostWithId(db, one, other));
    return rows.map((row) => ({ driveNumber: row.drive_number, documentNumber: row.document_number, reference: row.reference }));
  }

  /**
   * Marks an unread document as left out, as a person decided: it is not requested again, and delays no operation. The running server
   * learns of it in its next turn. `also`: what the same commit writes. Returns false and writes nothing if the document is not unread.
   */
  async leaveOut(place: { driveNumber: string; documentNumber: number }, also: (tx: Tx) => Promise<void>): Promise<boolean> {
    return this.#store.commit(async (tx) => {
      const isUnread = await updateToLeftOut(tx, { drive_number: place.driveNumber, document_number: place.documentNumber });
      if (isUnread) await also(tx);
      return isUnread;
    });
  }

  /** Returns the numbers of the drive's unread documents, in ascending order. For a person's requests. */
  async unreadOf(driveNumber: string): Promise<number[]> {
    return (await this.#store.read((db) => knownDocuments(db, driveNumber))).unread.toSorted((a, b) => a - b);
  }

  /** Returns the journal's entries of the drive's documents next to a number. For a person's requests. */
  async around(driveNumber: string, number: number): Promise<{ before: Entry | undefined; after: Entry | undefined }> {
    const { before, after } = await this.#store.read((db) => entriesAround(db, driveNumber, number));
    return { before: optionalEntry(before), after: optionalEntry(after) };
  }

  /**
   * Marks a document as unread in memory, because the journal no longer claims it. The database has this mark already.
   */
  readAgain({ driveNumber, documentNumber }: { driveNumber: string; documentNumber: number }): void {
    this.#known.get(driveNumber)?.reading.readAgain(documentNumber);
  }
}
