import type { Checkpoint } from "../journal/entry.ts";
import { wallAsUtcMs } from "../kernel/moment.ts";
import { present } from "../kernel/present.ts";
import { type CashDocument, type FiscalDocument, isCash, isTrade, type RegisterDocument, type XReportDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { CashFacts, DocumentFacts, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { LookUp, RegisterState } from "../registers/register.ts";
import { isOwnReference } from "./reference.ts";

/** The facts that the register shows after a doubt, and the facts that it showed before the document was sent. */
export interface Evidence {
  /** An X report registers nothing, so there is nothing to judge. */
  document: Exclude<RegisterDocument, XReportDocument>;
  before: Checkpoint;
  now: RegisterState;
  identity: RegisterIdentity;
  /** Every document of the drive after the checkpoint, in order. */
  since: LookUp[];
  /** The register's answer about the number after the last document in `since`. */
  next: LookUp;
}

export type Verdict = { kind: "done"; facts: DocumentFacts } | { kind: "not-registered" } | { kind: "unknown"; doubt: Doubt };

/**
 * Decides whether a document whose answer was lost was registered (interface 6, After doubt). If the evidence can be
 * read in two ways, a person decides. "Not registered" never follows from the number in the register's status alone.
 * That number may be old, and then the document would be made twice.
 */
export function judge(evidence: Evidence): Verdict {
  const { document, before, now } = evidence;
  if (now.driveNumber !== before.driveNumber) {
    return unknown({ code: "drive-changed", before: before.driveNumber, now: now.driveNumber });
  }
  if (now.lastDocumentNumber < before.lastDocumentNumber) {
    return unknown({ code: "drive-went-back", before: before.lastDocumentNumber, now: now.lastDocumentNumber });
  }
  const unread = evidence.since.find((found) => found.kind === "absent" || found.kind === "unreachable");
  if (unread !== undefined) return unknown({ code: "documents-unread" });
  const verdict = isCash(document) ? judgeCash(document, evidence) : judgeFiscal(document, evidence);
  if (verdict.kind === "not-registered" && evidence.next.kind !== "absent") {
    return unknown({ code: "drive-end-unproved", last: before.lastDocumentNumber + evidence.since.length });
  }
  return verdict;
}

function judgeFiscal(document: FiscalDocument, { before, now, since }: Evidence): Verdict {
  const candidates = since.filter((found) => !isAutomaticReport(found, document) && !isLaterReceipt(found, document, since));
  if (candidates.length === 0) return { kind: "not-registered" };
  const [only, another] = candidates;
  if (only?.kind !== "found" || another !== undefined) {
    return unknown({ code: "documents-ambiguous", count: candidates.length });
  }
  const mismatch = mismatchOf(document, only, before, now);
  return mismatch === undefined ? { kind: "done", facts: only.facts } : unknown(mismatch);
}

function judgeCash(document: CashDocument, { before, now, identity, since }: Evidence): Verdict {
  if (since.some((found) => !isAutomaticReport(found, document))) {
    return unknown({ code: "drawer-unclear" });
  }
  const moved = now.drawerKopecks - before.drawerKopecks;
  if (moved === 0) return { kind: "not-registered" };
  const expected = document.kind === "cash-in" ? document.sumKopecks : -document.sumKopecks;
  if (moved !== expected) {
    return unknown({ code: "drawer-differs", movedKopecks: moved, expectedKopecks: expected });
  }
  return { kind: "done", facts: cashFacts(document, before, now, identity) };
}

/** The device keeps no slip of cash in or out. The time is the device's clock just before the command was sent. */
function cashFacts(document: CashDocument, before: Checkpoint, now: RegisterState, identity: RegisterIdentity): CashFacts {
  return {
    kind: "cash",
    document: document.kind,
    identity,
    time: before.deviceTime,
    shiftNumber: now.shift.kind === "open" ? now.shift.number : now.shift.lastNumber,
    ...present({ cashierName: document.cashierName }),
    sumKopecks: document.sumKopecks,
    drawerKopecks: now.drawerKopecks,
  };
}

/** The device may open or close a shift by itself around the document. Such a report says nothing about the document. */
function isAutomaticReport(found: LookUp, document: RegisterDocument): boolean {
  if (found.kind !== "found") return false;
  const { document: kind } = found.facts;
  return (kind === "open-shift" || kind === "close-shift") && kind !== document.kind;
}

/**
 * Whether the server sent this receipt after the doubted document, which is in the drive too. A lane sends nothing
 * after a doubt. So there is such a receipt only when a copy of the database was made while the document was at the
 * register, and this copy was restored later. Documents of others never count: they show that somebody else uses the
 * register, and a person has to know.
 */
function isLaterReceipt(found: LookUp, document: FiscalDocument, since: readonly LookUp[]): boolean {
  if (found.kind !== "found" || found.reference === undefined || !isOwnReference(found.reference)) return false;
  if (found.facts.document !== "receipt" && found.facts.document !== "correction") return false;
  const isDoubted = (other: LookUp) =>
    other.kind === "found" && (isTrade(document) ? other.reference === document.reference : other.facts.document === document.kind);
  return !isDoubted(found) && since.some(isDoubted);
}

function mismatchOf(
  document: FiscalDocument,
  found: { facts: FiscalFacts; reference?: string },
  before: Checkpoint,
  now: RegisterState,
): Doubt | undefined {
  const { facts, reference } = found;
  const { documentNumber: number } = facts;
  if (facts.document !== document.kind) return { code: "kind-differs", number };
  if (document.kind === "receipt" || document.kind === "correction") {
    // Every receipt is sent with an id of this server, so a receipt without it was made by somebody else.
    if (reference !== document.reference) return { code: "document-of-others", number };
    if (facts.receipt?.sign !== document.sign) return { code: "sign-differs", number };
    if (facts.receipt.totalKopecks !== document.totalKopecks) return { code: "sum-differs", number };
  }
  if (minute(facts.time) < minute(before.deviceTime) || minute(facts.time) > minute(now.time)) {
    return { code: "time-differs", number, time: facts.time };
  }
  return undefined;
}

/** Registers keep the time to the minute, so times are compared to the minute, both by the device's clock. */
function minute(wall: string): number {
  return Math.floor(wallAsUtcMs(wall) / 60_000);
}

function unknown(doubt: Doubt): Verdict {
  return { kind: "unknown", doubt };
}
