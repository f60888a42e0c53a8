import { hasCyrillic, underLatinLayout } from "./keyboard-layout.ts";
import { GS, withoutEdges } from "./mark-separators.ts";
import { type CodeProblem, type MarkingCode, readCode } from "./marking-code.ts";

/** A received marking code, cleaned and read (fiscal-receipts 4.7). */
type ReadMark = { kind: "mark"; code: MarkingCode } | { kind: "unreadable"; problem: MarkProblem };

export type MarkProblem =
  /** A scanner that acts as a keyboard typed under the Russian layout, so every letter is wrong. */
  | "keyboard-layout"
  /** The text is empty, or has characters that no marking code has. */
  | "characters"
  | "length"
  | CodeProblem;

/** Why an existing mark cannot be read. `shape`: it has no known shape. */
export type UnreadProblem = "shape" | Extract<MarkProblem, "keyboard-layout" | "characters" | "check-digit">;

export const UNREAD_PROBLEMS = ["shape", "keyboard-layout", "characters", "check-digit"] as const satisfies readonly UnreadProblem[];

/** The longest code in use, of alcohol, has 150 characters. Spelled separators make it longer. */
export const MAX_MARK_LENGTH = 300;

/**
 * Cleans a received code, finds its shape and puts its separators in place. A code without a known shape is taken
 * unchanged. Only a text that is certainly no code of one piece is unreadable.
 */
export function readMark(raw: string): ReadMark {
  if (raw.length > MAX_MARK_LENGTH) return unreadable("length");
  const code = withoutEdges(raw);
  if (hasCyrillic(code)) return readUnderLatinLayout(code);
  const read = readSpellings(code);
  if (read.shape === "refused") return unreadable(read.problem);
  if (read.shape !== "unrecognised") return { kind: "mark", code: read };
  const text = withoutScannersPrefix(raw.replaceAll(ARROW, GS));
  const visible = text.replaceAll(GS, "");
  if (!VISIBLE.test(visible) || visible.trim() === "") return unreadable("characters");
  return { kind: "mark", code: { shape: "unrecognised", text } };
}

/** The sign that some scanners show for a separator. No code contains it, so it always means a separator. */
const ARROW = "↔";
const VISIBLE = /^[\x20-\x7e]+$/;

/** Whether a mark is used, and in which form. */
type TakenMark =
  /** The code for the register and the receipt: the read code, or with `unread` the received characters. */
  | { kind: "taken"; code: MarkingCode; unread?: UnreadProblem }
  /** The code is no mark of a piece: a box, a scale's label, an empty text, or a text longer than any code. */
  | { kind: "none"; problem: MarkProblem };

export function takeMark(raw: string): TakenMark {
  const read = readMark(raw);
  if (read.kind === "mark") {
    return { kind: "taken", code: read.code, ...(read.code.shape === "unrecognised" ? { unread: "shape" } : {}) };
  }
  const { problem } = read;
  if (problem === "length" || problem === "aggregate" || problem === "weight-label") return { kind: "none", problem };
  const text = takenText(raw);
  return text === "" ? { kind: "none", problem } : { kind: "taken", code: { shape: "unrecognised", text }, unread: problem };
}

/** Why a mark could not be read. Undefined for a read mark, and for a code that is no mark of a piece. */
export function unreadProblem(raw: string): UnreadProblem | undefined {
  const taken = takeMark(raw);
  return taken.kind === "taken" ? taken.unread : undefined;
}

/** The code in the form for a register. An unreadable mark gets a code too. */
export function codeTaken(raw: string): MarkingCode {
  const taken = takeMark(raw);
  return taken.kind === "taken" ? taken.code : { shape: "unrecognised", text: takenText(raw) };
}

/** The code in characters that registers and drives accept. */
function takenText(raw: string): string {
  const code = withoutEdges(raw.slice(0, MAX_MARK_LENGTH));
  return Array.from(underLatinLayout(code), (char) => (char === GS || VISIBLE.test(char) ? char : UNKNOWN)).join("");
}

/** Replaces a character that registers and drives do not accept. */
const UNKNOWN = "?";

/** The part that two spellings of the same mark share. */
export function identityOf(code: MarkingCode): string {
  switch (code.shape) {
    case "gs1":
    case "tobacco-pack":
      return `${code.gtin} ${code.serial}`;
    default:
      return code.text;
  }
}

/** A mark in a receipt. */
export interface PlacedMark {
  identity: string;
  parameter: string;
  /** The goods are sold by measure. Their mark stays in circulation, so it may be in several positions. */
  measured?: boolean;
}

/**
 * The first repeated code of a piece. One piece cannot be sold twice in a receipt, even if a line by measure has the
 * same code.
 */
export function repeatedMark(marks: readonly PlacedMark[]): { parameter: string } | undefined {
  const seen = new Map<string, { measured: boolean }>();
  for (const { identity, parameter, measured = false } of marks) {
    const before = seen.get(identity);
    if (before !== undefined && !(before.measured && measured)) return { parameter };
    seen.set(identity, { measured });
  }
  return undefined;
}

/** Reads the code unchanged, then without the brackets of the form for people. */
function readSpellings(code: string) {
  const read = readCode(code);
  return read.shape === "unrecognised" ? readCode(withoutBrackets(code)) : read;
}

/** The form for people, `(01)…(21)…`. Brackets are removed only where a GS1 identifier is expected. */
function withoutBrackets(code: string): string {
  const first = /^\((00|01|02)\)/.exec(code)?.[1];
  if (first === undefined) return code;
  const bare = first + code.slice("(00)".length).replaceAll(GS, "");
  return bare
    .replace(/^(01\d{14})\(21\)/, "$121")
    .replace(/^(02\d{14})\(37\)/, "$137")
    .replaceAll(/\((91|92|93|17|7003|8005|3103)\)/g, `${GS}$1`);
}

/** Removes only the scanner's prefix. The other characters of a code without a known shape stay unchanged. */
function withoutScannersPrefix(code: string): string {
  const unprefixed = code.replace(/^\](?:d2|C1|Q3)/, "");
  return unprefixed.startsWith(GS) ? unprefixed.slice(GS.length) : unprefixed;
}

/**
 * Reads what the same keys type under the Latin layout. Only a code of a known shape is accepted, so nothing is
 * guessed.
 */
function readUnderLatinLayout(typed: string): ReadMark {
  const code = readSpellings(withoutEdges(underLatinLayout(typed)));
  const known = code.shape === "gs1" || code.shape === "tobacco-pack";
  return known ? { kind: "mark", code } : unreadable("keyboard-layout");
}

function unreadable(problem: MarkProblem): ReadMark {
  return { kind: "unreadable", problem };
}
