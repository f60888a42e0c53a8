import type { RegisterDocument } from "../model/document.ts";
import type { DocumentFacts } from "../model/facts.ts";
import { ID_TYPES, type Operation } from "../model/operation.ts";
import { PAPERS } from "../model/paper.ts";
import { documentSchema } from "../model/stored/document-schema.ts";
import { factsSchema } from "../model/stored/facts-schema.ts";
import { operationSchema } from "../model/stored/operation-schema.ts";
import { doubtSchema, reasonsSchema, refusalSchema } from "../model/stored/reason-schema.ts";
import { jsonIn, type RowPlace, wordIn } from "../store/columns.ts";
import type { EntryRow, MoveRow } from "../store/tables.ts";
import { checkpointSchema } from "./checkpoint-schema.ts";
import {
  type Checkpoint,
  type Entry,
  type EntryContent,
  type EntryKey,
  FOUND_OUT_BY,
  JOURNAL_OPERATIONS,
  type Move,
  type Twin,
} from "./entry.ts";
import type { EntryHead } from "./reading/head.ts";
import type { DocumentRow, HeadRow } from "./reading/step-queries.ts";
import { ENTRY_STATES } from "./states.ts";

/** A document's drive and number. Documents without a number are not in the drive's archive. */
export type DrivePlace = Pick<MoveRow, "drive_number" | "document_number">;

export const NO_PLACE: DrivePlace = { drive_number: null, document_number: null };

/** Returns the entry of a row. Throws `journal-unreadable` for an unknown value in a column. */
export function entryOf(row: EntryRow): Entry {
  const place = rowPlace("entries", `${row.id}`);
  return {
    ...ownOf(row, place),
    contentHash: row.content_hash,
    twinHash: row.twin,
    idType: wordIn(place, "id_type", row.id_type, ID_TYPES),
    operation: jsonIn(place, "content", row.content, operationSchema),
    document: documentOf(row),
    paper: wordIn(place, "paper", row.paper, PAPERS),
  };
}

/** Returns the head of a row. Throws `journal-unreadable` like `entryOf`. */
export function headOf(row: HeadRow): EntryHead {
  const own = ownOf(row, rowPlace("entries", `${row.id}`));
  const isNamed = own.key.operation !== "x-report" && own.key.operation !== "state-report";
  return {
    ...own,
    storeId: row.store_id,
    ...(row.name === null || !isNamed ? {} : { name: row.name }),
    ...(row.sum_kopecks === null ? {} : { sumKopecks: row.sum_kopecks }),
  };
}

export function documentOf({ id, document }: DocumentRow): RegisterDocument {
  return jsonIn(rowPlace("entries", `${id}`), "document", document, documentSchema);
}

/** Returns the members that an entry and its head have in common. */
function ownOf(row: HeadRow, place: RowPlace) {
  const operation = wordIn(place, "operation", row.operation, JOURNAL_OPERATIONS);
  return {
    id: row.id,
    key: { appId: row.app_id, accountId: row.account_id, operation, documentId: row.document_id },
    register: row.register,
    state: wordIn(place, "state", row.state, ENTRY_STATES),
    attempt: row.attempt,
    acceptedAtMs: row.accepted_at_ms,
    movedAtMs: row.moved_at_ms,
    ...checkpointOf(row),
    ...(row.facts === null ? {} : { facts: jsonIn(place, "facts", row.facts, factsSchema) }),
    ...(row.refusal === null ? {} : { refusal: jsonIn(place, "refusal", row.refusal, refusalSchema) }),
    ...(row.doubt === null ? {} : { doubt: jsonIn(place, "doubt", row.doubt, doubtSchema) }),
  };
}

export type TwinRow = Pick<EntryRow, "id" | "document_id" | "id_type" | "state">;

/** Returns the twin in a row. `of`: the key of the same document under the other id type, with the same account and operation. */
export function twinOf({ id, document_id, id_type, state }: TwinRow, of: EntryKey): Twin {
  const place = rowPlace("entries", `${id}`);
  return {
    id,
    key: { ...of, documentId: document_id },
    idType: wordIn(place, "id_type", id_type, ID_TYPES),
    state: wordIn(place, "state", state, ENTRY_STATES),
  };
}

