import { Failure } from "../../kernel/failure.ts";
import { type Segment, type SizeClass, segmentsOf } from "./segments.ts";

/** A symbol's version, and all its codewords in the order of placement. */
interface Codewords {
  version: number;
  bytes: Uint8Array;
}

/** Correction codewords in each block at level M, versions 1 to 40 (ISO/IEC 18004, table 9). */
const CORRECTION = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28,
] as const;

/** Blocks at level M (table 9). */
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45,
  47, 49,
] as const;

/** The first and last version of each width of the character count (table 3). */
const SIZE_CLASSES: readonly (readonly [SizeClass, number, number])[] = [
  [0, 1, 9],
  [1, 10, 26],
  [2, 27, 40],
];

/** Encodes the text in the smallest version at level M. Throws `qr-too-long` of kind `fault` above version 40. */
export function codewordsOf(text: string): Codewords {
  for (const [sizeClass, first, last] of SIZE_CLASSES) {
    const { parts, bits } = segmentsOf(text, sizeClass);
    for (let version = first; version <= last; version++) {
      const length = dataLengthOf(version);
      if (bits <= 8 * length) return { version, bytes: interleaved(version, dataOf(parts, sizeClass, length)) };
    }
  }
  throw new Failure("qr-too-long", "fault", `a text of ${text.length} characters is too long for a QR code`);
}

/** Returns the number of bytes in a symbol: all modules without the function patterns (ISO/IEC 18004, table 1). */
function lengthOf(version: number): number {
  const size = 17 + 4 * version;
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  // The function patterns: finders with separators and format information; timing; alignment patterns, some of which overlap the timing;
  // version information.
  const finders = 3 * 64 + 31;
  const timing = 2 * (size - 16);
  const aligned = alignments === 0 ? 0 : 25 * (alignments ** 2 - 3) - 10 * (alignments - 2);
  return Math.floor((size ** 2 - finders - timing - aligned - (version < 7 ? 0 : 36)) / 8);
}

function dataLengthOf(version: number): number {
  return lengthOf(version) - (CORRECTION[version - 1] ?? 0) * (BLOCKS[version - 1] ?? 0);
}

/** Returns the data: segments, terminator and padding (7.4). */
function dataOf(segments: readonly Segment[], sizeClass: SizeClass, length: number): Uint8Array {
  const data = new Uint8Array(length);
  let at = 0;
  const put = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit--, at++) {
      if (((value >> bit) & 1) === 1) data[at >> 3] = (data[at >> 3] ?? 0) | (0x80 >> (at & 7));
    }
  };
  for (const { mode, text } of segments) {
    put(mode.indicator, 4);
    put(mode.lengthOf(text), mode.countBits[sizeClass]);
    mode.write(text, put);
  }
  // The terminator and the rest of its byte are zeros.
  const used = Math.min(length, Math.ceil((at + 4) / 8));
  for (let index = used; index < length; index++) data[index] = (index - used) % 2 === 0 ? 0xec : 0x11;
  return data;
}

/**
 * Returns the codewords of the data, then the codewords of the correction. Each of these two parts has the first codewords of all blocks,
 * then the second codewords, and so on. The last blocks may have one codeword of data more (7.6).
 */
function interleaved(version: number, data: Uint8Array): Uint8Array {
  const [count, correctionLength] = [BLOCKS[version - 1] ?? 1, CORRECTION[version - 1] ?? 0];
  const short = Math.floor(data.length / count);
  const longFrom = count - (data.length % count);
  const divisor = divisorOf(correctionLength);
  const all = new Uint8Array(lengthOf(version));
  for (let block = 0, start = 0; block < count; block++) {
    const content = data.subarray(start, start + short + (block < longFrom ? 0 : 1));
    start += content.length;
    for (let index = 0; index < short; index++) all[index * count + block] = content[index] ?? 0;
    if (content.length > short) all[short * count + block - longFrom] = content[short] ?? 0;
    const correction = remainderOf(content, divisor);
    for (let index = 0; index < correctionLength; index++) all[data.length + index * count + block] = correction[index] ?? 0;
  }
  return all;
}

/**
 * The powers of two in the field of 256 elements with x⁸ + x⁴ + x³ + x² + 1 (7.5.2). The list is stored twice in a row, so that the sum of
 * two logarithms is a valid index.
 */
const POWERS = new Uint8Array(510);
const LOGARITHMS = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent++) {
  POWERS[exponent] = value;
  POWERS[exponent + 255] = value;
  LOGARITHMS[value] = exponent;
  value = value < 0x80 ? value << 1 : (value << 1) ^ 0x11d;
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : (POWERS[(LOGARITHMS[a] ?? 0) + (LOGARITHMS[b] ?? 0)] ?? 0);
}

/** The generator polynomial of annex A: the product of (x - 2⁰) … (x - 2ᵈ⁻¹), without its leading one. */
function divisorOf(degree: number): Uint8Array {
  const divisor = new Uint8Array(degree);
  divisor[degree - 1] = 1;
  for (let root = 0; root < degree; root++) {
    for (let at = 0; at < degree; at++) divisor[at] = product(divisor[at] ?? 0, POWERS[root] ?? 0) ^ (divisor[at + 1] ?? 0);
  }
  return divisor;
}

function remainderOf(content: Uint8Array, divisor: Uint8Array): Uint8Array {
  const remainder = new Uint8Array(divisor.length);
  for (const byte of content) {
    const factor = byte ^ (remainder[0] ?? 0);
    for (let at = 0; at < divisor.length; at++) remainder[at] = (remainder[at + 1] ?? 0) ^ product(divisor[at] ?? 0, factor);
  }
  return remainder;
}
