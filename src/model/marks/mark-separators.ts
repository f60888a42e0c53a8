/**
 * Separators of marking codes and their spellings (fiscal-receipts 4.7, rules 2 and 3). Each search at one place reads a bounded number of
 * characters, so the whole work is linear.
 */

/** The separator inside a code: ASCII 29. */
export const GS = "\u001d";

/** The eighty characters of serial numbers, keys and prices. */
export const SIGN = "[A-Za-z0-9!\"%&'*+\\-./_,:;=<>?]";

/** The number 29 in spellings such as `1D`, `0x1D`, `u001d`, `U+001D`, `#x1D`, `#29`, `029`, and in octal, as in `\035`. */
const NUMBER = "(?:(?:0x|#?x|u\\+?|\\\\[ux])?0{0,6}1d|[#d]?0{0,6}29|\\\\?0{0,2}35)";
const ASCII_29 = "asc(?:ii)?[ _-]?\\(?29\\)?";
const WORD = `(?:gs1?|fnc[ _-]?1|f1|group[ _-]?separator|cha?r ?\\(?29\\)?|ctrl ?[-+]? ?\\]|${ASCII_29})`;
/** The part of a spelling between two identical signs, as in `/GS/`. */
const FRAMED = `(?:${WORD}|0?x0{0,6}1d)`;
/**
 * Spellings of a separator. Most begin with a character that a serial number may have. Any spelling that is not listed here begins with a
 * character that no serial number has (`strangeLength`).
 */
const SPELLED = new RegExp(
  [
    `(?:<<|\\[\\[|\\{\\{)(?:${WORD}|${NUMBER})(?:>>|\\]\\]|\\}\\})`,
    `[<{\\[("'](?:${WORD}|${NUMBER})[>}\\])"']`,
    // Escapes that programs between the scanner and this server write: in web addresses (once or twice), in mail, in XML, in spreadsheets.
    "%(?:25)?[ux]?0{0,4}1d",
    "%(?:25)?5c[ux]0{0,4}1d",
    // The picture of the separator, U+241D.
    "%(?:25)?e2%(?:25)?90%(?:25)?9d",
    "&(?:amp;)?#(?:x241d|9245);?",
    "=0{0,4}1d",
    `&lt;(?:gs1?|fnc ?1|${NUMBER})&gt;`,
    "_x0{0,4}1d_",
    "cha?r\\$?\\((?:29|&h1d)\\)",
    "0?x0{0,6}1d",
    "u\\+?0{0,4}1d",
    "&(?:amp;)?#?(?:x0{0,6}1d|0{0,6}29|gs);?",
    "fnc1",
    // The next two spellings have at least five characters. Fewer than one serial number in ten million contains them by chance.
    ASCII_29,
    "chr29",
    "ctrl[-+]\\]",
    // A word, or hexadecimal 1D with an `x`, between two identical signs. Other numbers there may be a part of a serial number.
    `-${FRAMED}-`,
    `/${FRAMED}/`,
    `_${FRAMED}_`,
    `\\*${FRAMED}\\*`,
    `:${FRAMED}:`,
    `\\.${FRAMED}\\.`,
    `\\+${FRAMED}\\+`,
    `%${FRAMED}%`,
    `&${FRAMED}&`,
    `=${FRAMED}=`,
    `!${FRAMED}!`,
    `\\|${FRAMED}\\|`,
  ].join("|"),
  "iy",
);

/**
 * The characters of `SIGN` as a set, and those of words (`WORD_CHARACTERS`). Every character of a long code is looked up in these sets,
 * because a set answers faster than a pattern.
 */
const SIGNS: ReadonlySet<string> = new Set(
  Array.from({ length: 0x80 }, (_, at) => String.fromCharCode(at)).filter((char) => new RegExp(SIGN).test(char)),
);
const WORD_CHARACTERS: ReadonlySet<string> = new Set([...SIGNS].filter((char) => /[A-Za-z0-9+]/.test(char)));
const IS_CYRILLIC = /^\p{Script=Cyrillic}$/u;

