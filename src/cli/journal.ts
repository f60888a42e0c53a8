import type { Entry } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { EntryFilter } from "../journal/queries.ts";
import { isReadable } from "../journal/reading/unreadable.ts";
import { ENTRY_STATES, isEntryState } from "../journal/states.ts";
import { Failure } from "../kernel/failure.ts";
import { present } from "../kernel/present.ts";
import { waitingOf } from "../operator/explaining/waiting.ts";
import type { SettlingServices } from "../operator/settling/settle-by-hand.ts";
import { readArguments } from "./arguments.ts";
import { type Command, type CommandIo, lineByLine, UsageError, withTools } from "./command.ts";
import { correct } from "./journal/correct.ts";
import { correctOptions } from "./journal/correction-options.ts";
import { explain } from "./journal/explain.ts";
import { findEntry, type KeyText, parseKey } from "./journal/key.ts";
import { leaveOut, leaveOutOptions } from "./journal/leave-out.ts";
import { ownOptions } from "./journal/own-options.ts";
import { report, reportOptions } from "./journal/report.ts";
import { detailRows, tableOf, titleRow, unreadableLines, waitingRow, waitingTitleRow } from "./journal/rows.ts";
import { settle } from "./journal/settle.ts";
import { settleOptions } from "./journal/settle-options.ts";
import { showLines } from "./journal/show.ts";
import type { JournalTools, OperatorTools, RegisterTools } from "./journal/tools.ts";
import { type VerifyTools, verify } from "./journal/verify.ts";
import { atMost, given } from "./option-values.ts";

const USAGE = `Usage: npm run cli -- journal list [--state STATE] [--account ID] [--store ID] [--limit N] [--before NUMBER]
       npm run cli -- journal show KEY [--json | --raw]
       npm run cli -- journal explain KEY
       npm run cli -- journal settle KEY --done --number N --sign N --time T --shift N [--receipt N] [--sum S] [--why TEXT]
                                           [--identity F] [--unconfirmed] [--again]
       npm run cli -- journal settle KEY --refused --why TEXT [--unconfirmed] [--again]
       npm run cli -- journal correct KEY [--right FILE [--settles WORD]] [--sign N [--number N] [--unknown-sign]] [--date D]
                                            [--order N] [--yes [--out DIR]]
       npm run cli -- journal report x|state ACCOUNT STORE [--yes [--json]]
       npm run cli -- journal leave-out DRIVE NUMBER --why TEXT
       npm run cli -- journal verify [--json]

The record of every operation. The server may run meanwhile, except for \`correct --yes\` and \`report --yes\`.

  KEY        The number of the entry as \`list\` shows it, or the id of its document, or
             appId/accountId/operation/documentId.
  list       Lists first the operations that wait for a person, the oldest first, with their age. Then lists all operations,
             the newest first: 20, or the number of --limit. --before NUMBER shows older ones.
  show       Shows everything about one operation. --json writes {"document", "facts", "paper"}, which \`receipt\` draws.
             --raw writes the whole stored entry with its moves as one JSON object.
  explain    Says what happened, and who has to do what by when. For a doubt: what to compare on the register's paper or in
             its archive, what each answer means, and when a correction receipt is due.
  settle     Ends a doubt that the register itself could not end. Use \`explain\` first. The register is asked before your
             statement counts. While a server runs, only the server may ask it: stop the server, or add --unconfirmed.
  correct    Repairs a receipt that was registered wrongly, by two correction receipts: one of the opposite sign, and one with
             the right data. Or registers, by one correction receipt, a refused operation whose money changed hands.
             Without --yes: says what would be registered, at which register, and what speaks against it now (the last only
             while no server runs). With --yes: registers it, while no server runs. Open the shift at the till before you
             stop the server. Step by step: src/cli/journal/README.md
  report     Has the register of a point of sale make a report. x: the counters of the shift so far. state: the documents that
             the data operator has not confirmed, as a fiscal document. Without --yes: says what that means. With --yes: makes
             it, while no server runs. ACCOUNT may be appId/accountId. --json writes the file that \`receipt\` draws.
  leave-out  Use it when sales wait because a register falls silent whenever one document of its drive is requested. The
             document (ФД NUMBER of the drive ФН DRIVE, both in the log) is then never requested again. It must have been
             requested and not returned. If it is a sale that the journal lacks, a repeat of the sale registers it again.
  verify     Recounts the journal and checks: one entry for each key, moves that join, no document of a drive in two entries,
             facts in each done entry, a checkpoint in each sent entry, answers that agree with the facts. Prints a line for
             each row that differs, and then ends with code 1.

To settle as done, with the figures on the paper (a slip for cash has no number and no sign):
  --number N     the number of the fiscal document (ФД)
  --sign N       its fiscal sign (ФП)
  --time T       as printed: 12.11.26 18:42, or 2026-11-12 18:42
  --shift N      the number of the shift
  --receipt N    the number of the receipt in the shift. Without it no copy of the receipt can be drawn.
  --sum S        the printed sum. It is compared with the sum that was sent.
  --identity F   a JSON file that describes the register (owner, numbers). Needed when the register never finished anything here.
To settle as refused, when the register printed nothing:
  --why TEXT     how you know
To settle in either way:
  --unconfirmed  your statement counts although the register cannot be asked. It never counts against the register's answer.
  --again        replaces an earlier statement of a person. Nothing that the register said itself is replaced.
To correct:
  --right FILE   the right data: the file that \`show KEY --json\` writes, with the errors repaired. Taxes are computed anew.
  --settles WORD the kind of settlement of the right data, if it is another: sale, return, purchase or purchase-return
  --sign N       the fiscal sign (ФП) of the receipt to undo, if it is not the journal's receipt but a second copy. The copy is
                 looked for in the drive, near the journal's receipt, or at the document number (ФД) in --number N.
  --unknown-sign undoes the receipt with this sign although neither the journal nor the drive has it
  --date D       the day of the settlement that is corrected, 12.11.26 or 2026-11-12, if it is not the day of the entry
  --order N      the number of the tax office's order. Without it the correction is of one's own accord (САМОСТОЯТЕЛЬНО).
  --yes          registers what is explained without it
  --out DIR      writes the receipts there as PDF
To leave out:
  --why TEXT     how you know that the document holds no sale that will be repeated
`;

