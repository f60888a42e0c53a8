import { type NoteAct, OPERATOR } from "../../accounts/audit.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { ReportOperation } from "../../model/operation.ts";
import type { RegisterChoice } from "../../operations/plan.ts";
import type { Operations } from "../../operations/submit.ts";
import { makeReport, planReport, type ReportRequest } from "../../operator/reports/make-report.ts";
import type { NotMade } from "../../operator/submit-until-ended.ts";
import { type CommandIo, UsageError } from "../command.ts";
import { atMost } from "../option-values.ts";
import { planLines, resultOf } from "./report-lines.ts";
import { doubtText } from "./words/reason-words.ts";
import { refusalWords } from "./words/refusal-words.ts";

interface ReportOptions extends ReportRequest {
  /** Makes the report. Without this option nothing is sent. */
  yes: boolean;
  /** Prints only the JSON file that `receipt` draws. */
  json: boolean;
}

interface ReportTools {
  journal: Journal;
  clock: Clock;
  choice: RegisterChoice;
  operations?: Pick<Operations, "submit">;
  noteAct?: NoteAct;
}

const KINDS: ReadonlyMap<string, ReportOperation["kind"]> = new Map([
  ["x", "x-report"],
  ["state", "state-report"],
]);

/** Reads `x|state ACCOUNT STORE`. Throws `UsageError` for other words, and for `--json` without `--yes`. */
export function reportOptions(words: readonly string[], { yes, json }: { yes: boolean; json: boolean }): ReportOptions {
  const [word = "", account = "", storeId = "", ...more] = words;
  const kind = KINDS.get(word);
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

/** Explains a report and, with `--yes`, makes it. Exit code 0: the report is made or, without `--yes`, the point of sale is known. */
export async function report(tools: ReportTools, options: ReportOptions, io: CommandIo): Promise<number> {
  const { journal, clock, operations, noteAct } = tools;
  const plan = await planReport(tools, options);
  if (plan.kind === "refused") {
    io.err(
      `The journal knows no point of sale ${options.storeId} of account ${options.accountId}: see \`settings list\`; one that has sold nothing yet is named by appId/accountId`,
    );
    return 1;
  }
  if (!options.json) for (const line of planLines(plan)) io.out(line);
  if (!options.yes || operations === undefined || noteAct === undefined) {
    io.out("Nothing has been sent. To have it made, stop the server and say the same again with --yes.");
    return 0;
  }
  const made = await makeReport({ journal, clock, operations, noteAct }, plan, OPERATOR);
  if (made.kind === "not-made") {
    for (const line of notMadeLines(plan.report, made.because, made.entry)) io.err(line);
    return 1;
  }
  const { entry, facts } = made;
  if (options.json) io.out(JSON.stringify({ document: entry.document, facts, paper: entry.paper }, undefined, 2));
  else for (const line of resultOf(entry, facts)) io.out(line);
  return 0;
}

function notMadeLines(kind: ReportOperation["kind"], because: NotMade, entry: Entry | undefined): string[] {
  const where = entry === undefined ? "" : ` See \`journal explain ${entry.id}\`.`;
  switch (because.code) {
    case "refused":
      return because.refusal.code === "not-registered"
        ? [`${kind}: no answer came, and the register has made no document. It may have printed a paper; say the same again.`]
        : [`${kind}: refused: ${refusalWords(because.refusal)}. Remove the cause and say the same again.`];
    case "in-doubt":
      return [`${kind}: it is not known whether it was registered: ${doubtText(because.doubt)}.${where}`];
    case "running":
      return [`${kind}: the register has not ended yet.${where}`];
    case "entry-missing":
      return [`${kind}: the register has made it, but the journal has no entry of it. See the paper of the register.`];
    case "content-differs":
      return [`${kind}: not made.${where}`];
  }
}
