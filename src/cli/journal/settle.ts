import type { Entry, Move } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { settledFacts } from "../../journal/settlement.ts";
import { deviceTimeNow, shapeProblem } from "../../journal/settlement-bounds.ts";
import { parseIdentity, parseReadOff, type ReadOff } from "../../journal/settlement-schema.ts";
import { mayTakeBack } from "../../journal/states.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Failure, messageOf } from "../../kernel/failure.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { isCash, isTrade } from "../../model/document.ts";
import type { DocumentFacts, RegisterIdentity } from "../../model/facts.ts";
import type { Refusal } from "../../model/refusal.ts";
import { correctionsOf } from "../../operations/corrections.ts";
import { saysRegistered, speaksAgainst } from "../../operations/doubt-reasons.ts";
import type { Claim, RegisterWord } from "../../operations/register-word.ts";
import { compareReturn, excessNote } from "../../operations/returned-more.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { readInput } from "../input-file.ts";
import { afterPerson, dueWhenWrong } from "./correction.ts";
import { keptWord } from "./kept-word.ts";
import { knownIdentity } from "./known-identity.ts";

export type SettleOptions = SettleAs & {
  /** The person's word alone counts where the register cannot be asked. */
  unconfirmed: boolean;
  /** Replaces what a person has said before. */
  again: boolean;
};

type SettleAs =
  | { kind: "refused"; why: string }
  | { kind: "done"; texts: Record<string, string | undefined>; why?: string; identityFile?: string };

export interface SettleTools {
  journal: Journal;
  clock: Pick<Clock, "nowMs">;
  /** Asks the register of the entry; throws a `Failure` where it cannot be had, as while a server has it. */
  ask(entry: Entry, claim: Claim): Promise<RegisterWord>;
}

/** What the entry becomes, with what the register itself has said of it. */
interface Settled {
  outcome: { kind: "done"; facts: DocumentFacts } | { kind: "refused"; refusal: Refusal };
  /** The answer goes out without a copy of the paper. */
  lacksPaper: boolean;
  /** The register has said that it is true. */
  confirmed: boolean;
  /** For the record, where the person gives no reason. */
  note?: string;
}

/**
 * Ends a doubt as a person says, or replaces what a person has said before; the register is asked first. Exit code
 * 0 when it is ended, 1 when what was said cannot be. Of two that settle at once, the server included, one gets
 * the failure `journal-moved`.
 */
export async function settle(tools: SettleTools, entry: Entry, options: SettleOptions, io: CommandIo): Promise<number> {
  const { journal } = tools;
  const moves = await journal.moves(entry.id);
  const impossible = standingProblem(entry, moves, options.again) ?? (await correctedProblem(journal, entry));
  const settled = impossible ?? (await (options.kind === "done" ? asDone(tools, entry, moves, options) : asRefused(tools, entry, options)));
  if (typeof settled === "string") {
    for (const line of settled.split("\n")) io.err(line);
    return 1;
  }
  const { outcome, lacksPaper, confirmed } = settled;
  const excess = outcome.kind === "done" ? await excessOf(journal, entry, io) : undefined;
  const words = [options.why?.trim() || settled.note, excess].filter((part) => part !== undefined);
  const note = keptWord(confirmed, words.join("; "));
  const before = entry.state === "done" && (await journal.answerOf(entry.id)) !== undefined;
  const ended =
    entry.state === "in-doubt" ? await journal.finish(entry, outcome, "person", note) : await journal.settleAgain(entry, outcome, note);
  for (const line of endedLines(ended, { lacksPaper, answered: before })) io.out(line);
  if (excess !== undefined) io.out(`WARNING: it ${excess}.`);
  for (const line of settled.note === undefined ? [] : dueWhenWrong(ended)) io.out(line);
  await tellWhatIsDue(journal, ended, io);
  return 0;
}

/** A return that a person says was registered may give back too much like any other; whether it does never keeps it from being settled. */
async function excessOf(journal: Journal, entry: Entry, io: CommandIo): Promise<string | undefined> {
  try {
    return excessNote(await compareReturn(journal, entry));
  } catch (error) {
    io.err(`It could not be compared with its sale: ${messageOf(error)}`);
    return undefined;
  }
}

