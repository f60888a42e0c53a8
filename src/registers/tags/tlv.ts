import { wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { registerFailure } from "../failures.ts";
import { decodeCp866, encodeCp866 } from "./cp866.ts";
import { type Requisite, TAGS, type Tag, type TagShape, type ValueOf } from "./tags.ts";

/** The head of a requisite: tag and length, two bytes each, lowest byte first. */
const HEAD_BYTES = 4;
/** A drive's largest document, with the head of its own tag (fiscal-receipts 1.1). */
const MAX_READ_BYTES = 32_768 + HEAD_BYTES;
/**
 * The limit of requisites that one list may have. No real list reaches it: the shortest position has 35 bytes, so the largest document has
 * at most 936 positions.
 */
const MAX_READ_REQUISITES = 2_048;
/** The limit of bytes in a number that is read. Some devices write numbers with more bytes than the tag has. */
const MAX_NUMBER_BYTES = 8;
/** The last second in a four-byte time. */
const MAX_TIME_SECONDS = 2 ** 32 - 1;
const QUANTITY_DECIMALS = 6;

/**
 * Encodes one requisite: tag, length, value (fiscal-receipts 1.2). Throws a Failure of kind `fault` when a value does not fit its tag: the
 * device's rules should have refused it.
 */
export function tlv<T extends Tag>(tag: T, value: ValueOf<T>): Buffer {
  return framed(tag, encodeValue(TAGS[tag], value));
}

/** Encodes requisites in sequence, with nested lists. Throws as `tlv` does. */
export function encodeRequisites(requisites: readonly Requisite[]): Buffer {
  return Buffer.concat(
    requisites.map(({ tag, value }) => framed(tag, isList(value) ? encodeRequisites(value) : encodeValue(TAGS[tag], value))),
  );
}

/**
 * Returns the encoded length of the requisites. A text counts at most the length that its tag allows, because a longer text is cut.
 * Undefined: another value is too long, such as a list whose texts are too long together. Throws as `tlv` does for a number that is no
 * whole number or below zero.
 */
export function encodedBytes(requisites: readonly Requisite[]): number | undefined {
  let all = 0;
  for (const { tag, value } of requisites) {
    const bytes = isList(value) ? encodedBytes(value) : encodeValue(TAGS[tag], value).length;
    const counted = TAGS[tag].type === "text" && bytes !== undefined ? Math.min(bytes, maxBytes(tag)) : bytes;
    if (counted === undefined || counted > maxBytes(tag)) return undefined;
    all += HEAD_BYTES + counted;
  }
  return all;
}

/** Returns tag 1023 with at least `leastDecimals` decimals. With three decimals the value of 1.5 is `03 DC 05`. */
export function quantityTlv(millionths: number, leastDecimals: number): Buffer {
  return framed(1023, encodeQuantity(millionths, leastDecimals));
}

function isList(value: Requisite["value"]): value is readonly Requisite[] {
  return Array.isArray(value);
}

function framed(tag: Tag, bytes: Buffer): Buffer {
  const limit = limitOf(TAGS[tag]);
  if (bytes.length > limit) throw registerFailure("tlv-value", "fault", `tag ${tag}: ${bytes.length} bytes where ${limit} fit`);
  const requisite = Buffer.allocUnsafe(HEAD_BYTES + bytes.length);
  requisite.writeUInt16LE(tag, 0);
  requisite.writeUInt16LE(bytes.length, 2);
  bytes.copy(requisite, HEAD_BYTES);
  return requisite;
}

/** Whether the text fits its tag, in the drive's code page. */
export function fits(tag: Tag, text: string): boolean {
  return encodeCp866(text).length <= limitOf(TAGS[tag]);
}

/** Returns the limit of the tag's value, in bytes. */
export function maxBytes(tag: Tag): number {
  return limitOf(TAGS[tag]);
}

export interface RawTlv {
  tag: number;
  value: Buffer;
}

/**
 * Splits bytes into requisites. Undefined: the last requisite does not end with the bytes, or there are more bytes or requisites than any
 * document has.
 */
export function readTlvs(bytes: Buffer): RawTlv[] | undefined {
  if (bytes.length > MAX_READ_BYTES) return undefined;
  const found: RawTlv[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    if (found.length === MAX_READ_REQUISITES) return undefined;
    const end = at + HEAD_BYTES + bytes.readUInt16LE(at + 2);
    if (end > bytes.length) return undefined;
    found.push({ tag: bytes.readUInt16LE(at), value: bytes.subarray(at + HEAD_BYTES, end) });
    at = end;
  }
  return at === bytes.length ? found : undefined;
}

/**
 * Returns the value as text, number, bytes or list, as its tag says; a quantity in millionths. Returns the bytes for an unknown tag or an
 * invalid value. A text is cut at its tag's length, as in the drive.
 */
export function readValue({ tag, value }: RawTlv): string | number | Buffer | RawTlv[] {
  if (!isTag(tag)) return value;
  const shape: TagShape = TAGS[tag];
  switch (shape.type) {
    case "text":
      return decodeCp866(value.subarray(0, shape.maxBytes));
    case "fixed":
      return decodeCp866(value.subarray(0, shape.bytes)).trimEnd();
    case "byte":
    case "uint16":
    case "uint32":
    case "sum":
      return readNumber(value) ?? value;
    case "time":
      return readTime(value) ?? value;
    case "quantity":
      return readQuantity(value) ?? value;
    case "bytes":
      return value;
    case "list":
      return readTlvs(value) ?? value;
  }
}

function isTag(tag: number): tag is Tag {
  return Object.hasOwn(TAGS, tag);
}

function encodeValue(shape: TagShape, value: ValueOf<Tag>): Buffer {
  if (Buffer.isBuffer(value)) return value;
  if (typeof value === "object") return Buffer.concat(value);
  if (typeof value === "number") return encodeNumber(shape, value);
  if (shape.type === "time") return littleEndian(wallAsUtcMs(value) / 1000, 4);
  const bytes = encodeCp866(value);
  return shape.type === "fixed" ? Buffer.concat([bytes, Buffer.alloc(Math.max(0, shape.bytes - bytes.length), " ")]) : bytes;
}

function encodeNumber(shape: TagShape, value: number): Buffer {
  if (shape.type === "quantity") return encodeQuantity(value);
  return littleEndian(value, shape.type === "sum" ? 1 : limitOf(shape));
}

/** Encodes an FVLN, a number with decimals: a byte with the number of decimals, then the digits as a whole number. 0.356 is `03 64 01`. */
function encodeQuantity(millionths: number, leastDecimals = 0): Buffer {
  let units = BigInt(millionths);
  let decimals = QUANTITY_DECIMALS;
  while (decimals > leastDecimals && units % 10n === 0n) {
    units /= 10n;
    decimals -= 1;
  }
  return Buffer.concat([Buffer.of(decimals), littleEndian(Number(units), 1)]);
}

/** Returns the number as bytes, the lowest first, at least `minBytes` of them. Throws when it is no safe integer or below zero. */
function littleEndian(value: number, minBytes: number): Buffer {
  if (!Number.isSafeInteger(value) || value < 0) throw registerFailure("tlv-value", "fault", `no whole number for a requisite: ${value}`);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  while (bytes.length < minBytes) bytes.push(0);
  return Buffer.from(bytes);
}

/** Returns the number. Undefined: it has too many bytes, or it is not a safe integer. */
function readNumber(bytes: Buffer): number | undefined {
  if (bytes.length > MAX_NUMBER_BYTES) return undefined;
  const number = bytes.reduceRight((total, byte) => total * 256 + byte, 0);
  return Number.isSafeInteger(number) ? number : undefined;
}

function readTime(bytes: Buffer): string | undefined {
  const seconds = readNumber(bytes);
  return seconds === undefined || seconds > MAX_TIME_SECONDS ? undefined : wallFromUtc(seconds * 1000);
}

/** Returns millionths. Undefined: the bytes are no number, or millionths cannot express it exactly. */
function readQuantity(bytes: Buffer): number | undefined {
  const units = readNumber(bytes.subarray(1));
  const millionths = (units ?? Number.NaN) * 10 ** (QUANTITY_DECIMALS - (bytes[0] ?? 0));
  return Number.isSafeInteger(millionths) ? millionths : undefined;
}

const WIDTHS = { byte: 1, uint16: 2, uint32: 4, time: 4 };

function limitOf(shape: TagShape): number {
  switch (shape.type) {
    case "fixed":
      return shape.bytes;
    case "byte":
    case "uint16":
    case "uint32":
    case "time":
      return WIDTHS[shape.type];
    default:
      return shape.maxBytes;
  }
}
