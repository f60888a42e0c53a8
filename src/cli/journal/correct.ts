import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type NoteAct, OPERATOR } from "../../accounts/audit.ts";
import type { Entry } from "../../journal/entry.ts";
import { messageOf } from "../../kernel/failure.ts";
import { makeFolder } from "../../kernel/folder.ts";
import { makePrivate } from "../../kernel/private-file.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { Operations } from "../../operations/submit.ts";
import { allStand, type StandingCorrection } from "../../operator/corrections/correction-standing.ts";
import { registerCorrections } from "../../operator/corrections/register-corrections.ts";
import { planRepair, type RepairRequest, type RepairServices } from "../../operator/corrections/repair-plan.ts";
import type { NotMade } from "../../operator/submit-until-ended.ts";
import { createReceiptPrinter } from "../../receipts/draw.ts";
import { type CommandIo, UsageError } from "../command.ts";
import type { CorrectOptions } from "./correction-options.ts";
import { readRightData } from "./right-data.ts";
import { otherDriveWarnings } from "./words/place-words.ts";
import { doubtText } from "./words/reason-words.ts";
import { correctionRemedy, refusalWords } from "./words/refusal-words.ts";
import { repairLines } from "./words/repair-lines.ts";
import { repairObstacleWords } from "./words/repair-obstacle-words.ts";

interface CorrectTools extends RepairServices {
  /**
   * `operations`, `noteAct` and `questions` are absent when the registers could not be opened, for example because a server uses them.
   * `registersUnavailable` has the reason.
   */
  operations?: Pick<Operations, "submit">;
  noteAct?: NoteAct;
  registersUnavailable?: string;
}

/**
 * Prints the corrections that would repair the entry. With `--yes` it also registers them, after checking that all can be registered. Exit
 * code 1: the corrections are impossible, or the register would refuse one now. With `--yes` also: a correction is not registered, or a
 * receipt of `--out` is not written. Safe to repeat.
 */
export async function correct(tools: CorrectTools, entry: Entry, options: CorrectOptions, io: CommandIo): Promise<number> {
  const { journal, operations, noteAct } = tools;
  const plan = await planRepair(tools, entry, await requestFrom(options));
  if (plan.kind === "refused") return printFailure(io, repairObstacleWords(entry, plan.because));
  const { corrections, rehearsal } = plan;
  for (const line of repairLines(entry, plan)) io.out(line);
  if (rehearsal.kind === "refused")
    return printFailure(io, ...notMadeLines(rehearsal.step, { code: "refused", refusal: rehearsal.refusal }));
  for (const line of otherDriveWarnings(rehearsal.otherDrive?.now, rehearsal.otherDrive?.before)) io.out(line);
  if (!options.yes || operations === undefined || noteAct === undefined) {
    io.out(whatIsLeft(corrections));
    if (!allStand(corrections) && tools.registersUnavailable !== undefined) io.out(registerNotAsked(tools.registersUnavailable));
    return 0;
  }
  if (options.out !== undefined) makeOutputFolder(options.out);
  const complete = await registerAll({ journal, operations, noteAct }, entry, corrections, options.out, io);
  if (allStand(corrections)) io.out(whatIsLeft(corrections));
  return complete ? 0 : 1;
}

async function requestFrom({ right, ...request }: CorrectOptions): Promise<RepairRequest> {
  return right === undefined ? request : { ...request, right: await readRightData(right) };
}

function registerNotAsked(why: string): string {
  return `The register was not asked (${why}): what it has against this now (shift, paper, drawer, clock, drive) is known once it is.`;
}

/** Returns a line that says which corrections are registered, and how to register the rest. */
function whatIsLeft(corrections: readonly StandingCorrection[]): string {
  const begun = corrections.filter(({ standing }) => standing !== "due");
  if (begun.length === 0) return "Nothing has been registered. To register it, stop the server and say the same again with --yes.";
  if (allStand(corrections)) return "All of it is registered already: there is nothing left to do.";
  const open = begun.find(({ standing }) => standing === "open")?.entry;
  return open === undefined
    ? "The first is registered, the second is not. To register it, stop the server and say the same again with --yes."
    : `It is not known yet whether entry ${open.id} was registered. To go on, stop the server and say the same again with --yes.`;
}

/**
 * Registers the corrections. Prints the reason and returns false when a correction is not registered or its receipt could not be written.
 */
async function registerAll(
  services: Parameters<typeof registerCorrections>[0],
  corrected: Entry,
  corrections: readonly StandingCorrection[],
  out: string | undefined,
  io: CommandIo,
): Promise<boolean> {
  let drawn = true;
  for await (const ended of registerCorrections(services, corrected, corrections, OPERATOR)) {
    if (ended.kind === "not-registered") {
      printFailure(io, ...notMadeLines(ended.step, ended.because, ended.entry));
      return false;
    }
    printRegistered(corrected, ended.entry, io);
    if (out !== undefined) drawn = (await writeReceipt(join(out, `${corrected.id}-${ended.step}.pdf`), ended.entry, io)) && drawn;
  }
  return drawn;
}

function notMadeLines(step: CorrectionStep, because: NotMade, entry?: Entry): string[] {
  const where = entry === undefined ? "" : ` See \`journal explain ${entry.id}\`.`;
  switch (because.code) {
    case "refused":
      return [`${step}: refused, nothing was registered: ${refusalWords(because.refusal)}`, correctionRemedy(because.refusal)];
    case "in-doubt":
      return [
        `${step}: it is not known whether it was registered: ${doubtText(because.doubt)}.${where}`,
        "Do not correct it in another way before that is settled.",
      ];
    case "content-differs":
      return [`${step}: this correction was registered already with other data.${where} Correct that entry if it is wrong.`];
    case "running":
      return [`${step}: the register has not ended yet.${where}`];
    case "entry-missing":
      return [
        `${step}: the register has made it, but the journal has no entry of it. See the paper of the register, and what changed the database.`,
        "Do not have it made again before that is clear.",
      ];
  }
}

function printRegistered(corrected: Entry, { id, register, facts }: Entry, io: CommandIo): void {
  if (facts?.kind !== "fiscal") return;
  const { documentNumber, fiscalSign, shiftNumber, identity } = facts;
  io.out(`Entry ${id}: registered as ФД ${documentNumber} ФП ${fiscalSign}, shift ${shiftNumber}, ${facts.time}, at ${register}.`);
  const drive = corrected.facts?.identity.driveNumber;
  if (drive !== undefined && drive !== identity.driveNumber) {
    io.out(`It stands in drive ${identity.driveNumber}, while the receipt that it corrects stands in ${drive}.`);
  }
}

/** Makes the folder before anything is registered, so that a wrong `--out` is refused first. */
function makeOutputFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UsageError(`--out: ${messageOf(error)}`);
  }
}

/** Writes the receipt. Prints the reason and returns false when the file could not be written. Registered corrections stay registered. */
async function writeReceipt(file: string, { document, facts, paper }: Entry, io: CommandIo): Promise<boolean> {
  if (facts === undefined) return true;
  try {
    const { pdf } = await createReceiptPrinter().drawReceipt({ document, facts, paper });
    makePrivate(file);
    await writeFile(file, pdf);
    io.out(`${file}: ${pdf.length} bytes`);
    return true;
  } catch (error) {
    io.err(`${file}: ${messageOf(error)}. Say the same again to have it written: nothing is registered twice`);
    return false;
  }
}

function printFailure(io: CommandIo, ...lines: string[]): number {
  for (const line of lines) io.err(line);
  return 1;
}
