import { present } from "../kernel/present.ts";
import { isTrade, type RegisterDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { DocumentFacts } from "../model/facts.ts";
import type { Reason, TakenBack } from "../model/reason.ts";
import type { Refusal } from "../model/refusal.ts";
import { unreadMarksOf } from "../model/unread-marks.ts";
import type { EntryRow, ShiftLinksTable } from "../store/tables.ts";
import type { Entry } from "./entry.ts";
import { movedFailure } from "./failures.ts";
import type { NewEntry } from "./queries.ts";
import { type DrivePlace, factsColumns, placeOf } from "./rows.ts";
import type { EntryState } from "./states.ts";

/** How an operation ended at its register, or that its end is unknown. */
export type JournalOutcome =
  | { kind: "done"; facts: DocumentFacts }
  | { kind: "refused"; refusal: Refusal }
  | { kind: "in-doubt"; doubt: Doubt };

/** Returns the link of the device's shift to the platform's shift, for a done opening by the platform or by the server. */
export function openedShift({ operation, register }: Entry, outcome: JournalOutcome): ShiftLinksTable | undefined {
  if (operation.kind !== "open-shift" || outcome.kind !== "done" || outcome.facts.kind !== "fiscal") return undefined;
  const { identity, shiftNumber } = outcome.facts;
  const { id: shift_id, idType: id_type } = operation.shift;
  return { register, drive_number: identity.driveNumber, shift_number: shiftNumber, id_type, shift_id };
}

/**
 * Returns the link of the device's shift to the platform's shift, for a done closing by the platform. The link is needed when nobody opened
 * the shift for the platform.
 */
export function closedShift({ key, operation, register }: Entry, outcome: JournalOutcome): ShiftLinksTable | undefined {
  if (key.operation !== "close-shift" || outcome.kind !== "done" || outcome.facts.kind !== "fiscal") return undefined;
  const { identity, shiftNumber } = outcome.facts;
  const { id: shift_id, idType: id_type } = operation.shift;
  return { register, drive_number: identity.driveNumber, shift_number: shiftNumber, id_type, shift_id };
}

/**
 * Call this function for a move that changed no row. If the row already has this outcome, the first commit of the outcome seemed to fail
 * but succeeded. Then the function returns the time of the first move. Throws `journal-moved` for another outcome, and always for
 * `sending`, because two callers that both began would both print.
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

/** Returns the place of a done document in its drive. Undefined for another outcome. */
export function placeIn(outcome: JournalOutcome): DrivePlace | undefined {
  return outcome.kind === "done" ? placeOf(outcome.facts) : undefined;
}

/** Returns the columns that the outcome sets in an entry. */
export function outcomeColumns(outcome: JournalOutcome): Partial<NewEntry> {
  switch (outcome.kind) {
    case "done":
      return { ...factsColumns(outcome.facts), refusal: null, doubt: null };
    case "refused":
      return { facts: null, refusal: JSON.stringify(outcome.refusal), doubt: null };
    case "in-doubt":
      return { facts: null, refusal: null, doubt: JSON.stringify(outcome.doubt) };
  }
}

/** Returns the members that the outcome sets in an entry. */
export function outcomeFields(outcome: JournalOutcome): Pick<Entry, "facts" | "refusal" | "doubt"> {
  switch (outcome.kind) {
    case "done":
      return { facts: outcome.facts };
    case "refused":
      return { refusal: outcome.refusal };
    case "in-doubt":
      return { doubt: outcome.doubt };
  }
}

/**
 * Returns the reasons of the move to an outcome: first why the entry moved, then the unread marks of a registered document. `given`: the
 * caller's reasons why the entry moved. They replace the doubt or the refusal itself, never the unread marks.
 */
export function reasonsOf(outcome: JournalOutcome, { document }: Pick<Entry, "document">, given?: readonly Reason[]): Reason[] {
  return [...(given ?? ownReasons(outcome)), ...(outcome.kind === "done" ? marksUnread(document) : [])];
}

/** A later attempt or the doubt's end replaces the row's doubt and refusal, so the move stores them too. */
function ownReasons(outcome: JournalOutcome): Reason[] {
  switch (outcome.kind) {
    case "in-doubt":
      return [{ code: "doubt", doubt: outcome.doubt }];
    case "refused": {
      const { code, parameter, device } = outcome.refusal;
      const refusal = { code, ...present({ parameter, device }) };
      return [{ code: "refused", refusal }];
    }
    case "done":
      return [];
  }
}

/**
 * Returns one reason with all unread marks, so that a reader of the entry sees them. The goods with these marks stay in circulation in the
 * government's marking system. The reason contains lines and problems, never a mark.
 */
function marksUnread(document: RegisterDocument): Reason[] {
  const marks = (isTrade(document) ? unreadMarksOf(document.lines) : []).map(({ line, problem }) => ({ line, problem }));
  return marks.length === 0 ? [] : [{ code: "marks-unread", marks }];
}

/** Returns the entry's present end, for the reason of the move that takes it back. */
export function takenBack({ facts, refusal }: Entry): TakenBack {
  if (facts === undefined) return { kind: "refused", ...(refusal === undefined ? {} : { refusal: refusal.code }) };
  const { shiftNumber, time } = facts;
  const number = facts.kind === "fiscal" ? { documentNumber: facts.documentNumber, fiscalSign: facts.fiscalSign } : {};
  return { kind: "done", shiftNumber, time, ...number };
}
