type Fault =
  /** The row is missing. In `drive_readings`: the entry that the row names is missing. */
  | { code: "missing" }
  /** The row belongs to a missing entry. */
  | { code: "surplus" }
  /** A column has a value that this program does not write. `problem` names the column and the wrong part, never the value. */
  | { code: "unreadable"; problem: string }
  /** The column differs from the value computed from the rest of the journal. */
  | { code: "differs"; column: string; stored: Value; counted: Value }
  /** In this state the column must have a value. */
  | { code: "lacks"; column: string; state: string }
  /** In this state the column must be empty. */
  | { code: "has"; column: string; state: string }
  /** The rules of states.ts do not allow this move. */
  | { code: "illegal-move"; from: string | null; to: string }
  /** The move's number is not higher than the previous move's number. */
  | { code: "not-after"; number: number; before: number }
  /** The drive's document was made after the checkpoint, but its number is not higher than the checkpoint's. */
  | { code: "before-checkpoint"; documentNumber: number; checkpointNumber: number }
  /** The operation has two different stored answers. */
  | { code: "two-answers" }
  /** Several entries share a key, or several moves claim one document of a drive. */
  | { code: "repeated"; entries: number[] };

export type Value = number | string | null;

/** A row that contradicts the rest of the journal. */
export interface Finding {
  table: "entries" | "moves" | "answers" | "shift_links" | "drive_readings";
  /**
   * The row's primary key, with slashes between its parts. For `repeated`: what the entries share. For a missing or surplus move: the
   * entry's id.
   */
  row: string;
  entryId?: number;
  fault: Fault;
}

export type FoundPlace = Omit<Finding, "fault">;

/** Returns a finding when the two values differ. */
export function compared(place: FoundPlace, column: string, stored: Value, counted: Value): Finding[] {
  return stored === counted ? [] : [{ ...place, fault: { code: "differs", column, stored, counted } }];
}
