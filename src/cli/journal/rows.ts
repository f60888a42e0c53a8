import type { Entry } from "../../journal/entry.ts";
import { visibleLine } from "../../kernel/visible.ts";
import { isTrade } from "../../model/document.ts";
import { type UnreadMark, unreadMarksOf } from "../../model/unread-marks.ts";
import { sumOf } from "./words/amounts.ts";
import { doubtText } from "./words/reason-words.ts";
import { ageText } from "./words/waiting-words.ts";

type Cells = readonly string[];

export function titleRow(): Cells {
  return ["NUMBER", "ACCEPTED (UTC)", "STATE", "OPERATION", "NAME", "SUM", "ФД", "STORE", "DOCUMENT"];
}

export function detailsOf(entry: Entry): Cells {
  const { facts, key, operation } = entry;
  const number = facts?.kind === "fiscal" ? String(facts.documentNumber) : "";
  return [
    String(entry.id),
    instant(entry.acceptedAtMs),
    stateOf(entry),
    key.operation,
    operation.name,
    sumOf(entry),
    number,
    operation.storeId,
    key.documentId,
  ];
}

/** `done (attempt 2, mark unread)`: the state, with remarks for a person. */
function stateOf(entry: Entry): string {
  const notes = [
    ...(entry.attempt === 1 ? [] : [`attempt ${entry.attempt}`]),
    ...(unreadMarksIn(entry).length === 0 ? [] : ["mark unread"]),
  ];
  return notes.length === 0 ? entry.state : `${entry.state} (${notes.join(", ")})`;
}

/** Returns the document's positions that have unreadable marks. */
export function unreadMarksIn({ document }: Pick<Entry, "document">): UnreadMark[] {
  return isTrade(document) ? unreadMarksOf(document.lines) : [];
}

export function waitingTitleRow(): Cells {
  return ["NUMBER", "OPEN FOR", "STATE", "OPERATION", "NAME", "SUM", "STORE", "REGISTER", "WHY"];
}

export function waitingRow(entry: Entry, ageMs: number): Cells {
  const { id, key, operation, register, state, doubt } = entry;
  return [
    String(id),
    ageText(ageMs),
    state,
    key.operation,
    operation.name,
    sumOf(entry),
    operation.storeId,
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
