import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { ahead, difference, type Mark, sameMark } from "../changes.ts";
import { damagedPage } from "./sqlite.ts";
import {
  bytesIn,
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
  pageSizeIn,
} from "./sqlite-format.ts";
import type { Turn } from "./sqlite-inner-mark.ts";
import { MarkedPages } from "./sqlite-marked-pages.ts";

/** The largest number of tries to read the index while SQLite writes it. Writing takes microseconds. */
const INDEX_READS = 1_000;

/** The largest database that is checked completely while in use. The check blocks all tills, for half a second per 100 MB. */
const MAX_LOOKED_THROUGH_BYTES = 256 * 1024 * 1024;

interface Seen {
  mark: Mark;
  /** Header of the database. It changes whenever the database is packed (VACUUM) or made anew. */
  header: Buffer;
  bytes: number;
  /** The time of the last write. For any page but the first, nothing else shows a change. */
  writtenNs: bigint;
}

/** A mark that this process committed into one of its two pages, and where the log then ended. */
interface Written {
  mark: Mark;
  salt: bigint;
  frame: number;
}

/**
 * Reads the files on disk directly, without SQLite. SQLite trusts its memory: when the database or the log is overwritten, it mixes old and
 * new pages.
 *
 * Two rules reveal such damage. First, the database changes only when a checkpoint copies the log into it. Second, the log ends with the
 * frame that its index names. If the database was written without a checkpoint but has the same length and header, the write may have
 * changed nothing. Then all pages of a database up to 256 MiB are checked once.
 *
 * A checkpoint of another process may also copy the newest frames, with their marks, into an overwritten database. So this process marks
 * its changes in two pages, in turn: once a checkpoint has copied the mark in one page, the next marks go into the other page. The copied
 * page then has the mark of the last change before the frames that are still to be copied. An older database has an older mark in this
 * page.
 *
 * The files stay open until `close`, which must come after SQLite has closed the same files. When a process closes a file, POSIX frees all
 * locks of this process on the file, also those of SQLite.
 */
export class SqliteFiles {
  readonly #file: string;
  readonly #database: number;
  readonly #log: number;
  readonly #index: number;
  readonly #pages: MarkedPages;
  /**
   * The initial mark of the first page, if the later pages had different marks. Earlier versions of this program mark fewer pages.
   */
  readonly #unpaired: Mark | undefined;
  /** The mark of this process in each of the two pages. Undefined: it has written none yet, or the end of its commit is unknown. */
  readonly #written: [Written | undefined, Written | undefined] = [undefined, undefined];
  #turn: Turn = 0;
  #seen: Seen;
  /** The index, read directly before or after `#seen`. */
  #indexThen: LogIndex;
  /** The index at the last look. */
  #indexNow: LogIndex;

  /**
   * `file`: a database that this process has open, with an existing log. `innerPages`: the present numbers of the later pages with marks
   * (sqlite-inner-mark.ts), according to SQLite.
   */
  constructor(file: string, innerPages: () => readonly number[]) {
    this.#file = file;
    this.#database = openSync(file, "r");
    this.#pages = new MarkedPages(this.#database, innerPages);
    // SQLite names these files after the real file, not after a link to it.
    this.#log = openSync(`${realpathSync(file)}-wal`, "r");
    this.#index = openSync(`${realpathSync(file)}-shm`, "r");
    const seen = this.#readDatabase();
    if (seen === undefined) throw new Error(`${file} is shorter than the header of a database`);
    this.#seen = seen;
    this.#unpaired = this.#areMarked(seen) ? undefined : seen.mark;
    this.#indexThen = this.#readIndex();
    this.#indexNow = this.#indexThen;
  }

  /**
   * Returns the problem of the files. Call this while holding SQLite's write lock, because another commit would falsify the result.
   * `newest`: the mark of the newest committed change.
   */
  problem(newest: Mark): string | undefined {
    // A checkpoint of another process between two reads can look like damage, so a problem counts only if found twice.
    return this.#problemNow(newest) === undefined ? undefined : this.#problemNow(newest);
  }

  /**
   * Returns the page for the next mark. Call this after `problem`. The page stays the same until a checkpoint may have copied the last mark
   * of this page.
   */
  turn(): Turn {
    const last = this.#written[this.#turn];
    const { salt, copiedAtMost } = this.#indexNow;
    if (last !== undefined && (last.salt !== salt || last.frame <= copiedAtMost)) this.#turn = this.#turn === 0 ? 1 : 0;
    return this.#turn;
  }

  /** Call this when the end of a commit is unknown. */
  uncertain(): void {
    this.#written[this.#turn] = undefined;
  }

