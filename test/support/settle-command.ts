import type { CommandIo } from "../../src/cli/command.ts";
import { journalCommand } from "../../src/cli/journal.ts";
import { Failure } from "../../src/kernel/failure.ts";
import type { Till } from "./till.ts";

/** The output of the journal command, and its exit code. */
export interface Said {
  code: number;
  text: string;
}

/** Runs the command with the till's journal. `server`: whether a server runs, which then has the register for itself. */
export async function journal(till: Till, server: "runs" | "stopped", ...args: string[]): Promise<Said> {
  const lines: string[] = [];
  const io: CommandIo = { out: (text) => lines.push(text), err: (text) => lines.push(text), signal: new AbortController().signal };
  const place = {
    open: async () => ({
      journal: till.journal,
      clock: till.trial.clock,
      choice: till.choice,
      close: async () => {},
    }),
    openRegisters: async () => {
      if (server === "runs") throw new Failure("store-locked", "caller", "the folder is in use by process 17");
      return { questions: till.questions, close: async () => {} };
    },
  };
  const code = await till.trial.settled(journalCommand(place).run(args, io));
  return { code, text: lines.join("\n") };
}

/** Runs a command that must succeed. */
export async function settled(till: Till, server: "runs" | "stopped", ...args: string[]): Promise<string> {
  const { code, text } = await journal(till, server, ...args);
  if (code !== 0) throw new Error(`${args.join(" ")}: ${text}`);
  return text;
}

/** The data on a document's paper as options of the command. `typed` replaces some by wrong ones. */
export async function paperOf(till: Till, number: number, typed: Record<string, string> = {}): Promise<string[]> {
  const found = await till.trial.lookUp(number);
  if (found.kind !== "found") throw new Error(`the drive has no document ${number}`);
  const { documentNumber, fiscalSign, time, shiftNumber, receipt } = found.facts;
  const texts: Record<string, string> = { number: `${documentNumber}`, sign: fiscalSign, time, shift: `${shiftNumber}` };
  const all = { ...texts, ...(receipt === undefined ? {} : { receipt: `${receipt.number}` }), ...typed };
  return Object.entries(all).flatMap(([name, text]) => [`--${name}`, text]);
}