/** How many entries `list` shows without `--limit`: they fill one screen. */
const LIST_LIMIT = 20;
const MAX_LIST_LIMIT = 1_000;

/**
 * How the command opens its services. `openOperator` and `openRegisters` take the server's lock, and throw a `Failure` when a server holds
 * it.
 */
export interface JournalPlace {
  open(): Promise<JournalTools>;
  openOperator?(): Promise<OperatorTools>;
  openRegisters?(): Promise<RegisterTools>;
  openStore?(): Promise<VerifyTools>;
}

export function journalCommand({
  open,
  openOperator = defaultOperator,
  openRegisters = defaultOperator,
  openStore = defaultStore,
}: JournalPlace): Command {
  return {
    name: "journal",
    summary: "list, show, explain, settle, correct and verify operations; have reports made, and documents left out",
    usage: USAGE,
    async run(args, io) {
      const verifying = verifyOptions(args);
      if (verifying !== undefined) return withTools(openStore, (tools) => verify(tools, verifying.json, io));
      const { work, registers } = workOf(args);
      return withTools(
        () => toolsFor(registers, { open, openOperator }),
        (tools) => work(tools, io, claimChecker(openRegisters)),
      );
    },
  };
}

/**
 * Opens the tools that the action needs. A plan asks the registers. If they cannot be opened, for example because a server uses them, the
 * plan is made without them.
 */
async function toolsFor(
  registers: RegistersFor,
  { open, openOperator }: Required<Pick<JournalPlace, "open" | "openOperator">>,
): Promise<JournalTools & Partial<OperatorTools> & { registersUnavailable?: string }> {
  if (registers === "none") return open();
  if (registers === "act") return openOperator();
  try {
    return await openOperator();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...(await open()), registersUnavailable: error.message };
  }
}

/** Loads the module only when needed: reading the journal needs no register. */
async function defaultOperator(): Promise<OperatorTools & RegisterTools> {
  return (await import("./open-operator.ts")).openOperator();
}

