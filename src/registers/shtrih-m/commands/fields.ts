import type { WallTime } from "../../../kernel/moment.ts";
import { decodeCp1251, encodeCp1251 } from "./charset.ts";

/**
 * One field of a request or an answer (shtrih-protocol 0.2). The integers of this file have the lowest byte first and are unsigned, except
 * `i16`. Reading never throws. Writing a read value restores its bytes, with one exception: `registerNumber` reads a number below 256 from
 * one or two bytes, but writes it in one byte. Writing throws RangeError for a value that does not fit, which is the caller's bug. Only
 * `fixedText` cuts such a value instead.
 */
export interface Field<T> {
  /** Size in bytes; with `length`, the minimum size. */
  readonly bytes: number;
  /** The field is absent when fewer bytes are left than it needs. */
  readonly optional?: true;
  /**
   * For a field of varying size: returns its size, found in the remaining bytes. A size above the number of remaining bytes means that
   * bytes are missing.
   */
  length?(left: Buffer): number;
  read(bytes: Buffer): T;
  write(value: T): Uint8Array;
}

export interface OptionalField<T> extends Field<T> {
  readonly optional: true;
}

export function optional<T>(field: Field<T>): OptionalField<T> {
  return { ...field, optional: true };
}

function integer(bytes: number): Field<number> {
  const limit = 2 ** (bytes * 8);
  return {
    bytes,
    read: (from) => from.readUIntLE(0, bytes),
    write(value) {
      if (!Number.isInteger(value) || value < 0 || value >= limit) throw new RangeError(`${value} does not fit ${bytes} bytes`);
      const into = Buffer.allocUnsafe(bytes);
      into.writeUIntLE(value, 0, bytes);
      return into;
    },
  };
}

export const u8 = integer(1);
export const u16 = integer(2);
export const u32 = integer(4);
export const u48 = integer(6);
/** Whole kopecks. */
export const money = integer(5);
/** Quantity in millionths. */
export const millionths = u48;
/** Quantity of the old registration commands, in thousandths. */
export const thousandths = integer(5);

export const i16: Field<number> = {
  bytes: 2,
  read: (from) => from.readInt16LE(0),
  write(value) {
    const into = Buffer.allocUnsafe(2);
    into.writeInt16LE(value, 0);
    return into;
  },
};

export const u64: Field<bigint> = {
  bytes: 8,
  read: (from) => from.readBigUInt64LE(0),
  write(value) {
    const into = Buffer.allocUnsafe(8);
    into.writeBigUInt64LE(value, 0);
    return into;
  },
};

const MONEY_NOT_GIVEN = 2 ** 40 - 1;

/** Whole kopecks. `not-given` (five bytes FF): the device computes the sum. */
export const moneyOrNone: Field<number | "not-given"> = {
  bytes: 5,
  read(from) {
    const value = money.read(from);
    return value === MONEY_NOT_GIVEN ? "not-given" : value;
  },
  write: (value) => money.write(value === "not-given" ? MONEY_NOT_GIVEN : value),
};

/** Number of a money register: one byte for numbers up to 255, two bytes above. */
export const registerNumber: Field<number> = {
  bytes: 1,
  length: (left) => Math.min(left.length, 2),
  read: (from) => from.readUIntLE(0, from.length),
  write: (value) => (value > 0xff ? u16 : u8).write(value),
};

/** Returns a field of several values of one kind. The number of values is fixed. */
export function times<T>(count: number, field: Field<T>): Field<readonly T[]> {
  return {
    bytes: count * field.bytes,
    read: (from) => Array.from({ length: count }, (_, at) => field.read(from.subarray(at * field.bytes, (at + 1) * field.bytes))),
    write(values) {
      if (values.length !== count) throw new RangeError(`${values.length} values where ${count} belong`);
      return Buffer.concat(values.map((value) => field.write(value)));
    },
  };
}

/** Returns a field of raw bytes with a fixed length. */
export function raw(bytes: number): Field<Uint8Array> {
  return {
    bytes,
    read: (from) => from,
    write(value) {
      if (value.length !== bytes) throw new RangeError(`${value.length} bytes where ${bytes} belong`);
      return value;
    },
  };
}

