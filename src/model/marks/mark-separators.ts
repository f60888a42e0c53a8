/**
 * Separators of marking codes in all spellings (fiscal-receipts 4.7, rules 2 and 3). Every function reads a bounded
 * number of characters from one place, so the work grows in proportion to the code's length.
 */

/** The separator inside a code: ASCII 29. */
export const GS = "\u001d";

/** The eighty characters of serial numbers, keys and prices. */
export const SIGN = "[A-Za-z0-9!\"%&'*+\\-./_,:;=<>?]";

/** The number 29 in its spellings: `1D`, `0x1D`, `u001d`, `U+001D`, `#x1D`, `#29`, `029`, and 35 in octal. */
const NUMBER = "(?:(?:0x|#?x|u\\+?|\\\\[ux])?0{0,6}1d|[#d]?0{0,6}29|0?35)";
const WORD = "(?:gs1?|fnc ?1|f1|group ?separator)";
/** Spellings that can begin with a character of serial numbers. Every other spelling begins with a character that no serial number has. */
const SPELLED = new RegExp(
  [
    `[<{\\[("'](?:${WORD}|${NUMBER})[>}\\])"']`,
    "[%=]0{0,4}1d",
    "0?x0{0,6}1d",
    "u\\+?0{0,4}1d",
    "&#?(?:x0{0,6}1d|0{0,6}29|gs);?",
    "fnc1",
  ].join("|"),
  "iy",
);

const IS_SIGN = new RegExp(`^${SIGN}$`);
const IS_CYRILLIC = /^\p{Script=Cyrillic}$/u;

/**
 * Where a separator that begins at `at` may end, the likeliest end first. Empty when no separator begins there. A character that no serial
 * number has always begins a separator, and the following characters show where the separator ends. Cyrillic letters begin no separator:
 * they are Latin letters that were typed under another layout.
 */
export function separatorEnds(text: string, at: number): number[] {
  const spelled = spellingEnd(text, at);
  return [...new Set([...(spelled === undefined ? [] : [spelled]), ...strangeEnds(text, at)])];
}

/** The longest such spelling, `<group separator>`, has 17 characters. */
const MAX_SPELLING_LENGTH = 17;

/** The end of a spelling that begins before `at` and reaches it. Then the character at `at` is part of the spelling. */
export function spellingAround(text: string, at: number): number | undefined {
  for (let begin = Math.max(0, at - MAX_SPELLING_LENGTH); begin < at; begin += 1) {
    const end = spellingEnd(text, begin);
    if (end !== undefined && end >= at) return end;
  }
  return undefined;
}

function spellingEnd(text: string, at: number): number | undefined {
  SPELLED.lastIndex = at;
  const spelled = SPELLED.exec(text)?.[0];
  return spelled === undefined ? undefined : at + spelled.length;
}

/** The most letters and digits that follow a strange character as part of the separator: `0000001d` has eight. */
const MAX_WORD_LENGTH = 9;
const MAX_STRANGE_LENGTH = 4;
const MAX_CLOSING_LENGTH = 2;
/** Strange characters that open a longer spelling. */
const OPENING = "\\[{(^#$@~";
const CLOSING = ";>])}";

/**
 * Where a separator of strange characters may end. It has strange characters, a word that they open, and characters that close the word:
 * `^]`, `\u1d`, `[0x1D]`, `\u{1d}`, `@29@`.
 */
function strangeEnds(text: string, at: number): number[] {
  let length = run(text, at, MAX_STRANGE_LENGTH, isStrange);
  const opened = length === 0 ? "" : (text[at + length - 1] ?? "");
  if (opened !== "" && OPENING.includes(opened)) {
    length += run(text, at + length, MAX_WORD_LENGTH, isWord);
    const nested = run(text, at + length, 1, (char) => "{([".includes(char));
    if (nested > 0) length += nested + run(text, at + length + nested, MAX_WORD_LENGTH, isWord);
    length += run(text, at + length, MAX_CLOSING_LENGTH, (char) => CLOSING.includes(char) || char === opened);
  }
  return Array.from({ length }, (_, before) => at + before + 1);
}

function isWord(char: string): boolean {
  return /^[A-Za-z0-9+]$/.test(char);
}

/** How many characters from this place on satisfy `isOne`, at most `most`. */
function run(text: string, from: number, most: number, isOne: (char: string) => boolean): number {
  let length = 0;
  for (let char = text[from]; length < most && char !== undefined && isOne(char); char = text[from + length]) length += 1;
  return length;
}

function isStrange(char: string): boolean {
  return !IS_SIGN.test(char) && !IS_CYRILLIC.test(char);
}

/** Blanks, tabs, line breaks, a byte order mark and zero-width spaces. None of them belongs to a code. */
const BLANK = /^[\s\u200b\u2060\ufeff]$/;

/** A scanner's prefix for the kind of code: `]d2`, `]C1`, `]Q3`. No code begins like this. */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;
/** A scanner may send several prefixes, such as `]C1` and a separator. */
const MAX_PREFIXES = 4;

/**
 * The FNC1 at the beginning of a GS1 code, which is the byte E8h: the letter for this byte in Russian code pages, or a spelling of the
 * number. A Cyrillic letter means FNC1 only when digits follow. The letter `è` is found as a strange character.
 */
const FNC1 = /^(?:[ишх]|%C3%A8|[%=]E8|&egrave;|[<{[(](?:0x|x|\\x)?E8[>}\])]|(?:0x|\\x|u\+?|\\u)0{0,2}E8|&#(?:xE8|232);?)/i;

/** The beginning of a GS1 code, also in its form for people. */
const BEGINNING = /^\(?0[012]\)?\d{14}/;
/** The whole of other codes: a pack of cigarettes, a fur, a bar code. */
const OTHER_CODE = new RegExp(`^(?:\\d{14}${SIGN}{15}|RU-\\d{6}-[A-Za-z0-9]{10}|\\d{8}|\\d{13,14})$`);

/** The code without scanner prefixes and without characters typed around it. */
export function withoutEdges(raw: string): string {
  let code = trimmed(raw);
  for (let prefix = 0; prefix < MAX_PREFIXES; prefix += 1) {
    const shorter = withoutPrefix(code);
    if (shorter === undefined) break;
    code = shorter;
  }
  return code;
}

function trimmed(raw: string): string {
  let begin = 0;
  let end = raw.length;
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