async function defaultStore(): Promise<VerifyTools> {
  return (await import("./open.ts")).openJournalStore();
}

/** Returns the options of `verify`. Undefined: the arguments name another action. */
function verifyOptions(args: string[]): { json: boolean } | undefined {
  const { values, positionals } = parsed(args);
  if (positionals[0] !== "verify") return undefined;
  ownOptions("verify", values);
  atMost(positionals, 1, "`journal verify` with options alone");
  return { json: values.json };
}

/**
 * Returns the check of a claim. The check opens the registers for one request only, so that the command does not hold them while a person
 * thinks.
 */
function claimChecker(openRegisters: () => Promise<RegisterTools>): SettlingServices["ask"] {
  return async (entry, claim) => {
    const tools = await openRegisters();
    try {
      return await tools.questions.checkClaim(entry, claim);
    } finally {
      await tools.close();
    }
  };
}

/**
 * `act`: the register makes a document. `plan`: the register is only asked. `none`: no register is open during the action, except for the
 * one request of `settle`.
 */
type RegistersFor = "act" | "plan" | "none";

type Work = (
  tools: JournalTools & Partial<OperatorTools> & { registersUnavailable?: string },
  io: CommandIo,
  ask: SettlingServices["ask"],
) => Promise<number>;

/** Returns the work that the arguments name, and how the work uses registers. */
function workOf(args: string[]): { work: Work; registers: RegistersFor } {
  const { values, positionals } = parsed(args);
  const [action, text] = positionals;
  if (action !== undefined) ownOptions(action, values);
  if (action === "report") {
    const options = reportOptions(positionals.slice(1), values);
    return { work: (tools, io) => report(tools, options, io), registers: options.yes ? "act" : "none" };
  }
  if (action === "leave-out") {
    const options = leaveOutOptions(positionals.slice(1), values);
    return { work: (tools, io) => leaveOut(tools, options, lineByLine(io)), registers: "none" };
  }
  if (action === "list") {
    atMost(positionals, 1, "`journal list` with options alone");
    return { work: listing(values), registers: "none" };
  }
  if (action === undefined || !isAction(action)) {
    const found = action === undefined ? "" : `, not "${action}"`;
    throw new UsageError(
      `expected \`journal list\`, \`journal report\`, \`journal leave-out\`, \`journal verify\`, or one of ${ACTIONS.join(", ")} with a KEY${found}`,
    );
  }
  if (text === undefined) throw new UsageError(`journal ${action} needs a KEY: the number of the entry, as \`journal list\` shows it`);
  atMost(positionals, 2, "one KEY at a time");
  const registers = action !== "correct" ? "none" : values.yes ? "act" : "plan";
  return { work: entryWork(action, parseKey(text), values), registers };
}

const ACTIONS = ["show", "explain", "settle", "correct"] as const;

function isAction(text: string): text is (typeof ACTIONS)[number] {
  return ACTIONS.some((action) => action === text);
}

function entryWork(action: (typeof ACTIONS)[number], key: KeyText, values: Options): Work {
  if (action === "correct") {
    const options = correctOptions(values);
    return (tools, io) => withEntry(tools.journal, key, io, (entry) => correct(tools, entry, options, lineByLine(io)));
  }
  if (action === "settle") {
    const options = settleOptions(values);
    return ({ journal, clock }, io, ask) =>
      withEntry(journal, key, io, (entry) => settle({ journal, clock, ask }, entry, options, lineByLine(io)));
  }
  if (action === "explain")
    return ({ journal, clock }, io) => withEntry(journal, key, io, (entry) => explain(journal, entry, clock.nowMs(), io));
  if (values.json && values.raw) throw new UsageError("--json and --raw write two forms of the entry: give one of them");
  return ({ journal }, io) => withEntry(journal, key, io, (entry) => show(journal, entry, values, io));
}

async function withEntry(journal: Journal, key: KeyText, io: CommandIo, work: (entry: Entry) => Promise<number>): Promise<number> {
  const found = await findEntry(journal, key);
  if (found.kind === "found") return work(found.entry);
  io.err(found.problem);
  return 1;
}

