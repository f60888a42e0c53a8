/** What a marking code looks like from outside. What is in it is read elsewhere (fiscal-receipts 4.7). */
export type ReadMark = { kind: "mark"; value: string } | { kind: "unreadable"; problem: MarkProblem };

export type MarkProblem =
  /** A scanner that types as a keyboard, under the Russian layout: every letter came out as another one. */
  | "keyboard-layout"
  /** Nothing is there, or characters that no marking code has. */
  | "characters"
  | "length";

/** The longest code in use, of alcohol, has 150 characters; stand-ins for GS make it longer. */
export const MAX_MARK_LENGTH = 300;

/**
 * Takes a code as it came: neither trimmed nor changed in case, since its alphabet has both cases and
 * most signs. Only what certainly is no code is refused; shapes are not looked at here.
 */
export function readMark(raw: string): ReadMark {
  if (raw.length > MAX_MARK_LENGTH) return { kind: "unreadable", problem: "length" };
  if (/\p{Script=Cyrillic}/u.test(raw)) return { kind: "unreadable", problem: "keyboard-layout" };
  const visible = raw.replaceAll(GS, "");
  if (!VISIBLE.test(visible) || visible.trim() === "") return { kind: "unreadable", problem: "characters" };
  return { kind: "mark", value: raw };
}

/** The separator inside a code. */
const GS = "\u001d";
/** ASCII, and `↔`, which some scanners show in place of the separator. */
const VISIBLE = /^[\x20-\x7e↔]+$/;

/** The first code that occurs twice, by its place; one code is one thing and cannot be sold twice in a receipt. */
export function repeatedMark(marks: readonly { value: string; parameter: string }[]): { parameter: string } | undefined {
  const seen = new Set<string>();
  for (const { value, parameter } of marks) {
    if (seen.has(value)) return { parameter };
    seen.add(value);
  }
  return undefined;
}
