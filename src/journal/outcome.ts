import type { DocumentFacts } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import type { ShiftLinksTable } from "../store/tables.ts";
import type { Entry } from "./entry.ts";
import { movedFailure } from "./failures.ts";
import type { NewEntry } from "./queries.ts";
import { type DrivePlace, type EntryRow, factsColumns, placeOf, storable } from "./rows.ts";
import type { EntryState } from "./states.ts";

/** How an operation ended at its register, or that nobody knows. */
export type JournalOutcome =
  | { kind: "done"; facts: DocumentFacts }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "in-doubt"; reason: string };

/** The device's shift that a done opening, the platform's or our own, began for the platform's. */
export function openedShift({ operation, register }: Entry, outcome: JournalOutcome): ShiftLinksTable | undefined {
  if (operation.kind !== "open-shift" || outcome.kind !== "done" || outcome.facts.kind !== "fiscal") return undefined;
  const { identity, shiftNumber } = outcome.facts;
  const { id: shift_id, idType: id_type } = operation.shift;
  return { register, drive_number: identity.driveNumber, shift_number: shiftNumber, id_type, shift_id };
}

/**
 * An outcome whose commit seemed to fail and had not may be given again: the same end, word for word, is
 * no conflict. Never so for `sending`: two that both believed to have begun would both print.
 */
export function alreadyThere(row: EntryRow | undefined, entry: Entry, to: EntryState, changed: Partial<NewEntry>): number {
  const same = row !== undefined && to !== "sending" && row.state === to && row.attempt === entry.attempt;
  if (
    !same ||
    row.facts !== (changed.facts ?? null) ||
    row.refusal !== (changed.refusal ?? null) ||
    row.doubt !== (changed.doubt ?? null)
  ) {
    throw movedFailure(entry);
  }
  return row.moved_at_ms;
}

/** Where a done document stands in its drive. */
export function placeIn(outcome: JournalOutcome): DrivePlace | undefined {
  return outcome.kind === "done" ? placeOf(outcome.facts) : undefined;
}

/** Columns of an entry that the outcome sets. */
export function outcomeColumns(outcome: JournalOutcome): Partial<NewEntry> {
  switch (outcome.kind) {
    case "done":
      return { ...factsColumns(outcome.facts), refusal: null, doubt: null };
    case "refused":
      return { facts: null, refusal: JSON.stringify(outcome.refusal), doubt: null };
    case "in-doubt":
      return { facts: null, refusal: null, doubt: storable(outcome.reason) };
  }
}

/** The same as members of the entry. */
export function outcomeFields(outcome: JournalOutcome): Pick<Entry, "facts" | "refusal" | "doubt"> {
  switch (outcome.kind) {
    case "done":
      return { facts: outcome.facts };
    case "refused":
      return { refusal: outcome.refusal };
    case "in-doubt":
      return { doubt: storable(outcome.reason) };
  }
}

/** Moves outlive the row's own words, which the next attempt or the end of doubt replaces. */
export function noteOf(outcome: JournalOutcome): string | undefined {
  if (outcome.kind === "in-doubt") return outcome.reason;
  if (outcome.kind === "done") return undefined;
  const { code, parameter, device } = outcome.refusal;
  return [code, parameter, device === undefined ? undefined : `${device.code} ${device.words}`]
    .filter((part) => part !== undefined)
    .join("; ");
}

/** What was said before: its numbers stand nowhere else once another word has replaced them. */
export function takenBackNote({ facts, refusal }: Entry): string {
  if (facts === undefined) return `taken back: ${refusal?.code ?? "refused"}`;
  const number = facts.kind === "fiscal" ? `ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ` : "";
  return `taken back: ${number}shift ${facts.shiftNumber}, ${facts.time}`;
}
