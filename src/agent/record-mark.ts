import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { makePrivate } from "../kernel/private-file.ts";

const DIGITS = 16;

/**
 * The mark: a small file beside the record, with the number of the record's newest attempt. The mark shows that an older copy has replaced
 * the record: the copy may have the same inode and epoch as the record, but its newest attempt has a lower number than the mark. The mark
 * is written after the record and without a sync, so without a replacement the mark is never ahead of the record. A missing or truncated
 * mark proves nothing.
 */
export class RecordMark {
  readonly #handle: number;
  #ordinal: number;

  /** Opens the mark, or makes it when it is missing. Throws the file system's error. */
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
