import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { actNoter } from "../../src/accounts/audit.ts";
import type { CommandIo } from "../../src/cli/command.ts";
import type { OperatorTools } from "../../src/cli/journal/tools.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Failure } from "../../src/kernel/failure.ts";
import { isTrade, type TradeDocument } from "../../src/model/document.ts";
import type { RegisterChoice } from "../../src/operations/plan.ts";
import { temporaryFolder } from "./registers.ts";
import type { Till } from "./till.ts";

type Registers = Pick<OperatorTools, "operations" | "noteAct" | "questions">;

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs `journal` with a till. What the command registers goes through the till's own operations. */
export function runJournal(till: Till, ...args: string[]): Promise<Ran> {
  return runWith(till, correctingRegisters(till), args);
}

/** Runs `journal` in a process that may be killed: once `life.over` is true, nothing that the command asks for is answered. */
export function runMortal(till: Till, life: { over: boolean }, ...args: string[]): Promise<Ran> {
  const { operations, noteAct, questions } = correctingRegisters(till);
  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    const answer = life.over ? undefined : await ask();
    return life.over || answer === undefined ? new Promise<T>(() => {}) : answer;
  };
  const mortal: Registers = {
    operations: { submit: (submission) => alive(() => operations.submit(submission)) },
    noteAct: (whose, act) => alive(async () => ({ noted: await noteAct(whose, act) })).then(({ noted }) => noted),
    questions: {
      rehearse: (submissions) => alive(() => questions.rehearse(submissions)),
      searchDrive: (entry, wanted) => alive(() => questions.searchDrive(entry, wanted)),
      registerTime: (point) => alive(async () => ({ time: await questions.registerTime(point) })).then(({ time }) => time),
    },
  };
  return runWith(till, mortal, args);
}

/** Runs `journal` in an environment that gives the point of sale another register, or none. */
export function runElsewhere(till: Till, register: string | undefined, ...args: string[]): Promise<Ran> {
  const { defaultRegister: _, ...choice } = till.choice;
  return runWith(till, correctingRegisters(till), args, { ...choice, ...(register === undefined ? {} : { defaultRegister: register }) });
}

/** Runs `journal` while a server has the registers. */
export function runBesideServer(till: Till, ...args: string[]): Promise<Ran> {
  return runWith(till, new Failure("store-locked", "caller", "the folder is in use by process 17"), args);
}

async function runWith(till: Till, registers: Registers | Failure, args: string[], choice: RegisterChoice = till.choice): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const io: CommandIo = { out: (text) => out.push(text), err: (text) => err.push(text), signal: new AbortController().signal };
  const tools = { journal: till.journal, clock: till.trial.clock, choice, close: async () => {} };
  const openOperator = async () => {
    if (registers instanceof Failure) throw registers;
    return { ...tools, ...registers };
  };
  const command = journalCommand({ open: async () => tools, openOperator });
  return { code: await command.run(args, io), out: out.join("\n"), err: err.join("\n") };
}

export function correctingRegisters(till: Till): Registers {
  return {
    operations: { submit: ({ operation, contentHash }) => till.submitAndWait(operation, contentHash) },
    noteAct: actNoter({ store: till.store, clock: till.trial.clock }),
    questions: {
      rehearse: (submissions) => till.trial.settled(till.questions.rehearse(submissions)),
      searchDrive: (entry, wanted) => till.trial.settled(till.questions.searchDrive(entry, wanted)),
      registerTime: (point) => till.trial.settled(till.questions.registerTime(point)),
    },
  };
}

export async function entryOf(till: Till, id: number): Promise<Entry & { document: TradeDocument }> {
  const entry = await till.journal.get(id);
  if (entry === undefined || !isTrade(entry.document)) throw new Error(`entry ${id} is no receipt`);
  return { ...entry, document: entry.document };
}

/** The fiscal sign of the document of an entry. */
export async function signOf(till: Till, id: number): Promise<string> {
  const { facts } = await entryOf(till, id);
  if (facts?.kind !== "fiscal") throw new Error(`entry ${id} has no sign`);
  return facts.fiscalSign;
}

/** Writes what `journal show --json` prints for an entry, with a changed document, to a file, and returns the path of the file. */
export async function rightFile(till: Till, id: number, change: (document: TradeDocument) => TradeDocument): Promise<string> {
  const { document, facts, paper } = await entryOf(till, id);
  const file = join(await temporaryFolder(), "right.json");
  await writeFile(file, JSON.stringify({ document: change(document), facts, paper }));
  return file;
}

/** The document, paid by card instead of cash. */
export function byCard(document: TradeDocument): TradeDocument {
  const { totalKopecks } = document;
  return { ...document, tenders: { ...document.tenders, cashKopecks: 0, nonCashKopecks: totalKopecks } };
}

/** The document with the rate of 22 % on every line. The sums that follow from the rate are not changed, so they are wrong. */
export function at22(document: TradeDocument): TradeDocument {
  return { ...document, lines: document.lines.map((line) => ({ ...line, vat: 11 as const })) };
}
