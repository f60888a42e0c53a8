import { formatQuantity, isWhole, ONE_MILLIONTHS } from "../../kernel/quantity.ts";
import { identityOf, type MarkProblem, type MarkReader, type PlacedMark, type UnreadProblem } from "../marks/marks.ts";
import type { SoldPosition } from "../operation.ts";
import type { Refusal } from "../refusal.ts";
import { printable } from "../texts/printable.ts";
import type { Counting } from "../units.ts";

export type PositionMarks =
  | {
      kind: "read";
      marks: PlacedMark[];
      /** At least one mark is unreadable. The position is accepted nevertheless. */
      unread: boolean;
    }
  | { kind: "refused"; refusal: Refusal };

interface MarkRules {
  counting: Counting;
  /** Whether unreadable marks are accepted. A code that marks no piece, such as a box's code, is never accepted. */
  takesUnread: boolean;
  readMark: MarkReader;
}

/**
 * Reads the marks of a position and compares the number of marks with the quantity (interface 6, Marks). Pieces have at most one mark each.
 * Measured goods have at most one mark in a position.
 */
export function readMarks(sold: SoldPosition, rules: MarkRules, path: string): PositionMarks {
  const found: PlacedMark[] = [];
  let unread = false;
  for (const [place, mark] of sold.marks.entries()) {
    const parameter = `${path}.marks[${place}]`;
    const taken = rules.readMark(mark);
    if (taken.kind === "none") return unreadable(taken.problem, parameter, sold);
    if (taken.unread !== undefined && !rules.takesUnread) return unreadable(taken.unread, parameter, sold);
    unread ||= taken.unread !== undefined;
    found.push({ identity: identityOf(taken.code), parameter, ...(rules.counting === "measure" ? { measured: true } : {}) });
  }
  const refusal = sold.marks.length === 0 ? undefined : countRefusal(sold, rules.counting, path);
  return refusal === undefined ? { kind: "read", marks: found, unread } : { kind: "refused", refusal };
}

/** A refusal for the cashier, who can scan the mark again. */
function unreadable(problem: MarkProblem | UnreadProblem, parameter: string, { assortment }: SoldPosition): PositionMarks {
  const details = { problem, name: printable(assortment.name, MAX_NAME_LENGTH) };
  return { kind: "refused", refusal: { code: "mark-unreadable", parameter, details } };
}

function countRefusal({ marks, quantityMillionths }: SoldPosition, counting: Counting, path: string): Refusal | undefined {
  const details = { quantity: formatQuantity(quantityMillionths), marks: String(marks.length) };
  if (counting === "measure") return marks.length > 1 ? { code: "marks-of-measure", parameter: `${path}.marks`, details } : undefined;
  if (!isWhole(quantityMillionths)) return { code: "marks-need-pieces", parameter: `${path}.quantity`, details };
  const tooMany = marks.length * ONE_MILLIONTHS > quantityMillionths;
  return tooMany ? { code: "marks-exceed-quantity", parameter: `${path}.marks`, details } : undefined;
}

/** The longest name of goods in a refusal. It is enough to recognise the goods. */
const MAX_NAME_LENGTH = 64;
