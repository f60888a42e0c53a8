import type { Store } from "../store/database.ts";
import {
  deleteLostDocument,
  deleteLostDocuments,
  lostDocuments,
  readToOf,
  upsertLostDocument,
  upsertReadTo,
} from "./drive-reading-queries.ts";

/**
 * A document read in a drive. `own`: the document has an id of this server. `report`: a shift report. A report has no id,
 * so its maker is unknown. `unread`: the register did not return the document; `asked` tells whether the register was
 * asked for it. `others`: this server did not make the document.
 */
export type ReadDocument = { number: number } & (
  | { kind: "own"; reference: string }
  | { kind: "report"; report: ReportKind; shiftNumber: number }
  | { kind: "unread"; asked: boolean }
  | { kind: "others" }
);

export type ReportKind = "open-shift" | "close-shift";

/** Numbers of the opening and the closing report of a device shift, as read in its drive. The journal may have these reports by now. */
export type ReadReports = Partial<Record<ReportKind, number>>;

/** The progress is written after this many further documents that the journal has. After a restart at most this many are checked again. */
const UNWRITTEN_DOCUMENTS = 100;

type ReadingStore = Pick<Store, "commit" | "read">;

/**
 * The progress of reading each drive. It is stored in the journal's database, so an older copy of the journal also contains older progress.
 * A document counts as read only when this database says so.
 */
export class DriveReadings {
  readonly #store: ReadingStore;
  readonly #known = new Map<string, { reading: DriveReading; newest: number }>();

  constructor(store: ReadingStore) {
    this.#store = store;
  }

  /**
   * Returns the reading of a drive. `newest`: the newest document of the drive in the journal. When that number is
   * lower than before, the database was replaced, and the values in memory no longer apply.
   */
  async of(driveNumber: string, newest: number): Promise<DriveReading> {
    const known = this.#known.get(driveNumber);
    const reading = known !== undefined && newest >= known.newest ? known.reading : await DriveReading.from(this.#store, driveNumber);
    reading.isNew = newest === 0;
    this.#known.set(driveNumber, { reading, newest });
    return reading;
  }

  /**
   * Marks a document as unread in memory, because the journal no longer claims it. The database has this mark already.
   */
  readAgain({ driveNumber, documentNumber }: { driveNumber: string; documentNumber: number }): void {
    this.#known.get(driveNumber)?.reading.readAgain(documentNumber);
  }
}

/**
 * The known documents of a drive that the journal did not have when they were read. Turns in a lane follow each other,
 * so a drive has one reader at a time.
 */
export class DriveReading {
  readonly #store: ReadingStore;
  readonly #driveNumber: string;
  #readTo: number | undefined;
  /** The progress that is in the database. */
  #written: number | undefined;
  readonly #lost = new Map<string, number>();
  readonly #reports = new Map<number, ReadReports>();
  readonly #unread = new Map<number, number>();
  /** Whether the drive has shown, since the process began, that no document follows. The number in the register's status may be older. */
  endWasSeen = false;
  /**
   * Whether the journal has no document of the drive yet. The journal's first document will follow every document that was read, so the
   * documents of others need no row.
   */
  isNew = false;
  /** Whether the register has returned a document since the process began. */
  givesDocuments = false;
  /** Turns refused since the process began because the register did not return documents. */
  turnsRefused = 0;
  /** Turns since the process began in which the register returned no document at all. */
  turnsWithoutDocuments = 0;

  private constructor(store: ReadingStore, driveNumber: string, readTo: number | undefined) {
    this.#store = store;
    this.#driveNumber = driveNumber;
    this.#readTo = readTo;
    this.#written = readTo;
  }

  static async from(store: ReadingStore, driveNumber: string): Promise<DriveReading> {
    const [readTo, rows] = await store.read(async (db) => {
      const noted = await readToOf(db, driveNumber);
      return [noted, noted === undefined ? [] : await lostDocuments(db, driveNumber)] as const;
    });
    const reading = new DriveReading(store, driveNumber, readTo);
    for (const { document_number: number, reference } of rows) {
      reading.#remember(reference === null ? { number, kind: "unread", asked: false } : written(number, reference));
    }
    return reading;
  }

