import { nextTurn } from "../../kernel/clock.ts";
import { hasCyrillic, underLatinLayout } from "./keyboard-layout.ts";
import { GS, withoutEdges } from "./mark-separators.ts";
import { type CodeProblem, type MarkingCode, readCode } from "./marking-code.ts";

/** A received marking code after cleaning and reading (fiscal-receipts 4.7). */
type ReadMark = { kind: "mark"; code: MarkingCode } | { kind: "unreadable"; problem: MarkProblem };

export type MarkProblem =
  /** A scanner acting as a keyboard typed under the Russian layout, so every letter is wrong. */
  | "keyboard-layout"
  /** The text is empty, or has characters that no marking code has. */
  | "characters"
  | "length"
  | CodeProblem;

/** Why an existing mark cannot be read. `shape`: its shape is unknown. */
export type UnreadProblem = "shape" | Extract<MarkProblem, "keyboard-layout" | "characters" | "check-digit">;

export const UNREAD_PROBLEMS = ["shape", "keyboard-layout", "characters", "check-digit"] as const satisfies readonly UnreadProblem[];

/** The longest code in use, for alcohol, has 150 characters. Spelled separators make it longer. */
export const MAX_MARK_LENGTH = 300;

/**
 * Cleans a received code, finds its shape and puts its separators in place. A code of unknown shape stays as received, except that each
 * `ARROW` becomes a separator, and that a scanner's prefix and a separator at the beginning are removed.
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

/** Some scanners send this sign for a separator. No code contains it. */
const ARROW = "↔";
const VISIBLE = /^[\x20-\x7e]+$/;

type TakenMark =
  /**
   * The code for the register and the receipt. With an `unread` other than `shape`: the received text without prefixes and blanks at its
   * ends, as the same keys type it under the Latin layout, with `?` for characters that no code has.
   */
  | { kind: "taken"; code: MarkingCode; unread?: UnreadProblem }
  /** The code marks no piece: a box, a scale's label, an empty text, or a text longer than any code. */
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

/** Reads a mark as `takeMark` does. All code that looks at the marks of one document may share a reader that remembers them. */
export type MarkReader = (raw: string) => TakenMark;

/** Reads each mark of one document once, because a strange code takes about ten microseconds and a document may have a thousand. */
export function markReader(): MarkReader {
  const known = new Map<string, TakenMark>();
  return (raw) => {
    const taken = known.get(raw) ?? takeMark(raw);
    known.set(raw, taken);
    return taken;
  };
}

/** The number of marks that are read in one step. A thousand strange codes take about ten milliseconds. */
const MARKS_A_STEP = 100;

/** Reads the marks of one document in steps. Returns a reader that knows them. */
export async function readInSteps(marks: readonly string[]): Promise<MarkReader> {
  const readMark = markReader();
  for (const [at, mark] of marks.entries()) {
    if (at > 0 && at % MARKS_A_STEP === 0) await nextTurn();
    readMark(mark);
  }
  if (marks.length > MARKS_A_STEP) await nextTurn();
  return readMark;
}

/** Returns why a mark could not be read. Undefined for a readable mark, and for a code that marks no piece. */
export function unreadProblem(raw: string, read: MarkReader = takeMark): UnreadProblem | undefined {
  const taken = read(raw);
  return taken.kind === "taken" ? taken.unread : undefined;
}

/** Returns the code in the form for a register, also for an unreadable mark and for a code that marks no piece. */
export function codeTaken(raw: string, read: MarkReader = takeMark): MarkingCode {
  const taken = read(raw);
  return taken.kind === "taken" ? taken.code : { shape: "unrecognised", text: takenText(raw) };
}

function takenText(raw: string): string {
  const code = withoutEdges(raw.slice(0, MAX_MARK_LENGTH));
  return Array.from(underLatinLayout(code), (char) => (char === GS || VISIBLE.test(char) ? char : UNKNOWN)).join("");
}

const UNKNOWN = "?";

/** Returns the product and the serial number, which all spellings of a mark share, or the whole code if its shape has no serial number. */
export function identityOf(code: MarkingCode): string {
  switch (code.shape) {
    case "gs1":
    case "tobacco-pack":
      return `${code.gtin} ${code.serial}`;
    default:
      return code.text;
  }
}

export interface PlacedMark {
  identity: string;
  parameter: string;
  /** The goods are sold by measure. Their mark stays in circulation and may be in several positions. */
  measured?: boolean;
}

/**
 * Returns the first mark that repeats an earlier mark, unless both are marks of measured goods. One piece cannot be sold twice in a
 * receipt, even if a measured line has the same code.
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
  if (read.shape !== "unrecognised") return read;
  const bare = withoutBrackets(code);
  return bare === code ? read : readCode(bare);
}

/**
 * Removes the brackets of the form for people, `(01)…(21)…`, around known GS1 identifiers. Before an identifier that follows the serial
 * number, a separator replaces the bracket.
 */
function withoutBrackets(code: string): string {
  const first = /^\((00|01|02)\)/.exec(code)?.[1];
  if (first === undefined) return code;
  const bare = first + code.slice("(00)".length).replaceAll(GS, "");
  return bare
    .replace(/^(01\d{14})\(21\)/, "$121")
    .replace(/^(02\d{14})\(37\)/, "$137")
    .replaceAll(/\((91|92|93|17|7003|8005|3103)\)/g, `${GS}$1`);
}

/** Removes the scanner's prefix and a separator at the beginning. The remaining characters stay unchanged. */
function withoutScannersPrefix(code: string): string {
  const unprefixed = code.replace(/^\](?:d2|C1|Q3)/, "");
  return unprefixed.startsWith(GS) ? unprefixed.slice(GS.length) : unprefixed;
}

/**
 * Reads what the same keys type under the Latin layout. Accepts only a GS1 code or a pack of cigarettes, because their check digit proves
 * that the code was read correctly.
 */
function readUnderLatinLayout(typed: string): ReadMark {
  const code = readSpellings(withoutEdges(underLatinLayout(typed)));
  const known = code.shape === "gs1" || code.shape === "tobacco-pack";
  return known ? { kind: "mark", code } : unreadable("keyboard-layout");
}

function unreadable(problem: MarkProblem): ReadMark {
  return { kind: "unreadable", problem };
}
