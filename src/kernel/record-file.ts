import { crc32 } from "node:zlib";

/**
 * Records of a file that only grows. A record is a head and its content. The head has these parts, numbers in four bytes, little-endian:
 *
 * - a mark of four letters, for finding a record after damage
 * - the index of the record in the file (`place`), from 0, if the format is `placed`
 * - the length of the content
 * - a CRC-32 over index, length and content
 *
 * A wrong CRC-32 shows a changed record. A gap in the indexes shows a missing record.
 */
export interface RecordFormat {
  mark: string;
  placed: boolean;
  /** The largest length of a content. A larger length in a head counts as damage. */
  maxBytes: number;
}

type Unframed =
  | { kind: "record"; place: number; content: Buffer; end: number }
  /**
   * The record continues after these bytes, and there is no error so far. `bytes`: the least number of bytes needed, from the beginning
   * of the record.
   */
  | { kind: "more"; bytes: number }
  | { kind: "broken"; problem: string };

const MARK_BYTES = 4;
const NUMBER_BYTES = 4;

/** Returns the length of a record's head. */
export function headBytesOf({ placed }: RecordFormat): number {
  return MARK_BYTES + (placed ? 3 : 2) * NUMBER_BYTES;
}

/** Returns the record: head and content. `place` counts only in a `placed` format. */
export function frameRecord(format: RecordFormat, content: Buffer, place = 0): Buffer {
  const headBytes = headBytesOf(format);
  const record = Buffer.alloc(headBytes + content.length);
  record.write(format.mark, "latin1");
  if (format.placed) record.writeUInt32LE(place, MARK_BYTES);
  record.writeUInt32LE(content.length, headBytes - 2 * NUMBER_BYTES);
  content.copy(record, headBytes);
  record.writeUInt32LE(checksum(format, record), headBytes - NUMBER_BYTES);
  return record;
}

/** Reads the record that begins at `at`. `end`: the position after the record. `place` is 0 in a format that is not `placed`. */
export function unframeRecord(format: RecordFormat, bytes: Buffer, at: number): Unframed {
  const headBytes = headBytesOf(format);
  const head = bytes.subarray(at, at + headBytes);
  if (!isMark(format, head)) return { kind: "broken", problem: "no record begins here" };
  if (head.length < headBytes) return { kind: "more", bytes: headBytes };
  const length = head.readUInt32LE(headBytes - 2 * NUMBER_BYTES);
  if (length > format.maxBytes) return { kind: "broken", problem: `a length of ${length} bytes` };
  const end = at + headBytes + length;
  if (bytes.length < end) return { kind: "more", bytes: headBytes + length };
  const record = bytes.subarray(at, end);
  if (checksum(format, record) !== checksumIn(format, record)) return { kind: "broken", problem: "a wrong check sum" };
  return { kind: "record", place: format.placed ? head.readUInt32LE(MARK_BYTES) : 0, content: record.subarray(headBytes), end };
}

/** Whether an intact record begins at or after `from`. If so, a broken record before `from` is damage, not an unfinished write. */
export function holdsRecord(format: RecordFormat, bytes: Buffer, from = 0): boolean {
  for (let at = bytes.indexOf(format.mark, from, "latin1"); at >= 0; at = bytes.indexOf(format.mark, at + 1, "latin1")) {
    if (unframeRecord(format, bytes, at).kind === "record") return true;
  }
  return false;
}

/** Computes the checksum of a whole record, without its mark and the checksum itself. */
export function checksum(format: RecordFormat, record: Buffer): number {
  const headBytes = headBytesOf(format);
  return crc32(record.subarray(headBytes), crc32(record.subarray(MARK_BYTES, headBytes - NUMBER_BYTES)));
}

/** Returns the checksum that is stored in the head. */
export function checksumIn(format: RecordFormat, record: Buffer): number {
  return record.readUInt32LE(headBytesOf(format) - NUMBER_BYTES);
}

/** Whether the bytes begin with the mark. Also true when the bytes end inside the mark, or are empty. */
export function isMark({ mark }: RecordFormat, bytes: Buffer): boolean {
  const found = bytes.subarray(0, MARK_BYTES).toString("latin1");
  return mark.startsWith(found);
}
