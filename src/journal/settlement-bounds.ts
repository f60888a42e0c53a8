import { type WallTime, wallAsUtcMs, wallFromUtc } from "../kernel/moment.ts";
import { formatKopecks } from "../kernel/money.ts";
import { isCash, isTrade, type RegisterDocument } from "../model/document.ts";
import type { FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { Checkpoint, Entry, Move } from "./entry.ts";
import type { ReadOff } from "./settlement-schema.ts";

/** What is known when a person says what stands on a document's paper. */
export interface SettlementGround {
  identity: RegisterIdentity;
  /** Done entries of the shifts that it may belong to: a document belongs to one operation. */
  others: readonly Entry[];
  /** What the register's clock shows now, as it says itself or as `deviceTimeNow` reckons. */
  deviceNow: WallTime;
  /** The register has said itself that the document is this: what is only likely does not count then. */
  confirmed: boolean;
}

/**
 * How far behind the checkpoint the document may lie. Its lane has stood still since, so it comes at once, behind
 * what the register itself or somebody at it made in between. Less than any two digits changed over (nine at
 * least) or one wrong digit before the last (ten) make of a number, and far below what a drive holds.
 */
const MAX_DOCUMENTS_ON = 8;
/** A register's clock may be set right while a doubt lasts: by an hour, where summer time was still on. */
const CLOCK_SET_MS = 60 * 60_000;
/** A slip has no number: only its time tells that it is not an earlier one of the same sum. */
const CLOCK_SET_AT_SLIP_MS = 10 * 60_000;

/** What the register's clock shows now, from what it showed before sending and from the time since. */
export function deviceTimeNow({ checkpoint }: Entry, moves: readonly Move[], nowMs: number): WallTime {
  const sentMs = moves.findLast(({ to }) => to === "sending")?.atMs ?? nowMs;
  return wallFromUtc(wallAsUtcMs(checkpoint?.deviceTime ?? "") + Math.max(0, nowMs - sentMs));
}

/** What is missing of what a document of this kind has, or cannot be on it; undefined when all is there. */
export function shapeProblem(document: RegisterDocument, readOff: ReadOff): string | undefined {
  const { documentNumber, fiscalSign, receiptNumber, sumKopecks } = readOff;
  if (document.kind === "x-report") return "an X report is no document that anything could be settled with";
  if (isCash(document)) {
    const given = documentNumber ?? fiscalSign ?? receiptNumber;
    return given === undefined ? undefined : "a slip for cash has neither a number (ФД, ЧЕК) nor a sign (ФП): leave them out";
  }
  if (documentNumber === undefined || fiscalSign === undefined) {
    return "a fiscal document has a number (ФД) and a sign (ФП): both are needed";
  }
  if (isTrade(document)) return undefined;
  return receiptNumber === undefined && sumKopecks === undefined
    ? undefined
    : "a report has neither a number of a receipt nor a sum: leave them out";
}

/** Why what was read off cannot be the document of the entry, in words for the operator; undefined when it can. */
export function contradiction(entry: Entry, readOff: ReadOff, ground: SettlementGround): string | undefined {
  const { checkpoint, document } = entry;
  if (checkpoint === undefined) return "nothing was sent to the register, so nothing can have been registered";
  const { driveNumber } = ground.identity;
  if (driveNumber !== checkpoint.driveNumber) {
    return `the register had drive ${checkpoint.driveNumber}, and the one described has ${driveNumber}`;
  }
  return (
    numberProblem(readOff, checkpoint, ground) ??
    (ground.confirmed ? undefined : likelihoodProblem(document, readOff, checkpoint, ground)) ??
    sumProblem(document, readOff) ??
    ownerProblem(entry, readOff, ground)
  );
}

function numberProblem({ documentNumber }: ReadOff, { lastDocumentNumber: last }: Checkpoint, { confirmed }: SettlementGround) {
  if (documentNumber === undefined) return undefined;
  if (documentNumber <= last) return `document ${documentNumber} is older than the operation: ${last} was the last one before it`;
  if (confirmed || documentNumber <= last + MAX_DOCUMENTS_ON) return undefined;
  return `document ${documentNumber} is too far on: ${last} was the last one before the operation, so ${last + 1} to ${last + MAX_DOCUMENTS_ON} was expected`;
}

function likelihoodProblem(document: RegisterDocument, readOff: ReadOff, checkpoint: Checkpoint, ground: SettlementGround) {
  return (
    timeProblem(readOff, checkpoint, ground) ?? shiftProblem(document, readOff, checkpoint) ?? receiptProblem(document, readOff, ground)
  );
}

/** To the minute, since paper shows no seconds. */
function timeProblem({ time, documentNumber }: ReadOff, { deviceTime }: Checkpoint, { deviceNow }: SettlementGround): string | undefined {
  const slackMs = documentNumber === undefined ? CLOCK_SET_AT_SLIP_MS : CLOCK_SET_MS;
  const expected = `expected from ${deviceTime} to ${deviceNow}, give or take ${slackMs / 60_000} minutes by which its clock may have been set`;
  if (minute(time) < minute(deviceTime, -slackMs)) {
    return `${time} is before the operation began on the register's clock: ${expected}`;
  }
  return minute(time) > minute(deviceNow, slackMs) ? `${time} has not come yet on the register's clock: ${expected}` : undefined;
}

function shiftProblem({ kind }: RegisterDocument, { shiftNumber }: ReadOff, checkpoint: Checkpoint): string | undefined {
  const { shiftNumber: before, shiftOpen } = checkpoint;
  const isReport = kind === "close-shift" || kind === "state-report";
  const earliest = kind === "open-shift" || (!shiftOpen && !isReport) ? before + 1 : before;
  const latest = kind === "close-shift" ? before : before + 1;
  const belongs = `the operation belongs to shift ${earliest}${latest > earliest ? ` or ${latest}` : ""}`;
  if (shiftNumber < earliest) return `shift ${shiftNumber} is over: ${belongs}`;
  return shiftNumber > latest ? `shift ${shiftNumber} has not begun: ${belongs}` : undefined;
}

/** Receipts are counted through a shift, and each is a document of the drive: neighbours leave little room. */
function receiptProblem(
  document: RegisterDocument,
  { receiptNumber, documentNumber, shiftNumber }: ReadOff,
  { others }: SettlementGround,
): string | undefined {
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
  const expected = most < least ? "none is free between its neighbours" : most === least ? `${least}` : `${least} to ${most}`;
  return `receipt ${receiptNumber} does not fit document ${documentNumber} of shift ${shiftNumber}: expected ${expected}`;
}

function sumProblem(document: RegisterDocument, { sumKopecks }: ReadOff): string | undefined {
  const sent = isTrade(document) ? document.totalKopecks : isCash(document) ? document.sumKopecks : undefined;
  if (sumKopecks === undefined || sent === undefined || sumKopecks === sent) return undefined;
  return `${formatKopecks(sumKopecks)} is not what was sent: ${formatKopecks(sent)} was`;
}

function ownerProblem({ id }: Entry, { documentNumber, fiscalSign }: ReadOff, { others }: SettlementGround): string | undefined {
  const fiscal = others.flatMap((owner) => (owner.id !== id && owner.facts?.kind === "fiscal" ? [{ owner, facts: owner.facts }] : []));
  const withNumber = fiscal.find(({ facts }) => facts.documentNumber === documentNumber);
  if (withNumber !== undefined) return `document ${documentNumber} belongs to ${named(withNumber.owner)}`;
  const withSign = fiscal.find(({ facts }) => sameSign(facts, fiscalSign));
  return withSign === undefined
    ? undefined
    : `sign ${fiscalSign} is that of document ${withSign.facts.documentNumber}, which belongs to ${named(withSign.owner)}`;
}

function sameSign({ fiscalSign }: FiscalFacts, typed: string | undefined): boolean {
  return typed !== undefined && Number(fiscalSign) === Number(typed);
}

function named({ id, key, operation }: Entry): string {
  return `entry ${id} (${key.operation} ${operation.name})`;
}

function minute(time: WallTime, byMs = 0): number {
  return Math.floor((wallAsUtcMs(time) + byMs) / 60_000);
}
