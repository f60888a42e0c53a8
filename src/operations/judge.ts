import type { Checkpoint } from "../journal/entry.ts";
import { wallAsUtcMs } from "../kernel/moment.ts";
import { present } from "../kernel/present.ts";
import { type CashDocument, type FiscalDocument, isCash, isTrade, type RegisterDocument, type XReportDocument } from "../model/document.ts";
import type { Doubt } from "../model/doubt.ts";
import type { CashFacts, DocumentFacts, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { LookUp, RegisterState } from "../registers/register.ts";
import { isOwnReference } from "./reference.ts";

/** What the register shows after a doubt, and the checkpoint from before the document was sent. */
export interface Evidence {
  /** An X report registers nothing, so there is nothing to judge. */
  document: Exclude<RegisterDocument, XReportDocument>;
  before: Checkpoint;
  now: RegisterState;
  identity: RegisterIdentity;
  /** The register's answers about the document numbers after the checkpoint, in order. */
  since: LookUp[];
  /**
   * True when the end of the drive was not reached: the drive may have more documents than are read for a doubt. The last member of `since`
   * then stands for all further documents.
   */
  hasFurther: boolean;
  /** The register's answer about the number after the last document in `since`. When `hasFurther` is true: the last member of `since`. */
  next: LookUp;
}

export type Verdict = { kind: "done"; facts: DocumentFacts } | { kind: "not-registered" } | { kind: "unknown"; doubt: Doubt };

/**
 * Decides whether a document with a lost answer was registered (interface 6, After doubt). If the evidence is ambiguous, a person decides.
 * The number in the register's status alone never proves "not registered": the number may be old, and the document would be made twice.
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

function judgeFiscal(document: FiscalDocument, { before, now, since, hasFurther }: Evidence): Verdict {
  const isDoubted = (found: LookUp) => carriesItsMark(found, document, before);
  const isFound = since.some(isDoubted);
  const read = hasFurther && isFound ? since.slice(0, -1) : since;
  const candidates = read.filter(
    (found) => !isAutomaticReport(found, document) && !(isFound && !isDoubted(found) && isOfLaterWork(found, document)),
  );
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
  if (mayBeEmptied({ now, since })) return unknown({ code: "drawer-unclear" });
  const moved = now.drawerKopecks - before.drawerKopecks;
  if (moved === 0) return { kind: "not-registered" };
  const expected = document.kind === "cash-in" ? document.sumKopecks : -document.sumKopecks;
  if (moved !== expected) {
    return unknown({ code: "drawer-differs", movedKopecks: moved, expectedKopecks: expected });
  }
  return { kind: "done", facts: cashFacts(document, before, now, identity) };
}

/**
 * Whether the closing of a shift since the slip may have set the drawer to zero: a Shtrih-M has the setting «Обнуление наличности». Then an
 * empty drawer proves nothing: the first cash in of a day would count as not made, and cash out of the whole drawer as made.
 */
function mayBeEmptied({ now, since }: Pick<Evidence, "now" | "since">): boolean {
  const isClosed = since.some((found) => found.kind === "found" && found.facts.document === "close-shift");
  return isClosed && now.drawerKopecks === 0;
}

/** The device stores no slip of cash in or out. The time is the device's clock directly before the command was sent. */
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

/**
 * Whether the device itself may have made the report: the device may open or close a shift around the document. Such a report proves
 * nothing about the document.
 */
function isAutomaticReport(found: LookUp, document: RegisterDocument): boolean {
  if (found.kind !== "found") return false;
  const { document: kind } = found.facts;
  return (kind === "open-shift" || kind === "close-shift") && kind !== document.kind;
}

/**
 * Whether the document shows that it is the doubted document. A receipt must have the operation's id. A shift report must have the shift's
 * number, if the checkpoint tells it, because a shift is opened and closed once. For any other document the kind is enough.
 */
function carriesItsMark(found: LookUp, document: FiscalDocument, { shiftNumber, shiftOpen }: Checkpoint): boolean {
  if (found.kind !== "found") return false;
  if (isTrade(document)) return found.reference === document.reference;
  if (found.facts.document !== document.kind) return false;
  if (document.kind === "open-shift" && !shiftOpen) return found.facts.shiftNumber === shiftNumber + 1;
  return document.kind !== "close-shift" || !shiftOpen || found.facts.shiftNumber === shiftNumber;
}

/**
 * Whether the server may have sent this document after the doubted document: a receipt or correction with an id of this server, or a report
 * of the same kind for a later shift. The question arises only when the doubted document is in the drive too.
 *
 * A lane sends nothing after a doubt. Such a document exists only if the database was copied while the doubted document was at the
 * register, and the copy was restored later. Receipts without an id of this server never count: another user of the register made them, and
 * a person must see them.
 */
function isOfLaterWork(found: LookUp, document: FiscalDocument): boolean {
  if (found.kind !== "found") return false;
  const { reference, facts } = found;
  if (facts.document === "receipt" || facts.document === "correction") return reference !== undefined && isOwnReference(reference);
  return facts.document === document.kind && (document.kind === "open-shift" || document.kind === "close-shift");
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
    // Every receipt of this server has the id of its operation, so a receipt without this id belongs to somebody else or to another
    // operation.
    if (reference !== document.reference) return { code: "document-of-others", number };
    if (facts.receipt?.sign !== document.sign) return { code: "sign-differs", number };
    if (facts.receipt.totalKopecks !== document.totalKopecks) return { code: "sum-differs", number };
  }
  if (minute(facts.time) < minute(before.deviceTime) || minute(facts.time) > minute(now.time)) {
    return { code: "time-differs", number, time: facts.time };
  }
  return undefined;
}

/** Registers keep the time to the minute. All compared times are by the device's clock. */
function minute(wall: string): number {
  return Math.floor(wallAsUtcMs(wall) / 60_000);
}

function unknown(doubt: Doubt): Verdict {
  return { kind: "unknown", doubt };
}
