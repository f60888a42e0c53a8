import type { Checkpoint, Entry } from "../../journal/entry.ts";
import type { Clock } from "../../kernel/clock.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import { isTrade, type RegisterDocument, type TradeDocument } from "../../model/document.ts";
import type { Doubt } from "../../model/doubt.ts";
import type { DocumentFacts, FiscalFacts, RegisterIdentity } from "../../model/facts.ts";
import { evidenceOf, withOurId } from "../../operations/evidence.ts";
import { type Evidence, judge } from "../../operations/judge.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { turnAt } from "../../operations/plan.ts";
import { INSPECT_LIMIT_MS, type OperationServices } from "../../operations/services.ts";
import type { LookUp, Register } from "../../registers/register.ts";
import type { ReadOff } from "./read-off-schema.ts";

/** What a person says of an entry: that its document stands on the paper, or that there is none. */
export type Claim = { kind: "done"; readOff: ReadOff } | { kind: "refused" };

/** What the register says to that. */
export type ClaimCheck =
  /** `facts`: the document as the drive has it. */
  | { kind: "confirms"; facts?: DocumentFacts; register: Asked }
  | { kind: "contradicts"; finding: Finding }
  /** `register`: it was reached all the same. */
  | { kind: "cannot-tell"; cause: Silence; register?: Asked };

/** What the register has that is not what the person says. Numbers are of documents in its drive. */
export type Finding =
  | ({ code: "slip"; wasMade: boolean } & Drawer)
  | { code: "is-this-operation"; facts: FiscalFacts }
  /** It carries this operation's id, and not its sum. */
  | { code: "other-sum"; facts: FiscalFacts }
  | { code: "absent"; number: number }
  | { code: "foreign"; number: number; what: string }
  | { code: "other-kind"; number: number; is: FiscalFacts["document"]; sent: RegisterDocument["kind"] }
  | { code: "of-other-operation"; number: number }
  | { code: "other-settlement"; number: number }
  | { code: "misread"; fields: readonly ReadField[]; facts: FiscalFacts };

/** What a person reads off a paper, and may read wrongly. */
type ReadField = "sign" | "shift" | "time" | "receipt";

/** Why the register cannot tell. */
export type Silence =
  | { code: "lane-full" }
  /** Nothing was sent that could be found again. */
  | { code: "nothing-sent" }
  | { code: "unreachable"; reason: string }
  | { code: "drive-changed"; now: string; before: string }
  | { code: "drive-went-back"; now: number; before: number }
  | ({ code: "drawer-unclear"; doubt: Doubt } & Drawer)
  | { code: "doubt"; doubt: Doubt }
  | { code: "ambiguous" }
  | { code: "owner-unknown"; number: number }
  /** It could not be had, as while a server has it. */
  | { code: "not-available"; message: string };

/** By its counter, in kopecks. */
interface Drawer {
  beforeKopecks: number;
  nowKopecks: number;
}

/** The register that was asked, with the drive that the operation went to. */
interface Asked {
  identity: RegisterIdentity;
  now: WallTime;
}

/** Asks the register of an entry that was sent, in its own lane, about what a person says. Sends nothing that registers. */
export async function checkClaim(services: OperationServices, lanes: Lanes, entry: Entry, claim: Claim): Promise<ClaimCheck> {
  const { device } = await turnAt(services, entry);
  const place = lanes.enter(entry.register, () => wordOf(services.clock, device, entry, claim));
  return place.kind === "full" ? cannotTell({ code: "lane-full" }) : place.result;
}

async function wordOf(clock: Clock, device: Register, { checkpoint, document }: Entry, claim: Claim): Promise<ClaimCheck> {
  if (checkpoint === undefined || document.kind === "x-report") return cannotTell({ code: "nothing-sent" });
  const seen = await evidenceOf(clock, device, { document, before: checkpoint });
  if (seen.kind === "unreachable") return cannotTell({ code: "unreachable", reason: seen.reason });
  const evidence = seen.value;
  const { now, identity } = evidence;
  const strange = strangeness(checkpoint, evidence);
  const register = { identity, now: now.time };
  if (strange !== undefined) {
    const ours = claim.kind === "done" ? await ownDocument(clock, device, document, claim.readOff) : undefined;
    return claim.kind === "done" && ours !== undefined ? onFound(document, ours, claim.readOff, register) : cannotTell(strange);
  }
  if (document.kind === "cash-in" || document.kind === "cash-out") return onSlip(evidence, claim, register);
  if (claim.kind === "refused") return onNothing(document, evidence, register);
  const number = claim.readOff.documentNumber ?? 0;
  const found =
    evidence.since[number - checkpoint.lastDocumentNumber - 1] ?? (await device.lookUp(number, deadlineIn(clock, INSPECT_LIMIT_MS)));
  return onDocument(document, number, found, claim.readOff, register);
}