/** Why nothing can be settled here; undefined when something can. */
function standingProblem({ id, state }: Entry, moves: readonly Move[], again: boolean): string | undefined {
  if (state === "in-doubt" || (again && mayTakeBack(state, moves))) return undefined;
  const see = `see \`journal explain ${id}\``;
  if (mayTakeBack(state, moves)) return `Entry ${id} is ${state} on a person's word: to replace that, say the same with --again; ${see}`;
  return `Entry ${id} is ${state}, and only a doubt can be settled, or what a person has settled before, with --again; ${see}`;
}

/** A correction repairs what was said: saying it anew beside it would leave the correction without its object. */
async function correctedProblem(journal: Journal, { id, key, state }: Entry): Promise<string | undefined> {
  if (state === "in-doubt") return undefined;
  const correction = (await correctionsOf(journal, key)).find((one) => one.state !== "refused");
  return correction === undefined
    ? undefined
    : `Entry ${id} has been corrected since, by entry ${correction.id} (${correction.state}): see \`journal explain ${id}\``;
}

async function asRefused(tools: SettleTools, entry: Entry, { unconfirmed }: SettleOptions): Promise<Settled | string> {
  const word = await heard(tools, entry, { kind: "refused" }, unconfirmed);
  if (typeof word === "string") return word;
  if (word.kind !== "confirms" && saysRegistered(entry.doubt)) return saidBefore(entry);
  const outcome = { kind: "refused", refusal: { code: "not-registered" } } as const;
  return { outcome, lacksPaper: false, confirmed: word.kind === "confirms" };
}

async function asDone(
  tools: SettleTools,
  entry: Entry,
  moves: readonly Move[],
  { texts, identityFile, unconfirmed }: SettleOptions & { kind: "done" },
): Promise<Settled | string> {
  const { journal, clock } = tools;
  const missing = neededOf(entry).filter((name) => texts[name] === undefined);
  if (missing.length > 0) throw new UsageError(`--done needs what stands on the paper: ${missing.map((name) => `--${name}`).join(", ")}`);
  const parsed = parseReadOff(texts);
  if (parsed.kind === "wrong") throw new UsageError(`--${parsed.problem}`);
  const readOff = parsed.value;
  const misshapen = shapeProblem(entry.document, readOff);
  if (misshapen !== undefined) return cannotBe(entry, misshapen);
  const described = identityFile === undefined ? await knownIdentity(journal, entry) : await readIdentity(identityFile);
  const word = await heard(tools, entry, { kind: "done", readOff }, unconfirmed);
  if (typeof word === "string") return word;
  if (word.kind !== "confirms" && speaksAgainst(entry.doubt, readOff.documentNumber ?? 0)) return saidBefore(entry);
  const own = word.kind === "confirms" ? ownFacts(entry, word.facts, readOff) : undefined;
  if (own !== undefined) return own;
  const identity = word.register?.identity ?? described;
  if (identity === undefined) {
    return `The journal has nothing finished by drive ${entry.checkpoint?.driveNumber} of ${entry.register}: describe the register with --identity FILE`;
  }
  const confirmed = word.kind === "confirms";
  const deviceNow = word.register?.now ?? deviceTimeNow(entry, moves, clock.nowMs());
  const others = await neighbours(journal, entry, readOff.shiftNumber);
  const settlement = settledFacts(entry, readOff, { identity, others, deviceNow, confirmed });
  if (settlement.kind === "contradicts") return cannotBe(entry, settlement.problem);
  // What the drive itself says of the document is more than what stands on its paper.
  const facts = (confirmed ? word.facts : undefined) ?? settlement.facts;
  return { outcome: { kind: "done", facts }, lacksPaper: lacksPaper(entry, facts), confirmed };
}

/** Told all at once: whoever stands at the paper reads it once. A slip has no number; an X report is refused for what it is. */
function neededOf({ document }: Entry): string[] {
  return isCash(document) || document.kind === "x-report" ? ["time", "shift"] : ["number", "sign", "time", "shift"];
}

/**
 * The drive has the document with our id and those very figures: that is more than the checkpoint says, and than what was
 * sent. With another sum it goes without what a copy of the paper is drawn from: its positions are not those in the journal.
 */
