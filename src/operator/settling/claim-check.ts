import type { Checkpoint, Entry } from "../../journal/entry.ts";
import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { isTrade, type RegisterDocument, type TradeDocument } from "../../model/document.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { DocumentFacts, FiscalFacts, RegisterIdentity } from "../../model/facts.ts";
import { evidenceOf, withOwnId } from "../../operations/evidence.ts";
import { type Evidence, judge } from "../../operations/judge.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { turnAt } from "../../operations/plan.ts";
import { INSPECT_LIMIT_MS, type OperationServices } from "../../operations/services.ts";
import type { LookUp, Register } from "../../registers/register.ts";
import type { ReadOff } from "./read-off-schema.ts";

/** A person's statement about an entry: its document is on paper, or there is none. */
export type Claim = { kind: "done"; readOff: ReadOff } | { kind: "refused" };

export type ClaimCheck =
  /** `facts`: the document from the drive. */
  | { kind: "confirms"; facts?: DocumentFacts; register: AskedRegister }
  | { kind: "contradicts"; contradiction: Contradiction }
  /** `register`: present if the register's state was read, and its drive is the entry's drive and has lost no documents. */
  | { kind: "cannot-tell"; cause: CannotTellCause; register?: AskedRegister };

/** How the register contradicts the claim. Numbers are document numbers in its drive. */
export type Contradiction =
  | ({ code: "slip"; wasMade: boolean } & Drawer)
  | { code: "is-this-operation"; facts: FiscalFacts }
  /** A document with this operation's id but another sum. */
  | { code: "other-sum"; facts: FiscalFacts }
  | { code: "absent"; number: number }
  | { code: "foreign"; number: number; what: string }
  | { code: "other-kind"; number: number; is: FiscalFacts["document"]; sent: RegisterDocument["kind"] }
  | { code: "of-other-operation"; number: number }
  | { code: "other-settlement"; number: number }
  | { code: "misread"; fields: readonly ReadField[]; facts: FiscalFacts };

/** A figure that a person reads off the paper, possibly wrongly. */
type ReadField = "sign" | "shift" | "time" | "receipt";

/** Why the register neither confirms nor contradicts the claim. */
export type CannotTellCause =
  | { code: "lane-full" }
  /** Nothing was sent that the drive would store: no document, or an X report. */
  | { code: "nothing-sent" }
  | { code: "unreachable"; reason: string }
  | { code: "drive-changed"; now: string; before: string }
  | { code: "drive-went-back"; now: number; before: number }
  | ({ code: "drawer-unclear"; doubt: Doubt } & Drawer)
  | { code: "doubt"; doubt: Doubt }
  | { code: "ambiguous" }
  | { code: "owner-unknown"; number: number }
  /** The register was not available, for example because a server uses it. */
  | { code: "not-available"; message: string };

interface Drawer {
  beforeKopecks: number;
  nowKopecks: number;
}

/** The register that answered, with its identity and clock. */
interface AskedRegister {
  identity: RegisterIdentity;
  now: WallTime;
}

/** Checks a person's claim about a sent entry in the register's lane. Registers nothing. */
export async function checkClaim(services: OperationServices, lanes: Lanes, entry: Entry, claim: Claim): Promise<ClaimCheck> {
  await services.held?.pull(entry.register);
  const { device } = await turnAt(services, entry);
  const place = lanes.enter(entry.register, () => checkAtRegister(services.clock, device, entry, claim));
  return place.kind === "full" ? cannotTell({ code: "lane-full" }) : place.result;
}

async function checkAtRegister(clock: Clock, device: Register, { checkpoint, document }: Entry, claim: Claim): Promise<ClaimCheck> {
  if (checkpoint === undefined || document.kind === "x-report") return cannotTell({ code: "nothing-sent" });
  const seen = await evidenceOf(clock, device, { document, before: checkpoint });
  if (seen.kind === "unreachable") return cannotTell({ code: "unreachable", reason: seen.reason });
  const evidence = seen.value;
  const { now, identity } = evidence;
  const problem = driveProblem(checkpoint, evidence);
  const register = { identity, now: now.time };
  if (problem !== undefined) {
    const ours = claim.kind === "done" ? await ownDocument(clock, device, document, claim.readOff) : undefined;
    return claim.kind === "done" && ours !== undefined ? checkFound(document, ours, claim.readOff, register) : cannotTell(problem);
  }
  if (document.kind === "cash-in" || document.kind === "cash-out") return checkSlip(evidence, claim, register);
  if (claim.kind === "refused") return checkNothing(document, evidence, register);
  const number = claim.readOff.documentNumber ?? 0;
  const found =
    evidence.since[number - checkpoint.lastDocumentNumber - 1] ?? (await device.lookUp(number, deadlineIn(clock, INSPECT_LIMIT_MS)));
  return checkDocument(document, number, found, claim.readOff, register);
}

/**
 * Returns the drive's document with the typed number, if it has the operation's unique id. If such a document does not fit the checkpoint,
 * the checkpoint is wrong.
 */
async function ownDocument(
  clock: Clock,
  device: Register,
  document: RegisterDocument,
  { documentNumber = 0 }: ReadOff,
): Promise<Extract<LookUp, { kind: "found" }> | undefined> {
  if (!isTrade(document)) return undefined;
  return withOwnId(document, [await device.lookUp(documentNumber, deadlineIn(clock, INSPECT_LIMIT_MS))]);
}

