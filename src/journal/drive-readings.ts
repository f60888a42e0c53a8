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
 * A document that was read, by its number. `unread`: the register did not give it. `report`: of a shift, which carries no
 * id, so that nobody can tell by it who has made it. `others`: nothing that we made.
 */
export type ReadDocument = { number: number } & (
  | { kind: "ours"; reference: string }
  | { kind: "report"; report: ReportKind; shiftNumber: number }
  | { kind: "unread" }
  | { kind: "others" }
);

export type ReportKind = "open-shift" | "close-shift";

/** Numbers of the reports of a device's shift that were read in its drive, the journal's or not by now. */
export type ReadReports = Partial<Record<ReportKind, number>>;

/** How far may be known in memory alone while there is nothing to find again: a start looks at so many anew. */
const UNWRITTEN_DOCUMENTS = 100;

type ReadingStore = Pick<Store, "commit" | "read">;

/**
 * How far drives have been read, in the same database as the journal: an older copy of one is an older copy of the
 * other, so that nothing counts as read which the copy does not have.
 */
export class DriveReadings {
  readonly #store: ReadingStore;
  readonly #known = new Map<string, { reading: DriveReading; newest: number }>();

  constructor(store: ReadingStore) {
    this.#store = store;
  }

  /**
   * `newest`: the newest document that the journal has of the drive. Where that went back, what is in memory is of
   * another journal and does not count.
   */
  async of(driveNumber: string, newest: number): Promise<DriveReading> {
    const known = this.#known.get(driveNumber);
    const reading = known !== undefined && newest >= known.newest ? known.reading : await DriveReading.from(this.#store, driveNumber);
    this.#known.set(driveNumber, { reading, newest });
    return reading;
  }
}

/** What is known of a drive's documents besides those that the journal has made. Lanes take turns, so a drive has one reader. */
export class DriveReading {
  readonly #store: ReadingStore;
  readonly #driveNumber: string;
  #readTo: number | undefined;
  /** As far as the database says. */
  #written: number | undefined;
  readonly #lost = new Map<string, number>();
  readonly #reports = new Map<number, ReadReports>();
  readonly #unread = new Map<number, number>();
  /** The drive itself has said, since this process began, that nothing follows: its register's status may be older. */
  endWasSeen = false;
  /** Turns that were refused since the process began, because documents were not given. */
  turnsRefused = 0;

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
      reading.#remember(reference === null ? { number, kind: "unread" } : written(number, reference));
    }
    return reading;
  }

  /** Every document up to this one is the journal's, or was asked for; undefined: the drive is new to the journal. */
  get readTo(): number | undefined {
    return this.#readTo;
  }

  /** Number of the document that carries this id of ours and is not the journal's; the first where there are several. */
  lostNumber(reference: string): number | undefined {
    return this.#lost.get(reference);
  }

  /** By the shift's number: reports that the journal did not have when they were read. */
  get reports(): ReadonlyMap<number, ReadReports> {
    return this.#reports;
  }

  /** Documents that the register did not give, and how often each was asked for again since this process began. */
  get unread(): ReadonlyMap<number, number> {
    return this.#unread;
  }

  askedAgain(number: number): void {
    this.#unread.set(number, (this.#unread.get(number) ?? 0) + 1);
  }

  /**
   * Notes what was read, and how far everything is known. One commit where there is anything to find again, else one for
   * many calls.
   */
  async keep(readTo: number, documents: readonly ReadDocument[] = []): Promise<void> {
    const isNews = documents.some(({ kind, number }) => kind !== "others" || this.#unread.has(number));
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
        if (document.kind === "ours") await upsertLostDocument(tx, { ...row, reference: document.reference });
        else if (document.kind === "report") await upsertLostDocument(tx, { ...row, reference: nameOf(document) });
        else if (document.kind === "unread") await upsertLostDocument(tx, { ...row, reference: null });
        else if (this.#unread.has(document.number)) await deleteLostDocument(tx, row);
      }
    });
    this.#written = readTo;
  }

  #remember(document: ReadDocument): void {
    if (document.kind === "unread") {
      this.#unread.set(document.number, this.#unread.get(document.number) ?? 0);
      return;
    }
    this.#unread.delete(document.number);
    if (document.kind === "report") {
      const { shiftNumber, report, number } = document;
      this.#reports.set(shiftNumber, { ...this.#reports.get(shiftNumber), [report]: number });
    }
    if (document.kind === "ours" && !this.#lost.has(document.reference)) this.#lost.set(document.reference, document.number);
  }
}

/** What stands in the place of an id: no id of a document of ours has this form. */
function nameOf({ report, shiftNumber }: Extract<ReadDocument, { kind: "report" }>): string {
  return `${report} ${shiftNumber}`;
}

const REPORT = /^(open-shift|close-shift) (\d+)$/;

function written(number: number, reference: string): ReadDocument {
  const [, report, shiftNumber] = REPORT.exec(reference) ?? [];
  if (report === undefined) return { number, kind: "ours", reference };
  return { number, kind: "report", report: report === "open-shift" ? report : "close-shift", shiftNumber: Number(shiftNumber) };
}
