import type { ReceiptLine, TradeDocument } from "./document.ts";
import { type MarkReader, takeMark, type UnreadProblem } from "./marks/marks.ts";
import type { Refusal } from "./refusal.ts";

export interface UnreadMark {
  /** Index of the line in the document, from 0. */
  line: number;
  name: string;
  problem: UnreadProblem;
}

/** Returns the lines sold or returned with unreadable marks. */
export function unreadMarksOf(lines: readonly Pick<ReceiptLine, "name" | "unreadMark">[]): UnreadMark[] {
  return lines.flatMap(({ name, unreadMark }, line) => (unreadMark === undefined ? [] : [{ line, name, problem: unreadMark }]));
}

/** Positions and problems for people: `2 (check-digit), 3 (shape)`. Never the mark itself. */
export function unreadPlaces(unread: readonly Pick<UnreadMark, "line" | "problem">[]): string {
  return unread.map(({ line, problem }) => `${line + 1} (${problem})`).join(", ");
}

/**
 * Returns why a document must not be sent: it has an unreadable mark that nobody has allowed or that cannot be allowed. A mark of unknown
 * shape is accepted, because older documents do not record the permission.
 */
export function unreadRefusal({ lines }: Pick<TradeDocument, "lines">, read: MarkReader = takeMark): Refusal | undefined {
  for (const { name, mark, unreadMark } of lines) {
    const taken = mark === undefined ? undefined : read(mark);
    const problem = taken?.kind === "none" ? taken.problem : taken?.unread;
    if (problem === undefined || problem === "shape") continue;
    if (taken?.kind === "taken" && unreadMark !== undefined) continue;
    return { code: "mark-unreadable", details: { name, problem } };
  }
  return undefined;
}
