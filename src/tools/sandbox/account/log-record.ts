import { checksum, checksumIn, headBytesOf, isMark, type RecordFormat } from "../../../kernel/record-file.ts";

/**
 * The limit is the largest length that four bytes can state. A smaller limit could refuse a record, because a record grows with the number
 * of commits in one flush.
 */
export const LOG_RECORD: RecordFormat = { mark: "SBX1", placed: false, maxBytes: 2 ** 32 - 1 };

const HEAD_BYTES = headBytesOf(LOG_RECORD);
const LENGTH_AT = 4;

/**
 * Whether the broken end may be an interrupted write: the beginning of a record, or zeros instead of a record or of its content.
 * A complete record with a wrong byte is damage: it was written, and answers may rely on it.
 */
export function isUnfinished(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  if (isZero(rest)) return true;
  if (!isMark(LOG_RECORD, rest)) return false;
  if (rest.length < HEAD_BYTES) return true;
  const content = rest.subarray(HEAD_BYTES);
  const length = rest.readUInt32LE(LENGTH_AT);
  if (content.length >= length) return content.length === length && isZero(content);
  // The content is shorter than its stated length. If the checksum fits the actual length, the stated length is damaged.
  const written = Buffer.from(rest);
  written.writeUInt32LE(content.length, LENGTH_AT);
  return checksum(LOG_RECORD, written) !== checksumIn(LOG_RECORD, rest);
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
