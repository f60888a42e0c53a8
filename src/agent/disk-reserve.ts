import { closeSync, fsyncSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import type { Chance } from "../kernel/clock.ts";
import { OWNER_ONLY } from "../kernel/private-file.ts";

/** The size of the reserve: enough for the outcome of the longest receipt and for the database pages of the record that change with it. */
const BYTES = 256 * 1024;

/**
 * Reserved disk space for the outcome of a document. Without it, a disk that fills up during a document would leave no room for the
 * outcome.
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

  /** Reserves the space. Throws the file system's error, for example on a full disk. */
  keep(): void {
    if (this.#kept) return;
    const handle = openSync(this.#file, "w", OWNER_ONLY);
    try {
      // Random bytes are written, because a compressing file system would reserve no space for zeros.
      for (let left = BYTES; left > 0; ) left -= writeSync(handle, this.#chance.bytes(left));
      fsyncSync(handle);
      this.#kept = true;
    } finally {
      if (!this.#kept) ftruncateSync(handle);
      closeSync(handle);
    }
  }

  give(): void {
    this.#kept = false;
    closeSync(openSync(this.#file, "w", OWNER_ONLY));
  }
}
