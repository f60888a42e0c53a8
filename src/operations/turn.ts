import type { Checkpoint, Entry, EntryContent } from "../journal/entry.ts";
import { isPersons } from "../journal/patience.ts";
import { deadlineIn } from "../kernel/deadline.ts";
import type { Reason } from "../model/reason.ts";
import type { Refusal } from "../model/refusal.ts";
import type { Register, RegisterState } from "../registers/register.ts";
import { openShiftAutomatically, renewShift } from "./automatic-shift.ts";
import { correctionProblem } from "./corrections.ts";
import { checkpointBefore, findEarlierAttempt, LOST, takeEarlierAttempt } from "./found-in-drive/earlier-attempt.ts";
import { findLostReport, type LostReport } from "./found-in-drive/lost-reports.ts";
import { findLostAttempt, type ReadDrive, readUnknown } from "./found-in-drive/unknown-documents.ts";
import { laneStopped, notReady, type TurnRules, wentBack } from "./readiness.ts";
import { beginOrSend, register } from "./registering.ts";
import { INSPECT_LIMIT_MS, type TurnServices } from "./services.ts";
import { settle } from "./settle.ts";
import { nextShiftStep, type ShiftStep } from "./shift-rules.ts";
import { shiftSituation } from "./shift-situation.ts";

export type TurnResult =
  | { kind: "entry"; entry: Entry }
  /** Nothing was sent; the refusal is in the journal, unless the account has too many of them there. */
  | { kind: "refused"; refusal: Refusal }
  | { kind: "twin" };

/**
 * One operation's turn at its register. Runs in the register's lane, so nothing else happens there
 * meanwhile. Until `register` is called nothing that registers has been sent, and every trouble is a refusal.
 * `earlier`: what the register had printed before an attempt that counts as refused.
 */
export async function takeTurn(
  services: TurnServices,
  device: Register,
  content: EntryContent,
  rules: TurnRules,
  known: Entry | undefined,
  earlier?: Checkpoint,
): Promise<TurnResult> {
  const refuse = (refusal: Refusal) => recordRefusal(services, content, known, refusal);

  const doubt = await clearDoubts(services, device, content);
  if (doubt !== undefined) return refuse(doubt);
  if (await hasTwin(services, content)) {
    await refuse({ code: "not-registered" });
    return { kind: "twin" };
  }
  const pointless = await correctionProblem(services.journal, content);
  if (pointless !== undefined) return refuse(pointless);
  const readiness = await makeReady(services, device, rules);
  if (readiness.kind === "refused") return refuse(readiness.refusal);

  const { state } = readiness;
  const newest = await services.journal.lastDocumentNumber(state.driveNumber);
  const lost = await wentBack(services, content.register, state, newest);
  if (lost !== undefined) return refuse(lost);
  const before = await findEarlierAttempt(services, device, content, earlier, state);
  if (before.kind === "unreachable") return refuse({ code: "register-unreachable", details: { reason: before.reason } });
  if (before.kind === "found" && earlier !== undefined) {
    return { kind: "entry", entry: await takeEarlierAttempt(services, content, known, earlier, before.found) };
  }
  const drive = await readUnknown(services, device, content, state, newest);
  const unknown = await findLostAttempt(drive, content);
  if (unknown.kind === "unreachable") return refuse({ code: "register-unreachable", details: { reason: unknown.reason } });
  if (unknown.kind === "found") {
    const { found } = unknown;
    return { kind: "entry", entry: await takeEarlierAttempt(services, content, known, checkpointBefore(found, state), found, LOST) };
  }
  const report = await findLostReport(drive, content, rules.automaticShift);
  if (report.kind === "refused") return refuse(report.refusal);
  if (report.kind === "found") return takeReport(drive, content, known, report);
  const step = await shiftStep(services, content, rules, state);
  const sends = step.kind !== "refuse" && step.kind !== "adopt";
  if (sends && !services.refusals.maySend(content)) return refuse({ code: "refused-too-often" });
  switch (step.kind) {
    case "refuse":
      return refuse({ code: step.code });
    case "adopt":
      return adopt(services, device, content, known, state, step.openReportNumber);
    case "open-first":
    case "close-and-open-first": {
      const prepare = step.kind === "open-first" ? openShiftAutomatically : renewShift;
      const prepared = await prepare(services, device, content, state);
      if (prepared.kind === "refused") return refuse(prepared.refusal);
      const ready = await makeReady(services, device, rules);
      return ready.kind === "refused" ? refuse(ready.refusal) : finish(services, device, content, known, ready.state);
    }
    case "proceed":
      return finish(services, device, content, known, state);
  }
}

async function finish(
  services: TurnServices,
  device: Register,
  content: EntryContent,
  known: Entry | undefined,
  state: RegisterState,
): Promise<TurnResult> {
  return { kind: "entry", entry: await register(services, device, content, known, state) };
}

