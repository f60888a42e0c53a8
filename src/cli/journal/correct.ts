import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { parseWallTime } from "../../kernel/moment.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Submitted } from "../../operations/submission.ts";
import type { Operations } from "../../operations/submit.ts";
import { createReceiptPrinter } from "../../receipts/draw.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { stepLines } from "./correction-lines.ts";
import { type CorrectionWish, type PlannedCorrection, planCorrections } from "./correction-plan.ts";
import { readRightData } from "./right-data.ts";
import { sumOf } from "./rows.ts";

export interface CorrectOptions {
  settledOn?: string;
  orderNumber?: string;
  fiscalSign?: string;
  /** File with the right data. */
  right?: string;
  /** Folder for the receipts' PDFs. */
  out?: string;
  /** Registers what is explained; without it nothing is touched. */
  yes: boolean;
}

/** A submission is answered within nine seconds and goes on; a register is given up after three minutes. */
const MAX_WAITS = 30;

/**
 * Explains what repairs the entry and, where that is wanted, has it registered through the register's own lane,
 * one correction after the other. Exit code 0 when all of it stands in the drive, or nothing was to be done;
 * safe to repeat: what is registered already is not registered again.
 */
export async function correct(
  { journal, operations }: { journal: Journal; operations?: Pick<Operations, "submit"> },
  entry: Entry,
  options: CorrectOptions,
  io: CommandIo,
): Promise<number> {
  const plan = planCorrections(entry, await wishOf(options));
  if (plan.kind === "impossible") {
    io.err(plan.problem);
    return 1;
  }
  await explain(journal, entry, plan.corrections, io);
  if (!options.yes || operations === undefined) {
    io.out("Nothing has been registered. To register it, stop the server and say the same again with --yes.");
    return 0;
  }
  for (const planned of plan.corrections) {
    const done = await registerOne(operations, journal, planned, io);
    if (done === undefined) return 1;
    tell(entry, done, io);
    if (options.out !== undefined) await writeReceipt(options.out, entry, planned, done, io);
  }
  return 0;
}

async function wishOf({ settledOn, orderNumber, fiscalSign, right }: CorrectOptions): Promise<CorrectionWish> {
  return {
    ...(settledOn === undefined ? {} : { settledOn }),
    ...(orderNumber === undefined ? {} : { orderNumber }),
    ...(fiscalSign === undefined ? {} : { fiscalSign }),
    ...(right === undefined ? {} : { right: await readRightData(right) }),
  };
}

async function explain(journal: Journal, entry: Entry, corrections: readonly PlannedCorrection[], io: CommandIo): Promise<void> {
  const { id, key, operation, facts, register } = entry;
  const registered =
    facts?.kind === "fiscal" ? `registered as ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${facts.time}` : "never registered";
  io.out(`Entry ${id}: ${key.operation} ${operation.name} of ${sumOf(entry)}, ${registered}.`);
  const one = corrections.length === 1;
  io.out(
    `${one ? "One correction receipt repairs it" : "Two correction receipts repair it, in this order"}, at the register that point of sale ${operation.storeId} has now (it was ${register}), in an open shift:`,
  );
  for (const [at, planned] of corrections.entries()) {
    for (const line of stepLines(at + 1, planned.operation)) io.out(line);
    const known = await journal.find(planned.key);
    if (known !== undefined)
      io.out(
        `   so far      entry ${known.id} is ${known.state}${known.facts?.kind === "fiscal" ? `: ФД ${known.facts.documentNumber}` : ""}`,
      );
  }
}

/** The entry of a correction that stands in the drive; undefined, and told why, when it does not. */
async function registerOne(
  operations: Pick<Operations, "submit">,
  journal: Journal,
  { key, operation }: PlannedCorrection,
  io: CommandIo,
): Promise<Entry | undefined> {
  const { of, step, settlement } = operation;
  const contentHash = createHash("sha256").update(JSON.stringify({ of, step, settlement })).digest("hex");
  const { appId, accountId } = key;
  // Nobody asks for the answer's bytes: the receipt is drawn from what the journal keeps.
  const submission = { appId, accountId, operation, contentHash, twin: contentHash, answer: () => Buffer.from(key.documentId) };
  let submitted: Submitted = { kind: "running" };
  for (let wait = 1; submitted.kind === "running" && wait <= MAX_WAITS; wait += 1) submitted = await operations.submit(submission);
  const entry = await journal.find(key);
  if (submitted.kind === "done" && entry !== undefined) return entry;
  for (const line of problemLines(submitted, step, entry)) io.err(line);
  return undefined;
}

function problemLines(submitted: Submitted, step: string, entry: Entry | undefined): string[] {
  const where = entry === undefined ? "" : ` See \`journal explain ${entry.id}\`.`;
  switch (submitted.kind) {
    case "refused":
      return [
        `${step}: refused, nothing was registered: ${wordsOf(submitted.refusal)}`,
        "Remove the cause and say the same again: what is registered already is not registered twice.",
      ];
    case "in-doubt":
      return [
        `${step}: it is not known whether it was registered: ${submitted.reason}.${where}`,
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

function wordsOf({ code, device, details }: Refusal): string {
  const words = device === undefined ? details?.reason : `${device.words} (${device.code})`;
  return words === undefined || words === "" ? code : `${code}: ${words}`;
}

function tell(corrected: Entry, { id, facts }: Entry, io: CommandIo): void {
  if (facts?.kind !== "fiscal") return;
  const { documentNumber, fiscalSign, shiftNumber, identity } = facts;
  io.out(`Entry ${id}: registered as ФД ${documentNumber} ФП ${fiscalSign}, shift ${shiftNumber}, ${facts.time}.`);
  const drive = corrected.facts?.identity.driveNumber;
  if (drive !== undefined && drive !== identity.driveNumber) {
    io.out(`It stands in drive ${identity.driveNumber}, while the receipt that it corrects stands in ${drive}.`);
  }
}

async function writeReceipt(folder: string, corrected: Entry, { operation }: PlannedCorrection, done: Entry, io: CommandIo): Promise<void> {
  const { document, facts, paper } = done;
  if (facts === undefined) return;
  const { pdf } = await createReceiptPrinter().drawReceipt({ document, facts, paper });
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${corrected.id}-${operation.step}.pdf`);
  await writeFile(file, pdf);
  io.out(`${file}: ${pdf.length} bytes`);
}

/** The day as the option gives it: `2026-11-12`, or as on paper. Throws `UsageError`. */
export function readDay(text: string): string {
  const day = text.trim().replace(/^(\d\d)\.(\d\d)\.(?:20)?(\d\d)$/, "20$3-$2-$1");
  if (parseWallTime(`${day} 00:00:00`) === undefined) throw new UsageError("--date expects 2026-11-12 or, as on paper, 12.11.26");
  return day;
}
