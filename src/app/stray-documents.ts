import type { StrayDocument } from "../journal/written/strays.ts";
import type { Log } from "../kernel/log.ts";

/** The largest number of documents that the log line lists. */
const MOST_LISTED = 20;

/** Logs one line about the documents whose entries somebody deleted in the database. */
export function tellStrays(log: Log, documents: readonly StrayDocument[]): void {
  const listed = documents
    .slice(0, MOST_LISTED)
    .map(({ entryId, driveNumber, documentNumber }) => `${entryId}: ${driveNumber}/${documentNumber}`);
  log.error(
    { documents: documents.length, listed },
    "entries were deleted in the database while no server ran: their documents are read in the drives again, and a repeat gets its document; slips of cash must be compared by a person",
  );
}
