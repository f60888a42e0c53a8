import { formatKopecks } from "../../../kernel/money.ts";
import type { Impossible, Owner, Period, Shifts } from "../../../operator/settling/figure-bounds.ts";

type Of<Code extends Impossible["code"]> = Extract<Impossible, { code: Code }>;

/** Returns why the typed figures cannot belong to the document, for the operator. */
export function impossibleWords(problem: Impossible): string {
  return (WORDS[problem.code] as (problem: Impossible) => string)(problem);
}

const WORDS: { [Code in Impossible["code"]]: (problem: Of<Code>) => string } = {
  "is-x-report": () => "an X report is no document that anything could be settled with",
  "slip-with-number": () => "a slip for cash has neither a number (ФД, ЧЕК) nor a sign (ФП): leave them out",
  "number-and-sign-needed": () => "a fiscal document has a number (ФД) and a sign (ФП): both are needed",
  "report-with-receipt": () => "a report has neither a number of a receipt nor a sum: leave them out",
  "nothing-sent": () => "nothing was sent to the register, so nothing can have been registered",
  "other-drive": ({ had, described }) => `the register had drive ${had}, and the one described has ${described}`,
  "number-too-old": ({ number, last }) => `document ${number} is older than the operation: ${last} was the last one before it`,
  "number-too-far": ({ number, last, most }) =>
    `document ${number} is too far on: ${last} was the last one before the operation, so ${last + 1} to ${most} was expected`,
  "time-too-early": (problem) => `${problem.time} is before the operation began on the register's clock: ${expectedTime(problem)}`,
  "time-not-come": (problem) => `${problem.time} has not come yet on the register's clock: ${expectedTime(problem)}`,
  "shift-over": (problem) => `shift ${problem.shift} is over: ${expectedShift(problem)}`,
  "shift-not-begun": (problem) => `shift ${problem.shift} has not begun: ${expectedShift(problem)}`,
  "receipt-misplaced": (problem) =>
    `receipt ${problem.receipt} does not fit document ${problem.number} of shift ${problem.shift}: expected ${expectedReceipt(problem)}`,
  "sum-not-sent": ({ saidKopecks, sentKopecks }) => `${formatKopecks(saidKopecks)} is not what was sent: ${formatKopecks(sentKopecks)} was`,
  "number-taken": ({ number, owner }) => `document ${number} belongs to ${ownerWords(owner)}`,
  "sign-taken": ({ sign, number, owner }) => `sign ${sign} is that of document ${number}, which belongs to ${ownerWords(owner)}`,
  "no-facts": () => "no facts can be made of it",
};

function expectedTime({ from, to, slackMs }: Period): string {
  return `expected from ${from} to ${to}, give or take ${slackMs / 60_000} minutes by which its clock may have been set`;
}

function expectedShift({ earliest, latest }: Shifts): string {
  return `the operation belongs to shift ${earliest}${latest > earliest ? ` or ${latest}` : ""}`;
}

function expectedReceipt({ least, most }: Of<"receipt-misplaced">): string {
  if (most < least) return "none is free between its neighbours";
  return most === least ? `${least}` : `${least} to ${most}`;
}

function ownerWords({ id, key, operation }: Owner): string {
  return `entry ${id} (${key.operation} ${operation.name})`;
}
