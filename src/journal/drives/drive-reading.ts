import { SpacedCount } from "../../kernel/work/spaced-count.ts";
import type { Store } from "../../store/database.ts";
import {
  deleteLostDocument,
  deleteOldDocumentsOfOthers,
  gapsIn,
  insertMissedDocuments,
  insertUnreadDocument,
  knownDocuments,
  lostDocuments,
  readToOf,
  upsertDocumentOfOthers,
  upsertLostDocument,
  upsertReadTo,
} from "./drive-reading-queries.ts";
import { type ReadDocument, type ReadReports, readDocumentOf, referenceOfReport } from "./lost-document.ts";

/** The progress is written when it has grown by this many documents. After a restart at most this many documents are checked again. */
const UNWRITTEN_DOCUMENTS = 100;

export type ReadingStore = Pick<Store, "commit" | "read">;

/**
 * The progress of reading one drive, the documents that the journal lacked when they were read, and the unread documents. The turns in a
 * lane follow each other, so a drive has several readers at a time only if its device has several addresses.
 */
export class DriveReading {
  readonly #store: ReadingStore;
  readonly driveNumber: string;
  #readTo: number | undefined;
  #written: number | undefined;
  #seenTo: number;
  readonly #lost = new Map<string, number>();
  readonly #lostNumbers = new Set<number>();
  readonly #reports = new Map<number, ReadReports>();
  readonly #unread = new Map<number, number>();
  /** Unread documents for which `isMissed` holds. */
  readonly #missed = new Set<number>();
  /** Unread documents that a person left out. */
  readonly #leftOut = new Set<number>();
  /** The number of rows of read documents, without those of others, when the rows were last read. Undefined: not counted yet. */
  #readRows: number | undefined;
  /** How often the register fell silent when the document was requested, since the process began. */
  readonly #silences = new Map<number, number>();
  /**
   * Whether the drive's end is known: the register has denied the next number, or has returned no document for several turns. At the start
   * of the process the end is unknown. The register's status does not show the end, because the document number in the status may be old.
   */
  endWasSeen = false;
  /**
   * Whether the journal has no document of the drive yet. Documents of others then need no commit of their own, because the journal's first
   * document will follow all documents that were read.
   */
  isNew = false;
  /** Whether the register has returned a document since the process began. */
  givesDocuments = false;
  /** Whether gaps were searched since the database was read. */
  #gapsAreKnown = false;
  /** Turns refused since the process began, because the register did not return documents. Turns in quick succession count as one. */
  readonly turnsRefused = new SpacedCount();
  /** Turns since the process began that requested documents again which had been requested too often in vain. */
  readonly requestsOfGivenUp = new SpacedCount();
  /** Shift reports that were read in the drive before, and that the register has not returned again since the process began. */
  readonly reportsNotGiven = new Set<number>();
  /** Turns refused since the process began because of such reports. */
  readonly turnsRefusedForReports = new SpacedCount();
  /** Turns since the process began without any document from the register. */
  readonly turnsWithoutDocuments = new SpacedCount();

  private constructor(store: ReadingStore, driveNumber: string, noted: number | undefined, newest: number) {
    this.#store = store;
    this.driveNumber = driveNumber;
    this.#readTo = noted === undefined || newest === 0 ? noted : Math.min(noted, newest);
    this.#written = noted;
    this.#seenTo = noted ?? 0;
  }

  /**
   * Reads what the database stores about the drive. `newest`: the drive's newest document in the journal, 0 for none. Unless `newest` is 0,
   * progress above this number does not count, because the journal may have lost the rows of newer documents while no server ran. The
   * documents above this number are requested again. Usually there are none, or a few that somebody made at the register itself.
   */
  static async from(store: ReadingStore, driveNumber: string, newest: number): Promise<DriveReading> {
    // The stored documents count even without progress: they may be older than the documents that are read again.
    const [readTo, rows] = await store.read(async (db) => [await readToOf(db, driveNumber), await lostDocuments(db, driveNumber)] as const);
    const reading = new DriveReading(store, driveNumber, readTo, newest);
    for (const row of rows) reading.#remember(readDocumentOf(row));
    return reading;
  }

  /**
   * Reads how far other processes have read the drive. A process that held the register in between may have read further, and `seenTo` must
   * not be lower than the number that the other process stored. Call this in each turn, before `seenTo`.
   */
  async followSeen(): Promise<void> {
    this.#seenTo = Math.max(this.#seenTo, (await this.#store.read((db) => readToOf(db, this.driveNumber))) ?? 0);
  }

