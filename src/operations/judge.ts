import type { Checkpoint } from "../journal/entry.ts";
import { wallAsUtcMs } from "../kernel/moment.ts";
import { type CashDocument, type FiscalDocument, isCash, type RegisterDocument, type XReportDocument } from "../model/document.ts";
import type { CashFacts, DocumentFacts, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { LookUp, RegisterState } from "../registers/register.ts";
import { notOurs, otherKind, otherSign, otherSum } from "./doubt-reasons.ts";

/** What the register shows after a doubt, beside what it showed before. */
export interface Evidence {
  /** An X report leaves nothing that could be judged, and nothing is lost with it. */
  document: Exclude<RegisterDocument, XReportDocument>;
  before: Checkpoint;
  now: RegisterState;
  identity: RegisterIdentity;
  /** Every document of the drive after the checkpoint, in order. */
  since: LookUp[];
  /** What the register says of the number behind the last of them. */
  next: LookUp;
}

export type Verdict = { kind: "done"; facts: DocumentFacts } | { kind: "not-registered" } | { kind: "unknown"; reason: string };

/**
 * Decides what became of a document whose answer was lost (interface 6, After doubt). Only one reading of
 * the evidence may be possible; whatever leaves a second one is for a person. That nothing was registered is
 * never read from the number in the register's status: one that repeats an old number would have it made twice.
 */
export function judge(evidence: Evidence): Verdict {
  const { document, before, now } = evidence;
  if (now.driveNumber !== before.driveNumber) {
    return unknown(`В кассе другой фискальный накопитель: был ${before.driveNumber}, сейчас ${now.driveNumber}`);
  }
  if (now.lastDocumentNumber < before.lastDocumentNumber) {
    return unknown(`Номер последнего документа уменьшился: был ${before.lastDocumentNumber}, сейчас ${now.lastDocumentNumber}`);
  }
  const unread = evidence.since.find((found) => found.kind === "absent" || found.kind === "unreachable");
  if (unread !== undefined) return unknown("Касса не отдала документы, напечатанные после начала операции");
  const verdict = isCash(document) ? judgeCash(document, evidence) : judgeFiscal(document, evidence);
  if (verdict.kind === "not-registered" && evidence.next.kind !== "absent") {
    return unknown(`Касса не подтвердила, что после ФД № ${before.lastDocumentNumber + evidence.since.length} ничего не пробито`);
  }
  return verdict;
}

function judgeFiscal(document: FiscalDocument, { before, now, since }: Evidence): Verdict {
  const candidates = since.filter((found) => !isAutomaticReport(found, document));
  if (candidates.length === 0) return { kind: "not-registered" };
  const [only, another] = candidates;
  if (only?.kind !== "found" || another !== undefined) {
    return unknown(`После начала операции в накопителе появилось документов: ${candidates.length}; ни один не опознан как единственный`);
  }
  const mismatch = mismatchOf(document, only, before, now);
  return mismatch === undefined ? { kind: "done", facts: only.facts } : unknown(mismatch);
}

function judgeCash(document: CashDocument, { before, now, identity, since }: Evidence): Verdict {
  if (since.some((found) => !isAutomaticReport(found, document))) {
    return unknown("После начала операции в накопителе появились документы: остаток в ящике ничего не доказывает");
  }
  const moved = now.drawerKopecks - before.drawerKopecks;
  if (moved === 0) return { kind: "not-registered" };
  const expected = document.kind === "cash-in" ? document.sumKopecks : -document.sumKopecks;
  if (moved !== expected) {
    return unknown(`Остаток в денежном ящике изменился на ${moved} коп. вместо ${expected} коп.`);
  }
  return { kind: "done", facts: cashFacts(document, before, now, identity) };
}

/** The device keeps no slip to look up: its time is the device's clock just before the command was sent. */
function cashFacts(document: CashDocument, before: Checkpoint, now: RegisterState, identity: RegisterIdentity): CashFacts {
  return {
    kind: "cash",
    document: document.kind,
    identity,
    time: before.deviceTime,
    shiftNumber: now.shift.kind === "open" ? now.shift.number : now.shift.lastNumber,
    ...(document.cashierName === undefined ? {} : { cashierName: document.cashierName }),
    sumKopecks: document.sumKopecks,
    drawerKopecks: now.drawerKopecks,
  };
}

/** A shift that the device opened or closed by itself around the document says nothing about the document. */
function isAutomaticReport(found: LookUp, document: RegisterDocument): boolean {
  if (found.kind !== "found") return false;
  const { document: kind } = found.facts;
  return (kind === "open-shift" || kind === "close-shift") && kind !== document.kind;
}

function mismatchOf(
  document: FiscalDocument,
  found: { facts: FiscalFacts; reference?: string },
  before: Checkpoint,
  now: RegisterState,
): string | undefined {
  const { facts, reference } = found;
  if (facts.document !== document.kind) return otherKind(facts.documentNumber);
  if (document.kind === "receipt" || document.kind === "correction") {
    // Our id is sent with every receipt: one without it was rung up by somebody else.
    if (reference !== document.reference) return notOurs(facts.documentNumber);
    if (facts.receipt?.sign !== document.sign) return otherSign(facts.documentNumber);
    if (facts.receipt.totalKopecks !== document.totalKopecks) return otherSum(facts.documentNumber);
  }
  if (minute(facts.time) < minute(before.deviceTime) || minute(facts.time) > minute(now.time)) {
    return `ФД № ${facts.documentNumber} пробит в другое время: ${facts.time}`;
  }
  return undefined;
}

/** Registers print the time to the minute, so times compare to the minute on the device's own clock. */
function minute(wall: string): number {
  return Math.floor(wallAsUtcMs(wall) / 60_000);
}

function unknown(reason: string): Verdict {
  return { kind: "unknown", reason };
}
