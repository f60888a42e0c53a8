import { OPERATOR } from "../../accounts/audit.ts";
import { doubtWords } from "../../contracts/fiscal/doubt-words.ts";
import type { Entry } from "../../journal/entry.ts";
import { messageOf } from "../../kernel/failure.ts";
import { isCash } from "../../model/document.ts";
import type { RegisterIdentity } from "../../model/facts.ts";
import type { Claim } from "../../operator/settling/claim-check.ts";
import { parseIdentity, parseReadOff } from "../../operator/settling/read-off-schema.ts";
import {
  type Obstacle,
  type Settled,
  type SettlingServices,
  type Statement,
  settleByHand,
} from "../../operator/settling/settle-by-hand.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { readInput } from "../input-file.ts";
import { cannotTellWords, contradictionWords } from "./words/claim-words.ts";
import { afterPersonLines, wrongLines } from "./words/due-words.ts";
import { impossibleWords } from "./words/figure-words.ts";
import { reasonWords } from "./words/reason-words.ts";

export type SettleOptions = SettleAs & {
  /** Accepts the person's statement alone if the register can neither confirm nor contradict it. */
  unconfirmed: boolean;
  /** Replaces a person's earlier statement. */
  again: boolean;
};

type SettleAs =
  | { kind: "refused"; why: string }
  | { kind: "done"; texts: Record<string, string | undefined>; why?: string; identityFile?: string };

/**
 * Settles an entry by the person's statement. Exit code 0: settled; 1: the statement is refused. Throws `UsageError` for missing or
 * malformed figures, or for a file that cannot be read or describes no register.
 */
export async function settle(services: SettlingServices, entry: Entry, options: SettleOptions, io: CommandIo): Promise<number> {
  const result = await settleByHand(
    { ...services, ask: announcingRequest(services, io) },
    entry,
    await statementOf(entry, options),
    OPERATOR,
  );
  if (result.kind === "refused") {
    for (const line of obstacleLines(entry, result.because)) io.err(line);
    return 1;
  }
  for (const line of settledLines(result)) io.out(line);
  if (result.excess.kind === "not-compared") io.err(`It could not be compared with its sale: ${result.excess.message}`);
  else if (result.excess.reasons.length > 0) io.out(`WARNING: it ${reasonWords(result.excess.reasons)}.`);
  for (const line of wrongLines(result.due.wrong)) io.out(line);
  for (const line of afterPersonLines(result.entry, result.due.after)) io.out(line);
  return 0;
}

/**
 * Returns a request that first prints which register is asked, because the answer may take seconds. The line goes to standard error, so
 * that standard output has only the result.
 */
function announcingRequest({ ask }: SettlingServices, io: CommandIo): SettlingServices["ask"] {
  return (entry, claim) => {
    io.err(requestLine(entry, claim));
    return ask(entry, claim);
  };
}

function requestLine({ id, register }: Entry, claim: Claim): string {
  if (claim.kind === "refused") return `Asking ${register} whether it has registered nothing for entry ${id}…`;
  const { documentNumber } = claim.readOff;
  const which = documentNumber === undefined ? "the slip" : `its document ${documentNumber}`;
  return `Asking ${register} whether ${which} is that of entry ${id}…`;
}

async function statementOf(entry: Entry, options: SettleOptions): Promise<Statement> {
  const { unconfirmed, again, why } = options;
  const said = why === undefined ? {} : { said: why };
  if (options.kind === "refused") return { claim: { kind: "refused" }, unconfirmed, again, ...said };
  const { identityFile } = options;
  const identity = identityFile === undefined ? {} : { identity: await readIdentity(identityFile) };
  return { claim: claimOf(entry, options.texts), unconfirmed, again, ...said, ...identity };
}

function claimOf(entry: Entry, texts: Record<string, string | undefined>): Claim {
  const missing = neededOf(entry).filter((name) => texts[name] === undefined);
  if (missing.length > 0) throw new UsageError(`--done needs what stands on the paper: ${missing.map((name) => `--${name}`).join(", ")}`);
  const parsed = parseReadOff(texts);
  if (parsed.kind === "wrong") throw new UsageError(`--${parsed.problem}`);
  return { kind: "done", readOff: parsed.value };
}

/**
 * Returns the names of all needed figures, so that a person reads the paper once. A slip for cash has no number. An X report is refused
 * later.
 */
function neededOf({ document }: Entry): string[] {
  return isCash(document) || document.kind === "x-report" ? ["time", "shift"] : ["number", "sign", "time", "shift"];
}

function obstacleLines(entry: Entry, because: Obstacle): string[] {
  const { id, state } = entry;
  const see = `see \`journal explain ${id}\``;
  switch (because.code) {
    case "settled-by-person":
      return [`Entry ${id} is ${state} on a person's word: to replace that, say the same with --again; ${see}`];
    case "no-doubt":
      return [`Entry ${id} is ${state}, and only a doubt can be settled, or what a person has settled before, with --again; ${see}`];
    case "stands-in-drive":
      return [
        `Entry ${id} is registered as ФД ${because.documentNumber} in drive ${because.driveNumber}: say --done with what stands on that document; ${see}`,
      ];
    case "corrected-since":
      return [`Entry ${id} has been corrected since, by entry ${because.correction.id} (${because.correction.state}): ${see}`];
    case "register-said-otherwise":
      return [
        `The register of entry ${id} has said otherwise already: «${doubtWords(because.doubt)}». Nothing was settled.`,
        "Let it be asked (stop the server that runs it) and say what stands on that document, with its own sum as --sum.",
      ];
    case "register-contradicts":
      return [`The register of entry ${id} says otherwise: ${contradictionWords(because.contradiction)}`];
    case "register-silent":
      return [
        `The register could not say whether that is true of entry ${id}: ${cannotTellWords(because.cause)}.`,
        "Nothing was settled. Let the register be reached (while a server runs it alone may speak to it: stop the server) and",
        "say the same again; or look twice and add --unconfirmed: then your word alone counts, until it is replaced with --again.",
      ];
    case "figures-impossible":
      return [`This cannot be the document of entry ${id}: ${impossibleWords(because.problem)}`];
    case "identity-unknown":
      return [
        `The journal has nothing finished by drive ${entry.checkpoint?.driveNumber} of ${entry.register}: describe the register with --identity FILE`,
      ];
  }
}

function settledLines({ entry: { id, state }, lacksPaper, wasAnswered }: Settled): string[] {
  const taken = wasAnswered
    ? ["The platform has been answered with the numbers from before: it learns of these when it repeats the document."]
    : [];
  if (state === "refused") return [`Entry ${id} is refused: nothing was registered. The cashier may repeat the document.`, ...taken];
  const paper = lacksPaper ? ["Its answer goes out without a copy of the paper: too little is known to draw one."] : [];
  return [`Entry ${id} is done. When the platform repeats the document it gets these numbers.`, ...taken, ...paper];
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
