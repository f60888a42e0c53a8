import { type CodeProblem, GS, type MarkingCode, readCode } from "./marking-code.ts";

/** A marking code as it came, cleaned and read (fiscal-receipts 4.7). */
export type ReadMark = { kind: "mark"; code: MarkingCode } | { kind: "unreadable"; problem: MarkProblem };

export type MarkProblem =
  /** A scanner that types as a keyboard, under the Russian layout: every letter came out as another one. */
  | "keyboard-layout"
  /** Nothing is there, or characters that no marking code has. */
  | "characters"
  | "length"
  | CodeProblem;

/** The longest code in use, of alcohol, has 150 characters; stand-ins for GS make it longer. */
export const MAX_MARK_LENGTH = 300;

/**
 * Takes a code as it came, finds its shape and puts its separators where they belong. What has no known
 * shape is taken as it is, byte for byte; only what certainly is no code of one piece is refused.
 */
export function readMark(raw: string): ReadMark {
  if (raw.length > MAX_MARK_LENGTH) return { kind: "unreadable", problem: "length" };
  if (CYRILLIC.test(raw)) return readUnderLatinLayout(raw);
  const visible = raw.replaceAll(GS, "");
  if (!VISIBLE.test(visible) || visible.trim() === "") return { kind: "unreadable", problem: "characters" };
  const code = spellings(raw)
    .map(readCode)
    .find(({ shape }) => shape !== "unrecognised");
  if (code === undefined) return { kind: "mark", code: { shape: "unrecognised", text: withoutPrefix(raw.replaceAll(ARROW, GS)) } };
  return code.shape === "refused" ? { kind: "unreadable", problem: code.problem } : { kind: "mark", code };
}

const CYRILLIC = /\p{Script=Cyrillic}/u;
/** What some scanners show in place of the separator: no code holds it, so it always stands for one. */
const ARROW = "↔";
/** ASCII, and that. */
const VISIBLE = /^[\x20-\x7e↔]+$/;

/** What two spellings of the same mark have in common: they are one thing. */
export function identityOf(code: MarkingCode): string {
  switch (code.shape) {
    case "gs1":
    case "tobacco-pack":
      return `${code.gtin} ${code.serial}`;
    default:
      return code.text;
  }
}

/** The first code that occurs twice, by its place; one code is one thing and cannot be sold twice in a receipt. */
export function repeatedMark(marks: readonly { identity: string; parameter: string }[]): { parameter: string } | undefined {
  const seen = new Set<string>();
  for (const { identity, parameter } of marks) {
    if (seen.has(identity)) return { parameter };
    seen.add(identity);
  }
  return undefined;
}

/**
 * The code in every way it may have been meant, likeliest first. A stand-in is made of characters that a
 * serial number may hold, so it is one only where the code has no shape without that.
 */
function spellings(raw: string): string[] {
  const code = withoutPrefix(raw);
  const separated = withoutPrefix(code.replace(STAND_INS, GS));
  return [code, separated, withoutPrefix(separated.replaceAll("|", GS)), withoutBrackets(separated)];
}

/** Symbology identifiers that scanners put in front, and the FNC1 that opens a GS1 code. */
function withoutPrefix(code: string): string {
  const unprefixed = code.replace(/^\](?:d2|C1|Q3)/, "");
  return unprefixed.startsWith(GS) ? unprefixed.slice(GS.length) : unprefixed;
}

/** How a separator is written by those who cannot show it. */
const STAND_INS = /\\u001d|\\x1d|&#x0*1d;|&#0*29;|<GS>|\{GS\}|↔/gi;

/** The form for people, `(01)…(21)…`: brackets go only where an identifier of GS1 is expected. */
function withoutBrackets(code: string): string {
  const first = /^\((00|01|02)\)/.exec(code)?.[1];
  if (first === undefined) return code;
  const bare = first + code.slice("(00)".length).replaceAll(GS, "");
  return bare
    .replace(/^(01\d{14})\(21\)/, "$121")
    .replace(/^(02\d{14})\(37\)/, "$137")
    .replaceAll(/\((91|92|93|17|7003|8005|3103)\)/g, `${GS}$1`);
}

/** Keys in the order of the board, what they type under the Russian layout, and under the Latin one. */
const RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю.ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ,"№;:?ёЁ/';
const LATIN = "qwertyuiop[]asdfghjkl;'zxcvbnm,./QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>?@#$^&`~|";

/** What the same keys give under the Latin layout, where that is a code of known shape; nothing is guessed. */
function readUnderLatinLayout(raw: string): ReadMark {
  const typed = Array.from(raw, (char) => LATIN[RUSSIAN.indexOf(char)] ?? char).join("");
  // Letters of other languages stand on no key of the Russian board.
  if (CYRILLIC.test(typed)) return { kind: "unreadable", problem: "keyboard-layout" };
  const read = readMark(typed);
  const known = read.kind === "mark" && (read.code.shape === "gs1" || read.code.shape === "tobacco-pack");
  return known ? read : { kind: "unreadable", problem: "keyboard-layout" };
}
