import type { Tables } from "../../../store/tables.ts";

/** What is wrong with a row. */
type Fault =
  /** It must be there, and is not. */
  | { code: "missing" }
  /** Nothing that was booked has made it. */
  | { code: "surplus" }
  /** Its hash, over the entry with its lot and what it took from lots, is not the stored one. */
  | { code: "altered" }
  | { code: "differs"; column: string; stored: number | string | null; counted: number | string | null }
  /** Several rows have a key that only one may have. */
  | { code: "repeated"; times: number };

/** A row that is not what the ledger adds up to. */
export interface Finding {
  table: keyof Tables & `loyalty_${string}`;
  /** The row's primary key, with slashes between its parts. */
  row: string;
  /** Whose ledger it is. */
  memberId?: string;
  fault: Fault;
}

/** A finding where two values must be the same, and none where they are. */
export function compared(
  place: Pick<Finding, "table" | "row" | "memberId">,
  column: string,
  stored: number | string | null,
  counted: number | string | null,
): Finding[] {
  return stored === counted ? [] : [{ ...place, fault: { code: "differs", column, stored, counted } }];
}
