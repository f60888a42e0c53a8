import type { Checkpoint, Entry, Move } from "../../journal/entry.ts";
import { type WallTime, wallAsUtcMs, wallFromUtc } from "../../kernel/moment.ts";
import { isCash, isTrade, type RegisterDocument } from "../../model/document.ts";
import type { FiscalFacts, RegisterIdentity } from "../../model/facts.ts";
import type { ReadOff } from "./read-off-schema.ts";

/** The known facts about the register when a person types a document's figures. */
export interface KnownAtRegister {
  identity: RegisterIdentity;
  /**
   * Done entries of the possible shifts. Their documents have their own figures, so the typed figures must differ. If the settled entry
   * itself is among them, it is ignored.
   */
  others: readonly Entry[];
  /** The document was made at this time or earlier: the register's present clock, or the bound from `boundsOf`. */
  deviceNow: WallTime;
  /** The latest possible shift of the document. Absent: the shift after the checkpoint's shift, because the lane has sent nothing since. */
  latestShift?: number;
  /** The register itself confirmed the document. Then figures are not refused for being unlikely. */
  confirmed: boolean;
}

/** Why the typed figures cannot belong to the document. Numbers are document numbers unless stated otherwise. */
export type Impossible =
  | { code: "is-x-report" }
  | { code: "slip-with-number" }
  | { code: "number-and-sign-needed" }
  | { code: "report-with-receipt" }
  | { code: "nothing-sent" }
  | { code: "other-drive"; had: string; described: string }
  | { code: "number-too-old"; number: number; last: number }
  | { code: "number-too-far"; number: number; last: number; most: number }
  | ({ code: "time-too-early" } & Period)
  | ({ code: "time-not-come" } & Period)
  | ({ code: "shift-over" } & Shifts)
  | ({ code: "shift-not-begun" } & Shifts)
  /** `least` and `most` bound the receipt's number. `most` below `least`: no number is free between the neighbours. */
  | { code: "receipt-misplaced"; receipt: number; number: number; shift: number; least: number; most: number }
  | { code: "sum-not-sent"; saidKopecks: number; sentKopecks: number }
  | { code: "number-taken"; number: number; owner: Owner }
  | { code: "sign-taken"; sign: string; number: number; owner: Owner }
  | { code: "no-facts" };

/** The typed time, and the possible period of the document by the register's clock. `slackMs`: the largest correction of that clock. */
export interface Period {
  time: WallTime;
  from: WallTime;
  to: WallTime;
  slackMs: number;
}

/** The typed shift, and the shifts that the document may belong to. */
export interface Shifts {
  shift: number;
  earliest: number;
  latest: number;
}

export type Owner = Pick<Entry, "id" | "key" | "operation">;

/**
 * The largest distance from the checkpoint to the document's number. The lane has sent nothing more, so only documents that the register or
 * a person made meanwhile can be in between. Most typing errors exceed the limit: swapped digits change a number by at least nine, a wrong
 * digit before the last by at least ten.
 */
const MAX_DOCUMENTS_ON = 8;
/** The largest correction of the register's clock during the doubt. A person may change the clock by one hour, as for summer time. */
const CLOCK_SET_MS = 60 * 60_000;
/**
 * The largest correction of the clock for a slip. It is smaller than `CLOCK_SET_MS`: a slip has no number, so only its time distinguishes
 * it from an earlier slip with the same sum.
 */
const CLOCK_SET_AT_SLIP_MS = 10 * 60_000;

/** Calculates the register's present clock from its clock before sending and the time since. */
export function deviceTimeNow({ checkpoint }: Entry, moves: readonly Move[], nowMs: number): WallTime {
  const sentMs = moves.findLast(({ to }) => to === "sending")?.atMs ?? nowMs;
  return wallFromUtc(wallAsUtcMs(checkpoint?.deviceTime ?? "") + Math.max(0, nowMs - sentMs));
}

/** Returns the figure that is missing, or impossible for this kind of document. Undefined when the figures are complete. */
export function shapeProblem(document: RegisterDocument, readOff: ReadOff): Impossible | undefined {
  const { documentNumber, fiscalSign, receiptNumber, sumKopecks } = readOff;
  if (document.kind === "x-report") return { code: "is-x-report" };
  if (isCash(document)) {
    const given = documentNumber ?? fiscalSign ?? receiptNumber;
    return given === undefined ? undefined : { code: "slip-with-number" };
  }
  if (documentNumber === undefined || fiscalSign === undefined) return { code: "number-and-sign-needed" };
  if (isTrade(document)) return undefined;
  return receiptNumber === undefined && sumKopecks === undefined ? undefined : { code: "report-with-receipt" };
}

/** Returns why the typed figures cannot be the entry's document. Undefined when they can. */
export function figuresProblem(entry: Entry, readOff: ReadOff, given: KnownAtRegister): Impossible | undefined {
  const { checkpoint, document } = entry;
  const known = { ...given, others: given.others.filter(({ id }) => id !== entry.id) };
  if (checkpoint === undefined) return { code: "nothing-sent" };
  const { driveNumber } = known.identity;
  if (driveNumber !== checkpoint.driveNumber) return { code: "other-drive", had: checkpoint.driveNumber, described: driveNumber };
  return (
    numberProblem(readOff, checkpoint, known) ??
    (known.confirmed ? undefined : likelihoodProblem(document, readOff, checkpoint, known)) ??
    sumProblem(document, readOff) ??
    ownerProblem(readOff, known)
  );
}

