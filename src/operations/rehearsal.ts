import type { Entry, EntryContent } from "../journal/entry.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import { formatKopecks } from "../kernel/money.ts";
import { dayProblem } from "../model/correction-limits.ts";
import type { TradeDocument } from "../model/document.ts";
import type { RegisterIdentity } from "../model/facts.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Register, RegisterState } from "../registers/register.ts";
import { findEarlierAttempt } from "./earlier-attempt.ts";
import type { Lanes } from "./lanes.ts";
import { planOperation, type Turn } from "./plan.ts";
import { INSPECT_LIMIT_MS, type OperationServices } from "./services.ts";
import type { Submission } from "./submission.ts";

/**
 * `at`: place of the operation that would not be registered. Nothing has been sent that registers. `driveNumber`: of the
 * drive that they would be registered in; absent where nothing was to be rehearsed.
 */
export type Rehearsal = { kind: "fits"; driveNumber?: string } | { kind: "refused"; at: number; refusal: Refusal };

interface Planned {
  content: EntryContent & { document: TradeDocument };
  turn: Turn;
}

/**
 * Looks whether corrections that belong together can all be registered, before the first of them is: of two, the
 * second would be missing for good where the first stands in the drive and nobody knows what the register has
 * against the other. What may change in between (paper, shift, link) is looked at again when each has its turn.
 */
export async function rehearse(services: OperationServices, lanes: Lanes, submissions: readonly Submission[]): Promise<Rehearsal> {
  const planned: Planned[] = [];
  for (const [at, submission] of submissions.entries()) {
    const { appId, accountId, operation } = submission;
    const plan = await planOperation(services, submission, {
      appId,
      accountId,
      operation: operation.kind,
      documentId: operation.document.id,
    });
    if (plan.kind === "refused") return { kind: "refused", at, refusal: plan.refusal };
    const { content, turn } = plan;
    const { document } = content;
    if (document.kind === "correction") planned.push({ content: { ...content, document }, turn });
  }
  const [first] = planned;
  if (first === undefined) return { kind: "fits" };
  const place = lanes.enter(first.content.register, () => atRegister(services, first.turn.device, planned));
  return place.kind === "full" ? refused(0, { code: "lane-full" }) : place.result;
}

async function atRegister(services: OperationServices, device: Register, planned: readonly Planned[]): Promise<Rehearsal> {
  const deadline = deadlineIn(services.clock, INSPECT_LIMIT_MS);
  const seen = await device.inspect(deadline);
  if (seen.kind === "unreachable") return refused(0, unreachable(seen.reason));
  const identity = await device.identity(deadline);
  if (identity.kind === "unreachable") return refused(0, unreachable(identity.reason));
  const limited = limitsProblem(services, planned, identity.value) ?? stateProblem(planned, seen.value);
  return limited ?? (await driveProblem(services, device, planned, seen.value)) ?? { kind: "fits", driveNumber: seen.value.driveNumber };
}

/** What no register of this kind, or none of this identity, has room for. */
function limitsProblem({ registers }: OperationServices, planned: readonly Planned[], identity: RegisterIdentity): Rehearsal | undefined {
  for (const [at, { content }] of planned.entries()) {
    const parsed = registers.parse(content.register);
    const refusal = parsed.kind === "address" ? parsed.address.limitOf(content.document, identity) : undefined;
    if (refusal !== undefined) return refused(at, refusal);
  }
  return undefined;
}

/** What the register's state forbids although it may take the first. */
function stateProblem(planned: readonly Planned[], { time, drive, drawerKopecks }: RegisterState): Rehearsal | undefined {
  let drawer = drawerKopecks;
  for (const [at, { content }] of planned.entries()) {
    const { document } = content;
    if (document.kind !== "correction") continue;
    const day = dayProblem(document.basis.settledOn, time.slice(0, "2026-11-28".length));
    if (day !== undefined)
      return refused(at, { code: "not-correctable", details: { reason: `tag 1178, ${document.basis.settledOn}: ${day}` } });
    if (drive.documentsLeft !== undefined && drive.documentsLeft <= at) return refused(at, { code: "drive-exhausted" });
    const { cashKopecks } = document.tenders;
    const takesOut = document.sign === 2 || document.sign === 3;
    drawer += takesOut ? -cashKopecks : cashKopecks;
    // The first is the register's own to refuse: not every one counts its drawer.
    if (at > 0 && takesOut && cashKopecks > 0 && drawer < 0) {
      const reason = `${formatKopecks(-drawer)} are missing in the drawer by then: put them in first`;
      return refused(at, { code: "cash-short", details: { reason } });
    }
  }
  return undefined;
}

/** What the drive itself says of the documents that are corrected: the journal may know of them what a person has read off. */
async function driveProblem(
  services: OperationServices,
  device: Register,
  planned: readonly Planned[],
  state: RegisterState,
): Promise<Rehearsal | undefined> {
  for (const [at, { content }] of planned.entries()) {
    const { operation } = content;
    const corrected = await correctedEntry(services, content);
    if (operation.kind !== "correction" || corrected === undefined) continue;
    const refusal =
      operation.step === "missed"
        ? await standsThere(services, device, corrected, state)
        : await standsOtherwise(services, device, corrected, { state, fiscalSign: operation.settlement.originalSign });
    if (refusal !== undefined) return refused(at, refusal);
  }
  return undefined;
}

/** What counts as never registered may stand in the drive after all: a person may have looked at the wrong paper. */
async function standsThere(
  services: OperationServices,
  device: Register,
  missed: Entry,
  state: RegisterState,
): Promise<Refusal | undefined> {
  const found = await findEarlierAttempt(services, device, missed, missed.checkpoint, state);
  if (found.kind === "unreachable") return unreachable(found.reason);
  if (found.kind !== "found") return undefined;
  const reason = `it stands in the drive as ФД ${found.found.facts.documentNumber}: repeat it, which gets that document`;
  return { code: "not-correctable", details: { reason } };
}

/** Under the number that the journal has of it another document may stand. A drive that tells nothing of it any more contradicts nothing. */
async function standsOtherwise(
  { clock }: OperationServices,
  device: Register,
  { id, facts }: Entry,
  { state, fiscalSign }: { state: RegisterState; fiscalSign: string | undefined },
): Promise<Refusal | undefined> {
  // A copy has been looked for already.
  if (facts?.kind !== "fiscal" || facts.fiscalSign !== fiscalSign || facts.identity.driveNumber !== state.driveNumber) return undefined;
  const found = await device.lookUp(facts.documentNumber, deadlineIn(clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") return unreachable(found.reason);
  if (found.kind !== "found" || Number(found.facts.fiscalSign) === Number(facts.fiscalSign)) return undefined;
  const reason = `ФД ${facts.documentNumber} has ФП ${found.facts.fiscalSign} in the drive, another than entry ${id} says: settle that anew first`;
  return { code: "not-correctable", details: { reason } };
}

async function correctedEntry({ journal }: OperationServices, { key, operation }: EntryContent): Promise<Entry | undefined> {
  if (operation.kind !== "correction") return undefined;
  return journal.find({ ...key, operation: operation.of.operation, documentId: operation.of.document.id });
}

function unreachable(reason: string): Refusal {
  return { code: "register-unreachable", details: { reason } };
}

function refused(at: number, refusal: Refusal): Rehearsal {
  return { kind: "refused", at, refusal };
}