/**
 * Returns the possible ends of a separator at the position `at`, the likeliest first; empty for no separator. A separator is a spelling in
 * `SPELLED`, or begins with a strange character: any character that no serial number has. Cyrillic letters are not strange: they are Latin
 * letters typed under another layout. A separator may also be written twice (`isDoubled`).
 */
export function separatorEnds(text: string, at: number): readonly number[] {
  const spelled = spellingEnd(text, at);
  const strange = strangeLength(text, at);
  if (spelled === undefined && strange === 0) return NO_ENDS;
  const ends = spelled === undefined ? [] : [spelled];
  for (let end = at + 1; end <= at + strange; end += 1) if (end !== spelled) ends.push(end);
  for (let nth = 0, single = ends.length; nth < single; nth += 1) {
    const end = ends[nth] ?? at;
    if (isDoubled(text, at, end)) ends.push(end + (end - at));
  }
  return ends;
}

const NO_ENDS: readonly number[] = [];

/** Whether the separator between `at` and `end` is written again after `end`, in the same spelling. */
function isDoubled(text: string, at: number, end: number): boolean {
  return text[end] === text[at] && text.startsWith(text.slice(at, end), end);
}

/** The length of the longest spelling in `SPELLED`: `<<group separator>>`. */
const MAX_SPELLING_LENGTH = 19;

/** The separators of one text. Each place is searched once, however often it is looked up. */
export class Separators {
  readonly #text: string;
  readonly #ends = new Map<number, readonly number[]>();
  readonly #spellings = new Map<number, number | undefined>();

  constructor(text: string) {
    this.#text = text;
  }

