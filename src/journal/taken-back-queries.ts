import type { Transaction } from "kysely";
import type { Tables } from "../store/tables.ts";
import { upsertLostDocument } from "./drive-reading-queries.ts";
import type { Entry } from "./entry.ts";
import { type JournalOutcome, openedShift } from "./outcome.ts";
import { deleteAnswer, deleteShiftLink, insertShiftLink } from "./queries.ts";

/** A document of a drive. */
interface DocumentPlace {
  driveNumber: string;
  documentNumber: number;
}

/**
 * Replaces the traces of a person's earlier statement outside the entry: the stored answer, the shift link, and the
 * claim that a document of the drive is the journal's. Returns the document that the entry no longer claims; undefined
 * when there is none. The drive's document must be read again, because it may still be the operation's document.
 */
export async function replaceTraces(tx: Transaction<Tables>, entry: Entry, outcome: JournalOutcome): Promise<DocumentPlace | undefined> {
  await deleteAnswer(tx, entry.id);
  const before = entry.facts === undefined ? undefined : openedShift(entry, { kind: "done", facts: entry.facts });
  if (before !== undefined) await deleteShiftLink(tx, before);
  const opened = openedShift(entry, outcome);
  if (opened !== undefined) await insertShiftLink(tx, opened);
  const claimed = claimedDocument(entry, outcome);
  if (claimed === undefined) return undefined;
  const { driveNumber: drive_number, documentNumber: document_number } = claimed;
  await upsertLostDocument(tx, { drive_number, document_number, reference: null });
  return claimed;
}

/** The document that the entry claimed and no longer claims. */
function claimedDocument({ facts }: Entry, outcome: JournalOutcome): DocumentPlace | undefined {
  if (facts?.kind !== "fiscal") return undefined;
  const { documentNumber, identity } = facts;
  if (outcome.kind === "done" && outcome.facts.kind === "fiscal" && outcome.facts.documentNumber === documentNumber) return undefined;
  return { driveNumber: identity.driveNumber, documentNumber };
}
