import type { CheckResult } from "../exchanges/check-result.ts";
import type { Scene } from "../play/scene.ts";

/**
 * The source of a rule. `seed`: the platform's contract documents. `public`: the platform's other public documentation. `decided`:
 * no document has the rule. It expects what a careful server does.
 */
export const SOURCES = ["seed", "public", "decided"] as const;
export type Source = (typeof SOURCES)[number];

/** One thing that a server must do, and a check by requests to the server. */
export interface Rule {
  /** The id in the form `contract/theme/name`. `--only` accepts it. */
  id: string;
  /** Says what a server does that follows the rule. */
  title: string;
  source: Source;
  /** The clause of the references that has the rule. It is for readers who have the references. */
  clause: string;
  /** The whole expectation. It is for readers who do not have the references. */
  expected: string;
  /** What the server's author has to change when the rule is broken. */
  mend: string;
  /** The rules that must be held first. A server that breaks one of them would break this rule too, which would say nothing new. */
  needs?: readonly string[];
  /** True when a missing answer breaks the rule. For every other rule a missing answer proves nothing. */
  aboutTime?: boolean;
  check(scene: Scene): Promise<CheckResult>;
}

/** Rules that share one new account and are checked in this order. */
export interface Group {
  /** The id in the form `contract/theme`. The ids of the group's rules begin with it. */
  id: string;
  needs?: readonly string[];
  rules: readonly Rule[];
}
