import { Failure } from "../../kernel/failure.ts";
import type { RegisterDocument } from "../../model/document.ts";
import type { DocumentFacts } from "../../model/facts.ts";
import type { EntryRow, MoveRow, ShiftLinksTable } from "../../store/tables.ts";
import type { Entry, JournalOperation } from "../entry.ts";
import { openedShift } from "../outcome.ts";
import { contentColumns, entryOf, factsColumns, moveOf, NO_PLACE, placeOf as placeInDrive, sumOf } from "../rows.ts";
import { checkLife, inOrder, known, placeOf } from "./check-life.ts";
import { compared, type Finding, type FoundPlace, type Value } from "./finding.ts";
import type { AnswerRow } from "./verify-queries.ts";

export interface EntryRows {
  entry: EntryRow;
  moves: readonly MoveRow[];
  answers: readonly AnswerRow[];
  links: readonly ShiftLinksTable[];
}

/**
 * Returns the differences between a stored answer and the entry. The check is passed in, because the contracts define the form of answers.
 */
export type AnswerCheck = (entry: Entry, body: Buffer) => { part: string; stored: Value; counted: Value }[];

/** Checks an entry, its moves, its answer and the link of its opened shift. */
export function checkEntry({ entry: row, moves, answers, links }: EntryRows, answerCheck: AnswerCheck): Finding[] {
  const place = { table: "entries", row: `${row.id}`, entryId: row.id } as const;
  const read = readable(place, () => entryOf(row));
  const readMoves = moves.map((move) => readable(placeOf(move), () => moveOf(move)));
  const life = [...readMoves.flatMap(({ findings }) => findings), ...checkLife(row, moves)];
  const parts = [...checkParts(place, row), ...checkCheckpoint(place, row, moves)];
  const { value: entry } = read;
  if (entry === undefined) return [...read.findings, ...life, ...parts];
  return [
    ...life,
    ...parts,
    ...checkContent(place, row, entry),
    ...checkFacts(place, entry, moves),
    ...checkPlaces(row, entry, moves),
    ...checkAnswers(entry, answers, answerCheck),
    ...checkLink(entry, links),
  ];
}

function readable<T>(place: FoundPlace, read: () => T): { value?: T; findings: Finding[] } {
  try {
    return { value: read(), findings: [] };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "journal-unreadable") throw error;
    return { findings: [{ ...place, fault: { code: "unreadable", problem: error.message } }] };
  }
}

/** For each column: the only state in which it has a value. */
const PART_OF = { facts: "done", refusal: "refused", doubt: "in-doubt" } as const;

function checkParts(place: FoundPlace, row: EntryRow): Finding[] {
  const { state } = row;
  return (["facts", "refusal", "doubt"] as const).flatMap((column) => {
    if ((state === PART_OF[column]) === (row[column] !== null)) return [];
    return [{ ...place, fault: { code: row[column] === null ? "lacks" : "has", column, state } }];
  });
}

/** Each sending commits a checkpoint. So an entry has a checkpoint exactly when it was ever sent. */
function checkCheckpoint(place: FoundPlace, row: EntryRow, moves: readonly MoveRow[]): Finding[] {
  const wasSent = moves.some(({ to_state }) => to_state === "sending");
  if (wasSent === (row.checkpoint !== null)) return [];
  return [{ ...place, fault: { code: wasSent ? "lacks" : "has", column: "checkpoint", state: row.state } }];
}

/** Checks the columns copied from the content and the document. */
function checkContent(place: FoundPlace, row: EntryRow, entry: Entry): Finding[] {
  const { key, operation, document } = entry;
  const counted = contentColumns(entry);
  return [
    ...(["store_id", "original_id", "sum_kopecks"] as const).flatMap((column) => compared(place, column, row[column], counted[column])),
    // Entries older than the column `qr_kopecks` have no value there, so only a stored value is compared. The migration gave names to old
    // reports, but new reports have none, so a report's name is not compared.
    ...(row.qr_kopecks === null ? [] : compared(place, "qr_kopecks", row.qr_kopecks, counted.qr_kopecks)),
    ...(counted.name === null ? [] : compared(place, "name", row.name, counted.name)),
    ...compared(place, "operation", operation.kind, kindOf(key.operation)),
    ...compared(place, "document", document.kind, documentKindOf(operation.kind)),
  ];
}

/** Returns the kind of operation that an entry with this key contains. The server's own reports contain the platform's kinds. */
function kindOf(operation: JournalOperation): Entry["operation"]["kind"] {
  if (operation === "auto-open-shift") return "open-shift";
  return operation === "auto-close-shift" ? "close-shift" : operation;
}

