/** What is wrong with a row. */
type Fault =
  /** The row must exist and does not. */
  | { code: "missing" }
  /** The row belongs to an entry that does not exist. */
  | { code: "surplus" }
  /** A column does not hold what this program writes. `problem` names the column and the wrong part, never the value. */
  | { code: "unreadable"; problem: string }
  /** The column says something else than the rows from which it follows. */
  | { code: "differs"; column: string; stored: Value; counted: Value }
  /** An entry in this state must have a value in this column. */
  | { code: "lacks"; column: string; state: string }
  /** An entry in this state must have no value in this column. */
  | { code: "has"; column: string; state: string }
  /** No entry may make this move. */
  | { code: "illegal-move"; from: string | null; to: string }
  /** The move's number is not higher than that of the move before it. */
  | { code: "not-after"; number: number; before: number }
  /** The drive's document was made after the checkpoint, and its number is not higher than the checkpoint's. */
  | { code: "before-checkpoint"; documentNumber: number; checkpointNumber: number }
  /** The operation has two stored answers that differ. */
  | { code: "two-answers" }
  /** Several entries have what only one may have: a key, or a document of a drive. */
  | { code: "repeated"; entries: number[] };

export type Value = number | string | null;

/** A row that does not agree with the rest of the journal. */
export interface Finding {
  table: "entries" | "moves" | "answers" | "shift_links" | "drive_readings";
  /** The row's primary key, with slashes between its parts. */
  row: string;
  /** The entry to which the row belongs. */
  entryId?: number;
  fault: Fault;
}

export type FoundPlace = Omit<Finding, "fault">;

/** Returns one finding when the two values differ, and none when they are equal. */
export function compared(place: FoundPlace, column: string, stored: Value, counted: Value): Finding[] {
  return stored === counted ? [] : [{ ...place, fault: { code: "differs", column, stored, counted } }];
}
