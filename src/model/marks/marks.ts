import { hasCyrillic, underLatinLayout } from "./keyboard-layout.ts";
import { GS, withoutEdges } from "./mark-separators.ts";
import { type CodeProblem, type MarkingCode, readCode } from "./marking-code.ts";

/** A marking code as it came, cleaned and read (fiscal-receipts 4.7). */
type ReadMark = { kind: "mark"; code: MarkingCode } | { kind: "unreadable"; problem: MarkProblem };

export type MarkProblem =
  /** A scanner that types as a keyboard, under the Russian layout: every letter came out as another one. */
  | "keyboard-layout"
  /** Nothing is there, or characters that no marking code has. */
  | "characters"
  | "length"
  | CodeProblem;

/** What keeps a mark from being read that is there: `shape`, it has none that is known. */
export type UnreadProblem = "shape" | Extract<MarkProblem, "keyboard-layout" | "characters" | "check-digit">;

export const UNREAD_PROBLEMS = ["shape", "keyboard-layout", "characters", "check-digit"] as const satisfies readonly UnreadProblem[];

/** The longest code in use, of alcohol, has 150 characters; spelled separators make it longer. */
export const MAX_MARK_LENGTH = 300;

/**
 * Takes a code as it came, finds its shape and puts its separators where they belong. What has no known
 * shape is taken as it is, byte for byte; only what certainly is no code of one piece is unreadable.
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

/** What some scanners show in place of the separator: no code holds it, so it always stands for one. */
const ARROW = "↔";
const VISIBLE = /^[\x20-\x7e]+$/;

/** What becomes of a mark, whatever it is like. */
type TakenMark =
  /** The code that goes to a register and into its receipt: what was read, else (`unread`) the characters that are there. */
  | { kind: "taken"; code: MarkingCode; unread?: UnreadProblem }
  /** No mark of a piece: a box, the label of a scale, nothing at all, more than any code has. */
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

/** Why a mark that is there could not be read; undefined for one that was read, and for what is no mark of a piece. */
export function unreadProblem(raw: string): UnreadProblem | undefined {
  const taken = takeMark(raw);
  return taken.kind === "taken" ? taken.unread : undefined;
}

/** The code as a register gets it, whatever the mark is like. */
export function codeTaken(raw: string): MarkingCode {
  const taken = takeMark(raw);
  return taken.kind === "taken" ? taken.code : { shape: "unrecognised", text: takenText(raw) };
}

/** In the characters that registers and drives take. */
function takenText(raw: string): string {
  const code = withoutEdges(raw.slice(0, MAX_MARK_LENGTH));
  return Array.from(underLatinLayout(code), (char) => (char === GS || VISIBLE.test(char) ? char : UNKNOWN)).join("");
}

/** What stands for a character that neither registers nor drives take. */
const UNKNOWN = "?";

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

/** A mark in a receipt. */
export interface PlacedMark {
  identity: string;
  parameter: string;
  /** The goods are sold by measure: the mark stays in circulation, so it may stand in several positions. */
  measured?: boolean;
}

/** The first code of a piece that occurs twice, by its place; one piece cannot be sold twice in a receipt, whatever else bears its code. */
export function repeatedMark(marks: readonly PlacedMark[]): { parameter: string } | undefined {
  const seen = new Map<string, { measured: boolean }>();
  for (const { identity, parameter, measured = false } of marks) {
    const before = seen.get(identity);
    if (before !== undefined && !(before.measured && measured)) return { parameter };
    seen.set(identity, { measured });
  }
  return undefined;
}

/** As it stands, then as the form for people. */
function readSpellings(code: string) {
  const read = readCode(code);
  return read.shape === "unrecognised" ? readCode(withoutBrackets(code)) : read;
}

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

/** What has no known shape keeps everything but this: nothing is guessed of it. */
function withoutScannersPrefix(code: string): string {
  const unprefixed = code.replace(/^\](?:d2|C1|Q3)/, "");
  return unprefixed.startsWith(GS) ? unprefixed.slice(GS.length) : unprefixed;
}

/** What the same keys give under the Latin layout, where that is a code of known shape; nothing is guessed. */
function readUnderLatinLayout(typed: string): ReadMark {
  const code = readSpellings(withoutEdges(underLatinLayout(typed)));
  const known = code.shape === "gs1" || code.shape === "tobacco-pack";
  return known ? { kind: "mark", code } : unreadable("keyboard-layout");
}

function unreadable(problem: MarkProblem): ReadMark {
  return { kind: "unreadable", problem };
}