export function optionalEntry(row: EntryRow | undefined): Entry | undefined {
  return row === undefined ? undefined : entryOf(row);
}

function rowPlace(table: "entries" | "moves", row: string): RowPlace {
  return { failure: "journal-unreadable", table, row };
}

/** Returns the checkpoint; empty for an entry that was never sent. */
export function checkpointOf({ id, checkpoint }: Pick<EntryRow, "id" | "checkpoint">): { checkpoint?: Checkpoint } {
  if (checkpoint === null) return {};
  return { checkpoint: jsonIn(rowPlace("entries", `${id}`), "checkpoint", checkpoint, checkpointSchema) };
}

/** Returns the move of a row. Throws `journal-unreadable` like `entryOf`. */
export function moveOf(row: MoveRow): Move {
  const place = rowPlace("moves", `${row.entry_id}/${row.attempt}/${row.to_state}`);
  return {
    entryId: row.entry_id,
    attempt: row.attempt,
    atMs: row.at_ms,
    ...(row.from_state === null ? {} : { from: wordIn(place, "from_state", row.from_state, ENTRY_STATES) }),
    to: wordIn(place, "to_state", row.to_state, ENTRY_STATES),
    by: wordIn(place, "by", row.by, FOUND_OUT_BY),
    ...(row.reasons === null ? {} : { reasons: jsonIn(place, "reasons", row.reasons, reasonsSchema) }),
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

/** Returns the columns of an entry that begins, or begins again. */
export function freshColumns(
  content: EntryContent,
  { state, atMs, checkpoint }: { state: "queued" | "sending"; atMs: number; checkpoint: Checkpoint | undefined },
) {
  return {
    ...contentColumns(content),
    state,
    moved_at_ms: atMs,
    checkpoint: checkpoint === undefined ? null : JSON.stringify(checkpoint),
    facts: null,
    refusal: null,
    doubt: null,
  };
}

/** Returns the columns of an attempt's content, without the key, which is the same in all attempts. */
export function contentColumns(content: EntryContent) {
  return {
    id_type: content.idType,
    store_id: content.operation.storeId,
    register: content.register,
    content_hash: content.contentHash,
    twin: content.twinHash,
    paper: content.paper,
    original_id: originalOf(content.operation),
    qr_kopecks: qrSumOf(content.operation),
    name: nameOf(content.operation),
    content: JSON.stringify(content.operation),
    ...documentColumns(content.document),
  };
}

/** Returns the document's columns. A later document of the attempt replaces all of them. */
export function documentColumns(document: RegisterDocument) {
  return { sum_kopecks: sumOf(document), document: JSON.stringify(document) };
}

function originalOf(operation: Operation): string | null {
  return operation.kind === "sales-return" ? (operation.original?.id ?? null) : null;
}

function qrSumOf(operation: Operation): number | null {
  return operation.kind === "sale" && operation.payments.qrKopecks > 0 ? operation.payments.qrKopecks : null;
}

function nameOf(operation: Operation): string | null {
  return operation.kind === "x-report" || operation.kind === "state-report" ? null : operation.name;
}

/** Returns the sum that the document settles or moves, in kopecks. Null for a report. */
export function sumOf(document: RegisterDocument): number | null {
  if ("totalKopecks" in document) return document.totalKopecks;
  return "sumKopecks" in document ? document.sumKopecks : null;
}

/**
 * Returns the columns of a finished document: its facts, drive and shift. The drive's number comes from the facts, never from the
 * checkpoint.
 */
export function factsColumns(facts: DocumentFacts) {
  return { facts: JSON.stringify(facts), drive_number: facts.identity.driveNumber, shift_number: facts.shiftNumber };
}

/** Returns the drive and number of a document, for its move. A document without a number is not in the drive's archive. */
export function placeOf(facts: DocumentFacts): DrivePlace {
  const { driveNumber } = facts.identity;
  return { drive_number: driveNumber, document_number: facts.kind === "fiscal" ? facts.documentNumber : null };
}