/** Returns why the drive can confirm nothing: the operation was sent to another drive, or this drive has lost documents. */
function driveProblem({ driveNumber, lastDocumentNumber }: Checkpoint, { now }: Evidence): CannotTellCause | undefined {
  if (now.driveNumber !== driveNumber) return { code: "drive-changed", now: now.driveNumber, before: driveNumber };
  return now.lastDocumentNumber < lastDocumentNumber
    ? { code: "drive-went-back", now: now.lastDocumentNumber, before: lastDocumentNumber }
    : undefined;
}

/** No drive stores slips. The drawer shows whether the slip was made, if nothing else was made since. */
function checkSlip(evidence: Evidence, claim: Claim, register: AskedRegister): ClaimCheck {
  const verdict = judge(evidence);
  const drawer = { beforeKopecks: evidence.before.drawerKopecks, nowKopecks: evidence.now.drawerKopecks };
  if (verdict.kind === "unknown") return cannotTell({ code: "drawer-unclear", doubt: verdict.doubt, ...drawer }, register);
  const made = verdict.kind === "done";
  return made === (claim.kind === "done") ? { kind: "confirms", register } : contradicts({ code: "slip", wasMade: made, ...drawer });
}

/**
 * Checks the claim "not registered". The register confirms the claim only if the drive was read to its end and no document in it has the
 * operation's id, whatever the sum.
 */
function checkNothing(document: RegisterDocument, evidence: Evidence, register: AskedRegister): ClaimCheck {
  const verdict = judge(evidence);
  const made = withOwnId(document, evidence.since);
  if (made !== undefined && isTrade(document) && !hasItsSum(document, made.facts))
    return contradicts({ code: "other-sum", facts: made.facts });
  const facts = made?.facts ?? (verdict.kind === "done" ? verdict.facts : undefined);
  if (facts?.kind === "fiscal") return contradicts({ code: "is-this-operation", facts });
  if (verdict.kind === "not-registered") return { kind: "confirms", register };
  const allIdentified = evidence.next.kind === "absent" && evidence.since.every(isIdentified);
  if (isTrade(document) && allIdentified) return { kind: "confirms", register };
  return cannotTell(verdict.kind === "unknown" ? { code: "doubt", doubt: verdict.doubt } : { code: "ambiguous" }, register);
}

/** Whether it is known who made the document. The document has an id, is a report, or is of a kind that the server never makes. */
function isIdentified(found: LookUp): boolean {
  if (found.kind !== "found") return found.kind === "foreign";
  return found.reference !== undefined || (found.facts.document !== "receipt" && found.facts.document !== "correction");
}

function checkDocument(document: RegisterDocument, number: number, found: LookUp, readOff: ReadOff, register: AskedRegister): ClaimCheck {
  switch (found.kind) {
    case "unreachable":
      return cannotTell({ code: "unreachable", reason: found.reason }, register);
    case "absent":
      return contradicts({ code: "absent", number });
    case "foreign":
      return contradicts({ code: "foreign", number, what: found.what });
    case "found":
      return checkFound(document, found, readOff, register);
  }
}

function checkFound(
  document: RegisterDocument,
  { facts, reference }: Extract<LookUp, { kind: "found" }>,
  readOff: ReadOff,
  register: AskedRegister,
): ClaimCheck {
  const number = facts.documentNumber;
  if (facts.document !== document.kind) return contradicts({ code: "other-kind", number, is: facts.document, sent: document.kind });
  if (isTrade(document)) {
    if (reference !== undefined && reference !== document.reference) return contradicts({ code: "of-other-operation", number });
    const itself = reference !== undefined && readOff.sumKopecks !== undefined && readOff.sumKopecks === facts.receipt?.totalKopecks;
    if (reference !== undefined && !itself && !hasItsSum(document, facts)) return contradicts({ code: "other-sum", facts });
    if (!itself && !hasItsSum(document, facts)) return contradicts({ code: "other-settlement", number });
  }
  const fields = differences(facts, readOff);
  if (fields.length > 0) return contradicts({ code: "misread", fields, facts });
  if (isTrade(document) && reference === undefined) return cannotTell({ code: "owner-unknown", number }, register);
  return { kind: "confirms", facts, register };
}

/** Returns the figures that differ. Times are compared to the minute, because paper shows no seconds. */
function differences(facts: FiscalFacts, { fiscalSign, shiftNumber, time, receiptNumber }: ReadOff): ReadField[] {
  const minute = (wall: WallTime) => Math.floor(wallAsUtcMs(wall) / 60_000);
  const receipt = facts.receipt?.number;
  return [
    ...(Number(fiscalSign) === Number(facts.fiscalSign) ? [] : ["sign" as const]),
    ...(shiftNumber === facts.shiftNumber ? [] : ["shift" as const]),
    ...(minute(time) === minute(facts.time) ? [] : ["time" as const]),
    ...(receiptNumber === undefined || receipt === undefined || receiptNumber === receipt ? [] : ["receipt" as const]),
  ];
}

function hasItsSum({ sign, totalKopecks }: TradeDocument, { receipt }: FiscalFacts): boolean {
  return receipt?.sign === sign && receipt.totalKopecks === totalKopecks;
}

function contradicts(contradiction: Contradiction): ClaimCheck {
  return { kind: "contradicts", contradiction };
}

function cannotTell(cause: CannotTellCause, register?: AskedRegister): ClaimCheck {
  return { kind: "cannot-tell", cause, ...present({ register }) };
}
