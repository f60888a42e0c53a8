import type { Tables } from "../../../store/tables.ts";

type Fault =
  | { code: "missing" }
  /** No booking made the row. */
  | { code: "surplus" }
  /** The stored hash does not fit the entry, its lot and its allocations. */
  | { code: "altered" }
  | { code: "differs"; column: string; stored: number | string | null; counted: number | string | null }
  /** Several rows share a unique key. */
  | { code: "repeated"; times: number };

export interface Finding {
  table: keyof Tables & `loyalty_${string}`;
  /**
   * The row's primary key with slashes between its parts. For `repeated`: the unique key. For missing lines of an order: the order's id.
   */
  row: string;
  memberId?: string;
  fault: Fault;
}

/** Returns one finding when the two values differ, otherwise none. */
export function compared(
  place: Pick<Finding, "table" | "row" | "memberId">,
  column: string,
  stored: number | string | null,
  counted: number | string | null,
): Finding[] {
  return stored === counted ? [] : [{ ...place, fault: { code: "differs", column, stored, counted } }];
}

/** The largest number of listed entries of one gap or one run of surplus entries. A longer gap also lists its last entry. */
export const MAX_NAMED = 20;

/** Returns the numbers of a gap that are listed: the first `MAX_NAMED` numbers, and the last number. None: `to` is below `from`. */
export function namedOfGap(from: number, to: number): number[] {
  const length = Math.max(0, Math.min(to - from + 1, MAX_NAMED));
  const first = Array.from({ length }, (_, at) => from + at);
  return to - from < MAX_NAMED ? first : [...first, to];
}
