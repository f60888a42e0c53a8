import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { ahead, difference, type Mark, sameMark } from "../changes.ts";
import { damagedPage } from "./sqlite.ts";
import {
  FRAME_HEADER_BYTES,
  frameAt,
  frameIn,
  HEADER_BYTES,
  INDEX_BYTES,
  indexIn,
  LOG_HEADER_BYTES,
  type LogIndex,
  logIn,
  markIn,
  markInRow,
  pageSizeIn,
} from "./sqlite-format.ts";

/** How often the index is read again while SQLite is writing it. Writing it takes microseconds. */
const INDEX_READS = 1_000;

/**
 * The largest database whose pages are all checked while it is in use. The check takes half a second for 100 MB, during which no till is
 * answered.
 */
const MAX_LOOKED_THROUGH_BYTES = 256 * 1024 * 1024;

interface Seen {
  mark: Mark;
  /** Header of the database. It changes whenever the database is packed (VACUUM) or made anew. */
  header: Buffer;
  bytes: number;
  /** The time of the last write. Only this time shows a change in pages behind the first. */
  writtenNs: bigint;
}

/**
 * Reads the files on disk directly, without SQLite. SQLite relies on what it has read before: when the database or the log is overwritten,
 * it continues with pages in its memory and mixes old and new. This class relies on two rules: the database changes only when a checkpoint
 * copies the log into it, and the log ends with the frame that its index names. When the database was written to although no checkpoint
 * copied anything, all its pages are checked once, because the write may have changed nothing.
 * The files stay open until `close`, which must come after SQLite has closed its own. When a process closes a file, POSIX frees all locks
 * that the process has on that file, also SQLite's.
 */
export class SqliteFiles {
  readonly #file: string;
  readonly #database: number;
  readonly #log: number;
  readonly #index: number;
  readonly #innerPage: () => number | undefined;
  /** The page behind the first in which the mark was found last. */
  #markPage: number | undefined;
  /**
   * The mark in the first page when this object was made, if the later page then had another mark: an earlier version of this program
   * writes only the first page.
   */
  readonly #unpaired: Mark | undefined;
  /** The database as it was last read, and the index as it was read then or earlier. */
  #seen: Seen;
  #indexThen: LogIndex;

  /**
   * `file` is a database that this process has open, and its log exists. `innerPage`: the number of the page behind the first that also
   * has the mark (sqlite-inner-mark.ts), as SQLite knows it now.
   */
  constructor(file: string, innerPage: () => number | undefined) {
    this.#file = file;
    this.#innerPage = innerPage;
    this.#database = openSync(file, "r");
    // SQLite names these files after the real file, not after a link to it.
    this.#log = openSync(`${realpathSync(file)}-wal`, "r");
    this.#index = openSync(`${realpathSync(file)}-shm`, "r");
    const seen = this.#readDatabase();
    if (seen === undefined) throw new Error(`${file} is shorter than the header of a database`);
    this.#seen = seen;
    this.#unpaired = this.#isPaired(seen) ? undefined : seen.mark;
    this.#indexThen = this.#readIndex();
  }

  /**
   * Returns the problem of the files; undefined when there is none. Call it while holding SQLite's write lock: the result is right only
   * while nobody else commits. `newest`: the mark of the newest committed change.
   */
  problem(newest: Mark): string | undefined {
    // A checkpoint of another process between two reads can look like damage. So only a problem in two readings counts.
    return this.#problemNow(newest) === undefined ? undefined : this.#problemNow(newest);
  }

