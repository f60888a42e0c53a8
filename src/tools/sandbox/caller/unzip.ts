import { crc32, inflateRawSync } from "node:zlib";

const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const CENTRAL_HEADER = 0x02014b50;
const CENTRAL_HEADER_BYTES = 46;
const END_RECORD = 0x06054b50;
const END_RECORD_BYTES = 22;
const STORED = 0;
const DEFLATED = 8;
/** The largest decompressed entry. Decompression stops at this size, and the zip is refused. A receipt is much smaller. */
const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

interface ZipEntry {
  name: string;
  bytes: Buffer;
}

type Unzipped = { kind: "entries"; entries: ZipEntry[] } | { kind: "broken"; problem: string };

/**
 * Reads a small zip by its central directory and verifies checksums. Entries may be stored or deflated.
 * No library fits: `yauzl` and `fflate` do not verify checksums, and `@zip.js/zip.js` has 8 MB.
 */
export function unzip(zip: Buffer): Unzipped {
  try {
    return { kind: "entries", entries: [...entriesOf(zip)] };
  } catch (error) {
    if (error instanceof Error) return { kind: "broken", problem: error.message };
    throw error;
  }
}

function* entriesOf(zip: Buffer): Generator<ZipEntry> {
  const end = endRecordOf(zip);
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  for (let index = 0; index < count; index += 1) {
    if (zip.readUInt32LE(at) !== CENTRAL_HEADER) throw new Error("central directory broken");
    const nameBytes = zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + CENTRAL_HEADER_BYTES, at + CENTRAL_HEADER_BYTES + nameBytes);
    const bytes = contentOf(zip, {
      method: zip.readUInt16LE(at + 10),
      crc: zip.readUInt32LE(at + 16),
      packedBytes: zip.readUInt32LE(at + 20),
      bytes: zip.readUInt32LE(at + 24),
      at: zip.readUInt32LE(at + 42),
    });
    yield { name, bytes };
    at += CENTRAL_HEADER_BYTES + nameBytes + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
}

function contentOf(zip: Buffer, entry: { method: number; crc: number; packedBytes: number; bytes: number; at: number }): Buffer {
  if (zip.readUInt32LE(entry.at) !== LOCAL_HEADER) throw new Error("local header broken");
  const from = entry.at + LOCAL_HEADER_BYTES + zip.readUInt16LE(entry.at + 26) + zip.readUInt16LE(entry.at + 28);
  const packed = zip.subarray(from, from + entry.packedBytes);
  if (entry.method !== STORED && entry.method !== DEFLATED) throw new Error(`unknown method ${entry.method}`);
  const bytes = entry.method === STORED ? Buffer.from(packed) : inflateRawSync(packed, { maxOutputLength: MAX_ENTRY_BYTES });
  if (bytes.length !== entry.bytes) throw new Error("length differs");
  if (crc32(bytes) !== entry.crc) throw new Error("checksum differs");
  return bytes;
}

/** Searches the end record backwards, because a comment may follow the end record. */
function endRecordOf(zip: Buffer): number {
  for (let at = zip.length - END_RECORD_BYTES; at >= 0; at -= 1) {
    if (zip.readUInt32LE(at) === END_RECORD) return at;
  }
  throw new Error("no end record");
}
