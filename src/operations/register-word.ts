import type { Checkpoint, Entry } from "../journal/entry.ts";
import type { ReadOff } from "../journal/settlement-schema.ts";
import type { Clock } from "../kernel/clock.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { type WallTime, wallAsUtcMs } from "../kernel/moment.ts";
import { formatKopecks } from "../kernel/money.ts";
import type { RegisterDocument, TradeDocument } from "../model/document.ts";
import type { DocumentFacts, FiscalFacts, RegisterIdentity } from "../model/facts.ts";
import type { LookUp, Register } from "../registers/register.ts";
import { evidenceOf, isTrade, withOurId } from "./evidence.ts";
import { type Evidence, judge } from "./judge.ts";
import type { Lanes } from "./lanes.ts";
import { turnAt } from "./plan.ts";
import { INSPECT_LIMIT_MS, type OperationServices } from "./services.ts";

/** What a person says of an entry: that its document stands on the paper, or that there is none. */
export type Claim = { kind: "done"; readOff: ReadOff } | { kind: "refused" };

/** What the register says to that, in words for the operator. */
export type RegisterWord =
  /** `facts`: the document as the drive has it. */
  | { kind: "confirms"; facts?: DocumentFacts; register: Asked }
  | { kind: "contradicts"; problem: string }
  /** `register`: it was reached all the same. */
  | { kind: "cannot-tell"; reason: string; register?: Asked };

/** The register that was asked, with the drive that the operation went to. */
export interface Asked {
  identity: RegisterIdentity;
  now: WallTime;
}

/** Asks the register of an entry that was sent, in its own lane, about what a person says. Sends nothing that registers. */
export async function registerWord(services: OperationServices, lanes: Lanes, entry: Entry, claim: Claim): Promise<RegisterWord> {
  const { device } = await turnAt(services, entry);
  const place = lanes.enter(entry.register, () => wordOf(services.clock, device, entry, claim));
  return place.kind === "full" ? cannotTell("too many operations wait for it") : place.result;
}

