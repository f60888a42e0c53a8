import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import { messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";
import type { WallTime } from "../../kernel/moment.ts";
import { type PointOfSale, type RegisterChoice, registerNow } from "../../operations/plan.ts";
import type { Submission, Submitted } from "../../operations/submission.ts";
import type { Operations } from "../../operations/submit.ts";
import { reckonedTime } from "../../operator/corrections/register-time.ts";
import { rehearseByJournal } from "../../operator/corrections/rehearsal.ts";
import type { RegisterQuestions } from "../../operator/register-questions.ts";
import { createReceiptPrinter } from "../../receipts/draw.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { stepLines } from "./correction-lines.ts";
import type { CorrectOptions } from "./correction-options.ts";
import { type CorrectionWish, type PlannedCorrection, planCorrections } from "./correction-plan.ts";
import { basisKnown, type StandingCorrection, standingOf } from "./correction-standing.ts";
import { targetOf } from "./correction-target.ts";
import { otherDriveWarnings, otherPlaceWarnings, placeWords } from "./register-now.ts";
import { correctionRemedy, refusalWords, submitPatiently } from "./registering.ts";
import { readRightData } from "./right-data.ts";
import { sumOf } from "./rows.ts";
import { doubtText } from "./words/reason-words.ts";

export interface CorrectTools {
  journal: Journal;
  clock: Pick<Clock, "nowMs">;
  choice: RegisterChoice;
  /** Both absent where a server may have the registers; `unasked` says why then. */
  operations?: Pick<Operations, "submit">;
  questions?: Pick<RegisterQuestions, "rehearse" | "searchDrive" | "registerTime">;
  unasked?: string;
}

/**
 * Explains what repairs the entry and, where that is wanted, has it registered through the register's own lane,
 * one correction after the other, once all of them are known to fit. A plan asks all that the act asks, and refuses what
 * that would refuse. Exit code 0 when all of it stands in the drive, or would, or nothing was to be done; safe to repeat:
 * what is registered already is not registered again.
 */
export async function correct(tools: CorrectTools, entry: Entry, options: CorrectOptions, io: CommandIo): Promise<number> {
  const { journal, operations, questions } = tools;
  const target = await targetOf(journal, questions, entry, options);
  if (target.kind === "impossible") return failed(io, target.problem);
  const register = await registerNow(tools.choice, pointOf(entry));
  const plan = planCorrections(entry, await wishOf(tools, entry, options, { register, fiscalSign: target.fiscalSign }));
  if (plan.kind === "impossible") return failed(io, plan.problem);
  const standing = await standingOf(journal, entry, plan.corrections);
  if (standing.kind === "impossible") return failed(io, standing.problem);
  const { corrections } = standing;
  const complete = corrections.every(({ standing }) => standing === "done");
  const elsewhere = complete ? [] : otherPlaceWarnings(register, entry.register, `entry ${entry.id} was made`);
  const warnings = [...target.warnings, ...(await returnWarnings(journal, entry)), ...elsewhere];
  for (const line of [target.head, ...warnings, ...planLines(entry, corrections, register)]) io.out(line);
  if (!(await wouldFit(tools, entry, corrections, io))) return 1;
  if (!options.yes || operations === undefined) {
    io.out(whatIsLeft(corrections));
    if (!complete && tools.unasked !== undefined) io.out(notAsked(tools.unasked));
    return 0;
  }
  if (options.out !== undefined) haveFolder(options.out);
  return registerAll(operations, journal, { entry, corrections, out: options.out }, io);
}

function pointOf({ key, operation }: Entry): PointOfSale {
  return { appId: key.appId, accountId: key.accountId, storeId: operation.storeId };
}

/** Whether everything that is due would be registered now, as far as anybody may ask; told where it would not. */
async function wouldFit(
  { journal, questions, choice }: CorrectTools,
  entry: Entry,
  corrections: readonly StandingCorrection[],
  io: CommandIo,
): Promise<boolean> {
  const due = corrections.filter(({ standing }) => standing !== "done");
  const submissions = due.map(submissionOf);
  const rehearsed =
    questions === undefined ? await rehearseByJournal({ ...choice, journal }, submissions) : await questions.rehearse(submissions);
  if (rehearsed.kind === "refused") {
    const step = due[rehearsed.at]?.operation.step ?? "";
    failed(io, ...problemLines({ kind: "refused", refusal: rehearsed.refusal }, step, undefined));
    return false;
  }
  const sentTo = entry.facts?.identity.driveNumber ?? entry.checkpoint?.driveNumber;
  for (const line of otherDriveWarnings(rehearsed.driveNumber, sentTo)) io.out(line);
  return true;
}

function notAsked(why: string): string {
  return `The register was not asked (${why}): what it has against this now (shift, paper, drawer, clock, drive) is known once it is.`;
}

async function wishOf(
  tools: CorrectTools,
  entry: Entry,
  { settledOn, orderNumber, fiscalSign: asked, right, settles }: CorrectOptions,
  { register, fiscalSign: other }: { register: string | undefined; fiscalSign: string | undefined },
): Promise<CorrectionWish> {
  const { journal } = tools;
  const today = (await timeAt(tools, pointOf(entry), register)).slice(0, "2026-11-28".length);
  const knownBasis = await basisKnown(journal, entry, other);
  const fiscalSign = entry.facts === undefined ? asked : other;
  return {
    today,
    ...(settledOn === undefined ? {} : { settledOn }),
    ...(orderNumber === undefined ? {} : { orderNumber }),
    ...(knownBasis === undefined ? {} : { knownBasis }),
    ...(fiscalSign === undefined ? {} : { fiscalSign }),
    ...(right === undefined ? {} : { right: await readRightData(right) }),
    ...(settles === undefined ? {} : { settles }),
  };
}

/** The register's own clock decides which days have come, in whatever zone it hangs and whatever the server's shows. */
async function timeAt(
  { questions, journal, clock, choice }: CorrectTools,
  point: PointOfSale,
  register: string | undefined,
): Promise<WallTime> {
  const asked = await questions?.registerTime(point);
  if (asked !== undefined) return asked;
  const { timeZone } = await choice.rulesOf(point.appId, point.accountId, point.storeId);
  return reckonedTime(journal, register, clock.nowMs(), timeZone);
}

/** Goods that came back have their own receipt: the sale undone as a whole gives their money back once more. */
async function returnWarnings(journal: Journal, { key, facts }: Entry): Promise<string[]> {
  if (key.operation !== "sale" || facts?.kind !== "fiscal") return [];
  const returns = await journal.returnsNaming(key, facts.fiscalSign);
  return returns.map(
    (one) =>
      `WARNING: entry ${one.id} (${one.state}) is a return of this sale, of ${sumOf(one)}: undone as a whole, that money goes back twice unless the return is undone too.`,
  );
}

function planLines({ operation }: Entry, corrections: readonly StandingCorrection[], register: string | undefined): string[] {
  const what = corrections.length === 1 ? "One correction receipt repairs it" : "Two correction receipts repair it, in this order";
  return [
    `${what}, in an open shift,`,
    `  ${placeWords(register, `point of sale ${operation.storeId}`)}:`,
    ...corrections.flatMap((planned, at) => [...stepLines(at + 1, planned.operation), ...soFar(planned)]),
  ];
}

function soFar({ entry }: StandingCorrection): string[] {
  if (entry === undefined) return [];
  const { id, state, facts } = entry;
  const made = facts?.kind === "fiscal" ? `: ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${facts.time}` : "";
  return [`   so far      entry ${id} is ${state}${made}`];
}

/** What has been registered of the plan, and what has to be said to have the rest registered. */
function whatIsLeft(corrections: readonly StandingCorrection[]): string {
  const begun = corrections.filter(({ standing }) => standing !== "due");
  if (begun.length === 0) return "Nothing has been registered. To register it, stop the server and say the same again with --yes.";
  if (corrections.every(({ standing }) => standing === "done")) return "All of it is registered already: there is nothing left to do.";
  const open = begun.find(({ standing }) => standing === "open")?.entry;
  return open === undefined
    ? "The first is registered, the second is not. To register it, stop the server and say the same again with --yes."
    : `It is not known yet whether entry ${open.id} was registered. To go on, stop the server and say the same again with --yes.`;
}

interface Job {
  entry: Entry;
  corrections: readonly StandingCorrection[];
  out: string | undefined;
}

/** What stands already is told again, so that its receipt can be had. */
async function registerAll(
  operations: Pick<Operations, "submit">,
  journal: Journal,
  { entry, corrections, out }: Job,
  io: CommandIo,
): Promise<number> {
  let drawn = true;
  for (const planned of corrections) {
    const done = planned.standing === "done" ? planned.entry : await registerOne(operations, journal, planned, io);
    if (done === undefined) return 1;
    tell(entry, done, io);
    if (out !== undefined) drawn = (await writeReceipt(out, entry, planned, done, io)) && drawn;
  }
  if (corrections.every(({ standing }) => standing === "done")) io.out(whatIsLeft(corrections));
  return drawn ? 0 : 1;
}

/** The entry of a correction that stands in the drive; undefined, and told why, when it does not. */
async function registerOne(
  operations: Pick<Operations, "submit">,
  journal: Journal,
  planned: PlannedCorrection,
  io: CommandIo,
): Promise<Entry | undefined> {
  const submission = submissionOf(planned);
  const submitted = await submitPatiently(operations, submission);
  const entry = await journal.find(planned.key);
  if (submitted.kind === "done" && entry !== undefined) return entry;
  for (const line of problemLines(submitted, planned.operation.step, entry)) io.err(line);
  return undefined;
}

function submissionOf({ key, operation }: PlannedCorrection): Submission {
  const { of, step, settlement } = operation;
  const contentHash = createHash("sha256").update(JSON.stringify({ of, step, settlement })).digest("hex");
  const { appId, accountId } = key;
  // Nobody asks for the answer's bytes: the receipt is drawn from what the journal keeps.
  return { appId, accountId, operation, contentHash, twin: contentHash, answer: () => Buffer.from(key.documentId) };
}

function problemLines(submitted: Submitted, step: string, entry: Entry | undefined): string[] {
  const where = entry === undefined ? "" : ` See \`journal explain ${entry.id}\`.`;
  switch (submitted.kind) {
    case "refused":
      return [`${step}: refused, nothing was registered: ${refusalWords(submitted.refusal)}`, correctionRemedy(submitted.refusal)];
    case "in-doubt":
      return [
        `${step}: it is not known whether it was registered: ${doubtText(submitted.doubt)}.${where}`,
        "Do not correct it in another way before that is settled.",
      ];
    case "content-differs":
      return [`${step}: this correction was registered already with other data.${where} Correct that entry if it is wrong.`];
    case "running":
      return [`${step}: the register has not ended yet.${where}`];
    default:
      return [`${step}: not registered.${where}`];
  }
}

function tell(corrected: Entry, { id, register, facts }: Entry, io: CommandIo): void {
  if (facts?.kind !== "fiscal") return;
  const { documentNumber, fiscalSign, shiftNumber, identity } = facts;
  io.out(`Entry ${id}: registered as ФД ${documentNumber} ФП ${fiscalSign}, shift ${shiftNumber}, ${facts.time}, at ${register}.`);
  const drive = corrected.facts?.identity.driveNumber;
  if (drive !== undefined && drive !== identity.driveNumber) {
    io.out(`It stands in drive ${identity.driveNumber}, while the receipt that it corrects stands in ${drive}.`);
  }
}

/** Before anything is registered: a folder that cannot be is no reason to stop between two corrections. */
function haveFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UsageError(`--out: ${messageOf(error)}`);
  }
}

/** False, and told, when it could not be written: what is registered stays so. */
async function writeReceipt(
  folder: string,
  corrected: Entry,
  { operation }: PlannedCorrection,
  done: Entry,
  io: CommandIo,
): Promise<boolean> {
  const { document, facts, paper } = done;
  if (facts === undefined) return true;
  const file = join(folder, `${corrected.id}-${operation.step}.pdf`);
  try {
    const { pdf } = await createReceiptPrinter().drawReceipt({ document, facts, paper });
    await writeFile(file, pdf);
    io.out(`${file}: ${pdf.length} bytes`);
    return true;
  } catch (error) {
    io.err(`${file}: ${messageOf(error)}. Say the same again to have it written: nothing is registered twice`);
    return false;
  }
}

function failed(io: CommandIo, ...lines: string[]): number {
  for (const line of lines) io.err(line);
  return 1;
}