  /**
   * Call it after a commit of this process. If the commit has copied the whole log into the database, the database is read now and must
   * stay unchanged.
   */
  committed(newest: Mark): void {
    const index = this.#readIndex();
    if (index.copied === this.#indexThen.copied && index.salt === this.#indexThen.salt) return;
    const found = this.#readDatabase();
    if (found === undefined || index.copied < index.frames || !sameMark(found.mark, newest)) return;
    this.#seen = found;
    this.#indexThen = index;
  }

  close(): void {
    for (const open of [this.#database, this.#log, this.#index]) closeSync(open);
  }

  #problemNow(newest: Mark): string | undefined {
    // The database is read before the index, because a checkpoint notes in the index that it will write to the database before it does so.
    const found = this.#readDatabase();
    const isPaired = found === undefined || this.#isPaired(found);
    const index = this.#readIndex();
    if (found === undefined) return `${this.#file} was cut off`;
    const isWhole = index.copied === index.frames;
    if (isWhole && !sameMark(found.mark, newest)) return this.#overwritten(found, newest);
    const sameBeginning = found.bytes === this.#seen.bytes && found.header.equals(this.#seen.header);
    if (!sameBeginning || found.writtenNs !== this.#seen.writtenNs) {
      const step = ahead(found.mark, this.#seen.mark);
      // `isWhole && step > 0`: the log may have begun again from its start, and then the index says nothing about the old log. In this case
      // the database must already have everything from the old log.
      const wasCopied = mayHaveCopied(this.#indexThen, index) || (isWhole && step > 0);
      if (!wasCopied && sameBeginning) {
        const damage = found.bytes > MAX_LOOKED_THROUGH_BYTES ? undefined : damagedPage(this.#file);
        if (damage !== undefined) return `${this.#file} was overwritten (${damage})`;
      } else if (!wasCopied || step < 0 || ahead(newest, found.mark) < 0) return this.#overwritten(found, newest);
      this.#seen = found;
      this.#indexThen = index;
    }
    // While a checkpoint runs, or after one whose process died, one page may be copied and the other not yet.
    const isAtRest = index.copied === index.copiedAtMost;
    if (isAtRest && !isPaired) return `${this.#file} was overwritten (its pages are of different moments)`;
    return this.#logIsWhole(index) ? undefined : `${this.#file}-wal, the log of the newest changes, was overwritten or cut off`;
  }

  #overwritten(found: Seen, newest: Mark): string {
    const { bytes, mark } = this.#seen;
    const isResized = sameMark(found.mark, mark) && found.bytes !== bytes;
    return `${this.#file} was overwritten (${isResized ? `${found.bytes} bytes instead of ${bytes}` : difference(found.mark, newest)})`;
  }

  #readDatabase(): Seen | undefined {
    const header = bytesAt(this.#database, 0, HEADER_BYTES);
    if (header === undefined) return undefined;
    const { size, mtimeNs } = fstatSync(this.#database, { bigint: true });
    return { mark: markIn(header), header, bytes: Number(size), writtenNs: mtimeNs };
  }

  /** Whether the first page and the page behind it have the same mark. */
  #isPaired({ mark, header }: Seen): boolean {
    if (this.#unpaired !== undefined && sameMark(mark, this.#unpaired)) return true;
    const size = pageSizeIn(header);
    const hasMark = (page: number | undefined) => {
      const bytes = page === undefined ? undefined : bytesAt(this.#database, (page - 1) * size, size);
      const inner = bytes === undefined ? undefined : markInRow(bytes);
      return inner !== undefined && sameMark(inner, mark);
    };
    if (hasMark(this.#markPage)) return true;
    // SQLite knows the page where it is after the next checkpoint, which may be later.
    const page = this.#innerPage();
    if (!hasMark(page)) return false;
    this.#markPage = page;
    return true;
  }

  #readIndex(): LogIndex {
    for (let read = 0; read < INDEX_READS; read += 1) {
      const bytes = bytesAt(this.#index, 0, INDEX_BYTES);
      const index = bytes === undefined ? undefined : indexIn(bytes);
      if (index !== undefined) return index;
    }
    throw new Error(`the index of the log ${this.#file}-wal cannot be read`);
  }

  #logIsWhole({ frames, pageSize, salt, checksum }: LogIndex): boolean {
    if (frames === 0) return true;
    const header = bytesAt(this.#log, 0, LOG_HEADER_BYTES);
    const last = bytesAt(this.#log, frameAt(frames, pageSize), FRAME_HEADER_BYTES + pageSize);
    if (header === undefined || last === undefined) return false;
    const frame = frameIn(last);
    return logIn(header)?.salt === salt && frame.salt === salt && frame.checksum === checksum;
  }
}

/** True when a checkpoint may have written to the database since the earlier index was read. */
function mayHaveCopied(then: LogIndex, now: LogIndex): boolean {
  if (now.salt === then.salt) return now.copiedAtMost > then.copied;
  // The log begins anew only after all of it was copied. If that had happened before the earlier index was read, a checkpoint
  // since then can only have copied frames of the new log. When the log has begun anew twice, all of the log between was copied.
  return now.copiedAtMost > 0 || then.copied < then.frames || beginnings(then, now) > 1;
}

/**
 * How often the log began anew between the indexes: the first half of the salt is counted up each time. A process that has copied nothing
 * itself begins an emptied log with a random salt. The result is then a random number, which is nearly always large.
 */
function beginnings(then: LogIndex, now: LogIndex): number {
  return Number(BigInt.asUintN(32, (now.salt >> 32n) - (then.salt >> 32n)));
}

/** Returns the bytes at the position. Undefined when the file ends before them. */
export function bytesAt(file: number, position: number, count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(count);
  return readSync(file, bytes, 0, count, position) === count ? bytes : undefined;
}
