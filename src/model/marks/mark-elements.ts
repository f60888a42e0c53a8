import { GS, Separators, SIGN } from "./mark-separators.ts";

/** The parts of a GS1 code after its product number. */
interface Gs1Parts {
  serial: string;
  /** True: a key and a signature follow the serial number (shapes A, B). False: a short check value follows. */
  full: boolean;
  /** Everything after the serial number, with separators. */
  tail: string;
}

/**
 * Reads the parts after `21`, the identifier of the serial number. A table length is a length of serial numbers in the table of
 * fiscal-receipts 4.7. The first possible reading of this list counts:
 *
 * 1. A serial number of a table length. All separators are correct, are `|`, or have a spelling of `STAND_INS`.
 * 2. A serial number of a table length, then a separator in another spelling. Later separators have any spelling, or are lost.
 * 3. No separators at all, and exactly one of the forms in `JOINED`.
 * 4. A serial number of a table length. The first separator is lost, a later separator is kept.
 * 5. As 1, with a serial number of any other length.
 * 6. As 2, with a serial number of any other length.
 *
 * The table lengths are tried in the order 13, 7, 6 (fiscal-receipts 4.7, rule 6). A serial number never ends inside a spelling: `&#29;` is
 * never read as `&` and the spelling `#29;`.
 */
export function readElements(rest: string): Gs1Parts | undefined {
  const exact = readSeparated(rest);
  if (exact !== undefined && TABLE_LENGTHS.includes(exact.serial.length)) return exact;
  const chain = new Chain(rest);
  return (
    firstOf(TABLE_LENGTHS, (length) => readSpelled(rest, length, chain)) ??
    firstOf(JOINED, (shape) => readJoined(rest, shape)) ??
    firstOf(TABLE_LENGTHS, (length) => readHalfJoined(rest, length, chain)) ??
    exact ??
    firstOf(OTHER_LENGTHS, (length) => readSpelled(rest, length, chain))
  );
}

/** Lengths of serial numbers in the table of fiscal-receipts 4.7. */
const TABLE_LENGTHS: readonly number[] = [13, 7, 6];
/** The limit of GS1. */
const MAX_SERIAL_LENGTH = 20;
const OTHER_LENGTHS = Array.from({ length: MAX_SERIAL_LENGTH }, (_, at) => at + 1).filter((length) => !TABLE_LENGTHS.includes(length));

function firstOf<T>(choices: readonly T[], read: (choice: T) => Gs1Parts | undefined): Gs1Parts | undefined {
  for (const choice of choices) {
    const parts = read(choice);
    if (parts !== undefined) return parts;
  }
  return undefined;
}

const SERIAL = new RegExp(`^${SIGN}{1,20}$`);
const LEADING_SIGNS = new RegExp(`^${SIGN}{1,20}`);
/** A serial number with the expiry that follows it in dairy codes, before the first separator. */
const WITH_EXPIRY = new RegExp(`^(?<serial>${SIGN}{13})(?<expiry>17\\d{6}|7003\\d{10})$`);
/** GS1 elements: key and signature, check value, expiry, highest price, net weight, batch and further numbers. */
const ELEMENT = new RegExp(`^(?:91${SIGN}{4}|92.+|93${SIGN}{4}|17\\d{6}|7003\\d{10}|8005\\d{6}|310\\d\\d{6}|(?:10|240)${SIGN}+)$`, "s");

/** Spellings that always mean a separator, inside a signature too. */
const STAND_INS = /\\u001d|\\x1d|&#x0{0,6}1d;|&#0{0,6}29;|<GS>|\{GS\}|↔/gi;

/** Tries the unchanged text first: a serial number may contain characters that spell a separator elsewhere. */
function readSeparated(rest: string): Gs1Parts | undefined {
  const replaced = rest.replace(STAND_INS, GS);
  return readExact(rest) ?? readExact(replaced) ?? readExact(replaced.replaceAll("|", GS));
}