  /** Every document up to this number is in the journal or was read. Undefined: the drive is new to the journal. */
  get readTo(): number | undefined {
    return this.#readTo;
  }

  /**
   * Number of the document that has this id and was missing in the journal when it was read. If several have it, the
   * first.
   */
  lostNumber(reference: string): number | undefined {
    return this.#lost.get(reference);
  }

  /** Whether a document of this server above this number was missing in the journal when it was read. */
  hasLostBehind(number: number): boolean {
    return [...this.#lost.values()].some((lost) => lost > number);
  }

  /** Reports that were missing in the journal when they were read, by shift number. */
  get reports(): ReadonlyMap<number, ReadReports> {
    return this.#reports;
  }

  /** Documents that the register did not return, with the number of requests since the process began. */
  get unread(): ReadonlyMap<number, number> {
    return this.#unread;
  }

  /** Marks a document as unread, although the progress has passed its number. */
  readAgain(number: number): void {
    this.#remember({ number, kind: "unread", asked: false });
  }

  countRequest(number: number): void {
    this.#unread.set(number, (this.#unread.get(number) ?? 0) + 1);
  }

  /**
   * Stores the documents that were read, and the progress. A call with documents that the journal does not have is one
   * commit, because no other row says that their numbers are taken. Calls without such documents share one commit.
   */
  async keep(readTo: number, documents: readonly ReadDocument[] = []): Promise<void> {
    const isNews = documents.some(({ kind, number }) => kind !== "others" || !this.isNew || this.#unread.has(number));
    if (isNews || readTo - (this.#written ?? 0) >= UNWRITTEN_DOCUMENTS) await this.#write(readTo, documents);
    this.#readTo = readTo;
    for (const document of documents) this.#remember(document);
  }

  async #write(readTo: number, documents: readonly ReadDocument[]): Promise<void> {
    await this.#store.commit(async (tx) => {
      await upsertReadTo(tx, this.#driveNumber, readTo);
      if (this.#written === undefined) await deleteLostDocuments(tx, this.#driveNumber);
      for (const document of documents) {
        const row = { drive_number: this.#driveNumber, document_number: document.number };
        if (document.kind === "own") await upsertLostDocument(tx, { ...row, reference: document.reference });
        else if (document.kind === "report") await upsertLostDocument(tx, { ...row, reference: nameOf(document) });
        else if (document.kind === "unread") await upsertLostDocument(tx, { ...row, reference: null });
        else if (this.#unread.has(document.number)) await deleteLostDocument(tx, row);
      }
    });
    this.#written = readTo;
  }

  #remember(document: ReadDocument): void {
    if (document.kind === "unread") {
      this.#unread.set(document.number, (this.#unread.get(document.number) ?? 0) + (document.asked ? 1 : 0));
      return;
    }
    this.#unread.delete(document.number);
    if (document.kind === "report") {
      const { shiftNumber, report, number } = document;
      this.#reports.set(shiftNumber, { ...this.#reports.get(shiftNumber), [report]: number });
    }
    if (document.kind === "own" && !this.#lost.has(document.reference)) this.#lost.set(document.reference, document.number);
  }
}

/** Returns the text that is stored in the column of the id. No id of this server has this form. */
function nameOf({ report, shiftNumber }: Extract<ReadDocument, { kind: "report" }>): string {
  return `${report} ${shiftNumber}`;
}

const REPORT = /^(open-shift|close-shift) (\d+)$/;

function written(number: number, reference: string): ReadDocument {
  const [, report, shiftNumber] = REPORT.exec(reference) ?? [];
  if (report === undefined) return { number, kind: "own", reference };
  return { number, kind: "report", report: report === "open-shift" ? report : "close-shift", shiftNumber: Number(shiftNumber) };
}
