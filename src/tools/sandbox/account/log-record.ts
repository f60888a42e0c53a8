import { checksum, checksumIn, headBytesOf, isMark, type RecordFormat } from "../../../kernel/record-file.ts";

/** The content is as long as the commits of one moment make it. */
export const LOG_RECORD: RecordFormat = { mark: "SBX1", placed: false, maxBytes: 2 ** 32 - 1 };

const HEAD_BYTES = headBytesOf(LOG_RECORD);
const LENGTH_AT = 4;

/**
 * Whether the broken end of a log can be a write that did not come to its end: the beginning of a record, or the place
 * of one whose content the disk has not got. A record that is all there with a wrong byte in it was written, and
 * perhaps told of: that is damage.
 */
export function isUnfinished(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  if (isZero(rest)) return true;
  if (!isMark(LOG_RECORD, rest)) return false;
  if (rest.length < HEAD_BYTES) return true;
  const content = rest.subarray(HEAD_BYTES);
  const length = rest.readUInt32LE(LENGTH_AT);
  if (content.length >= length) return content.length === length && isZero(content);
  // Too short for the length it names. When it is sound with the length it has, it was the length that was damaged.
  const written = Buffer.from(rest);
  written.writeUInt32LE(content.length, LENGTH_AT);
  return checksum(LOG_RECORD, written) !== checksumIn(LOG_RECORD, rest);
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
