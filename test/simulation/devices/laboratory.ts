import type { Clock } from "../../../src/kernel/clock.ts";
import type { RegisterDocument } from "../../../src/model/document.ts";
import type { RegisterIdentity } from "../../../src/model/facts.ts";
import { drawerChangeKopecks } from "../../../src/registers/virtual/counters.ts";
import { MemoryDrive } from "../../../src/registers/virtual/drive.ts";
import { type CashRecord, type DriveRecord, decodeRecord, type FiscalRecord } from "../../../src/registers/virtual/records.ts";

/** A document that the device has made, with the document that the server had asked for. */
export interface Printed {
  record: FiscalRecord | CashRecord;
  /** Reference of the document that the server had last asked for. */
  reference: string;
  /** Whether the device made the document by itself, before the one that was asked for. */
  automatic: boolean;
  /** Whether the device's clock had been moved shortly before. */
  clockMoved: boolean;
}

/** A driver may use its last reading of the clock for as long as this. The time includes the making of a whole document. */
const CLOCK_REMEMBERED_MS = 180_000;

/**
 * A drive that the test can read without the device. It also knows which document the server was having made, so that
 * it finds a driver that sends no reference or a wrong one.
 */
export class LaboratoryDrive extends MemoryDrive {
  readonly printed: Printed[] = [];
  identity: RegisterIdentity | undefined;
  drawerKopecks = 0;
  /** The number of the newest document that the device's status has last stated. The first document is the registration. */
  toldNumber = 1;
  /** A document that was made in an earlier copy of the drive. Its number has been issued twice. */
  reissued: string | undefined;
  /** By how much the device's clock has been moved in all. */
  clockOffsetMs = 0;
  readonly #clock: Clock;
  #asked: RegisterDocument | undefined;
  #clockMovedAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  /** The number of the newest document. */
  get lastNumber(): number {
    const numbers = this.printed.map(({ record }) => (record.kind === "fiscal" ? record.facts.documentNumber : 0));
    return Math.max(1, ...numbers);
  }

  /** The drive as it was so many documents ago. */
  async earlier(documents: number): Promise<MemoryDrive> {
    const records: Buffer[] = [];
    await this.load((bytes) => void records.push(bytes));
    const places = records.flatMap((bytes, place) => (decodeRecord(bytes).kind === "fiscal" ? [place] : []));
    const copy = new EarlierDrive((bytes) => {
      this.reissued ??= whatIs(decodeRecord(bytes));
    });
    for (const bytes of records.slice(0, places.at(-documents) ?? records.length)) await copy.copyIn(bytes);
    return copy;
  }

  /** Tells the drive which document the server has its register make from now on. */
  asking(document: RegisterDocument): void {
    this.#asked = document;
  }

  /** Tells the drive that the device's clock is being moved. */
  movingClock(byMs: number): void {
    this.clockOffsetMs += byMs;
    this.#clockMovedAtMs = this.#clock.monotonicMs();
  }

  override append(bytes: Buffer): Promise<number> {
    const record = decodeRecord(bytes);
    if (record.kind === "registration") this.identity = record.identity;
    if (record.kind === "fiscal") {
      if (record.sums !== undefined) this.drawerKopecks += drawerChangeKopecks(record.sums);
      this.#found(record, record.facts.document);
    }
    if (record.kind === "cash") {
      this.drawerKopecks += record.document === "cash-in" ? record.sumKopecks : -record.sumKopecks;
      this.#found(record, record.document);
    }
    return super.append(bytes);
  }

  #found(record: Printed["record"], document: RegisterDocument["kind"]): void {
    const asked = this.#asked?.reference ?? "";
    // When the drive keeps the reference that was sent, this reference counts.
    this.printed.push({
      record,
      reference: record.reference || asked,
      automatic: record.reference === "" && this.#asked?.kind !== document,
      clockMoved: this.#clock.monotonicMs() - this.#clockMovedAtMs < CLOCK_REMEMBERED_MS,
    });
  }
}

/** An earlier copy of the drive. A document that is made in it gets a number that the drive has issued before. */
class EarlierDrive extends MemoryDrive {
  readonly #made: (bytes: Buffer) => void;

  constructor(made: (bytes: Buffer) => void) {
    super();
    this.#made = made;
  }

  copyIn(bytes: Buffer): Promise<number> {
    return super.append(bytes);
  }

  override append(bytes: Buffer): Promise<number> {
    this.#made(bytes);
    return super.append(bytes);
  }
}

function whatIs(record: DriveRecord): string | undefined {
  if (record.kind === "fiscal") return `${record.facts.document} ${record.facts.documentNumber}`;
  return record.kind === "cash" ? `a slip for ${record.sumKopecks} kopecks` : undefined;
}
