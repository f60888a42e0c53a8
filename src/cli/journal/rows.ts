import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { BY_COMMAND, type EntryHead } from "../../journal/reading/head.ts";
import { isReadable, type Listed, type UnreadableEntry } from "../../journal/reading/unreadable.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { visibleLine } from "../../kernel/visible.ts";
import { isTrade } from "../../model/document.ts";
import { type UnreadMark, unreadMarksOf } from "../../model/unread-marks.ts";
import { doubtText } from "./words/reason-words.ts";
import { ageText } from "./words/waiting-words.ts";

type Cells = readonly string[];

export function titleRow(): Cells {
  return ["NUMBER", "ACCEPTED (UTC)", "STATE", "OPERATION", "NAME", "SUM", "ФД", "STORE", "DOCUMENT"];
}

/**
 * Returns the rows of the entries, in their order, and a line for each entry that cannot be read, with what is wrong. Reads the documents
 * of the entries.
 */
export async function detailRows(
  { heads }: Pick<Journal, "heads">,
  entries: readonly Listed<EntryHead>[],
): Promise<{ rows: Cells[]; problems: string[] }> {
  const notes = new Map<number, readonly string[]>();
  const problems = unreadableLines(entries);
  for await (const { head, ...read } of heads.withDocuments(entries.filter(isReadable))) {
    notes.set(head.id, read.problem === undefined ? documentNotes(read) : ["document cannot be read"]);
    if (read.problem !== undefined) problems.push(unreadableLine(head.id, read.problem));
  }
  const rows = entries.map((entry) => (isReadable(entry) ? detailsOf(entry, notes.get(entry.id) ?? []) : unreadableRow(entry)));
  return { rows, problems };
}

function detailsOf(entry: EntryHead, notes: readonly string[]): Cells {
  const { facts, key, name = BY_COMMAND, storeId } = entry;
  const number = facts?.kind === "fiscal" ? String(facts.documentNumber) : "";
  return [
    String(entry.id),
    instant(entry.acceptedAtMs),
    stateOf(entry, notes),
    key.operation,
    name,
    sumText(entry),
    number,
    storeId,
    key.documentId,
  ];
}

function unreadableRow({ id, acceptedAtMs, storeId, key }: UnreadableEntry): Cells {
  return [String(id), instant(acceptedAtMs), "cannot be read", "", "", "", "", storeId, key.documentId];
}

/** Returns a line for each entry that cannot be read, with what is wrong. */
export function unreadableLines(entries: readonly Listed<EntryHead>[]): string[] {
  return entries.flatMap((entry) => (isReadable(entry) ? [] : [unreadableLine(entry.id, entry.problem)]));
}

function unreadableLine(id: number, problem: string): string {
  return visibleLine(`Entry ${id} cannot be read: ${problem}`);
}

/** `done (attempt 2, mark unread)`: the state, with remarks for a person. */
function stateOf({ attempt, state }: EntryHead, notesOfDocument: readonly string[]): string {
  const notes = [...(attempt === 1 ? [] : [`attempt ${attempt}`]), ...notesOfDocument];
  return notes.length === 0 ? state : `${state} (${notes.join(", ")})`;
}

function documentNotes(read: Pick<Entry, "document">): string[] {
  return unreadMarksIn(read).length === 0 ? [] : ["mark unread"];
}

function sumText({ sumKopecks }: EntryHead): string {
  return sumKopecks === undefined ? "" : formatKopecks(sumKopecks);
}

/** Returns the document's positions that have unreadable marks. */
export function unreadMarksIn({ document }: Pick<Entry, "document">): UnreadMark[] {
  return isTrade(document) ? unreadMarksOf(document.lines) : [];
}

export function waitingTitleRow(): Cells {
  return ["NUMBER", "OPEN FOR", "STATE", "OPERATION", "NAME", "SUM", "STORE", "REGISTER", "WHY"];
}

export function waitingRow(entry: EntryHead, ageMs: number): Cells {
  const { id, key, name = BY_COMMAND, storeId, register, state, doubt } = entry;
  return [
    String(id),
    ageText(ageMs),
    state,
    key.operation,
    name,
    sumText(entry),
    storeId,
    register,
    doubt === undefined ? "" : doubtText(doubt),
  ];
}

/** Returns the rows as lines. Each column is as wide as its widest cell; two spaces separate the columns. */
export function tableOf(content: readonly Cells[]): string[] {
  const rows = content.map((row) => row.map(visibleLine));
  const widths = (rows[0] ?? []).map((_, column) => rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

export function instant(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace("T", " ");
}
