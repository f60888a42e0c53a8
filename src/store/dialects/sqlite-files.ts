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
} from "./sqlite-format.ts";

/** An index that is being written is whole again within microseconds. */
const INDEX_READS = 1_000;

/** Half a second for 100 MB, in which no till is answered: a larger database is not looked through while it is in use. */
const MAX_LOOKED_THROUGH_BYTES = 256 * 1024 * 1024;

interface Seen {
  mark: Mark;
  /** Of the database: whatever packs or makes it anew leaves another one. */
  header: Buffer;
  bytes: number;
  /** When it was written to last: pages behind the first are known by nothing else. */
  writtenNs: bigint;
}

/**
 * What lies on disk, read past SQLite, which trusts what it has read before: it goes on with pages in its memory and frames
 * by the index when database or log were overwritten, and mixes both. The database changes only when a checkpoint copies
 * the log into it, and the log ends with the frame that its index names. Where it was written to and nothing was copied, all of
 * its pages are looked at once, since somebody may only have touched it.
 *
 * The files stay open until `close`, which comes after SQLite's own: POSIX frees all locks of a process on a file when it
 * closes that file anywhere.
 */
export class SqliteFiles {
  readonly #file: string;
  readonly #database: number;
  readonly #log: number;
  readonly #index: number;
  /** The database as it was seen last, and the index as it was no later than that. */
  #seen: Seen;
  #indexThen: LogIndex;

  /** `file` is a database in use by this process, whose log there is. */
  constructor(file: string) {
    this.#file = file;
    this.#database = openSync(file, "r");
    // SQLite names them after the file itself, wherever a link to it lies.
    this.#log = openSync(`${realpathSync(file)}-wal`, "r");
    this.#index = openSync(`${realpathSync(file)}-shm`, "r");
    const seen = this.#readDatabase();
    if (seen === undefined) throw new Error(`${file} is shorter than the header of a database`);
    this.#seen = seen;
    this.#indexThen = this.#readIndex();
  }

  /**
   * What is wrong with the files; undefined when nothing is. Right only while nobody else commits, so with SQLite's
   * lock for writing. `newest`: the mark of the newest change that was committed.
   */
  problem(newest: Mark): string | undefined {
    // A checkpoint of another process between two readings is told from damage by reading again.
    return this.#problemNow(newest) === undefined ? undefined : this.#problemNow(newest);
  }

  /** After a commit of this process, which may have copied all of the log: the database has to stay as it is now. */
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
    // In this order: a checkpoint says in the index that it writes to the database before it does.
    const found = this.#readDatabase();
    const index = this.#readIndex();
    if (found === undefined) return `${this.#file} was cut off`;
    const isWhole = index.copied === index.frames;
    if (isWhole && !sameMark(found.mark, newest)) return this.#overwritten(found, newest);
    const sameBeginning = found.bytes === this.#seen.bytes && found.header.equals(this.#seen.header);
    if (!sameBeginning || found.writtenNs !== this.#seen.writtenNs) {
      const step = ahead(found.mark, this.#seen.mark);
      // An index that has begun anew since then says nothing of the old one: the database has to have everything.
      const wasCopied = mayHaveCopied(this.#indexThen, index) || (isWhole && step > 0);
      if (!wasCopied && sameBeginning) {
        const damage = found.bytes > MAX_LOOKED_THROUGH_BYTES ? undefined : damagedPage(this.#file);
        if (damage !== undefined) return `${this.#file} was overwritten (${damage})`;
      } else if (!wasCopied || step < 0 || ahead(newest, found.mark) < 0) return this.#overwritten(found, newest);
      this.#seen = found;
      this.#indexThen = index;
    }
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

/** Whether a checkpoint can have written to the database since the earlier index was read. */
function mayHaveCopied(then: LogIndex, now: LogIndex): boolean {
  if (now.salt === then.salt) return now.copiedAtMost > then.copied;
  // The log begins anew once all of it was copied: where it was so then, only frames of the new one can have been.
  return now.copiedAtMost > 0 || then.copied < then.frames;
}

/** Undefined when the file ends before. */
export function bytesAt(file: number, position: number, count: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(count);
  return readSync(file, bytes, 0, count, position) === count ? bytes : undefined;
}
