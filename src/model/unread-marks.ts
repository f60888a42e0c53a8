import type { ReceiptLine, TradeDocument } from "./document.ts";
import { takeMark, type UnreadProblem } from "./marks/marks.ts";
import type { Refusal } from "./refusal.ts";

/** A position whose mark could not be read. */
export interface UnreadMark {
  /** Its place in the document, from 0 on. */
  line: number;
  name: string;
  problem: UnreadProblem;
}

/** What was sold, or came back, under marks that could not be read. */
export function unreadMarksOf(lines: readonly Pick<ReceiptLine, "name" | "unreadMark">[]): UnreadMark[] {
  return lines.flatMap(({ name, unreadMark }, line) => (unreadMark === undefined ? [] : [{ line, name, problem: unreadMark }]));
}

/** For the people who answer for a receipt: `2 (check-digit), 3 (shape)`, by the places of its positions. Never the mark itself. */
export function unreadPlaces(unread: readonly Pick<UnreadMark, "line" | "problem">[]): string {
  return unread.map(({ line, problem }) => `${line + 1} (${problem})`).join(", ");
}

/**
 * Why a document must not go to a register: a mark cannot be read, and nobody has decided that it is sold all the same. One
 * without a known shape was always taken, so documents that were stored before the decision was kept with them still go.
 */
export function unreadRefusal({ lines }: Pick<TradeDocument, "lines">): Refusal | undefined {
  for (const { name, mark, unreadMark } of lines) {
    const taken = mark === undefined ? undefined : takeMark(mark);
    const problem = taken?.kind === "none" ? taken.problem : taken?.unread;
    if (problem === undefined || problem === "shape") continue;
    if (taken?.kind === "taken" && unreadMark !== undefined) continue;
    return { code: "mark-unreadable", details: { name, problem } };
  }
  return undefined;
}
