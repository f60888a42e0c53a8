import type { Entry, Move } from "../journal/entry.ts";
import { present } from "../kernel/present.ts";
import { OPPOSITE_SIGN } from "../model/correction.ts";
import { isCash, isTrade, type SettlementSign, type Tenders, type TradeDocument } from "../model/document.ts";

/** A correction receipt that a person must make. The basis (tag 1173) is missing: the person states the order of the tax office, if any. */
export interface DueCorrection {
  sign: SettlementSign;
  /** The day of the settlement (tag 1178), such as `2026-11-12`. */
  settledOn: string;
  totalKopecks: number;
  tenders: Tenders;
  /** Tag 1192 of the document that was not made, if it had one. Absent for a doubled or wrong document. */
  originalSign?: string;
}

/** The necessary document when the register has not made the entry's document. */
export type DueWhenMissing =
  /** A slip is not a fiscal document, so it has no correction. */
  | { kind: "slip-again" }
  | { kind: "report-again" }
  /** The correction of the document `of` must be requested again. */
  | { kind: "correct-again"; of: string }
  | { kind: "correction"; correction: DueCorrection };

/** The document that is necessary for each surplus document, when the drive has the settlement several times. */
export type DueWhenDoubled = { kind: "opposite-slip" } | { kind: "correction"; correction: DueCorrection };

/**
 * The necessary documents when the drive has the settlement with wrong figures: `undo` undoes them, `redo` registers the right figures.
 */
export interface DueWhenWrong {
  undo: SettlementSign;
  redo: DueCorrection;
}

/**
 * The documents that may become necessary after a person settled an entry. `missing`: money changed hands, and nothing was registered.
 * `doubled`: the drive also has a second document of the operation. `earlierAttempt`: that document may be of an attempt that a person
 * settled as not registered.
 */
export type AfterPerson = { kind: "missing"; due: DueWhenMissing } | { kind: "doubled"; earlierAttempt: boolean; due: DueWhenDoubled };

/** Returns the necessary document when nothing was registered. */
export function dueWhenMissing({ document, operation }: Entry): DueWhenMissing {
  if (isCash(document)) return { kind: "slip-again" };
  if (!isTrade(document)) return { kind: "report-again" };
  if (operation.kind === "correction") return { kind: "correct-again", of: operation.of.document.id };
  const { originalSign } = document;
  const correction = correctionOf(document, operation.moment, document.sign);
  return { kind: "correction", correction: { ...correction, ...present({ originalSign }) } };
}

/** Returns the necessary document for each surplus document. Undefined for a report, which needs none. */
export function dueWhenDoubled({ document, operation }: Entry): DueWhenDoubled | undefined {
  if (isCash(document)) return { kind: "opposite-slip" };
  if (!isTrade(document)) return undefined;
  return { kind: "correction", correction: correctionOf(document, operation.moment, OPPOSITE_SIGN[document.sign]) };
}

/** Returns the necessary documents. Undefined when the document settles nothing with a buyer. */
export function dueWhenWrong({ document, operation }: Entry): DueWhenWrong | undefined {
  if (!isTrade(document)) return undefined;
  return { undo: OPPOSITE_SIGN[document.sign], redo: correctionOf(document, operation.moment, document.sign) };
}

/**
 * Returns what may be necessary after a person settled the entry. Undefined when no person settled the entry, when nothing is necessary, or
 * when a later attempt was refused: the next attempt looks for the document of the earlier attempt.
 */
export function afterPerson(entry: Entry, moves: readonly Move[]): AfterPerson | undefined {
  const words = moves.filter(({ by }) => by === "person");
  const last = words.at(-1);
  if (last === undefined) return undefined;
  if (entry.state === "refused" && last.attempt === entry.attempt) return { kind: "missing", due: dueWhenMissing(entry) };
  const due = entry.state === "done" ? dueWhenDoubled(entry) : undefined;
  if (due === undefined) return undefined;
  const sentAttempt = moves.findLast(({ to }) => to === "sending")?.attempt ?? entry.attempt;
  return { kind: "doubled", earlierAttempt: words.some(({ to, attempt }) => to === "refused" && attempt < sentAttempt), due };
}

function correctionOf({ totalKopecks, tenders }: TradeDocument, moment: string, sign: SettlementSign): DueCorrection {
  return { sign, settledOn: moment.slice(0, "2026-11-12".length), totalKopecks, tenders };
}
