import { Failure } from "../../../kernel/failure.ts";
import type { ReportedAnswer, ReportedRequest } from "./report-text.ts";

export type CheckResult =
  | { kind: "held" }
  /**
   * `sent` and `seen` are for people. `request` and `answer`: the whole exchange, when one exchange shows the fault. `mend`: advice that
   * replaces the rule's advice, when the answer allows better advice.
   */
  | { kind: "broken"; sent: string; seen: string; request?: ReportedRequest; answer?: ReportedAnswer; mend?: string }
  /** The server does not offer what the rule is about, or the rule's case did not occur. */
  | { kind: "not-applicable"; why: string };

/** The check is impossible, which proves nothing about the rule. The message gives the reason and, if one is known, a remedy. */
export class CannotRun extends Failure {
  constructor(why: string) {
    super("cannot-run", "caller", why);
  }
}

/** Ends the run: no further request may go to this server. */
export class StopRun extends Failure {
  constructor(why: string) {
    super("stop-run", "caller", why);
  }
}

export const held: CheckResult = { kind: "held" };

export function notApplicable(why: string): CheckResult {
  return { kind: "not-applicable", why };
}

/** Checks the cases in order. Returns the first result that is not `held`. A broken result names its case. */
export async function inTurn<Case>(
  cases: readonly Case[],
  nameOf: (item: Case) => string,
  check: (item: Case) => Promise<CheckResult>,
): Promise<CheckResult> {
  for (const item of cases) {
    const result = await check(item);
    if (result.kind === "broken") return { ...result, sent: `${nameOf(item)}: ${result.sent}` };
    if (result.kind !== "held") return result;
  }
  return held;
}
