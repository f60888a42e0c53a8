import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";

/** What is unpacked on the spot: a few tenths of a millisecond. A sale of a hundred positions is below it. */
const SMALL_BYTES = 64 * 1024;
/**
 * What is longer than this packed is no small one unpacked, since packing adds next to nothing: a body that takes long to
 * unpack and yields little is then unpacked beside the event loop.
 */
const SMALL_PACKED_BYTES = SMALL_BYTES + 1024;
/** Larger ones are unpacked beside the event loop, one after the other: they are seldom, and have to leave a core to the others. */
const MAX_WAITING = 64;

export type Unzipped =
  | { kind: "bytes"; bytes: Buffer }
  | { kind: "too-large" }
  | { kind: "broken"; problem: string }
  /** So many large ones wait that this one has to come again. */
  | { kind: "crowded" };

const unzipBeside = promisify(gunzip);

/** Unpacks what callers send, bounded in what comes out and in how much is unpacked at once. */
export class Unzip {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  async unzip(bytes: Buffer, maxBytes: number): Promise<Unzipped> {
    if (bytes.length <= SMALL_PACKED_BYTES) {
      const small = unzipNow(bytes, Math.min(SMALL_BYTES, maxBytes));
      if (small.kind !== "too-large" || maxBytes <= SMALL_BYTES) return small;
    }
    if (this.#waiting >= MAX_WAITING) return { kind: "crowded" };
    this.#waiting += 1;
    const unzipped = this.#last.then(() => unzipLarge(bytes, maxBytes));
    this.#last = unzipped;
    try {
      return await unzipped;
    } finally {
      this.#waiting -= 1;
    }
  }
}

function unzipNow(bytes: Buffer, maxBytes: number): Unzipped {
  try {
    return { kind: "bytes", bytes: gunzipSync(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    return failureOf(error);
  }
}

async function unzipLarge(bytes: Buffer, maxBytes: number): Promise<Unzipped> {
  try {
    return { kind: "bytes", bytes: await unzipBeside(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    return failureOf(error);
  }
}

function failureOf(error: unknown): Unzipped {
  if (error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE") return { kind: "too-large" };
  return { kind: "broken", problem: error instanceof Error ? error.message : String(error) };
}