/** Our id is on one operation's documents alone: where it is found, it may be the checkpoint that is wrong. */
async function ownDocument(
  clock: Clock,
  device: Register,
  document: RegisterDocument,
  { documentNumber = 0 }: ReadOff,
): Promise<Extract<LookUp, { kind: "found" }> | undefined> {
  if (!isTrade(document)) return undefined;
  return withOurId(document, [await device.lookUp(documentNumber, deadlineIn(clock, INSPECT_LIMIT_MS))]);
}

/** Why what answers cannot tell of the drive that the operation went to. */
function strangeness({ driveNumber, lastDocumentNumber }: Checkpoint, { now }: Evidence): Silence | undefined {
  if (now.driveNumber !== driveNumber) return { code: "drive-changed", now: now.driveNumber, before: driveNumber };
  return now.lastDocumentNumber < lastDocumentNumber
    ? { code: "drive-went-back", now: now.lastDocumentNumber, before: lastDocumentNumber }
    : undefined;
}

/** A slip is in no drive: the drawer tells, where nothing else was made since. */
function onSlip(evidence: Evidence, claim: Claim, register: Asked): ClaimCheck {
  const verdict = judge(evidence);
  const drawer = { beforeKopecks: evidence.before.drawerKopecks, nowKopecks: evidence.now.drawerKopecks };
  if (verdict.kind === "unknown") return cannotTell({ code: "drawer-unclear", doubt: verdict.doubt, ...drawer }, register);
  const made = verdict.kind === "done";
  return made === (claim.kind === "done") ? { kind: "confirms", register } : contradicts({ code: "slip", wasMade: made, ...drawer });
}

/** Nothing was registered only where the drive has been read to its end and has no document with our id, of whatever sum. */
function onNothing(document: RegisterDocument, evidence: Evidence, register: Asked): ClaimCheck {
  const verdict = judge(evidence);
  const made = withOurId(document, evidence.since);
  if (made !== undefined && isTrade(document) && !hasItsSum(document, made.facts))
    return contradicts({ code: "other-sum", facts: made.facts });
  const facts = made?.facts ?? (verdict.kind === "done" ? verdict.facts : undefined);
  if (facts?.kind === "fiscal") return contradicts({ code: "is-this-operation", facts });
  if (verdict.kind === "not-registered") return { kind: "confirms", register };
  const told = evidence.next.kind === "absent" && evidence.since.every(isIdentified);
  if (isTrade(document) && told) return { kind: "confirms", register };
  return cannotTell(verdict.kind === "unknown" ? { code: "doubt", doubt: verdict.doubt } : { code: "ambiguous" }, register);
}

/** Whose it is can be told: it carries an id, or is a report, or none of those documents that we make. */
function isIdentified(found: LookUp): boolean {
  if (found.kind !== "found") return found.kind === "foreign";
  return found.reference !== undefined || (found.facts.document !== "receipt" && found.facts.document !== "correction");
}

function onDocument(document: RegisterDocument, number: number, found: LookUp, readOff: ReadOff, register: Asked): ClaimCheck {
  switch (found.kind) {
    case "unreachable":
      return cannotTell({ code: "unreachable", reason: found.reason }, register);
    case "absent":
      return contradicts({ code: "absent", number });
    case "foreign":
      return contradicts({ code: "foreign", number, what: found.what });
    case "found":
      return onFound(document, found, readOff, register);
  }
}

function onFound(
  document: RegisterDocument,
  { facts, reference }: Extract<LookUp, { kind: "found" }>,
  readOff: ReadOff,
  register: Asked,
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

/** Times to the minute, as paper shows them. */
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

function contradicts(finding: Finding): ClaimCheck {
  return { kind: "contradicts", finding };
}

function cannotTell(cause: Silence, register?: Asked): ClaimCheck {
  return { kind: "cannot-tell", cause, ...present({ register }) };
}