  /**
   * Call this after a commit of this process. Reads the database if the whole log has been copied by now. The database must then stay
   * unchanged until the next copy.
   */
  committed(newest: Mark): void {
    const index = this.#readIndex();
    this.#written[this.#turn] = { mark: newest, salt: index.salt, frame: index.frames };
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
    // The database is read before the index. A checkpoint first writes into the index how much it will copy, and then copies. So the index
    // shows every copy that the database may contain.
    const found = this.#readDatabase();
    const index = this.#readIndex();
    this.#indexNow = index;
    if (found === undefined) return `${this.#file} was cut off`;
    const isWhole = index.copied === index.frames;
    // After a complete copy of the log the file has the length that its header names. Before that the file may be shorter, but it never
    // shrinks.
    const isCut = found.bytes < bytesIn(found.header) && (isWhole || found.bytes < this.#seen.bytes);
    if (isCut) return `${this.#file} was overwritten (${found.bytes} bytes instead of ${bytesIn(found.header)})`;
    if (isWhole && !sameMark(found.mark, newest)) return this.#overwritten(found, newest);
    const sameBeginning = found.bytes === this.#seen.bytes && found.header.equals(this.#seen.header);
    if (!sameBeginning || found.writtenNs !== this.#seen.writtenNs) {
      const step = ahead(found.mark, this.#seen.mark);
      // If the log began again, the index does not describe the old log, and the database must already contain the whole old log. While a
      // reader holds the log, a log that was copied completely grows further, so the earlier index may not show all frames of the old log.
      const mayBeginAgain = isWhole || index.salt !== this.#indexThen.salt;
      const wasCopied = mayHaveCopied(this.#indexThen, index) || (mayBeginAgain && step > 0);
      if (!wasCopied && sameBeginning) {
        const damage = found.bytes > MAX_LOOKED_THROUGH_BYTES ? undefined : damagedPage(this.#file);
        if (damage !== undefined) return `${this.#file} was overwritten (${damage})`;
      } else if (!wasCopied || step < 0 || ahead(newest, found.mark) < 0) return this.#overwritten(found, newest);
      this.#seen = found;
      this.#indexThen = index;
    }
    // During a checkpoint, or after its process died, only some of the pages with marks may be copied.
    const isAtRest = index.copied === index.copiedAtMost;
    if (isAtRest && !this.#areMarked(found, { index, isWhole }))
      return `${this.#file} was overwritten (its pages are of different moments)`;
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

  /**
   * Whether the later pages have the mark of the first page, and the marks of this process that were copied.
   *
   * A checkpoint that is bounded by a reader leaves out each page whose newest frame is behind the reader. So it leaves out the first page,
   * which every change writes. Until the log is copied completely, the later pages may therefore have a newer mark than the first page.
   */
  #areMarked({ mark, header, bytes }: Seen, copies?: { index: LogIndex; isWhole: boolean }): boolean {
    if (this.#unpaired !== undefined && sameMark(mark, this.#unpaired)) return true;
    const index = copies?.index;
    const isCopied = ({ salt, frame }: Written) => index !== undefined && (salt !== index.salt || frame <= index.copied);
    const copied = this.#written.flatMap((one) => (one !== undefined && isCopied(one) ? [one.mark] : []));
    const pageSize = pageSizeIn(header);
    const wanted = { first: mark, mayBeAhead: copies?.isWhole === false, copied };
    const searched = { pageSize, bytes: Math.min(bytes, MAX_LOOKED_THROUGH_BYTES) };
    return this.#pages.have(wanted, pageSize) || this.#pages.haveMoved(wanted, searched);
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

/** Whether a checkpoint may have written to the database since the earlier index was read. */
function mayHaveCopied(then: LogIndex, now: LogIndex): boolean {
  if (now.salt === then.salt) return now.copiedAtMost > then.copied;
  // The log begins anew only after a complete copy. If the earlier index shows a complete copy, a later checkpoint can only have copied
  // frames of the new log. If the log began anew twice, the log in between was copied too. If the earlier index shows an empty log, frames
  // that came into that log later may have been copied.
  return now.copiedAtMost > 0 || then.copied < then.frames || then.frames === 0 || beginnings(then, now) > 1;
}

/**
 * Counts how often the log began anew between the indexes, by the first half of the salt. A process that has copied nothing itself begins
 * an emptied log with a random salt. The result is then a random number, nearly always large.
 */
function beginnings(then: LogIndex, now: LogIndex): number {
  return Number(BigInt.asUintN(32, (now.salt >> 32n) - (then.salt >> 32n)));
}

/** Returns the bytes at the position. Undefined: the file ends before the last of these bytes. */
export function bytesAt(file: number, position: number, count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(count);
  return readSync(file, bytes, 0, count, position) === count ? bytes : undefined;
}
