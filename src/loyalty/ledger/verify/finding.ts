import type { Tables } from "../../../store/tables.ts";

type Fault =
  /** The row must exist but does not. */
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
  /** The row's primary key, its parts separated by slashes. */
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
