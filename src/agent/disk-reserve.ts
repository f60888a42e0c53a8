import { closeSync, fsyncSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import type { Chance } from "../kernel/clock.ts";
import { OWNER_ONLY } from "../kernel/private-file.ts";

/** Enough for the outcome of the longest receipt, and for the pages of the record that change with it. */
const BYTES = 256 * 1024;

/**
 * Room on the disk that is kept for the outcome of a document. A disk that fills up while a document is made would otherwise leave an
 * outcome that is known and cannot be stored.
 */
export class DiskReserve {
  readonly #file: string;
  readonly #chance: Pick<Chance, "bytes">;
  #kept: boolean;

  constructor(file: string, chance: Pick<Chance, "bytes">) {
    this.#file = file;
    this.#chance = chance;
    this.#kept = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= BYTES;
  }

  /** Keeps the room. Throws the file system's error when there is none. */
  keep(): void {
    if (this.#kept) return;
    const handle = openSync(this.#file, "w", OWNER_ONLY);
    try {
      // A file system that packs its files would keep no room for zeros.
      for (let left = BYTES; left > 0; ) left -= writeSync(handle, this.#chance.bytes(left));
      fsyncSync(handle);
      this.#kept = true;
    } finally {
      if (!this.#kept) ftruncateSync(handle);
      closeSync(handle);
    }
  }

  /** Gives the room back to the disk. */
  give(): void {
    this.#kept = false;
    closeSync(openSync(this.#file, "w", OWNER_ONLY));
  }
}
