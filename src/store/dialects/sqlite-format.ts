import { endianness } from "node:os";
import type { Mark } from "../changes.ts";

/**
 * The parts of SQLite's file formats that show whether files belong together: the headers of the database and the write-ahead log
 * (sqlite.org/fileformat2.html), and the log's index in shared memory (sqlite.org/walformat.html).
 */

/** The size of the database's header, with which the first page in the log begins too. */
export const HEADER_BYTES = 100;
export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** The size of both copies of the index header and of the record of what was copied. */
export const INDEX_BYTES = 136;

const MAGIC = Buffer.from("SQLite format 3\0");
const PAGE_SIZE_AT = 16;
const PAGES_AT = 28;
const SCHEMA_AT = 40;
const COUNT_AT = 60;
const TOKEN_AT = 68;
/** The last bit gives the byte order of the checksums. */
const LOG_MAGIC = 0x377f0682;
const INDEX_VERSION = 3_007_000;
const INDEX_COPY_BYTES = 48;
/** The first byte of a page with rows of a table. */
const TABLE_LEAF = 0x0d;
/** The length of the row and its key, one byte each. */
const CELL_HEADER_BYTES = 2;
/** The length of this header and the types of three columns, one byte each. */
const RECORD_HEADER_BYTES = 4;
const LITTLE = endianness() === "LE";

/** Whether the bytes are the header of a database. SQLite itself names what is wrong with any other file. */
export function isDatabase(header: Buffer): boolean {
  return header.subarray(0, MAGIC.length).equals(MAGIC);
}

/** Returns the mark from the header: `user_version` and `application_id`, which SQLite leaves to its user. */
export function markIn(header: Buffer): Mark {
  return { count: header.readInt32BE(COUNT_AT), token: header.readInt32BE(TOKEN_AT) };
}

/** Returns the count of changes of the schema. Packing (VACUUM) raises it too, because it gives the pages other numbers. */
export function schemaIn(header: Buffer): number {
  return header.readUInt32BE(SCHEMA_AT);
}

export function pageSizeIn(header: Buffer): number {
  return wholePageSize(header.readUInt16BE(PAGE_SIZE_AT));
}

/** Returns the database's length according to its header. The file may be shorter until the whole log was copied. */
export function bytesIn(header: Buffer): number {
  return header.readUInt32BE(PAGES_AT) * pageSizeIn(header);
}

/** The length of an integer by its serial type. Type 7 is no integer. Types 8 and 9 are the numbers 0 and 1 without any bytes. */
const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 0, 0, 0];

/**
 * Returns the mark from a page with the only row of a table of three integers: slot (the key, which the row does not store), token,
 * count. Undefined for any other page. All lengths of so small a row are single bytes.
 */
export function markInRow(page: Buffer): Mark | undefined {
  if (page[0] !== TABLE_LEAF || page.readUInt16BE(3) !== 1) return undefined;
  const record = page.readUInt16BE(8) + CELL_HEADER_BYTES;
  const [headerBytes, , tokenType = 0, countType = 0] = page.subarray(record, record + RECORD_HEADER_BYTES);
  if (headerBytes !== RECORD_HEADER_BYTES) return undefined;
  const tokenAt = record + RECORD_HEADER_BYTES;
  const token = integerAt(page, tokenAt, tokenType);
  const count = integerAt(page, tokenAt + (INTEGER_BYTES[tokenType] ?? 0), countType);
  return token === undefined || count === undefined ? undefined : { token, count };
}

/**
 * Undefined: the type is no integer of at most 6 bytes, or the integer is not within the page. The numbers of a mark have at most 4 bytes.
 */
function integerAt(page: Buffer, at: number, type: number): number | undefined {
  if (type === 8 || type === 9) return type - 8;
  const bytes = INTEGER_BYTES[type] ?? 0;
  return bytes === 0 || bytes > 6 || at + bytes > page.length ? undefined : page.readIntBE(at, bytes);
}

/** The index of the log: the number of valid frames, the checksum of the last frame, and the number of copied frames. */
export interface LogIndex {
  frames: number;
  pageSize: number;
  /** The checksum over the newest frame and all frames before it. */
  checksum: bigint;
  /** Changes each time the log begins again. */
  salt: bigint;
  copied: number;
  /** The largest number of frames that may be copied, including those that a running checkpoint copies. */
  copiedAtMost: number;
}

/** Reads the index. Undefined while SQLite is writing it. Throws an Error for an unknown format. */
export function indexIn(bytes: Buffer): LogIndex | undefined {
  if (!bytes.subarray(0, INDEX_COPY_BYTES).equals(bytes.subarray(INDEX_COPY_BYTES, 2 * INDEX_COPY_BYTES))) return undefined;
  const word = (at: number) => (LITTLE ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  if (word(0) !== INDEX_VERSION) throw new Error(`SQLite's index of the log has form ${word(0)}, and ${INDEX_VERSION} is known`);
  const pageSize = LITTLE ? bytes.readUInt16LE(14) : bytes.readUInt16BE(14);
  return {
    frames: word(16),
    pageSize: wholePageSize(pageSize),
    checksum: (BigInt(word(24)) << 32n) | BigInt(word(28)),
    salt: bytes.readBigUInt64BE(32),
    copied: word(96),
    copiedAtMost: word(128),
  };
}

/** Reads the header of the log. Undefined for other bytes, as in an empty log. */
export function logIn(header: Buffer): { pageSize: number; salt: bigint } | undefined {
  if ((header.readUInt32BE(0) & ~1) !== LOG_MAGIC) return undefined;
  return { pageSize: header.readUInt32BE(8), salt: header.readBigUInt64BE(16) };
}

/** Reads the header of a frame: the number of its page, and whether the frame ends a transaction. */
export function frameIn(header: Buffer): { page: number; ends: boolean; salt: bigint; checksum: bigint } {
  return {
    page: header.readUInt32BE(0),
    ends: header.readUInt32BE(4) !== 0,
    salt: header.readBigUInt64BE(8),
    checksum: header.readBigUInt64BE(16),
  };
}

/** Returns the position of a frame. Frames are counted from 1. */
export function frameAt(frame: number, pageSize: number): number {
  return LOG_HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + pageSize);
}

/** 65 536 does not fit into the two-byte field, so the field has 1. */
function wholePageSize(read: number): number {
  return read === 1 ? 65_536 : read;
}
