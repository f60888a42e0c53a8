import { checksum, checksumIn, headBytesOf, isMark, type RecordFormat } from "../../../kernel/record-file.ts";

/**
 * The largest record has the largest length that four bytes can state. No smaller limit is set, because a record grows with the number of
 * commits of one moment.
 */
export const LOG_RECORD: RecordFormat = { mark: "SBX1", placed: false, maxBytes: 2 ** 32 - 1 };

const HEAD_BYTES = headBytesOf(LOG_RECORD);
const LENGTH_AT = 4;

/**
 * Whether the broken end of a log may be an interrupted write: the beginning of a record, or zeros in place of a record's
 * content. A complete record with a wrong byte was written, and answers may rely on it: this is damage, not an interrupted
 * write.
 */
export function isUnfinished(bytes: Buffer, at: number): boolean {
  const rest = bytes.subarray(at);
  if (isZero(rest)) return true;
  if (!isMark(LOG_RECORD, rest)) return false;
  if (rest.length < HEAD_BYTES) return true;
  const content = rest.subarray(HEAD_BYTES);
  const length = rest.readUInt32LE(LENGTH_AT);
  if (content.length >= length) return content.length === length && isZero(content);
  // The content is shorter than its stated length. If the checksum fits the actual length, only the stated length was
  // damaged.
  const written = Buffer.from(rest);
  written.writeUInt32LE(content.length, LENGTH_AT);
  return checksum(LOG_RECORD, written) !== checksumIn(LOG_RECORD, rest);
}

function isZero(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}
