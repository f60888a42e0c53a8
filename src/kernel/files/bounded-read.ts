import { closeSync, openSync, readSync } from "node:fs";

const STEP_BYTES = 64 * 1024;

/**
 * Reads a source to its end. Returns undefined and closes the source when the source has more than `most` bytes. The bytes are counted
 * while they are read, because the size of a file is no bound: a pipe or a device has the size 0 and may never end.
 */
export async function readAtMost(source: AsyncIterable<Uint8Array>, most: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    if (bytes > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Does the same as `readAtMost` for a file, synchronously, so `most` must be small. Throws the error of the file system. */
export function readFileAtMost(file: string, most: number): Buffer | undefined {
  const pieces: Buffer[] = [];
  const handle = openSync(file, "r");
  try {
    let bytes = 0;
    while (bytes <= most) {
      const piece = Buffer.allocUnsafe(STEP_BYTES);
      const length = readSync(handle, piece);
      if (length === 0) return Buffer.concat(pieces);
      bytes += length;
      pieces.push(piece.subarray(0, length));
    }
    return undefined;
  } finally {
    closeSync(handle);
  }
}
