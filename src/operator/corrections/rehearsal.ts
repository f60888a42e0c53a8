import type { EntryContent, EntryKey } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { deadlineIn } from "../../kernel/deadline.ts";
import { isTrade, type TradeDocument } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { unreachable } from "../../model/unreachable.ts";
import { correctionProblem } from "../../operations/corrections.ts";
import { findEarlierAttempt } from "../../operations/found-in-drive/earlier-attempt.ts";
import { findLostAttempt, readUnknown } from "../../operations/found-in-drive/unknown-documents.ts";
import type { Lanes } from "../../operations/lanes.ts";
import { correctionAt, planOperation, type RegisterChoice, type TurnPlace } from "../../operations/plan.ts";
import { laneStopped, notReady, wentBack } from "../../operations/readiness.ts";
import { INSPECT_LIMIT_MS, type OperationServices, type Registers } from "../../operations/services.ts";
import { investigate } from "../../operations/settle.ts";
import { nextShiftStep } from "../../operations/shift-rules.ts";
import { shiftSituation } from "../../operations/shift-situation.ts";
import type { Submission } from "../../operations/submission.ts";
import type { Register, RegisterState } from "../../registers/register.ts";
import { driveProblem } from "./rehearsal-drive.ts";
import { driveStops, type Refused, refused, roomProblem } from "./rehearsal-state.ts";

/**
 * `at`: place of the operation that would not be registered. Nothing has been sent that registers. `driveNumber`: of the
 * drive that they would be registered in; absent where nothing was to be rehearsed, or no register was asked.
 */
export type Rehearsal = { kind: "fits"; driveNumber?: string } | Refused;

type Content = EntryContent & { document: TradeDocument };

/**
 * Looks whether corrections that belong together can all be registered, before the first of them is: of two, the
 * second would be missing for good where the first stands in the drive and nobody knows what the register has
 * against the other. All is asked that their turns would ask, in the same order, and changed nothing: who only plans
 * them asks the same. What may change in between (paper, shift, link) is looked at again when each has its turn.
 */
export async function rehearse(services: OperationServices, lanes: Lanes, submissions: readonly Submission[]): Promise<Rehearsal> {
  const planned: { content: Content; turn: TurnPlace }[] = [];
  for (const [at, submission] of submissions.entries()) {
    const plan = await planOperation(services, submission, keyOf(submission));
    if (plan.kind === "refused") return refused(at, plan.refusal);
    const { content, turn } = plan;
    if (isTrade(content.document)) planned.push({ content: { ...content, document: content.document }, turn });
  }
  const [first] = planned;
  if (first === undefined) return { kind: "fits" };
  const contents = planned.map(({ content }) => content);
  const place = lanes.enter(first.content.register, () => atRegister(services, first.turn, contents));
  return place.kind === "full" ? refused(0, { code: "lane-full" }) : place.result;
}

/** What it takes to look without a register: while a server runs, it alone may speak to it. */
interface JournalRehearsal extends RegisterChoice {
  journal: Journal;
}

/** The same as far as the journal and the settings know it. */
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
  const known = await services.journal.lastDone(first.register);
  return (known?.facts === undefined ? undefined : limitsProblem(services.registers, contents, known.facts.identity)) ?? { kind: "fits" };
}

/** A document and its place among those that belong together. */
interface Due {
  at: number;
  content: Content;
}

async function atRegister(services: OperationServices, turn: TurnPlace, contents: readonly Content[]): Promise<Rehearsal> {
  const { device, rules } = turn;
  const stopped = await doubtProblem(services, device, contents);
  if (stopped !== undefined) return refused(0, stopped);
  const left = await notYetMade(services, device, contents);
  const [first] = left.due;
  if (left.kind === "unsure" || first === undefined) return { kind: "fits" };
  const lost = await objectProblem(services.journal, contents);
  if (lost !== undefined) return lost;
  const deadline = deadlineIn(services.clock, INSPECT_LIMIT_MS);
  const seen = await device.inspect(deadline);
  if (seen.kind === "unreachable") return refused(first.at, unreachable(seen.reason));
  const state = seen.value;
  const { register } = first.content;
  const newest = await services.journal.lastDocumentNumber(state.driveNumber);
  const unready = notReady(state, rules) ?? (await wentBack(services, register, state, newest));
  if (unready !== undefined) return refused(first.at, unready);
  const due = await notInTheDrive(services, device, left.due, state, newest);
  if (due.kind === "refused") return due;
  return (await dueProblem(services, device, due.due, state)) ?? { kind: "fits", driveNumber: state.driveNumber };
}

/** What is left once those that stand in the drive are found. */
async function dueProblem(
  services: OperationServices,
  device: Register,
  due: readonly Due[],
  state: RegisterState,
): Promise<Refused | undefined> {
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
    const otherwise = await driveProblem(services, device, content, state);
    if (otherwise !== undefined) return refused(at, otherwise);
  }
  return undefined;
}

/**
 * Those of which the register says that it has not made them. Of one that it cannot tell of, its own turn tells what has
 * to be done: nothing can be said of the others before.
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

/** What counts as refused, or is not in the journal at all, may stand in the drive: its turn would find it there and make nothing. */
async function notInTheDrive(
  services: OperationServices,
  device: Register,
  due: readonly Due[],
  state: RegisterState,
  newest: number,
): Promise<{ kind: "due"; due: Due[] } | Refused> {
  const left: Due[] = [];
  for (const one of due) {
    const entry = await services.journal.find(one.content.key);
    const earlier = await findEarlierAttempt(services, device, one.content, entry?.checkpoint, state);
    const found =
      earlier.kind === "none"
        ? await findLostAttempt(await readUnknown(services, device, one.content, state, newest), one.content)
        : earlier;
    if (found.kind === "unreachable") return refused(one.at, found.refusal);
    if (found.kind === "none") left.push(one);
  }
  return { kind: "due", due: left };
}

/** What a turn would have to settle first, and could not. What is in doubt of these documents themselves is taken up by their own turns. */
async function doubtProblem(
  { journal, clock }: Pick<OperationServices, "clock" | "journal">,
  device: Register,
  contents: readonly Content[],
): Promise<Refusal | undefined> {
  const own = new Set(contents.map(({ key }) => JSON.stringify(key)));
  for (const entry of await journal.unfinishedOn(contents[0]?.register ?? "")) {
    if (entry.state === "queued" || own.has(JSON.stringify(entry.key))) continue;
    const verdict = await investigate(clock, device, entry);
    if (verdict.kind === "unknown") return laneStopped(entry, verdict.doubt);
  }
  return undefined;
}

/** What was to be corrected is no longer what it was. Of a pair the second needs the first, which comes first. */
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

/** What no register of this kind, or none of this identity, has room for. */
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
