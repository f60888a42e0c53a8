import type { RegisterDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Operation, PlatformId } from "../model/operation.ts";
import type { Reason } from "../model/reason.ts";
import type { Refusal } from "../model/refusal.ts";
import { documentSchema, factsSchema } from "../model/stored-schema.ts";
import type { EntryRow, MoveRow } from "../store/tables.ts";
import type { Checkpoint, Entry, EntryContent, JournalOperation, Move } from "./entry.ts";
import { unreadable } from "./failures.ts";
import type { EntryState } from "./states.ts";

/** Where a document stands; without a number it stands in no drive's archive. */
export type DrivePlace = Pick<MoveRow, "drive_number" | "document_number">;

export const NO_PLACE: DrivePlace = { drive_number: null, document_number: null };

/** Throws `journal-unreadable` for a row whose document or facts are none: nothing is concluded from it. */
export function entryOf(row: EntryRow): Entry {
  return {
    id: row.id,
    key: { appId: row.app_id, accountId: row.account_id, operation: row.operation as JournalOperation, documentId: row.document_id },
    contentHash: row.content_hash,
    twin: row.twin,
    idType: row.id_type as PlatformId["idType"],
    register: row.register,
    operation: JSON.parse(row.content) as Operation,
    document: documentIn(row),
    paper: row.paper as Entry["paper"],
    state: row.state as EntryState,
    attempt: row.attempt,
    acceptedAtMs: row.accepted_at_ms,
    movedAtMs: row.moved_at_ms,
    ...checkpointOf(row),
    ...(row.facts === null ? {} : { facts: factsIn(row.id, row.facts) }),
    ...(row.refusal === null ? {} : { refusal: JSON.parse(row.refusal) as Refusal }),
    ...(row.doubt === null ? {} : { doubt: JSON.parse(row.doubt) as Doubt }),
  };
}

/** As it stands in the row: the schema checks, and changes nothing. */
function documentIn({ id, document }: EntryRow): RegisterDocument {
  const value: RegisterDocument = JSON.parse(document);
  const { error } = documentSchema.safeParse(value);
  if (error !== undefined) throw unreadable(id, "document", error.issues[0]?.path.join("."));
  return value;
}

function factsIn(id: number, facts: string): DocumentFacts {
  const value: DocumentFacts = JSON.parse(facts);
  const { error } = factsSchema.safeParse(value);
  if (error !== undefined) throw unreadable(id, "facts", error.issues[0]?.path.join("."));
  return value;
}

/** Nothing for an entry that was never sent. */
export function checkpointOf({ checkpoint }: Pick<EntryRow, "checkpoint">): { checkpoint?: Checkpoint } {
  return checkpoint === null ? {} : { checkpoint: JSON.parse(checkpoint) as Checkpoint };
}

export function moveOf(row: MoveRow): Move {
  return {
    entryId: row.entry_id,
    attempt: row.attempt,
    atMs: row.at_ms,
    ...(row.from_state === null ? {} : { from: row.from_state as EntryState }),
    to: row.to_state as EntryState,
    by: row.by as Move["by"],
    ...(row.reasons === null ? {} : { reasons: JSON.parse(row.reasons) as Reason[] }),
  };
}

export function moveRow(move: Move): Omit<MoveRow, "number" | keyof DrivePlace> {
  return {
    entry_id: move.entryId,
    attempt: move.attempt,
    to_state: move.to,
    from_state: move.from ?? null,
    at_ms: move.atMs,
    by: move.by,
    reasons: move.reasons === undefined || move.reasons.length === 0 ? null : JSON.stringify(move.reasons),
  };
}

/** Columns of what an attempt is made of. The key has its own: it stays the same through all attempts. */
export function contentColumns(content: EntryContent) {
  return {
    id_type: content.idType,
    store_id: content.operation.storeId,
    register: content.register,
    content_hash: content.contentHash,
    twin: content.twin,
    paper: content.paper,
    original_id: originalOf(content.operation),
    content: JSON.stringify(content.operation),
    document: JSON.stringify(content.document),
  };
}

function originalOf(operation: Operation): string | null {
  return operation.kind === "sales-return" ? (operation.original?.id ?? null) : null;
}

/** Columns that place a finished document in its drive. The drive's number is the device's, never the checkpoint's. */
export function factsColumns(facts: DocumentFacts) {
  return { facts: JSON.stringify(facts), drive_number: facts.identity.driveNumber, shift_number: facts.shiftNumber };
}

/** The same for the move that made it, as far as it stands in the drive's archive. */
export function placeOf(facts: DocumentFacts): DrivePlace {
  const { driveNumber } = facts.identity;
  return { drive_number: driveNumber, document_number: facts.kind === "fiscal" ? facts.documentNumber : null };
}
