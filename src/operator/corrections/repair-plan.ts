import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { WallTime } from "../../kernel/moment.ts";
import { present } from "../../kernel/present.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { Refusal } from "../../model/refusal.ts";
import { type PointOfSale, type RegisterChoice, registerNow } from "../../operations/plan.ts";
import type { Submission } from "../../operations/submission.ts";
import { allStand, basisKnown, type StandingCorrection, type StandingObstacle, standingOf } from "./correction-standing.ts";
import { planCorrections, type StepsObstacle, type StepsRequest } from "./correction-steps.ts";
import { type Copy, type DriveSearch, type TargetObstacle, type TargetRequest, type TargetWarning, targetOf } from "./correction-target.ts";
import { submissionOf } from "./register-corrections.ts";
import { reckonedTime } from "./register-time.ts";
import { type Rehearsal, rehearseByJournal } from "./rehearsal.ts";

export type RepairRequest = TargetRequest & Omit<StepsRequest, "today" | "knownBasis">;

export interface RepairServices {
  journal: Journal;
  clock: Pick<Clock, "nowMs">;
  choice: RegisterChoice;
  /** Absent when a server may be using the registers. */
  questions?: RepairQuestions;
}

/** Questions to registers. They register nothing. */
interface RepairQuestions extends DriveSearch {
  registerTime(point: PointOfSale): Promise<WallTime | undefined>;
  rehearse(submissions: readonly Submission[]): Promise<Rehearsal>;
}

type RepairPlan = Repair | { kind: "refused"; because: RepairObstacle };

export type RepairObstacle = TargetObstacle | StepsObstacle | StandingObstacle;

/** The corrections that repair an entry, with warnings and the rehearsal. */
export interface Repair {
  kind: "plan";
  /** The receipt to correct, if the journal does not have it. */
  copy?: Copy;
  /** The register for the corrections. Undefined when the point of sale has none. */
  register: string | undefined;
  warnings: RepairWarning[];
  corrections: StandingCorrection[];
  rehearsal: Rehearsed;
}

export type RepairWarning =
  | TargetWarning
  /** The return `by` has already refunded goods of the sale. Undoing the whole sale refunds them a second time. */
  | { code: "was-returned"; by: Entry }
  /** The entry belongs to the register `before`, but the point of sale now has another register or none. */
  | { code: "other-register"; before: string };

/** Whether the register would accept all due corrections. `otherDrive`: the register's drive has changed since the entry was sent. */
type Rehearsed =
  | { kind: "fits"; otherDrive?: { now: string; before: string } }
  | { kind: "refused"; step: CorrectionStep; refusal: Refusal };

/**
 * Plans the corrections that repair the entry, and rehearses those that are not registered yet. Without `questions`, checks at the register
 * are skipped. Registers nothing.
 */
export async function planRepair(services: RepairServices, entry: Entry, request: RepairRequest): Promise<RepairPlan> {
  const { journal, questions, choice } = services;
  const target = await targetOf(journal, questions, entry, request);
  if (target.kind === "refused") return target;
  const { copy } = target;
  const register = await registerNow(choice, pointOf(entry));
  const today = (await timeAt(services, pointOf(entry), register)).slice(0, "2026-11-28".length);
  const steps = planCorrections(entry, await stepsRequest(journal, entry, request, { copy, today }));
  if (steps.kind === "refused") return steps;
  const standing = await standingOf(journal, entry, steps.corrections);
  if (standing.kind === "refused") return standing;
  const { corrections } = standing;
  const warnings: RepairWarning[] = [
    ...target.warnings,
    ...(await returnsSince(journal, entry)),
    ...(allStand(corrections) || register === entry.register ? [] : [{ code: "other-register" as const, before: entry.register }]),
  ];
  const rehearsal = await rehearsed(services, entry, corrections);
  return { kind: "plan", ...present({ copy }), register, warnings, corrections, rehearsal };
}

function pointOf({ key, operation }: Entry): PointOfSale {
  return { appId: key.appId, accountId: key.accountId, storeId: operation.storeId };
}

/**
 * Returns the request for the steps. For an entry without facts the request keeps the named sign, so that `planCorrections` refuses the
 * request.
 */
async function stepsRequest(
  journal: Journal,
  entry: Entry,
  { settledOn, orderNumber, fiscalSign: named, right, settles }: RepairRequest,
  { copy, today }: { copy: Copy | undefined; today: string },
): Promise<StepsRequest> {
  const knownBasis = await basisKnown(journal, entry, copy?.fiscalSign);
  const fiscalSign = entry.facts === undefined ? named : copy?.fiscalSign;
  return { today, ...present({ settledOn, orderNumber, knownBasis, fiscalSign, right, settles }) };
}

/**
 * Returns the time at the register. If no register answers, the time is reckoned (`reckonedTime`). The register's own clock decides which
 * days are past, whatever its zone is and whatever the server's clock shows.
 */
async function timeAt(
  { questions, journal, clock, choice }: RepairServices,
  point: PointOfSale,
  register: string | undefined,
): Promise<WallTime> {
  const reported = await questions?.registerTime(point);
  if (reported !== undefined) return reported;
  const { timeZone } = await choice.rulesOf(point.appId, point.accountId, point.storeId);
  return reckonedTime(journal, register, clock.nowMs(), timeZone);
}

async function returnsSince(journal: Journal, { key, facts }: Entry): Promise<RepairWarning[]> {
  if (key.operation !== "sale" || facts?.kind !== "fiscal") return [];
  return (await journal.returnsNaming(key, facts.fiscalSign)).map((by) => ({ code: "was-returned", by }));
}

async function rehearsed(
  { journal, questions, choice }: RepairServices,
  entry: Entry,
  corrections: readonly StandingCorrection[],
): Promise<Rehearsed> {
  const due = corrections.filter(({ standing }) => standing !== "done");
  const submissions = due.map(submissionOf);
  const result =
    questions === undefined ? await rehearseByJournal({ ...choice, journal }, submissions) : await questions.rehearse(submissions);
  if (result.kind === "refused") {
    const step = due[result.at]?.operation.step;
    if (step === undefined) throw new RangeError(`no correction ${result.at} was rehearsed`);
    return { kind: "refused", step, refusal: result.refusal };
  }
  const now = result.driveNumber;
  const before = entry.facts?.identity.driveNumber ?? entry.checkpoint?.driveNumber;
  return now === undefined || before === undefined || now === before ? { kind: "fits" } : { kind: "fits", otherDrive: { now, before } };
}
