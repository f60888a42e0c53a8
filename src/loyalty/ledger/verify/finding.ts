import type { Tables } from "../../../store/tables.ts";

/** What is wrong with a row. */
type Fault =
  /** The row must exist and does not. */
  | { code: "missing" }
  /** No booking has made the row. */
  | { code: "surplus" }
  /** The hash over the entry, its lot and its allocations differs from the stored hash. */
  | { code: "altered" }
  | { code: "differs"; column: string; stored: number | string | null; counted: number | string | null }
  /** Several rows have a key that only one may have. */
  | { code: "repeated"; times: number };

/** A row that does not agree with the ledger. */
export interface Finding {
  table: keyof Tables & `loyalty_${string}`;
  /** The row's primary key, with slashes between its parts. */
  row: string;
  /** The member whose ledger holds the row. */
  memberId?: string;
  fault: Fault;
}

/** Returns one finding when the two values differ, and none when they are equal. */
export function compared(
  place: Pick<Finding, "table" | "row" | "memberId">,
  column: string,
  stored: number | string | null,
  counted: number | string | null,
): Finding[] {
  return stored === counted ? [] : [{ ...place, fault: { code: "differs", column, stored, counted } }];
}