function ownFacts(entry: Entry, facts: DocumentFacts | undefined, { sumKopecks }: ReadOff): Settled | undefined {
  const { document } = entry;
  if (!isTrade(document) || facts?.kind !== "fiscal" || facts.receipt === undefined) return undefined;
  const { receipt, ...rest } = facts;
  if (sumKopecks !== undefined && sumKopecks !== receipt.totalKopecks) return undefined;
  if (receipt.totalKopecks === document.totalKopecks) return { outcome: { kind: "done", facts }, lacksPaper: false, confirmed: true };
  const note = `registered with another sum than was sent: ${formatKopecks(receipt.totalKopecks)}`;
  return { outcome: { kind: "done", facts: rest }, lacksPaper: true, confirmed: true, note };
}

/** The register cannot be asked now, and what it said when it could is no less true. */
function saidBefore({ id, doubt }: Entry): string {
  return [
    `The register of entry ${id} has said otherwise already: «${doubt}». Nothing was settled.`,
    "Let it be asked (stop the server that runs it) and say what stands on that document, with its own sum as --sum.",
  ].join("\n");
}

/** Done entries among which the document may stand: its shift is the checkpoint's, or the next. */
async function neighbours(journal: Journal, { register, checkpoint }: Entry, typed: number): Promise<Entry[]> {
  if (checkpoint === undefined) return [];
  const { driveNumber, shiftNumber } = checkpoint;
  const shifts = [...new Set([shiftNumber, shiftNumber + 1, typed])];
  return (await Promise.all(shifts.map((shift) => journal.doneInShift(register, driveNumber, shift)))).flat();
}

/** What the register says, where the person's word may stand beside it; else why it may not. */
async function heard(
  { ask }: SettleTools,
  entry: Entry,
  claim: Claim,
  unconfirmed: boolean,
): Promise<Exclude<RegisterWord, { kind: "contradicts" }> | string> {
  const word = await asked(ask, entry, claim);
  if (word.kind === "contradicts") return `The register of entry ${entry.id} says otherwise: ${word.problem}`;
  if (word.kind === "confirms" || unconfirmed) return word;
  return [
    `The register could not say whether that is true of entry ${entry.id}: ${word.reason}.`,
    "Nothing was settled. Let the register be reached (while a server runs it alone may speak to it: stop the server) and",
    "say the same again; or look twice and add --unconfirmed: then your word alone counts, until it is replaced with --again.",
  ].join("\n");
}

async function asked(ask: SettleTools["ask"], entry: Entry, claim: Claim): Promise<RegisterWord> {
  try {
    return await ask(entry, claim);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: "cannot-tell", reason: error.message };
  }
}

function cannotBe({ id }: Entry, problem: string): string {
  return `This cannot be the document of entry ${id}: ${problem}`;
}

function endedLines({ id, state }: Entry, { lacksPaper, answered }: { lacksPaper: boolean; answered: boolean }): string[] {
  const taken = answered
    ? ["The platform has been answered with the numbers from before: it learns of these when it repeats the document."]
    : [];
  if (state === "refused") return [`Entry ${id} is refused: nothing was registered. The cashier may repeat the document.`, ...taken];
  const paper = lacksPaper ? ["Its answer goes out without a copy of the paper: too little is known to draw one."] : [];
  return [`Entry ${id} is done. When the platform repeats the document it gets these numbers.`, ...taken, ...paper];
}

/** A person may have been wrong, or money may have changed hands: when a correction is due then. */
async function tellWhatIsDue(journal: Journal, settled: Entry, io: CommandIo): Promise<void> {
  for (const line of afterPerson(settled, await journal.moves(settled.id))) io.out(line);
}

/** A receipt needs its number in the shift, and the report of a closing its counters, which nobody types in. */
function lacksPaper({ document }: Entry, facts: DocumentFacts): boolean {
  if (facts.kind !== "fiscal") return false;
  if (document.kind === "state-report") return facts.stateReport === undefined;
  return document.kind === "close-shift" ? facts.shiftReport === undefined : isTrade(document) && facts.receipt === undefined;
}

async function readIdentity(file: string): Promise<RegisterIdentity> {
  let value: unknown;
  try {
    value = JSON.parse(await readInput(file));
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
  const read = parseIdentity(value);
  if (read.kind === "wrong") throw new UsageError(`${file}: ${read.problem}`);
  return read.value;
}