/** What is in doubt on this register comes first: nothing is sent after an unknown outcome. */
async function clearDoubts(services: TurnServices, device: Register, content: EntryContent): Promise<Refusal | undefined> {
  for (const entry of await services.journal.unfinishedOn(content.register)) {
    if (entry.state === "queued") continue;
    const settled = await settle(services, device, entry, "look-up");
    if (settled.state === "in-doubt") {
      tellOfDoubt(services, settled);
      return laneStopped(entry, settled.doubt);
    }
  }
  return undefined;
}

/** The server has its minute first (journal/patience.ts), as `journal explain` says; then nobody but a person ends it. */
function tellOfDoubt({ log, clock }: TurnServices, entry: Entry): void {
  const { id, register, doubt } = entry;
  if (isPersons(entry, clock.nowMs())) log.error({ entry: id, register, doubt }, "the lane waits for a person");
  else log.warn({ entry: id, register, doubt }, "the lane waits until the register says what it printed");
}

/** The same document under the other id type was, or may have been, registered. */
async function hasTwin({ journal, log }: TurnServices, content: EntryContent): Promise<boolean> {
  const { appId, accountId, operation } = content.key;
  const twins = await journal.twins(appId, accountId, operation, content.twin);
  const twin = twins.find((entry) => entry.idType !== content.idType && entry.state !== "refused");
  if (twin === undefined) return false;
  log.error({ entry: twin.id, document: content.key.documentId }, "the same document came under another id type; a person must look");
  return true;
}

async function makeReady(
  { clock }: TurnServices,
  device: Register,
  rules: TurnRules,
): Promise<{ kind: "ready"; state: RegisterState } | { kind: "refused"; refusal: Refusal }> {
  const deadline = deadlineIn(clock, INSPECT_LIMIT_MS);
  let seen = await device.inspect(deadline);
  if (seen.kind === "reached" && seen.value.documentOpen) {
    const abandoned = await device.abandon(deadline);
    seen = abandoned.kind === "reached" ? await device.inspect(deadline) : abandoned;
  }
  if (seen.kind === "unreachable") return { kind: "refused", refusal: { code: "register-unreachable", details: { reason: seen.reason } } };
  const refusal = notReady(seen.value, rules);
  return refusal === undefined ? { kind: "ready", state: seen.value } : { kind: "refused", refusal };
}

async function shiftStep({ journal }: TurnServices, content: EntryContent, rules: TurnRules, state: RegisterState): Promise<ShiftStep> {
  const situation = await shiftSituation(journal, content, state, rules.automaticShift);
  const { operation, named, device, owners } = situation;
  const step = nextShiftStep(situation);
  if (device.kind === "closed") return step;
  // A correction names the shift that it corrects, which is not the one that is open; a report names none.
  const joins =
    !["correction", "x-report", "state-report"].includes(operation) &&
    step.kind === "proceed" &&
    owners.length > 0 &&
    owners.every(({ idType }) => idType !== named.idType);
  if (joins) await journal.linkShift(content.register, state.driveNumber, device.number, named);
  return step;
}

/** The platform's opening or closing ends with the report that the drive has of its shift: nothing is sent. */
async function takeReport(
  { services, state }: ReadDrive,
  content: EntryContent,
  known: Entry | undefined,
  { facts }: Extract<LostReport, { kind: "found" }>,
): Promise<TurnResult> {
  const { journal, log } = services;
  const begun = await beginOrSend(journal, content, known, state);
  log.error({ entry: begun.id, document: facts.documentNumber }, "a report that the journal did not have stands in the drive");
  const reasons: Reason[] = [{ code: "report-found", number: facts.documentNumber }];
  return { kind: "entry", entry: await journal.finish(begun, { kind: "done", facts }, "look-up", reasons) };
}

/** The shift that somebody opened at the device becomes the platform's, with the report that opened it. */
async function adopt(
  services: TurnServices,
  device: Register,
  content: EntryContent,
  known: Entry | undefined,
  state: RegisterState,
  openReportNumber: number,
): Promise<TurnResult> {
  const { journal, clock } = services;
  const found = await device.lookUp(openReportNumber, deadlineIn(clock, INSPECT_LIMIT_MS));
  if (found.kind === "unreachable") {
    return recordRefusal(services, content, known, { code: "register-unreachable", details: { reason: found.reason } });
  }
  if (found.kind !== "found") return recordRefusal(services, content, known, { code: "shift-already-open" });
  const begun = await beginOrSend(journal, content, known, state);
  const reasons: Reason[] = [{ code: "shift-adopted", number: openReportNumber }];
  return { kind: "entry", entry: await journal.finish(begun, { kind: "done", facts: found.facts }, "look-up", reasons) };
}

/** Beyond what an account may leave in the journal it is answered all the same: nothing was sent, so nothing is forgotten. */
async function recordRefusal(
  { journal, refusals }: TurnServices,
  content: EntryContent,
  known: Entry | undefined,
  refusal: Refusal,
): Promise<TurnResult> {
  const waits = known?.state === "queued";
  if (!refusals.mayWrite(content, waits)) return { kind: "refused", refusal };
  const queued = waits ? known : await journal.accept(content);
  await journal.finish(queued, { kind: "refused", refusal }, "register");
  return { kind: "refused", refusal };
}
