import type { EntryContent, EntryKey } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { isTrade, type TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { unreachable } from "../../model/unreachable.ts";
import { correctionProblem } from "../../operations/corrections.ts";
import { driveProblem } from "../../operations/found-in-drive/corrected-document.ts";
import { findEarlierAttempt } from "../../operations/found-in-drive/earlier-attempt.ts";
import { openPlace, type Place } from "../../operations/found-in-drive/reading-place.ts";
import { findLostAttempt, readUnknown } from "../../operations/found-in-drive/unknown-documents.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { correctionAt, planOperation, type RegisterChoice, type TurnPlace } from "../../operations/plan.ts";
import { laneStopped, notReady, wentBack } from "../../operations/readiness.ts";
import { INSPECT_LIMIT_MS, type OperationServices, type Registers } from "../../operations/services.ts";
import { investigate, isEndedAnywhere } from "../../operations/settle-by-register.ts";
import { nextShiftStep } from "../../operations/shift-rules.ts";
import { shiftSituation } from "../../operations/shift-situation.ts";
import type { Submission } from "../../operations/submission.ts";
import type { Register, RegisterState } from "../../registers/register.ts";
import { driveStops, type Refused, refused, roomProblem } from "./rehearsal-state.ts";

/** The result of a rehearsal. `driveNumber`: the drive for the documents, absent when the register's state was not read. */
export type Rehearsal = { kind: "fits"; driveNumber?: string } | Refused;

type Content = EntryContent & { document: TradeDocument };

/**
 * Checks, before the first of several corrections is sent, whether all of them can be registered. If the second of two corrections failed,
 * the first would already be in the drive for ever. The rehearsal makes most checks of a turn, in its own order, and registers nothing.
 * Each turn makes all checks again. `fits` is also the result when the register has no answer about one of the documents.
 */
export async function rehearse(services: OperationServices, lanes: Lanes, submissions: readonly Submission[]): Promise<Rehearsal> {
  const planned: { content: Content; turn: TurnPlace }[] = [];
  for (const [at, submission] of submissions.entries()) {
    const plan = await planOperation(services, submission, keyOf(submission));
    if (plan.kind === "refused") return refused(at, plan.refusal);
    if (plan.kind === "elsewhere") return refused(at, { code: "lane-full" });
    const { content, turn } = plan;
    if (isTrade(content.document)) planned.push({ content: { ...content, document: content.document }, turn });
  }
  const [first] = planned;
  if (first === undefined) return { kind: "fits" };
  const contents = planned.map(({ content }) => content);
  const place = lanes.enter(first.content.register, () => atRegister(services, first.turn, contents));
  return place.kind === "full" ? refused(0, { code: "lane-full" }) : place.result;
}

/** The services of a rehearsal without a register: while a server runs, only the server may use the register. */
interface JournalRehearsal extends RegisterChoice {
  journal: Journal;
}

/** Rehearses with the journal and the settings only. */
export async function rehearseByJournal(services: JournalRehearsal, submissions: readonly Submission[]): Promise<Rehearsal> {
  const contents: Content[] = [];
  for (const [at, submission] of submissions.entries()) {
    const plan = await correctionAt(services, submission, keyOf(submission));
    if (plan.kind === "refused") return refused(at, plan.refusal);
    const { content } = plan;
    if (isTrade(content.document)) contents.push({ ...content, document: content.document });
  }
  const [first] = contents;
  if (first === undefined) return { kind: "fits" };
  const lost = await objectProblem(services.journal, contents);
  if (lost !== undefined) return lost;
  const known = await services.journal.lastDone(first.register, "answered");
  return (known?.facts === undefined ? undefined : limitsProblem(services.registers, contents, known.facts.identity)) ?? { kind: "fits" };
}

/** A document to register, and its index in the list of corrections. */
interface Due {
  at: number;
  content: Content;
}

async function atRegister(services: OperationServices, turn: TurnPlace, contents: readonly Content[]): Promise<Rehearsal> {
  const { device, rules } = turn;
  const stopped = await doubtProblem(services, device, contents);
  if (stopped !== undefined) return refused(0, stopped);
  const pending = await notYetMade(services, device, contents);
  const [first] = pending.due;
  if (pending.kind === "unsure" || first === undefined) return { kind: "fits" };
  const lost = await objectProblem(services.journal, contents);
  if (lost !== undefined) return lost;
  const deadline = deadlineIn(services.clock, INSPECT_LIMIT_MS);
  const seen = await device.inspect(deadline);
  if (seen.kind === "unreachable") return refused(first.at, unreachable(seen.reason));
  const state = seen.value;
  const { register } = first.content;
  const elsewhere = await doubtElsewhere(services, device, contents, state);
  if (elsewhere !== undefined) return refused(first.at, elsewhere);
  const newest = await services.journal.lastDocumentNumber(state.driveNumber);
  const unready = notReady(state, rules) ?? (await wentBack(services, { device, register }, state, newest));
  if (unready !== undefined) return refused(first.at, unready);
  const place = await openPlace(services, device, { register }, state, newest);
  const due = await notInTheDrive(place, pending.due, newest);
  if (due.kind === "refused") return due;
  return (await dueProblem(services, place, due.due)) ?? { kind: "fits", driveNumber: state.driveNumber };
}

/** Rehearses the documents that are not in the drive yet. */
async function dueProblem(services: OperationServices, place: Place, due: readonly Due[]): Promise<Refused | undefined> {
  const { device, state } = place;
  const [first] = due;
  if (first === undefined) return undefined;
  const shift = nextShiftStep(await shiftSituation(services.journal, first.content, state, false));
  const now = (shift.kind === "refuse" ? { code: shift.code } : undefined) ?? driveStops(state);
  if (now !== undefined) return refused(first.at, now);
  const identity = await device.identity(deadlineIn(services.clock, INSPECT_LIMIT_MS));
  if (identity.kind === "unreachable") return refused(first.at, unreachable(identity.reason));
  const contents = due.map(({ content }) => content);
  const limited =
    limitsProblem(services.registers, contents, identity.value) ??
    roomProblem(
      contents.map(({ document }) => document),
      state,
      identity.value,
    );
  if (limited !== undefined) return { ...limited, at: due[limited.at]?.at ?? first.at };
  for (const { at, content } of due) {
    const otherwise = await driveProblem(place, content);
    if (otherwise !== undefined) return refused(at, otherwise);
  }
  return undefined;
}

/**
 * Returns the documents still to be made. The register is asked about each document with an unknown end. `unsure`: the register has no
 * answer for one document. The turn of this document then decides, and the later documents are unknown.
 */
async function notYetMade(
  { journal, clock }: Pick<OperationServices, "clock" | "journal">,
  device: Register,
  contents: readonly Content[],
): Promise<{ kind: "due" | "unsure"; due: Due[] }> {
  const due: Due[] = [];
  for (const [at, content] of contents.entries()) {
    const entry = await journal.find(content.key);
    const open = entry?.state === "sending" || entry?.state === "in-doubt";
    const verdict = open ? await investigate(clock, device, entry) : undefined;
    if (verdict?.kind === "unknown") return { kind: "unsure", due };
    if (verdict?.kind !== "done") due.push({ at, content });
  }
  return { kind: "due", due };
}

/**
 * Returns the documents that the drive lacks. A document may be in the drive although the journal lacks it, or has it as refused. The turn
 * of such a document would find the document in the drive and make nothing.
 */
async function notInTheDrive(place: Place, due: readonly Due[], newest: number): Promise<{ kind: "due"; due: Due[] } | Refused> {
  const pending: Due[] = [];
  for (const one of due) {
    const entry = await place.services.journal.find(one.content.key);
    const earlier = await findEarlierAttempt(place, one.content, entry?.checkpoint);
    const found = earlier.kind === "none" ? await findLostAttempt(await readUnknown(place, newest), one.content) : earlier;
    if (found.kind === "unreachable") return refused(one.at, found.refusal);
    if (found.kind === "none") pending.push(one);
  }
  return { kind: "due", due: pending };
}

/**
 * Returns the refusal for a doubt in the lane that the register cannot settle now. Doubts about the rehearsed documents are left to the
 * turns of these documents.
 */
async function doubtProblem(
  { journal, clock }: Pick<OperationServices, "clock" | "journal">,
  device: Register,
  contents: readonly Content[],
): Promise<Refusal | undefined> {
  const own = new Set(contents.map(({ key }) => JSON.stringify(key)));
  for (const entry of await journal.sentOn(contents[0]?.register ?? "")) {
    if (own.has(JSON.stringify(entry.key))) continue;
    const verdict = await investigate(clock, device, entry);
    if (verdict.kind === "unknown") return laneStopped(entry, verdict.doubt);
  }
  return undefined;
}

/** Returns the refusal for a document that was sent to the same drive through another address, and whose doubt cannot be settled here. */
async function doubtElsewhere(
  { journal, clock }: Pick<OperationServices, "clock" | "journal">,
  device: Register,
  contents: readonly Content[],
  { driveNumber }: RegisterState,
): Promise<Refusal | undefined> {
  for (const { id } of await journal.heads.sentToDriveElsewhere(driveNumber, contents[0]?.register ?? "")) {
    const entry = await journal.get(id);
    if (entry === undefined || (entry.state !== "sending" && entry.state !== "in-doubt")) continue;
    if (!isEndedAnywhere(entry)) return laneStopped(entry, entry.doubt);
    const verdict = await investigate(clock, device, entry);
    if (verdict.kind === "unknown") return laneStopped(entry, verdict.doubt);
  }
  return undefined;
}

/**
 * Returns why a correction can no longer be made. The second correction of a pair is not checked: it depends on the first, which is
 * registered only later.
 */
async function objectProblem(journal: Journal, contents: readonly Content[]): Promise<Refused | undefined> {
  for (const [at, content] of contents.entries()) {
    const { operation } = content;
    const first = contents.slice(0, at).some((before) => before.operation.kind === "correction" && before.operation.step === "undo");
    if (operation.kind === "correction" && operation.step === "redo" && first) continue;
    const problem = await correctionProblem(journal, content);
    if (problem !== undefined) return refused(at, problem);
  }
  return undefined;
}

/** Returns the refusal of the first document that a register of this kind, or the register of this identity, cannot accept. */
function limitsProblem(registers: Pick<Registers, "parse">, contents: readonly Content[], identity: RegisterIdentity): Refused | undefined {
  for (const [at, { register, document }] of contents.entries()) {
    const parsed = registers.parse(register);
    const refusal = parsed.kind === "address" ? parsed.address.limitOf(document, identity) : undefined;
    if (refusal !== undefined) return refused(at, refusal);
  }
  return undefined;
}

function keyOf({ appId, accountId, operation }: Submission): EntryKey {
  return { appId, accountId, operation: operation.kind, documentId: operation.document.id };
}
