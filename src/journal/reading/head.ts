import type { Entry } from "../entry.ts";

/** The name of a report that a person orders. A till gives it no number. */
export const BY_COMMAND = "by command";

/** An entry without its operation and document, which may have 1,000 positions. Lists read heads only. */
export interface EntryHead extends Omit<Entry, "contentHash" | "twinHash" | "idType" | "paper" | "operation" | "document"> {
  storeId: string;
  /** The till's number of the document. Absent for a report that a person ordered, which is shown as `BY_COMMAND`. */
  name?: string;
  /** The sum that the document settles or moves. Absent for a report. */
  sumKopecks?: number;
}
