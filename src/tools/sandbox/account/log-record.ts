import { crc32 } from "node:zlib";

/**
 * A record of the log: four letters by which it is found again, the length of its content, the check sum of
 * length and content, the content.
 */
const MARK = Buffer.from("SBX1", "latin1");
const HEAD_BYTES = 12;

export function frame(content: Buffer): Buffer {
  const record = Buffer.alloc(HEAD_BYTES + content.length);
  MARK.copy(record);
  record.writeUInt32LE(content.length, 4);
  content.copy(record, HEAD_BYTES);
  record.writeUInt32LE(checkSum(record, 0, content.length), 8);
  return record;
}

type Unframed = { readonly kind: "record"; readonly content: Buffer; readonly end: number } | { readonly kind: "broken" };

/** Reads the record that begins there; what is cut short or does not meet its check sum is broken. */
export function unframe(bytes: Buffer, at: number): Unframed {
  if (bytes.length - at < HEAD_BYTES || !bytes.subarray(at, at + MARK.length).equals(MARK)) return { kind: "broken" };
  const length = bytes.readUInt32LE(at + 4);
  const end = at + HEAD_BYTES + length;
  if (end > bytes.length || checkSum(bytes, at, length) !== bytes.readUInt32LE(at + 8)) return { kind: "broken" };
  return { kind: "record", content: bytes.subarray(at + HEAD_BYTES, end), end };
}

/** Whether a whole record stands anywhere from there on: then what is broken before it is damage, not an unfinished write. */
export function holdsRecord(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(MARK, from); at >= 0; at = bytes.indexOf(MARK, at + 1)) {
    if (unframe(bytes, at).kind === "record") return true;
  }
  return false;
}

/**
 * Whether the broken end of a log can be a write that did not come to its end: the beginning of a record, or the place
 * of one whose content the disk has not got. A record that is all there with a wrong byte in it was written, and
 * perhaps told of: that is damage.
 */
export function isUnfinished(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  if (isZero(rest)) return true;
  const mark = rest.subarray(0, MARK.length);
  if (!mark.equals(MARK.subarray(0, mark.length))) return false;
  if (rest.length < HEAD_BYTES) return true;
  const content = rest.subarray(HEAD_BYTES);
  const length = rest.readUInt32LE(4);
  if (content.length >= length) return content.length === length && isZero(content);
  // Too short for the length it names. When it is sound with the length it has, it was the length that was damaged.
  const written = Buffer.from(rest);
  written.writeUInt32LE(content.length, 4);
  return checkSum(written, 0, content.length) !== rest.readUInt32LE(8);
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function checkSum(bytes: Buffer, at: number, length: number): number {
  return crc32(bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length), crc32(bytes.subarray(at + 4, at + 8)));
}