function documentKindOf(kind: Entry["operation"]["kind"]): RegisterDocument["kind"] {
  return kind === "sale" || kind === "sales-return" ? "receipt" : kind;
}

/** Checks the facts of a done entry against its document and its checkpoint. */
function checkFacts(place: FoundPlace, entry: Entry, moves: readonly MoveRow[]): Finding[] {
  const { document, facts, checkpoint } = entry;
  if (facts === undefined) return [];
  const last = inOrder(moves.flatMap(known)).at(-1);
  // A person may state another sum than was sent. The move stores the statement.
  const sums = last?.by === "person" ? [] : compared(place, "facts", sumIn(facts), sumOf(document));
  const number = facts.kind === "fiscal" ? facts.documentNumber : undefined;
  const isBehind =
    last?.by === "register" &&
    number !== undefined &&
    checkpoint?.driveNumber === facts.identity.driveNumber &&
    number <= checkpoint.lastDocumentNumber;
  return [
    ...compared(place, "facts", facts.document, document.kind),
    ...sums,
    ...(isBehind
      ? [
          {
            ...place,
            fault: { code: "before-checkpoint", documentNumber: number, checkpointNumber: checkpoint.lastDocumentNumber },
          } as const,
        ]
      : []),
  ];
}

function sumIn(facts: DocumentFacts): number | null {
  if (facts.kind === "cash") return facts.sumKopecks;
  return facts.kind === "fiscal" ? (facts.receipt?.totalKopecks ?? null) : null;
}

/**
 * Checks the columns copied from the facts: drive and shift in the entry, drive and document number in its last move. Other moves have no
 * document number.
 */
function checkPlaces(row: EntryRow, { facts }: Entry, moves: readonly MoveRow[]): Finding[] {
  const place = { table: "entries", row: `${row.id}`, entryId: row.id } as const;
  const counted = facts === undefined ? { drive_number: null, shift_number: null } : factsColumns(facts);
  const made = inOrder(moves.flatMap(known)).at(-1);
  return [
    ...compared(place, "drive_number", row.drive_number, counted.drive_number),
    ...compared(place, "shift_number", row.shift_number, counted.shift_number),
    ...moves.flatMap((move) => {
      const isMaker = facts !== undefined && move.attempt === made?.attempt && move.to_state === made.to_state;
      const { drive_number, document_number } = isMaker ? placeInDrive(facts) : NO_PLACE;
      return [
        ...compared(placeOf(move), "document_number", move.document_number, document_number),
        // The drive's number is compared only in the move that made the document. When a person's statement about a slip was taken back,
        // the move of that statement keeps the drive's number. That move has no document number, so it claims no document.
        ...(isMaker ? compared(placeOf(move), "drive_number", move.drive_number, drive_number) : []),
      ];
    }),
  ];
}

function checkAnswers(entry: Entry, answers: readonly AnswerRow[], answerCheck: AnswerCheck): Finding[] {
  const place = { table: "answers", row: `${entry.id}`, entryId: entry.id } as const;
  const [first] = answers;
  // An earlier version of the server uses only the old table. While both versions run, each may store an entry's answer in its own table.
  // The two answers are then the same.
  const isSame = answers.every(({ body }) => first?.body.equals(body) === true);
  const single = isSame ? [] : [{ ...place, fault: { code: "two-answers" } } as const];
  const each = answers.flatMap(({ done_at_ms, body }): Finding[] => {
    if (entry.state !== "done") return [{ ...place, fault: { code: "has", column: "body", state: entry.state } }];
    return [
      ...(done_at_ms === null ? [] : compared(place, "done_at_ms", done_at_ms, entry.movedAtMs)),
      ...answerCheck(entry, body).map(({ part, stored, counted }) => {
        return { ...place, fault: { code: "differs", column: part, stored, counted } } as const;
      }),
    ];
  });
  return [...single, ...each];
}

/**
 * Checks that the device's shift has a link after the platform's opening. A link that the shift had before is kept, so the platform's id is
 * not compared.
 */
function checkLink(entry: Entry, links: readonly ShiftLinksTable[]): Finding[] {
  const { facts } = entry;
  const due = facts === undefined || entry.key.operation !== "open-shift" ? undefined : openedShift(entry, { kind: "done", facts });
  if (due === undefined) return [];
  const { register, drive_number, shift_number, id_type } = due;
  const isThere = links.some(
    (link) =>
      link.register === register && link.drive_number === drive_number && link.shift_number === shift_number && link.id_type === id_type,
  );
  if (isThere) return [];
  const row = [register, drive_number, shift_number, id_type].join("/");
  return [{ table: "shift_links", row, entryId: entry.id, fault: { code: "missing" } }];
}
