import { endianness } from "node:os";
import type { Mark } from "../changes.ts";

/**
 * As much of SQLite's files as tells whether they belong together: sqlite.org/fileformat2.html (the database's header, the
 * write-ahead log) and sqlite.org/walformat.html (the log's index, which lies in shared memory).
 */

/** Beginning of the database and of its first page wherever it stands. */
export const HEADER_BYTES = 100;
export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** Both copies of the index' header and what says how far checkpoints have come. */
export const INDEX_BYTES = 136;

const COUNT_AT = 60;
const TOKEN_AT = 68;
/** Its last bit says how the checksums are made. */
const LOG_MAGIC = 0x377f0682;
const INDEX_VERSION = 3_007_000;
const INDEX_COPY_BYTES = 48;
const LITTLE = endianness() === "LE";

/** `user_version` and `application_id`, which SQLite leaves to whoever uses the database. */
export function markIn(header: Buffer): Mark {
  return { count: header.readInt32BE(COUNT_AT), token: header.readInt32BE(TOKEN_AT) };
}

/** The log's index: how many frames count, what ends them, and how far they have been copied into the database. */
export interface LogIndex {
  frames: number;
  pageSize: number;
  /** Of the newest frame, over all before it. */
  checksum: bigint;
  /** A number for each time that the log was begun from its start again. */
  salt: bigint;
  copied: number;
  /** As far as a checkpoint may have come, also one that is at work. */
  copiedAtMost: number;
}

/** Undefined while it is being written; an index of another form is an Error. */
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

/** The header of the log; undefined where it is none, as in a log that holds nothing. */
export function logIn(header: Buffer): { pageSize: number; salt: bigint } | undefined {
  if ((header.readUInt32BE(0) & ~1) !== LOG_MAGIC) return undefined;
  return { pageSize: header.readUInt32BE(8), salt: header.readBigUInt64BE(16) };
}

/** The header of a frame: which page follows it, and whether a transaction ends with it. */
export function frameIn(header: Buffer): { page: number; ends: boolean; salt: bigint; checksum: bigint } {
  return {
    page: header.readUInt32BE(0),
    ends: header.readUInt32BE(4) !== 0,
    salt: header.readBigUInt64BE(8),
    checksum: header.readBigUInt64BE(16),
  };
}

/** Where a frame begins, counted from 1. */
export function frameAt(frame: number, pageSize: number): number {
  return LOG_HEADER_BYTES + (frame - 1) * (FRAME_HEADER_BYTES + pageSize);
}

/** 65 536 does not fit into the two bytes that hold it: 1 stands for it. */
function wholePageSize(read: number): number {
  return read === 1 ? 65_536 : read;
}