  /** As `separatorEnds`. */
  endsFrom(at: number): readonly number[] {
    const known = this.#ends.get(at);
    if (known !== undefined) return known;
    const found = separatorEnds(this.#text, at);
    this.#ends.set(at, found);
    return found;
  }

  /**
   * Returns the end of the first spelling that begins before the position `at` and ends there or later. Undefined: there is none. When the
   * spelling ends later, the character at `at` is part of it.
   */
  spellingAround(at: number): number | undefined {
    for (let begin = Math.max(0, at - MAX_SPELLING_LENGTH); begin < at; begin += 1) {
      const end = this.#spellingFrom(begin);
      if (end !== undefined && end >= at) return end;
    }
    return undefined;
  }

  #spellingFrom(at: number): number | undefined {
    if (!this.#spellings.has(at)) this.#spellings.set(at, spellingEnd(this.#text, at));
    return this.#spellings.get(at);
  }
}

function spellingEnd(text: string, at: number): number | undefined {
  SPELLED.lastIndex = at;
  const spelled = SPELLED.exec(text)?.[0];
  return spelled === undefined ? undefined : at + spelled.length;
}

/** The largest number of letters and digits that belong to a separator after its strange character: `u0000001d` has nine. */
const MAX_WORD_LENGTH = 9;
const MAX_STRANGE_LENGTH = 4;
const MAX_CLOSING_LENGTH = 2;
/** Strange characters that open a longer spelling. */
const OPENING = "\\[{(^#$@~«‹⟨【「";
const CLOSING = ";>])}»›⟩】」";

/**
 * Returns the greatest length of a separator that begins with strange characters; 0 for none. The separator may end after each of its
 * characters. The strange characters may be followed by a word that they open, and by characters that close the word: `^]`, `\u1d`,
 * `[0x1D]`, `\u{1d}`, `@29@`.
 */
function strangeLength(text: string, at: number): number {
  let length = run(text, at, MAX_STRANGE_LENGTH, isStrange);
  const opened = length === 0 ? "" : (text[at + length - 1] ?? "");
  if (opened !== "" && OPENING.includes(opened)) {
    length += run(text, at + length, MAX_WORD_LENGTH, isWord);
    const nested = run(text, at + length, 1, (char) => "{([".includes(char));
    if (nested > 0) length += nested + run(text, at + length + nested, MAX_WORD_LENGTH, isWord);
    length += run(text, at + length, MAX_CLOSING_LENGTH, (char) => CLOSING.includes(char) || char === opened);
  }
  return length;
}

function isWord(char: string): boolean {
  return WORD_CHARACTERS.has(char);
}

/** Counts the characters from this place on that satisfy `isOne`, at most `most`. */
function run(text: string, from: number, most: number, isOne: (char: string) => boolean): number {
  let length = 0;
  for (let char = text[from]; length < most && char !== undefined && isOne(char); char = text[from + length]) length += 1;
  return length;
}

function isStrange(char: string): boolean {
  return !SIGNS.has(char) && (char < "\u0080" || !IS_CYRILLIC.test(char));
}

/** Blanks, tabs, line breaks, a byte order mark and zero-width spaces. No code contains them. */
const BLANK = /^[\s\u200b\u2060\ufeff]$/;

/** A scanner's prefix for the kind of code: `]d2`, `]C1`, `]Q3`. No code begins like this. */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;
/** A scanner may send several prefixes, such as `]C1` and a separator. */
const MAX_PREFIXES = 4;

/**
 * FNC1 at the beginning of a GS1 code is the byte E8h. The pattern matches the letters that Russian code pages have for this byte, and
 * spellings of its number. A match counts only when a code or a scanner's prefix follows. The letter `è`, which Latin-1 has for this byte,
 * is missing here, because `separatorEnds` finds it as a strange character.
 */
const FNC1 = /^(?:[ишх]|%C3%A8|[%=]E8|&egrave;|[<{[(](?:0x|x|\\x)?E8[>}\])]|(?:0x|\\x|u\+?|\\u)0{0,2}E8|&#(?:xE8|232);?)/i;

/** The beginning of a GS1 code, with or without the brackets of the form for people. */
const BEGINNING = /^\(?0[012]\)?\d{14}/;
/** The whole of a code that is no GS1 code: a pack of cigarettes, a fur, a bar code. */
const OTHER_CODE = new RegExp(`^(?:\\d{14}${SIGN}{15}|RU-\\d{6}-[A-Za-z0-9]{10}|\\d{8}|\\d{13,14})$`);

/** Returns the code without the scanner's prefixes, without blanks at both ends, and without line ends after it. */
export function withoutEdges(raw: string): string {
  let code = trimmed(raw);
  for (let prefix = 0; prefix < MAX_PREFIXES; prefix += 1) {
    const shorter = withoutPrefix(code);
    if (shorter === undefined) break;
    code = shorter;
  }
  return code;
}

/**
 * A line end in one of the spellings that programs between the scanner and this server write, or a control character that a scanner sends
 * after a code. Each begins with a character that no code contains. A separator at the end does not match.
 */
const LINE_END = new RegExp(
  `(?:\\\\(?:[rnt0]|x0[0ad]|u000[0ad])|\\^[MJ@]|[\\[{](?:cr|lf|crlf|enter|eot|etx)[\\]}]|(?!${GS})[\\p{Cc}\\s])$`,
  "iu",
);
/** The longest spelling in `LINE_END`: `[enter]`. */
const MAX_LINE_END = 7;
/** The largest number of line ends after a code that are removed. */
const MAX_LINE_ENDS = 4;

function trimmed(raw: string): string {
  let begin = 0;
  let end = raw.length;
  for (let nth = 0; nth < MAX_LINE_ENDS; nth += 1) {
    end -= LINE_END.exec(raw.slice(Math.max(0, end - MAX_LINE_END), end))?.[0].length ?? 0;
  }
  while (begin < end && BLANK.test(raw[begin] ?? "")) begin += 1;
  while (end > begin && BLANK.test(raw[end - 1] ?? "")) end -= 1;
  return raw.slice(begin, end);
}

function withoutPrefix(code: string): string | undefined {
  const symbology = SYMBOLOGY.exec(code)?.[0];
  if (symbology !== undefined) return code.slice(symbology.length);
  if (code.startsWith(GS)) return code.slice(GS.length);
  if (BEGINNING.test(code)) return undefined;
  const opened = FNC1.exec(code)?.[0];
  const rests = [...(opened === undefined ? [] : [opened.length]), ...separatorEnds(code, 0)].map((end) => code.slice(end));
  for (const beginning of [BEGINNING, OTHER_CODE, SYMBOLOGY]) {
    const rest = rests.find((each) => beginning.test(each));
    if (rest !== undefined) return rest;
  }
  return undefined;
}