/** Reads a code whose parts all end at separators. */
function readExact(rest: string): Gs1Parts | undefined {
  if (!rest.includes(GS)) return undefined;
  const [first = "", ...elements] = rest.split(GS);
  const expiring = WITH_EXPIRY.exec(first)?.groups;
  const serial = expiring?.serial ?? first;
  const last = elements.at(-1) === "" ? elements.slice(0, -1) : elements;
  if (!SERIAL.test(serial) || last.length === 0 || !last.every((element) => ELEMENT.test(element))) return undefined;
  const full = last.some((element) => element.startsWith("91"));
  if (!full && !last.some((element) => element.startsWith("93"))) return undefined;
  return { serial, full, tail: (expiring?.expiry ?? "") + GS + elements.join(GS) };
}

const SIGNATURE = "92(?:.{88}|.{44})";
const NET_WEIGHT = "(?:3103\\d{6})?";
/** The possible forms of a code without separators: the length of the serial number, and what follows the serial number. */
const JOINED: readonly { serial: number; rest: RegExp }[] = [
  { serial: 13, rest: new RegExp(`^(91${SIGN}{4})(${SIGNATURE})$`, "s") },
  { serial: 13, rest: new RegExp(`^(17\\d{6}|7003\\d{10})?(93${SIGN}{4})(${NET_WEIGHT})$`) },
  { serial: 7, rest: new RegExp(`^(8005\\d{6})?(93${SIGN}{4})(${NET_WEIGHT})$`) },
  { serial: 6, rest: new RegExp(`^(93${SIGN}{4})(${NET_WEIGHT})$`) },
  // Goods on sale also have serial numbers of six characters before a key and a signature (fiscal-receipts 4.7, rule 6).
  { serial: 6, rest: new RegExp(`^(91${SIGN}{4})(${SIGNATURE})$`, "s") },
];

/** Reads a code that has lost all its separators. The lengths show where the parts end, and the separators are put back. */
function readJoined(rest: string, { serial: length, rest: shape }: (typeof JOINED)[number]): Gs1Parts | undefined {
  const serial = serialOf(rest, length);
  const parts = shape
    .exec(rest.slice(length))
    ?.slice(1)
    .filter((part) => part !== undefined && part !== "");
  if (serial === undefined || parts === undefined) return undefined;
  return partsOf(
    serial,
    parts.map((text) => ({ text, separated: false })),
  );
}

/** Reads a serial number of this length with a separator directly after it. */
function readSpelled(rest: string, length: number, chain: Chain): Gs1Parts | undefined {
  const ends = length > chain.plainLength ? [] : chain.separators.endsFrom(length);
  if (ends.length === 0 || (chain.separators.spellingAround(length) ?? 0) > length) return undefined;
  for (const end of ends) {
    const elements = chain.from(end, true);
    const parts = elements === undefined ? undefined : partsOf(rest.slice(0, length), elements);
    if (parts !== undefined) return parts;
  }
  return undefined;
}

/** Reads a serial number of this length, an element directly after it, and at least one later separator. */
function readHalfJoined(rest: string, length: number, chain: Chain): Gs1Parts | undefined {
  const elements = length > chain.plainLength ? undefined : chain.from(length, false);
  if (elements === undefined || !elements.some(({ separated }) => separated)) return undefined;
  return chain.separators.spellingAround(length) === undefined ? partsOf(rest.slice(0, length), elements) : undefined;
}

function serialOf(rest: string, length: number): string | undefined {
  const serial = rest.slice(0, length);
  return serial.length === length && SERIAL.test(serial) ? serial : undefined;
}

/**
 * Returns the length of the longest serial number at the beginning that contains no whole spelling of `STAND_INS`. In a code with such a
 * spelling, the serial number ends before the spelling does.
 */
function plainLengthOf(rest: string): number {
  const longest = rest.slice(0, LEADING_SIGNS.exec(rest)?.[0].length ?? 0);
  const [spelled] = longest.match(STAND_INS) ?? [];
  return spelled === undefined ? longest.length : longest.indexOf(spelled) + spelled.length - 1;
}