function numberProblem(
  { documentNumber: number }: ReadOff,
  { lastDocumentNumber: last }: Checkpoint,
  { confirmed }: KnownAtRegister,
): Impossible | undefined {
  if (number === undefined) return undefined;
  if (number <= last) return { code: "number-too-old", number, last };
  const most = last + MAX_DOCUMENTS_ON;
  return confirmed || number <= most ? undefined : { code: "number-too-far", number, last, most };
}

function likelihoodProblem(
  document: RegisterDocument,
  readOff: ReadOff,
  checkpoint: Checkpoint,
  known: KnownAtRegister,
): Impossible | undefined {
  return (
    timeProblem(readOff, checkpoint, known) ??
    shiftProblem(document, readOff, checkpoint, known) ??
    receiptProblem(document, readOff, known)
  );
}

/** Returns why the typed time is impossible. Times are compared to the minute, because paper shows no seconds. */
function timeProblem(
  { time, documentNumber }: ReadOff,
  { deviceTime: from }: Checkpoint,
  { deviceNow: to }: KnownAtRegister,
): Impossible | undefined {
  const slackMs = documentNumber === undefined ? CLOCK_SET_AT_SLIP_MS : CLOCK_SET_MS;
  if (minute(time) < minute(from, -slackMs)) return { code: "time-too-early", time, from, to, slackMs };
  return minute(time) > minute(to, slackMs) ? { code: "time-not-come", time, from, to, slackMs } : undefined;
}

function shiftProblem(
  { kind }: RegisterDocument,
  { shiftNumber: shift }: ReadOff,
  checkpoint: Checkpoint,
  { latestShift }: KnownAtRegister,
): Impossible | undefined {
  const { shiftNumber: before, shiftOpen } = checkpoint;
  const isReport = kind === "close-shift" || kind === "state-report";
  const earliest = kind === "open-shift" || (!shiftOpen && !isReport) ? before + 1 : before;
  const latest = kind === "close-shift" ? before : (latestShift ?? before + 1);
  if (shift < earliest) return { code: "shift-over", shift, earliest, latest };
  return shift > latest ? { code: "shift-not-begun", shift, earliest, latest } : undefined;
}

/**
 * Returns why the receipt's number is impossible. Receipts are numbered within a shift, and each is a document of the drive. The known
 * neighbours therefore leave few possible numbers.
 */
function receiptProblem(
  document: RegisterDocument,
  { receiptNumber, documentNumber, shiftNumber }: ReadOff,
  { others }: KnownAtRegister,
): Impossible | undefined {
  if (receiptNumber === undefined || documentNumber === undefined) return undefined;
  const known = others.flatMap(({ facts }) =>
    facts?.kind === "fiscal" && facts.document === document.kind && facts.shiftNumber === shiftNumber && facts.receipt !== undefined
      ? [{ number: facts.documentNumber, receipt: facts.receipt.number }]
      : [],
  );
  const before = known.filter(({ number }) => number < documentNumber).toSorted((a, b) => b.number - a.number)[0];
  const after = known.filter(({ number }) => number > documentNumber).toSorted((a, b) => a.number - b.number)[0];
  const least = (before?.receipt ?? 0) + 1;
  const room = (before?.receipt ?? 0) + documentNumber - (before?.number ?? 0);
  const most = after === undefined ? room : Math.min(room, after.receipt - 1);
  if (receiptNumber >= least && receiptNumber <= most) return undefined;
  return { code: "receipt-misplaced", receipt: receiptNumber, number: documentNumber, shift: shiftNumber, least, most };
}

function sumProblem(document: RegisterDocument, { sumKopecks }: ReadOff): Impossible | undefined {
  const sent = isTrade(document) ? document.totalKopecks : isCash(document) ? document.sumKopecks : undefined;
  if (sumKopecks === undefined || sent === undefined || sumKopecks === sent) return undefined;
  return { code: "sum-not-sent", saidKopecks: sumKopecks, sentKopecks: sent };
}

function ownerProblem({ documentNumber, fiscalSign }: ReadOff, { others }: KnownAtRegister): Impossible | undefined {
  const fiscal = others.flatMap((owner) => (owner.facts?.kind === "fiscal" ? [{ owner, facts: owner.facts }] : []));
  const withNumber = fiscal.find(({ facts }) => facts.documentNumber === documentNumber);
  if (withNumber !== undefined && documentNumber !== undefined) {
    return { code: "number-taken", number: documentNumber, owner: withNumber.owner };
  }
  const withSign = fiscal.find(({ facts }) => sameSign(facts, fiscalSign));
  return withSign === undefined || fiscalSign === undefined
    ? undefined
    : { code: "sign-taken", sign: fiscalSign, number: withSign.facts.documentNumber, owner: withSign.owner };
}

function sameSign({ fiscalSign }: FiscalFacts, typed: string | undefined): boolean {
  return typed !== undefined && Number(fiscalSign) === Number(typed);
}

function minute(time: WallTime, byMs = 0): number {
  return Math.floor((wallAsUtcMs(time) + byMs) / 60_000);
}