function listing(values: Options): Work {
  const { state, account, store, before } = values;
  if (state !== undefined && !isEntryState(state)) throw new UsageError(`unknown state "${state}": ${ENTRY_STATES.join(", ")}`);
  const limit = values.limit === undefined ? LIST_LIMIT : wholeNumber("limit", values.limit, MAX_LIST_LIMIT);
  const filter = {
    limit,
    ...present({ state }),
    ...(account === undefined ? {} : { accountId: given("--account", account, "the id of an account") }),
    ...(store === undefined ? {} : { storeId: given("--store", store, "the id of a point of sale") }),
    ...(before === undefined ? {} : { beforeId: wholeNumber("before", before, Number.MAX_SAFE_INTEGER) }),
  };
  return async ({ journal, clock }, io) => {
    if (filter.beforeId === undefined) await listWaiting(journal, filter, clock.nowMs(), io);
    const entries = await journal.heads.list(filter);
    if (entries.length === 0) io.out("There are no such operations.");
    const { rows, problems } = await detailRows(journal, entries);
    if (rows.length > 0) for (const line of tableOf([titleRow(), ...rows])) io.out(line);
    for (const line of problems) io.err(line);
    if (entries.length === limit) io.out(`Older ones: --before ${entries.at(-1)?.id}`);
    return 0;
  };
}

/** Lists the entries that wait for a person, oldest first. */
async function listWaiting(journal: Journal, filter: Omit<EntryFilter, "limit">, nowMs: number, io: CommandIo): Promise<void> {
  const { state, accountId, storeId } = filter;
  const unfinished = await journal.heads.unfinishedListed();
  for (const line of unreadableLines(unfinished)) io.err(line);
  const rows = unfinished.filter(isReadable).flatMap((entry) => {
    const waiting = waitingOf(entry, nowMs);
    const matches =
      (state ?? entry.state) === entry.state &&
      (accountId ?? entry.key.accountId) === entry.key.accountId &&
      (storeId ?? entry.storeId) === entry.storeId;
    return matches && waiting?.owner === "person" ? [{ entry, ageMs: waiting.ageMs }] : [];
  });
  if (rows.length === 0) return;
  io.out(`${rows.length} ${rows.length === 1 ? "waits" : "wait"} for a person; what to do: journal explain NUMBER`);
  const oldestFirst = rows.toSorted((a, b) => b.ageMs - a.ageMs).map(({ entry, ageMs }) => waitingRow(entry, ageMs));
  for (const line of tableOf([waitingTitleRow(), ...oldestFirst])) io.out(line);
  io.out("");
}

async function show(journal: Journal, entry: Entry, { json, raw }: Options, io: CommandIo): Promise<number> {
  const { document, facts, paper } = entry;
  if (!json) {
    const moves = await journal.moves(entry.id);
    if (raw) io.out(JSON.stringify({ ...entry, moves }, undefined, 2));
    else for (const line of showLines(entry, moves)) lineByLine(io).out(line);
    return 0;
  }
  if (facts === undefined) {
    io.err(`Entry ${entry.id} is ${entry.state}: there are no facts to draw a receipt from`);
    return 1;
  }
  io.out(JSON.stringify({ document, facts, paper }, undefined, 2));
  return 0;
}

function wholeNumber(name: string, text: string, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > max) throw new UsageError(`--${name} expects a whole number from 1 to ${max}`);
  return value;
}

const TEXT = { type: "string" } as const;
const FLAG = { type: "boolean", default: false } as const;

type Options = ReturnType<typeof parsed>["values"];

function parsed(args: string[]) {
  return readArguments({
    args,
    allowPositionals: true,
    options: {
      ...{ state: TEXT, account: TEXT, store: TEXT, limit: TEXT, before: TEXT, json: FLAG, raw: FLAG },
      ...{ done: FLAG, refused: FLAG, number: TEXT, sign: TEXT, time: TEXT, shift: TEXT, receipt: TEXT, sum: TEXT },
      ...{ identity: TEXT, why: TEXT, unconfirmed: FLAG, again: FLAG },
      ...{ right: TEXT, settles: TEXT, "unknown-sign": FLAG, date: TEXT, order: TEXT, out: TEXT, yes: FLAG },
    },
  });
}
