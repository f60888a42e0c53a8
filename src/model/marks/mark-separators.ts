/**
 * Separators of marking codes in all their spellings (fiscal-receipts 4.7, rules 2 and 3). Everything here looks at a
 * bounded number of characters from one place on: the work grows with the length of the code and no faster.
 */

/** The separator inside a code: ASCII 29. */
export const GS = "\u001d";

/** What serial numbers, keys and prices are made of: eighty characters. */
export const SIGN = "[A-Za-z0-9!\"%&'*+\\-./_,:;=<>?]";

/** 29 by number: `1D`, `0x1D`, `u001d`, `U+001D`, `#x1D`, `#29`, `029`, and 35 in octal. */
const NUMBER = "(?:(?:0x|#?x|u\\+?|\\\\[ux])?0{0,6}1d|[#d]?0{0,6}29|0?35)";
const WORD = "(?:gs1?|fnc ?1|f1|group ?separator)";
/** Spellings of signs that serial numbers hold too; all others begin with a character that none holds. */
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
 * Where a separator that begins at `at` may end, likeliest first; empty where none begins. A character that no serial
 * number holds always begins one; how far it reaches shows by what follows. Cyrillic letters do not: those are Latin ones
 * typed under another layout.
 */
export function separatorEnds(text: string, at: number): number[] {
  const spelled = spellingEnd(text, at);
  return [...new Set([...(spelled === undefined ? [] : [spelled]), ...strangeEnds(text, at)])];
}

/** The longest spelling of signs alone, `<group separator>`, has 17 characters. */
const MAX_SPELLING_LENGTH = 17;

/** Where a spelling that begins before `at` ends, if it reaches that far: what stands there is part of it. */
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

/** Letters and digits behind a strange character that still belong to it: `0000001d` has eight. */
const MAX_WORD_LENGTH = 9;
const MAX_STRANGE_LENGTH = 4;
const MAX_CLOSING_LENGTH = 2;
/** Strange characters that introduce something. */
const OPENING = "\\[{(^#$@~";
const CLOSING = ";>])}";

/** Strange characters, what they introduce, and what closes it: `^]`, `\u1d`, `[0x1D]`, `\u{1d}`, `@29@`. */
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

/** How many characters from that place on are such ones. */
function run(text: string, from: number, most: number, isOne: (char: string) => boolean): number {
  let length = 0;
  for (let char = text[from]; length < most && char !== undefined && isOne(char); char = text[from + length]) length += 1;
  return length;
}

function isStrange(char: string): boolean {
  return !IS_SIGN.test(char) && !IS_CYRILLIC.test(char);
}

/** Blanks, tabs, line breaks, a byte order mark and spaces without width: none of them belongs to a code. */
const BLANK = /^[\s\u200b\u2060\ufeff]$/;

/** What a scanner says of the kind of code that it has read: `]d2`, `]C1`, `]Q3`. No code begins like that. */
const SYMBOLOGY = /^\][A-Za-z][0-9A-Za-z]/;
/** A scanner may send several of these, such as `]C1` and a separator. */
const MAX_PREFIXES = 4;

/**
 * The FNC1 that opens a code of GS1, E8h: `è`, or what that byte is on other code pages, or a spelling of it by number.
 * Cyrillic ones stand for it only where digits follow.
 */
const FNC1 = /^(?:[ишх]|%C3%A8|[%=]E8|&egrave;|[<{[(](?:0x|x|\\x)?E8[>}\])]|(?:0x|\\x|u\+?|\\u)0{0,2}E8|&#(?:xE8|232);?)/i;

/** How a code of GS1 begins, also in the form for people. */
const BEGINNING = /^\(?0[012]\)?\d{14}/;
/** The others as a whole: a pack of cigarettes, a fur, a bar code. */
const OTHER_CODE = new RegExp(`^(?:\\d{14}${SIGN}{15}|RU-\\d{6}-[A-Za-z0-9]{10}|\\d{8}|\\d{13,14})$`);

/** The code without what scanners put in front of it and what was typed round it. */
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