interface Element {
  /** Identifier and value. Empty when the code ends with a separator. */
  text: string;
  /** Whether a separator stands before the element. */
  separated: boolean;
}

function partsOf(serial: string, elements: readonly Element[]): Gs1Parts | undefined {
  const identifiers = elements.map(({ text }) => text.slice(0, 2));
  const full = identifiers.includes("91");
  if (!full && !identifiers.includes("93")) return undefined;
  // If an identifier occurs twice, one of the two is a part of the serial number that only looks like an element. So this reading is wrong.
  if (new Set(identifiers).size !== identifiers.length) return undefined;
  const [first] = elements;
  // An expiry follows its serial number without a separator, even in codes with separators.
  const joint = first !== undefined && !first.separated && /^(?:17|7003)/.test(first.text) ? "" : GS;
  return { serial, full, tail: joint + elements.map(({ text }) => text).join(GS) };
}

/** Elements of known length. The next element may follow without a separator. */
const FIXED = new RegExp(`(?:91${SIGN}{4}|93${SIGN}{4}|17\\d{6}|7003\\d{10}|8005\\d{6}|310\\d{7})`, "y");
/** Batch and further numbers end at a separator. */
const VARIABLE = new RegExp(`(?:10|240)${SIGN}+`, "y");
const SIGNATURE_LENGTHS = [88, 44];
/**
 * The largest number of searches of `Chain` in one code, for all possible serial numbers together. Codes of the table need at most eight,
 * with separators in any spelling. The limit is low because a receipt may have a thousand codes, and each is read several times.
 */
const MAX_PLACES = 32;

/**
 * Finds the elements from a position to the end of the code. The result for each position is remembered, also when no elements reach the
 * end from there. So each position is searched at most twice for all possible serial numbers together: with and without a separator before
 * it.
 */
class Chain {
  readonly separators: Separators;
  /** See `plainLengthOf`. */
  readonly plainLength: number;
  readonly #text: string;
  readonly #found = new Map<number, Element[] | undefined>();
  #places = 0;

  constructor(text: string) {
    this.#text = text;
    this.separators = new Separators(text);
    this.plainLength = plainLengthOf(text);
  }

  from(at: number, separated: boolean): Element[] | undefined {
    const place = at * 2 + (separated ? 1 : 0);
    if (this.#found.has(place)) return this.#found.get(place);
    if (this.#places === MAX_PLACES) return undefined;
    this.#places += 1;
    const found = this.#search(at, separated);
    this.#found.set(place, found);
    return found;
  }

  #search(at: number, separated: boolean): Element[] | undefined {
    for (const end of this.#elementEnds(at, separated)) {
      const rest = this.#behind(end);
      if (rest !== undefined) return [{ text: this.#text.slice(at, end), separated }, ...rest];
    }
    return undefined;
  }

  #behind(at: number): Element[] | undefined {
    if (at === this.#text.length) return [];
    for (const end of this.separators.endsFrom(at)) {
      if (end === this.#text.length) return [{ text: "", separated: true }];
      const rest = this.from(end, true);
      if (rest !== undefined) return rest;
    }
    return this.from(at, false);
  }

  /**
   * Returns the possible ends of an element at the position `at`. Batch and further numbers, and a signature of an unknown length, are
   * elements only after a separator.
   */
  #elementEnds(at: number, separated: boolean): number[] {
    const fixed = matchEnd(FIXED, this.#text, at);
    if (fixed !== undefined) return [fixed];
    const variable = separated ? matchEnd(VARIABLE, this.#text, at) : undefined;
    if (variable !== undefined) return [variable];
    if (!this.#text.startsWith("92", at)) return [];
    const value = at + "92".length;
    const known = SIGNATURE_LENGTHS.map((length) => value + length).filter((end) => end <= this.#text.length);
    if (!separated || value === this.#text.length) return known;
    const kept = this.#text.indexOf(GS, value + 1);
    return [...known, kept === -1 ? this.#text.length : kept];
  }
}

/** Returns the end of the match at the position `at`. `pattern` must be sticky, so that it matches only there. */
function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
