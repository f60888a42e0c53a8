/** A text in the modes numeric, alphanumeric and byte (ISO/IEC 18004, 7.3), with the fewest bits. */
interface Segments {
  parts: Segment[];
  bits: number;
}

export interface Segment {
  mode: Mode;
  text: string;
}

/** The column of table 3: versions 1 to 9, 10 to 26, 27 to 40. */
export type SizeClass = 0 | 1 | 2;

interface Mode {
  /** ISO/IEC 18004, table 2. */
  indicator: number;
  /** Bits of the character count (table 3). */
  countBits: readonly [number, number, number];
  /**
   * Length of a text in sixths of a bit, a unit that gives whole numbers: three digits take 10 bits, two alphanumeric characters 11.
   * Infinity: the mode cannot encode the text.
   */
  sixths(text: string): number;
  lengthOf(text: string): number;
  write(text: string, put: Put): void;
}

type Put = (value: number, bits: number) => void;

const ALPHANUMERIC_SET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
const DIGITS_ONLY = /^\d*$/;
const ALPHANUMERIC_ONLY = /^[\dA-Z $%*+\-./:]*$/;
/** Parts of a text whose characters fit the same modes. */
const RUNS = /\d+|[A-Z $%*+\-./:]+|[^\dA-Z $%*+\-./:]+/g;

const NUMERIC: Mode = {
  indicator: 1,
  countBits: [10, 12, 14],
  sixths: (text) => (DIGITS_ONLY.test(text) ? 20 * text.length : Number.POSITIVE_INFINITY),
  lengthOf: (text) => text.length,
  write(text, put) {
    for (let at = 0; at < text.length; at += 3) {
      const digits = text.slice(at, at + 3);
      put(Number(digits), 3 * digits.length + 1);
    }
  },
};

const ALPHANUMERIC: Mode = {
  indicator: 2,
  countBits: [9, 11, 13],
  sixths: (text) => (ALPHANUMERIC_ONLY.test(text) ? 33 * text.length : Number.POSITIVE_INFINITY),
  lengthOf: (text) => text.length,
  write(text, put) {
    const value = (at: number) => ALPHANUMERIC_SET.indexOf(text.charAt(at));
    for (let at = 0; at + 1 < text.length; at += 2) put(45 * value(at) + value(at + 1), 11);
    if (text.length % 2 === 1) put(value(text.length - 1), 6);
  },
};

/** The mode for bytes: UTF-8, which readers assume outside ASCII. */
const BYTES: Mode = {
  indicator: 4,
  countBits: [8, 16, 16],
  sixths: (text) => 48 * Buffer.byteLength(text),
  lengthOf: (text) => Buffer.byteLength(text),
  write(text, put) {
    for (const byte of Buffer.from(text)) put(byte, 8);
  },
};

const MODES = [BYTES, ALPHANUMERIC, NUMERIC] as const;

/**
 * The shortest encoding of the text so far that ends in this mode: a linked list from the last part to the first. Several lists may share
 * their first parts.
 */
interface Way {
  before: Way | undefined;
  mode: Mode;
  text: string;
  sixths: number;
}

/**
 * Encodes the text with the fewest bits. After each part of the text the function keeps the shortest encoding that ends in each mode. At
 * the end it takes the shortest of these.
 */
export function segmentsOf(text: string, sizeClass: SizeClass): Segments {
  let ways: Way[] = [];
  for (const run of text.match(RUNS) ?? []) {
    const last = ways;
    const cheapest = cheapestOf(last);
    ways = MODES.map((mode) => {
      const head = 6 * (4 + mode.countBits[sizeClass]);
      // A segment always ends on a whole bit, so the bits before the new segment are rounded up.
      const changed = { before: cheapest, mode, text: run, sixths: wholeBits(cheapest) * 6 + head + mode.sixths(run) };
      const same = last.find((way) => way.mode === mode);
      const stayed = same && { before: same, mode, text: run, sixths: same.sixths + mode.sixths(run) };
      return stayed !== undefined && stayed.sixths <= changed.sixths ? stayed : changed;
    });
  }
  const best = cheapestOf(ways);
  return { parts: partsOf(best), bits: wholeBits(best) };
}

function cheapestOf(ways: readonly Way[]): Way | undefined {
  let best: Way | undefined;
  for (const way of ways) if (best === undefined || wholeBits(way) < wholeBits(best)) best = way;
  return best;
}

function wholeBits(way: Way | undefined): number {
  return way === undefined ? 0 : Math.ceil(way.sixths / 6);
}

function partsOf(last: Way | undefined): Segment[] {
  const parts: Segment[] = [];
  for (let way = last; way !== undefined; way = way.before) {
    const next = parts[0];
    if (next?.mode === way.mode) next.text = way.text + next.text;
    else parts.unshift({ mode: way.mode, text: way.text });
  }
  return parts;
}
