import { Failure } from "../../../kernel/failure.ts";
import type { ToldAnswer, ToldRequest } from "./told.ts";

/** What a check found out. */
export type Finding =
  | { kind: "held" }
  /**
   * `sent` and `seen` in words; the exchange that they are about whole, where it is one. `mend` takes the place of the rule's
   * own words where what was seen tells more.
   */
  | { kind: "broken"; sent: string; seen: string; request?: ToldRequest; answer?: ToldAnswer; mend?: string }
  /** The rule speaks of something that this server does not offer, or that did not happen. */
  | { kind: "not-applicable"; why: string };

/** A check cannot be made: not the rule's fault, and nothing is known of it. The message says why and what to do. */
export class CannotRun extends Failure {
  constructor(why: string) {
    super("cannot-run", "caller", why);
  }
}

/** Nothing more may be sent to this server. */
export class StopRun extends Failure {
  constructor(why: string) {
    super("stop-run", "caller", why);
  }
}

export const held: Finding = { kind: "held" };

export function notApplicable(why: string): Finding {
  return { kind: "not-applicable", why };
}

/** Checks one case after the other; the first that is not held is the result, with its name. */
export async function inTurn<Case>(
  cases: readonly Case[],
  nameOf: (item: Case) => string,
  check: (item: Case) => Promise<Finding>,
): Promise<Finding> {
  for (const item of cases) {
    const finding = await check(item);
    if (finding.kind === "broken") return { ...finding, sent: `${nameOf(item)}: ${finding.sent}` };
    if (finding.kind !== "held") return finding;
  }
  return held;
}