  /**
   * Reads the rows of the drive's documents again if another process has changed which of them are unread, or has read further documents. A
   * process that held the register before may have read some of the unread documents. It may also have read documents whose entries this
   * process saw in the journal, and the journal has lost since. A command may have taken back a person's claim of a document. Call this in
   * each turn.
   *
   * The lane of another address may mark further documents meanwhile. These marks stay, even if the rows were read before. What was read in
   * the drive stays too, even if the database has lost its row. Returns the documents that a person has left out since.
   */
  async followOthers(): Promise<number[]> {
    const before = [...this.#unread.keys()];
    const { unread, leftOut, read } = await this.#store.read((db) => knownDocuments(db, this.driveNumber));
    const newlyLeftOut = leftOut.filter((number) => !this.#leftOut.has(number));
    const isSame =
      newlyLeftOut.length === 0 &&
      read === this.#readRows &&
      leftOut.length === this.#leftOut.size &&
      unread.length === this.#unread.size &&
      unread.every((number) => this.#unread.has(number));
    if (isSame) return [];
    const rows = await this.#store.read((db) => lostDocuments(db, this.driveNumber));
    this.#readRows = read;
    const stillUnread = new Set(unread);
    for (const number of before) if (!stillUnread.has(number)) this.#forgetUnread(number);
    for (const row of rows) this.#remember(readDocumentOf(row));
    return newlyLeftOut;
  }

  /** Every document up to this number is in the journal, was read, or is in `unread`. Undefined: no progress is stored for the drive. */
  get readTo(): number | undefined {
    return this.#readTo;
  }

  /**
   * The highest number that was ever read in the drive, as far as this database knows. A lower last number in the drive shows that
   * documents are missing there.
   */
  get seenTo(): number {
    return Math.max(this.#seenTo, this.#readTo ?? 0);
  }

  /** Numbers of the documents that were missing in the journal when they were read, without documents of others. */
  get lostNumbers(): ReadonlySet<number> {
    return this.#lostNumbers;
  }

  /**
   * Number of the document that has this id and was missing in the journal when it was read. If several documents have the id, the number
   * of the first.
   */
  lostNumber(reference: string): number | undefined {
    return this.#lost.get(reference);
  }

  /** Whether the drive has a document of this server above this number that the journal lacked when the document was read. */
  hasLostBehind(number: number): boolean {
    return [...this.#lost.values()].some((lost) => lost > number);
  }

  /** Shift reports that the journal lacked when they were read, by shift number. */
  get reports(): ReadonlyMap<number, ReadReports> {
    return this.#reports;
  }

  /**
   * Returns the documents that the register did not return, with the number of requests since the process began. A number that the progress
   * has not passed is left out: a person's wrong claim may have named a document that the drive does not have yet. Makes a new map, so call
   * it once for all numbers.
   */
  unread(): ReadonlyMap<number, number> {
    const { readTo } = this;
    return new Map([...this.#unread].filter(([number]) => readTo !== undefined && number <= readTo));
  }

  /** Returns how often an unread document was requested since the process began. 0 for a document that `unread` does not have. */
  requestsOf(number: number): number {
    return this.#readTo === undefined || number > this.#readTo ? 0 : (this.#unread.get(number) ?? 0);
  }

  /** Whether the journal had the unread document before, or an attempt of this server may have made it. */
  isMissed(number: number): boolean {
    return this.#missed.has(number);
  }

  /** Unread documents that a person left out. */
  get leftOut(): ReadonlySet<number> {
    return this.#leftOut;
  }

  /**
   * Marks as unread a document for which the register fell silent, so that a person can leave the document out. Returns how often the
   * register fell silent for this document since the process began.
   */
  async noteSilence(number: number): Promise<number> {
    if (!this.#unread.has(number)) {
      await this.#store.commit((tx) => insertUnreadDocument(tx, { drive_number: this.driveNumber, document_number: number }));
      this.#remember({ number, kind: "unread", asked: false });
    }
    const silences = (this.#silences.get(number) ?? 0) + 1;
    this.#silences.set(number, silences);
    return silences;
  }

  /** Marks a document as unread and missed (`isMissed`), although the progress may have passed its number. */
  readAgain(number: number): void {
    this.#remember({ number, kind: "unread", asked: false, missed: true });
  }

  /**
   * Finds the document numbers that are missing in the journal (`gapsIn`), for example because somebody has deleted their rows while no
   * server ran. Marks these documents as unread, all in one commit. `newest`: the drive's newest document in the journal. Searches once,
   * because a running server notices deleted rows. Returns the found numbers.
   */
  async markGaps(newest: number): Promise<number[]> {
    if (this.#gapsAreKnown || this.#readTo === undefined) return [];
    const where = { upTo: Math.min(newest, this.#readTo), seenTo: this.seenTo };
    const gaps = await this.#store.read((db) => gapsIn(db, this.driveNumber, where));
    if (gaps.length > 0) await this.#store.commit((tx) => insertMissedDocuments(tx, this.driveNumber, gaps));
    for (const number of gaps) this.readAgain(number);
    this.#gapsAreKnown = true;
    return gaps;
  }

  countRequest(number: number): void {
    this.#unread.set(number, (this.#unread.get(number) ?? 0) + 1);
  }

  /**
   * Marks documents as unread and missed (`isMissed`). An attempt of this server may have made them, and the register has not returned
   * them. The row of a document that was read before stays.
   */
  async markMissed(numbers: readonly number[]): Promise<void> {
    const isNews = (number: number) => !this.#missed.has(number) && !this.#leftOut.has(number) && !this.#lostNumbers.has(number);
    const missed = numbers.filter(isNews);
    if (missed.length === 0) return;
    await this.#store.commit((tx) => insertMissedDocuments(tx, this.driveNumber, missed));
    for (const number of missed) this.readAgain(number);
  }

  /**
   * Notes the read documents and the progress. Stores them in one commit if the call has documents: nothing else would show that these
   * numbers are taken. Progress alone is stored only when it has grown by `UNWRITTEN_DOCUMENTS`. In a drive that is new to the journal
   * (`isNew`), documents of others are not stored, and count as progress alone.
   *
   * The lane of another address may read the same drive at the same time. So the progress never becomes lower, because that lane may be
   * behind. A document that was read stays read, although the register has not returned it to the other lane.
   */
  async keep(reached: number, documents: readonly ReadDocument[] = []): Promise<void> {
    const readTo = Math.max(this.#readTo ?? 0, reached);
    const isNews = documents.some(({ kind, number }) => kind !== "others" || !this.isNew || this.#unread.has(number));
    if (isNews || readTo - (this.#written ?? 0) >= UNWRITTEN_DOCUMENTS) await this.#write(readTo, documents);
    this.#readTo = Math.max(this.#readTo ?? 0, readTo);
    for (const document of documents) this.#remember(document);
  }

  async #write(readTo: number, documents: readonly ReadDocument[]): Promise<void> {
    await this.#store.commit(async (tx) => {
      await upsertReadTo(tx, this.driveNumber, readTo);
      for (const document of documents) {
        const row = { drive_number: this.driveNumber, document_number: document.number };
        if (document.kind === "own") await upsertLostDocument(tx, { ...row, reference: document.reference });
        else if (document.kind === "report") await upsertLostDocument(tx, { ...row, reference: referenceOfReport(document) });
        else if (document.kind === "unread" && this.isMissed(document.number))
          await insertMissedDocuments(tx, this.driveNumber, [document.number]);
        else if (document.kind === "unread") await insertUnreadDocument(tx, row);
        else if (document.kind === "others" && !this.isNew) await upsertDocumentOfOthers(tx, row);
        else if (this.#unread.has(document.number)) await deleteLostDocument(tx, row);
      }
      if (documents.some(({ kind }) => kind === "others")) await deleteOldDocumentsOfOthers(tx, this.driveNumber, readTo);
    });
    this.#written = readTo;
  }

  #remember(document: ReadDocument): void {
    if (document.kind === "unread") {
      if (this.#lostNumbers.has(document.number) || this.#leftOut.has(document.number)) return;
      this.#unread.set(document.number, (this.#unread.get(document.number) ?? 0) + (document.asked ? 1 : 0));
      if (document.missed) this.#missed.add(document.number);
      return;
    }
    this.#forgetUnread(document.number);
    if (document.kind === "left-out") this.#leftOut.add(document.number);
    else this.#leftOut.delete(document.number);
    if (document.kind === "own" || document.kind === "report") this.#lostNumbers.add(document.number);
    if (document.kind === "report") {
      const { shiftNumber, report, number } = document;
      this.#reports.set(shiftNumber, { ...this.#reports.get(shiftNumber), [report]: number });
    }
    if (document.kind === "own" && !this.#lost.has(document.reference)) this.#lost.set(document.reference, document.number);
  }

  #forgetUnread(number: number): void {
    this.#unread.delete(number);
    this.#missed.delete(number);
  }
}
