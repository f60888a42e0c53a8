import type { JournalParts } from "../journal/journal.ts";
import type { UnreadableEntry } from "../journal/reading/unreadable.ts";
import type { StrayDocument } from "../journal/written/strays.ts";
import type { Log } from "../kernel/log.ts";

/** The largest number of documents that the log line lists. */
const MOST_LISTED = 20;

/** Returns the parts of the journal that log what a person must know. */
export function journalTold(log: Log): Required<Pick<JournalParts, "strays" | "tellUnreadable">> {
  return { strays: (documents) => tellStrays(log, documents), tellUnreadable: (entry) => tellUnreadable(log, entry) };
}

/** Logs one line about the documents whose entries somebody deleted in the database. */
function tellStrays(log: Log, documents: readonly StrayDocument[]): void {
  const listed = documents
    .slice(0, MOST_LISTED)
    .map(({ entryId, driveNumber, documentNumber }) => `${entryId}: ${driveNumber}/${documentNumber}`);
  log.error(
    { documents: documents.length, listed },
    "entries were deleted in the database while no server ran: their documents are read in the drives again, and a repeat gets its document; slips of cash must be compared by a person",
  );
}

/** Logs an unfinished entry that cannot be read. Its register stays stopped, so a person must look. */
function tellUnreadable(log: Log, { id, register, problem }: UnreadableEntry): void {
  log.error({ entry: id, register, problem }, "an unfinished operation cannot be read and is left as it is; a person must look");
}
