import type { CheckResult } from "../exchanges/check-result.ts";
import type { Scene } from "../play/scene.ts";

/**
 * Where a rule comes from. `seed`: the platform's contract documents. `public`: its other public documentation. `decided`: no
 * document says it, and the rule expects what a careful server does.
 */
export const SOURCES = ["seed", "public", "decided"] as const;
export type Source = (typeof SOURCES)[number];

/** One thing that a server must do, and a check from outside. */
export interface Rule {
  /** `contract/theme/name`; `--only` accepts it. */
  id: string;
  /** What a server does that keeps the rule. */
  title: string;
  source: Source;
  /** Where the rule is written, for readers who have the references. */
  clause: string;
  /** The whole expectation, for readers who do not have them. */
  expected: string;
  /** What the server's author has to change when the rule is broken. */
  mend: string;
  /** Rules that must be held first. A server that breaks one of them would break this rule too, which says nothing new. */
  needs?: readonly string[];
  /** True when a missing answer breaks the rule. For every other rule it proves nothing. */
  aboutTime?: boolean;
  check(scene: Scene): Promise<CheckResult>;
}

/** Rules that are checked on one fresh account, in this order. */
export interface Group {
  /** `contract/theme`: the ids of its rules begin with it. */
  id: string;
  needs?: readonly string[];
  rules: readonly Rule[];
}