async function wordOf(clock: Clock, device: Register, { checkpoint, document }: Entry, claim: Claim): Promise<RegisterWord> {
  if (checkpoint === undefined || document.kind === "x-report") return cannotTell("nothing was sent to it that could be found again");
  const seen = await evidenceOf(clock, device, { document, before: checkpoint });
  if (seen.kind === "unreachable") return cannotTell(seen.reason);
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
function strangeness({ driveNumber, lastDocumentNumber }: Checkpoint, { now }: Evidence): string | undefined {
  if (now.driveNumber !== driveNumber) return `it has drive ${now.driveNumber} now, and the operation went to drive ${driveNumber}`;
  return now.lastDocumentNumber < lastDocumentNumber
    ? `its drive ends with document ${now.lastDocumentNumber} now and had ${lastDocumentNumber} before: its memory went back`
    : undefined;
}

/** A slip is in no drive: the drawer tells, where nothing else was made since. */
function onSlip(evidence: Evidence, claim: Claim, register: Asked): RegisterWord {
  const verdict = judge(evidence);
  const drawer = `the drawer had ${evidence.before.drawerKopecks} kopecks before it and has ${evidence.now.drawerKopecks} now`;
  if (verdict.kind === "unknown") return cannotTell(`${drawer}, and that proves nothing (${verdict.reason})`, register);
  const made = verdict.kind === "done";
  return made === (claim.kind === "done")
    ? { kind: "confirms", register }
    : contradicts(`${drawer}, and nothing else was made since: the slip was ${made ? "made" : "not made"}`);
}

/** Nothing was registered only where the drive has been read to its end and has no document with our id, of whatever sum. */
function onNothing(document: RegisterDocument, evidence: Evidence, register: Asked): RegisterWord {
  const verdict = judge(evidence);
  const made = withOurId(document, evidence.since);
  if (made !== undefined && isTrade(document) && !hasItsSum(document, made.facts)) return contradicts(otherwise(made.facts));
  const facts = made?.facts ?? (verdict.kind === "done" ? verdict.facts : undefined);
  if (facts?.kind === "fiscal") return contradicts(`document ${facts.documentNumber} of its drive is this operation: ${toldOf(facts)}`);
  if (verdict.kind === "not-registered") return { kind: "confirms", register };
  const told = evidence.next.kind === "absent" && evidence.since.every(isIdentified);
  if (isTrade(document) && told) return { kind: "confirms", register };
  return cannotTell(verdict.kind === "unknown" ? verdict.reason : "it has documents that cannot be told apart", register);
}

/** Something was registered, and not what was sent: a person takes it as it stands. */
function otherwise({ documentNumber, receipt, ...facts }: FiscalFacts): string {
  const sum = receipt === undefined ? "SUM" : formatKopecks(receipt.totalKopecks);
  const is = toldOf({ ...facts, documentNumber, ...(receipt === undefined ? {} : { receipt }) });
  return `document ${documentNumber} of its drive carries this operation's id, with another sum, ${sum}: ${is}. It is settled with --done, these figures and --sum ${sum}`;
}

/** Whose it is can be told: it carries an id, or is a report, or none of those documents that we make. */
function isIdentified(found: LookUp): boolean {
  if (found.kind !== "found") return found.kind === "foreign";
  return found.reference !== undefined || (found.facts.document !== "receipt" && found.facts.document !== "correction");
}

function onDocument(document: RegisterDocument, number: number, found: LookUp, readOff: ReadOff, register: Asked): RegisterWord {
  switch (found.kind) {
    case "unreachable":
      return cannotTell(found.reason, register);
    case "absent":
      return contradicts(`its drive has no document ${number}`);
    case "foreign":
      return contradicts(`document ${number} of its drive is of another kind: ${found.what}`);
    case "found":
      return onFound(document, found, readOff, register);
  }
}

function onFound(
  document: RegisterDocument,
  { facts, reference }: Extract<LookUp, { kind: "found" }>,
  readOff: ReadOff,
  register: Asked,
): RegisterWord {
  const number = facts.documentNumber;
  if (facts.document !== document.kind)
    return contradicts(`document ${number} of its drive is a ${facts.document}, and a ${document.kind} was sent`);
  if (isTrade(document)) {
    if (reference !== undefined && reference !== document.reference)
      return contradicts(`document ${number} of its drive carries another operation's id`);
    const itself = reference !== undefined && readOff.sumKopecks !== undefined && readOff.sumKopecks === facts.receipt?.totalKopecks;
    if (reference !== undefined && !itself && !hasItsSum(document, facts)) return contradicts(otherwise(facts));
    if (!itself && !hasItsSum(document, facts))
      return contradicts(`document ${number} of its drive has another sum or kind of settlement than what was sent`);
  }
  const typo = differences(facts, readOff);
  if (typo.length > 0)
    return contradicts(`what was read off differs in ${typo.join(", ")}: document ${number} of its drive is ${toldOf(facts)}`);
  if (isTrade(document) && reference === undefined) return cannotTell(`it does not tell whose document ${number} is`, register);
  return { kind: "confirms", facts, register };
}

/** Times to the minute, as paper shows them. */
function differences(facts: FiscalFacts, { fiscalSign, shiftNumber, time, receiptNumber }: ReadOff): string[] {
  const minute = (wall: WallTime) => Math.floor(wallAsUtcMs(wall) / 60_000);
  const receipt = facts.receipt?.number;
  return [
    ...(Number(fiscalSign) === Number(facts.fiscalSign) ? [] : ["--sign"]),
    ...(shiftNumber === facts.shiftNumber ? [] : ["--shift"]),
    ...(minute(time) === minute(facts.time) ? [] : ["--time"]),
    ...(receiptNumber === undefined || receipt === undefined || receiptNumber === receipt ? [] : ["--receipt"]),
  ];
}

function toldOf({ fiscalSign, shiftNumber, time, receipt }: FiscalFacts): string {
  return `sign ${fiscalSign}, shift ${shiftNumber}${receipt === undefined ? "" : `, receipt ${receipt.number}`}, ${time}`;
}

function hasItsSum({ sign, totalKopecks }: TradeDocument, { receipt }: FiscalFacts): boolean {
  return receipt?.sign === sign && receipt.totalKopecks === totalKopecks;
}

function contradicts(problem: string): RegisterWord {
  return { kind: "contradicts", problem };
}

function cannotTell(reason: string, register?: Asked): RegisterWord {
  return { kind: "cannot-tell", reason, ...(register === undefined ? {} : { register }) };
}
