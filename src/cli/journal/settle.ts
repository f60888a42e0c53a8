import { readFile } from "node:fs/promises";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { settledFacts } from "../../journal/settlement.ts";
import { parseIdentity, parseReadOff } from "../../journal/settlement-schema.ts";
import { messageOf } from "../../kernel/failure.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { isTrade } from "./comparison.ts";
import { afterPerson } from "./correction.ts";
import { knownIdentity } from "./known-identity.ts";

export type SettleOptions =
  | { kind: "refused"; why: string }
  | { kind: "done"; texts: Record<string, string | undefined>; why?: string; identityFile?: string };

/**
 * Ends a doubt as a person says. Exit code 0 when it is ended, 1 when what was said cannot be. Of two that
 * settle at once, the server included, one gets the failure `journal-moved`.
 */
export async function settle(journal: Journal, entry: Entry, options: SettleOptions, io: CommandIo): Promise<number> {
  if (entry.state !== "in-doubt") {
    io.err(`Entry ${entry.id} is ${entry.state}, and only a doubt can be settled; see \`journal explain ${entry.id}\``);
    return 1;
  }
  if (options.kind === "refused") {
    const settled = await journal.finish(entry, { kind: "refused", refusal: { code: "not-registered" } }, "person", options.why);
    io.out(`Entry ${entry.id} is refused: nothing was registered. The cashier may repeat the document.`);
    await tellWhatIsDue(journal, settled, io);
    return 0;
  }
  return settleAsDone(journal, entry, options, io);
}

async function settleAsDone(journal: Journal, entry: Entry, options: SettleOptions & { kind: "done" }, io: CommandIo): Promise<number> {
  const readOff = parseReadOff(options.texts);
  if (readOff.kind === "wrong") throw new UsageError(`--${readOff.problem}`);
  const identity = options.identityFile === undefined ? await knownIdentity(journal, entry) : await readIdentity(options.identityFile);
  if (identity === undefined) {
    io.err(
      `The journal has nothing finished by drive ${entry.checkpoint?.driveNumber} of ${entry.register}: describe the register with --identity FILE`,
    );
    return 1;
  }
  const others = await journal.doneInShift(entry.register, identity.driveNumber, readOff.value.shiftNumber);
  const settlement = settledFacts(entry, readOff.value, identity, others);
  if (settlement.kind === "contradicts") {
    io.err(`This cannot be the document of entry ${entry.id}: ${settlement.problem}`);
    return 1;
  }
  const settled = await journal.finish(entry, { kind: "done", facts: settlement.facts }, "person", options.why);
  io.out(`Entry ${entry.id} is done. When the platform repeats the document it gets these numbers.`);
  if (lacksPaper(entry, readOff.value.receiptNumber))
    io.out("Its answer goes out without a copy of the paper: too little is known to draw one.");
  await tellWhatIsDue(journal, settled, io);
  return 0;
}

/** A person may have been wrong, or money may have changed hands: when a correction is due then. */
async function tellWhatIsDue(journal: Journal, settled: Entry, io: CommandIo): Promise<void> {
  for (const line of afterPerson(settled, await journal.moves(settled.id))) io.out(line);
}

/** A receipt needs its number in the shift, and the report of a closing its counters, which nobody types in. */
function lacksPaper({ document }: Entry, receiptNumber: number | undefined): boolean {
  return document.kind === "close-shift" || (isTrade(document) && receiptNumber === undefined);
}

async function readIdentity(file: string): Promise<RegisterIdentity> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new UsageError(`${file}: ${messageOf(error)}`);
  }
  const read = parseIdentity(value);
  if (read.kind === "wrong") throw new UsageError(`${file}: ${read.problem}`);
  return read.value;
}
