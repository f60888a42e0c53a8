import { createHash } from "node:crypto";
import type { Entry, EntryKey } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import { wallTimeAt } from "../../kernel/moment.ts";
import { UNSTATED } from "../../model/doubt.ts";
import type { ReportOperation } from "../../model/operation.ts";
import { type RegisterChoice, registerNow } from "../../operations/plan.ts";
import type { Submission, Submitted } from "../../operations/submission.ts";
import type { Operations } from "../../operations/submit.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { atMost } from "../option-values.ts";
import { refusalWords, submitPatiently } from "./registering.ts";
import { explanationOf, resultOf } from "./report-lines.ts";
import { doubtText } from "./words/reason-words.ts";

export interface ReportOptions {
  kind: ReportOperation["kind"];
  appId?: string;
  accountId: string;
  storeId: string;
  /** Has it made; without it nothing is touched. */
  yes: boolean;
  /** Tells what was made as the file that `receipt` draws, and nothing else. */
  json: boolean;
}

interface ReportTools {
  journal: Journal;
  clock: Clock;
  choice: RegisterChoice;
  operations?: Pick<Operations, "submit">;
}

const MAX_DOUBTS = 2;
const KINDS: Record<string, ReportOperation["kind"]> = { x: "x-report", state: "state-report" };

/** Reads `x|state ACCOUNT STORE`. Throws `UsageError`. */
export function reportOptions(words: readonly string[], { yes, json }: { yes: boolean; json: boolean }): ReportOptions {
  const [word = "", account = "", storeId = "", ...more] = words;
  const kind = KINDS[word];
  const [first = "", second, ...parts] = account.split("/");
  const accountId = second ?? first;
  const expected = "`journal report x ACCOUNT STORE` or `journal report state ACCOUNT STORE`; ACCOUNT may be appId/accountId";
  atMost(more, 0, expected);
  if (kind === undefined && word !== "") throw new UsageError(`there is no report "${word}": expected ${expected}`);
  if (parts.length > 0) throw new UsageError(`"${account}" is no ACCOUNT: expected ${expected}`);
  if (kind === undefined || accountId === "" || storeId === "") throw new UsageError(`expected ${expected}`);
  if (json && !yes) throw new UsageError("--json tells what --yes has made: without it there is nothing to tell");
  return { kind, accountId, storeId, yes, json, ...(second === undefined ? {} : { appId: first }) };
}

/**
 * Explains a report and, where that is wanted, has it made through the register's own lane, with an entry of its own.
 * One that an earlier run began and nobody ended is ended first, in place of a new one. Exit code 0 when it is made, or
 * nothing was to be done.
 */
export async function report(tools: ReportTools, options: ReportOptions, io: CommandIo): Promise<number> {
  const { journal, operations } = tools;
  const newest = await journal.newestOf(options.accountId, options.storeId);
  const appId = options.appId ?? newest?.key.appId;
  if (appId === undefined) {
    io.err(
      `The journal knows no point of sale ${options.storeId} of account ${options.accountId}: see \`settings list\`; one that has sold nothing yet is named by appId/accountId`,
    );
    return 1;
  }
  const register = await registerNow(tools.choice, { appId, accountId: options.accountId, storeId: options.storeId });
  if (!options.json) for (const line of explanationOf(options, appId, { register, before: newest?.register })) io.out(line);
  if (!options.yes || operations === undefined) {
    io.out("Nothing has been sent. To have it made, stop the server and say the same again with --yes.");
    return 0;
  }
  const operation = (await unfinished(journal, appId, options)) ?? newReport(tools.clock, options);
  const key = { appId, accountId: options.accountId, operation: operation.kind, documentId: operation.document.id };
  const submitted = await submit(operations, journal, key, submissionOf(key, operation));
  const entry = await journal.find(key);
  if (submitted.kind !== "done" || entry?.facts === undefined) {
    for (const line of problemLines(submitted, operation, entry)) io.err(line);
    return 1;
  }
  const { document, facts, paper } = entry;
  if (options.json) io.out(JSON.stringify({ document, facts, paper }, undefined, 2));
  else for (const line of resultOf(entry, facts)) io.out(line);
  return 0;
}

async function unfinished(
  journal: Journal,
  appId: string,
  { kind, accountId, storeId }: ReportOptions,
): Promise<ReportOperation | undefined> {
  for (const { key, operation } of await journal.unfinished()) {
    const same = key.appId === appId && key.accountId === accountId && operation.storeId === storeId;
    if (same && (operation.kind === "x-report" || operation.kind === "state-report") && operation.kind === kind) return operation;
  }
  return undefined;
}

/** Each is asked for once: its id is the moment. It belongs to no shift of the platform, so it stands for its own. */
function newReport(clock: Clock, { kind, storeId }: ReportOptions): ReportOperation {
  const nowMs = clock.nowMs();
  const document = { id: new Date(nowMs).toISOString(), idType: "native" as const };
  return { kind, document, shift: document, storeId, name: "by command", moment: wallTimeAt(nowMs, "UTC") };
}

function submissionOf({ appId, accountId }: EntryKey, operation: ReportOperation): Submission {
  const { kind, storeId, document } = operation;
  const contentHash = createHash("sha256")
    .update(JSON.stringify({ kind, storeId, id: document.id }))
    .digest("hex");
  // Nobody asks for the answer's bytes: the paper is drawn from what the journal keeps.
  return { appId, accountId, operation, contentHash, twin: contentHash, answer: () => Buffer.from(document.id) };
}

/**
 * Waits for a slow register. What it has refused meanwhile is not attempted again, and a doubt that two answers in a row
 * have left is one that it cannot end now.
 */
function submit(operations: Pick<Operations, "submit">, journal: Journal, key: EntryKey, submission: Submission): Promise<Submitted> {
  let doubts = 0;
  return submitPatiently(operations, submission, async () => {
    const entry = await journal.find(key);
    if (entry?.state === "refused") return { kind: "refused", refusal: entry.refusal ?? { code: "not-registered" } };
    doubts = entry?.state === "in-doubt" ? doubts + 1 : 0;
    return doubts === MAX_DOUBTS ? { kind: "in-doubt", doubt: entry?.doubt ?? UNSTATED } : undefined;
  });
}

function problemLines(submitted: Submitted, { kind }: ReportOperation, entry: Entry | undefined): string[] {
  const where = entry === undefined ? "" : ` See \`journal explain ${entry.id}\`.`;
  switch (submitted.kind) {
    case "refused":
      return submitted.refusal.code === "not-registered"
        ? [`${kind}: no answer came, and the register has made no document. It may have printed a paper; say the same again.`]
        : [`${kind}: refused: ${refusalWords(submitted.refusal)}. Remove the cause and say the same again.`];
    case "in-doubt":
      return [`${kind}: it is not known whether it was registered: ${doubtText(submitted.doubt)}.${where}`];
    case "running":
      return [`${kind}: the register has not ended yet.${where}`];
    default:
      return [`${kind}: not made.${where}`];
  }
}
