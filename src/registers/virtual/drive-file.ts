import { constants, fstatSync, statSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { type Failure, messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { OWNER_ONLY, tighten } from "../../kernel/private-file.ts";
import { frameRecord, headBytesOf, holdsRecord, unframeRecord } from "../../kernel/record-file.ts";
import { registerFailure } from "../failures.ts";
import type { DriveStorage, Loaded } from "./drive.ts";
import { DRIVE_RECORD } from "./drive-record.ts";

const HEAD_BYTES = headBytesOf(DRIVE_RECORD);
const CHUNK_BYTES = 1024 * 1024;

/**
 * A drive in an append-only file. `append` returns only after a flush. A crash during `append` may leave part of the last record, which the
 * next `load` removes. A file with any other unreadable part is refused, because a drive with a gap must not continue to count.
 */
export class DriveFile implements DriveStorage {
  readonly #path: string;
  readonly #file: FileHandle;
  #end = 0;
  #places = 0;
  #failure: Failure | undefined;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Opens the file, and creates it and its folder when missing. Throws the file system's error. */
  static async open(path: string, openFile: (path: string, flags: number, mode: number) => Promise<FileHandle> = open): Promise<DriveFile> {
    const folder = dirname(path);
    makeFolder(folder);
    const file = await openFile(path, constants.O_RDWR | constants.O_CREAT, OWNER_ONLY);
    tighten(path);
    if (fstatSync(file.fd).size === 0) await flushFolders(folder, dirname(folder), dirname(dirname(folder)));
    return new DriveFile(path, file);
  }

  /** Throws a Failure `drive-corrupt` when the file has unreadable bytes that no interrupted `append` explains. */
  async load(each: (record: Buffer, position: number) => void): Promise<Loaded> {
    const size = fstatSync(this.#file.fd).size;
    let bytes: Buffer = Buffer.alloc(0);
    for (;;) {
      const taken = this.#take(bytes, each);
      const rest = bytes.subarray(taken.at);
      const unread = size - this.#end - rest.length;
      if (taken.problem === undefined && unread > 0) {
        bytes = Buffer.concat([rest, await this.#readAt(this.#end + rest.length, Math.min(unread, CHUNK_BYTES))]);
        continue;
      }
      if (size > this.#end) await this.#cut(size, taken.problem ?? "an unfinished record");
      // Records of a killed process may be only in the system's memory. They are flushed, because the device relies on them from now on.
      if (size > 0) await this.#file.datasync();
      return { records: this.#places, cutBytes: size - this.#end };
    }
  }

  async append(record: Buffer): Promise<number> {
    if (this.#failure !== undefined) throw this.#failure;
    const position = this.#end;
    try {
      const size = fstatSync(this.#file.fd).size;
      if (!this.inPlace()) throw new Error("the file was removed, renamed or replaced under the emulator: nothing more is made in it");
      if (size !== position) throw new Error(`the file has ${size} bytes instead of ${position}: somebody else writes to it`);
      // The write goes only to the system's memory and takes microseconds, so it is synchronous. The flush is slow, so it is asynchronous.
      writeWhole(this.#file.fd, frameRecord(DRIVE_RECORD, record, this.#places), position);
      await this.#file.datasync();
    } catch (error) {
      // A failed flush is not repeated: the kernel may have dropped the unwritten data, and would report success for the second flush.
      this.#failure = registerFailure("drive-write", "dependency", `${this.#path}: ${messageOf(error)}`, { cause: error });
      throw this.#failure;
    }
    this.#places += 1;
    this.#end = position + HEAD_BYTES + record.length;
    return position;
  }

  async read(position: number): Promise<Buffer> {
    const head = unframeRecord(DRIVE_RECORD, await this.#readAt(position, HEAD_BYTES), 0);
    const whole = head.kind === "more" ? unframeRecord(DRIVE_RECORD, await this.#readAt(position, head.bytes), 0) : head;
    if (whole.kind !== "record") throw this.#corrupt(position, whole.kind === "broken" ? whole.problem : "an unfinished record");
    return whole.content;
  }

  /** Whether the path still leads to the open file. Records that are appended to a removed or moved file would be lost. */
  inPlace(): boolean {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    const { dev, ino } = fstatSync(this.#file.fd);
    return found?.ino === ino && found.dev === dev;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Passes the whole records at the start of the bytes to `each`. Returns where the last whole record ends. */
  #take(bytes: Buffer, each: (record: Buffer, position: number) => void): { at: number; problem?: string } {
    let at = 0;
    for (;;) {
      const found = unframeRecord(DRIVE_RECORD, bytes, at);
      if (found.kind === "more") return { at };
      if (found.kind === "broken") return { at, problem: found.problem };
      if (found.place !== this.#places) return { at, problem: `record ${found.place} where ${this.#places} should be` };
      each(found.content, this.#end);
      this.#places += 1;
      this.#end += found.end - at;
      at = found.end;
    }
  }

  /** Removes the rest of one interrupted append. Throws when the rest is too long for one append or contains a valid record. */
  async #cut(size: number, problem: string): Promise<void> {
    const restBytes = size - this.#end;
    if (restBytes > HEAD_BYTES + DRIVE_RECORD.maxBytes || holdsRecord(DRIVE_RECORD, await this.#readAt(this.#end, restBytes))) {
      throw this.#corrupt(this.#end, problem);
    }
    await this.#file.truncate(this.#end);
  }

  async #readAt(position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(bytes, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }

  #corrupt(position: number, problem: string): Failure {
    const text = `${this.#path} is damaged at byte ${position} (record ${this.#places}): ${problem}. Restore it from a copy, or put it away to begin a new drive`;
    return registerFailure("drive-corrupt", "dependency", text);
  }
}

function writeWhole(fd: number, bytes: Buffer, position: number): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written, position + written);
}

/** Flushes the folders' lists of names. Otherwise a new file or folder may be missing after a power cut. */
async function flushFolders(...folders: string[]): Promise<void> {
  for (const folder of folders) {
    const handle = await open(folder, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}
