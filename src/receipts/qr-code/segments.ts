/** A text as the modes of ISO/IEC 18004, 7.3, hold it in the fewest bits. */
interface Segments {
  parts: Segment[];
  bits: number;
}

export interface Segment {
  mode: Mode;
  text: string;
}

/** Which of the three columns of table 3 holds: versions up to 9, up to 26, up to 40. */
export type SizeClass = 0 | 1 | 2;

interface Mode {
  /** ISO/IEC 18004, table 2. */
  indicator: number;
  /** Bits of the count of characters (table 3). */
  countBits: readonly [number, number, number];
  /** Bits of a text in sixths, since three digits take 10 bits and two alphanumeric characters 11. */
  sixths(text: string): number;
  /** What the count counts. */
  lengthOf(text: string): number;
  write(text: string, put: Put): void;
}

/** Takes the lowest so many bits of the value. */
type Put = (value: number, bits: number) => void;

const ALPHANUMERIC_SET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
const DIGITS_ONLY = /^\d*$/;
const ALPHANUMERIC_ONLY = /^[\dA-Z $%*+\-./:]*$/;
/** Stretches that can be in the same modes. */
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

/** Bytes of UTF-8: readers take what is not ASCII for that. */
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

/** How the cheapest way to a mode came there; all ways share what they have in common. */
interface Way {
  before: Way | undefined;
  mode: Mode;
  text: string;
  sixths: number;
}

/** For each stretch and mode the cheapest way that ends there is kept, and the cheapest of all at the end. */
export function segmentsOf(text: string, sizeClass: SizeClass): Segments {
  let ways: Way[] = [];
  for (const run of text.match(RUNS) ?? []) {
    const last = ways;
    const cheapest = cheapestOf(last);
    ways = MODES.map((mode) => {
      const head = 6 * (4 + mode.countBits[sizeClass]);
      // A segment that ends takes whole bits.
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

/** Stretches that follow one another in one mode are one segment. */
function partsOf(last: Way | undefined): Segment[] {
  const parts: Segment[] = [];
  for (let way = last; way !== undefined; way = way.before) {
    const next = parts[0];
    if (next?.mode === way.mode) next.text = way.text + next.text;
    else parts.unshift({ mode: way.mode, text: way.text });
  }
  return parts;
}
