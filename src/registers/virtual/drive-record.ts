import { crc32 } from "node:zlib";

/**
 * One record on disk: `FDR1`, its place in the file counted from 0, its length, a CRC-32 over place, length
 * and content, all four bytes with the lowest first, then the content. The place makes a missing record in
 * the middle as visible as a changed one.
 */
const MAGIC = Buffer.from("FDR1", "ascii");
export const HEAD_BYTES = 16;
/** A document of 32 768 bytes in Base64 with its facts stays far below; a larger length is garbage. */
export const MAX_RECORD_BYTES = 256 * 1024;

export function frame(place: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  MAGIC.copy(head);
  head.writeUInt32LE(place, 4);
  head.writeUInt32LE(content.length, 8);
  head.writeUInt32LE(checksum(head, content), 12);
  return Buffer.concat([head, content]);
}

type Unframed =
  | { kind: "record"; place: number; content: Buffer; end: number }
  /** Sound so far, but it goes on behind the bytes. */
  | { kind: "more"; bytes: number }
  | { kind: "broken"; problem: string };

/** Reads the record that begins at an offset of the bytes. */
export function unframe(bytes: Buffer, at: number): Unframed {
  const start = at + HEAD_BYTES;
  if (bytes.length < start) return isPrefix(bytes.subarray(at)) ? { kind: "more", bytes: HEAD_BYTES } : broken("no record begins here");
  if (!bytes.subarray(at, at + MAGIC.length).equals(MAGIC)) return broken("no record begins here");
  const head = bytes.subarray(at, start);
  const length = head.readUInt32LE(8);
  if (length > MAX_RECORD_BYTES) return broken(`a length of ${length} bytes`);
  const end = start + length;
  if (bytes.length < end) return { kind: "more", bytes: HEAD_BYTES + length };
  const content = bytes.subarray(start, end);
  if (checksum(head, content) !== head.readUInt32LE(12)) return broken("a wrong check sum");
  return { kind: "record", place: head.readUInt32LE(4), content, end };
}

/** Whether a sound record begins anywhere in the bytes. */
export function holdsRecord(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    if (unframe(bytes, at).kind === "record") return true;
  }
  return false;
}

function checksum(head: Buffer, content: Buffer): number {
  return crc32(content, crc32(head.subarray(4, 12)));
}

function isPrefix(bytes: Buffer): boolean {
  const known = Math.min(bytes.length, MAGIC.length);
  return bytes.subarray(0, known).equals(MAGIC.subarray(0, known));
}

function broken(problem: string): Unframed {
  return { kind: "broken", problem };
}
