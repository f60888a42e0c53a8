import { Failure } from "../../../kernel/failure.ts";
import type { ReportedAnswer, ReportedRequest } from "./report-text.ts";

export type CheckResult =
  | { kind: "held" }
  /**
   * `sent` and `seen` are words for people. `request` and `answer` hold the whole exchange when there is only one. `mend` replaces
   * the rule's own text when the answer allows a better advice.
   */
  | { kind: "broken"; sent: string; seen: string; request?: ReportedRequest; answer?: ReportedAnswer; mend?: string }
  /** The rule is about something that this server does not offer, or that did not happen. */
  | { kind: "not-applicable"; why: string };

/** Thrown when a check cannot be made. This proves nothing about the rule. The message says why, and what to do. */
export class CannotRun extends Failure {
  constructor(why: string) {
    super("cannot-run", "caller", why);
  }
}

/** Thrown when nothing more may be sent to this server. */
export class StopRun extends Failure {
  constructor(why: string) {
    super("stop-run", "caller", why);
  }
}

export const held: CheckResult = { kind: "held" };

export function notApplicable(why: string): CheckResult {
  return { kind: "not-applicable", why };
}

/** Checks the cases one after another. Returns the first result that is not `held`. A broken result names its case. */
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
