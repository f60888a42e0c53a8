import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { makePrivate } from "../kernel/private-file.ts";

const DIGITS = 16;

/**
 * The number of the newest attempt of a record, in a small file beside it. An older record that was copied back over the file has the inode
 * and often the epoch of the newest one, but its number is lower. The mark is written after the record and without waiting for the disk, so
 * it is never ahead of its own record. A missing mark, or one that a crash has cut, proves nothing.
 */
export class RecordMark {
  readonly #handle: number;
  #ordinal: number;

  /** Throws the file system's error. */
  constructor(file: string) {
    makePrivate(file);
    const text = readFileSync(file, "utf8");
    this.#ordinal = text.length === DIGITS && /^\d+$/.test(text) ? Number(text) : 0;
    this.#handle = openSync(file, "r+");
    if (text.length > DIGITS) ftruncateSync(this.#handle, DIGITS);
  }

  get ordinal(): number {
    return this.#ordinal;
  }

  /** Throws the file system's error. */
  keep(ordinal: number): void {
    writeSync(this.#handle, String(ordinal).padStart(DIGITS, "0"), 0);
    this.#ordinal = ordinal;
  }

  close(): void {
    closeSync(this.#handle);
  }
}
