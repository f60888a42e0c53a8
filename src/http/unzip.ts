import { promisify } from "node:util";
import { gunzip, gunzipSync } from "node:zlib";

/**
 * Bodies up to this size are decompressed in the event loop, within a few tenths of a millisecond. A sale of a hundred positions is
 * smaller.
 */
const SMALL_BYTES = 64 * 1024;
/**
 * A compressed body larger than this is also large when decompressed, because compression makes a body at most slightly longer. So it is
 * decompressed outside the event loop.
 */
const SMALL_PACKED_BYTES = SMALL_BYTES + 1024;
/**
 * The maximum number of large bodies that wait or are being decompressed. Large bodies are rare. They are decompressed outside the event
 * loop, one at a time, so that a core stays free.
 */
const MAX_WAITING = 64;

export type Unzipped =
  | { kind: "bytes"; bytes: Buffer }
  | { kind: "too-large" }
  | { kind: "broken"; problem: string }
  /** Too many large bodies wait. The caller should try again later. */
  | { kind: "crowded" };

const unzipBeside = promisify(gunzip);

/** Decompresses request bodies. Limits the size of the result and the number of large bodies that wait. */
export class Unzip {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  async unzip(bytes: Buffer, maxBytes: number): Promise<Unzipped> {
    return this.unzipSmall(bytes, maxBytes) ?? this.unzipLarge(bytes, maxBytes);
  }

  /** Decompresses a small body in the event loop. Undefined: the body is large. */
  unzipSmall(bytes: Buffer, maxBytes: number): Unzipped | undefined {
    if (bytes.length > SMALL_PACKED_BYTES) return undefined;
    const small = unzipNow(bytes, Math.min(SMALL_BYTES, maxBytes));
    return small.kind !== "too-large" || maxBytes <= SMALL_BYTES ? small : undefined;
  }

  async unzipLarge(bytes: Buffer, maxBytes: number): Promise<Unzipped> {
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