/** All remaining bytes. */
export const rest: Field<Buffer> = { bytes: 0, length: (left) => left.length, read: (from) => from, write: (value) => value };

/** Bytes after a one-byte length. */
export const counted: Field<Uint8Array> = {
  bytes: 1,
  length: (left) => 1 + (left[0] ?? 0),
  read: (from) => from.subarray(1),
  write: (value) => Buffer.concat([u8.write(value.length), value]),
};

/** Returns a field of Windows-1251 text with a fixed width, padded with zeros. A longer text is cut. */
export function fixedText(bytes: number): Field<string> {
  return {
    bytes,
    read: (from) => decodeCp1251(withoutZeros(from)),
    write(value) {
      const text = encodeCp1251(value, bytes);
      return Buffer.concat([text, Buffer.alloc(bytes - text.length)]);
    },
  };
}

/** Windows-1251 text up to the end of the data, without the zeros at its end. The field `padding` counts these zeros. */
export const text: Field<string> = {
  bytes: 0,
  length: (left) => withoutZeros(left).length,
  read: (from) => decodeCp1251(from),
  write: (value) => encodeCp1251(value),
};

/** The number of zeros after a text. */
export const padding: OptionalField<number> = {
  bytes: 1,
  optional: true,
  length: (left) => left.length,
  read: (from) => from.length,
  write: (value) => Buffer.alloc(value),
};

function withoutZeros(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

/** Returns a field of ASCII text with a fixed width, such as the number of a drive. Writing pads with spaces; reading keeps them. */
export function ascii(bytes: number): Field<string> {
  return {
    bytes,
    read: (from) => from.toString("latin1"),
    write(value) {
      if (value.length > bytes) throw new RangeError(`"${value}" is longer than ${bytes} characters`);
      return Buffer.from(value.padEnd(bytes), "latin1");
    },
  };
}

/** A date as `YYYY-MM-DD`, in the bytes DD MM YY. Three zero bytes mean the empty text. */
export const date: Field<string> = calendar([2, 1, 0]);
/** A date as `YYYY-MM-DD`, in the bytes YY MM DD of the drive's commands. Three zero bytes mean the empty text. */
export const driveDate: Field<string> = calendar([0, 1, 2]);

/** `hh:mm:ss`. */
export const time: Field<string> = {
  bytes: 3,
  read: (from) => Array.from(from, two).join(":"),
  write: (value) => bytesOf(value.split(":").map(Number), 3),
};

/** Wall time to the minute, in the bytes YY MM DD hh mm. Five zero bytes mean the empty text. */
export const minute: Field<WallTime> = {
  bytes: 5,
  read(from) {
    if (from.every((byte) => byte === 0)) return "";
    const [hour = 0, minutes = 0] = from.subarray(3);
    return `${driveDate.read(from.subarray(0, 3)) || "2000-00-00"} ${two(hour)}:${two(minutes)}:00`;
  },
  write(value) {
    if (value === "") return Buffer.alloc(5);
    const [day = "", hours = ""] = value.split(" ");
    return Buffer.concat([driveDate.write(day), bytesOf(hours.split(":").slice(0, 2).map(Number), 2)]);
  },
};

/** Returns a date field. `places`: the positions of year, month and day. */
function calendar(places: readonly [number, number, number]): Field<string> {
  return {
    bytes: 3,
    read(from) {
      const [year = 0, month = 0, day = 0] = places.map((place) => from[place] ?? 0);
      return year + month + day === 0 ? "" : `${CENTURY + year}-${two(month)}-${two(day)}`;
    },
    write(value) {
      if (value === "") return Buffer.alloc(3);
      const [year = 0, month = 0, day = 0] = value.split("-").map(Number);
      const parts = [year - CENTURY, month, day];
      return bytesOf(
        [0, 1, 2].map((at) => parts[places.indexOf(at)] ?? 0),
        3,
      );
    },
  };
}

const CENTURY = 2000;

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function bytesOf(values: readonly number[], count: number): Buffer {
  if (values.length !== count || values.some((value) => !Number.isInteger(value) || value < 0 || value > 0xff)) {
    throw new RangeError(`no date or time: ${values.join(" ")}`);
  }
  return Buffer.from(values);
}
