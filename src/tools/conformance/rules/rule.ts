import type { CheckResult } from "../exchanges/check-result.ts";
import type { Scene } from "../play/scene.ts";

/**
 * `seed`: the platform's contract documents. `public`: the platform's other public documentation. `decided`: no document; the expected
 * behaviour of a careful server.
 */
export const SOURCES = ["seed", "public", "decided"] as const;
export type Source = (typeof SOURCES)[number];

/** One duty of a server, and the check of this duty: by requests to the server, or by reading the server's descriptor. */
export interface Rule {
  /** `contract/theme/name`, as `--only` accepts it. */
  id: string;
  /** A sentence about a server that follows the rule. */
  title: string;
  source: Source;
  /** The clause of the references, for readers who have them. */
  clause: string;
  /** The whole expectation, for readers without the references. */
  expected: string;
  /** What the server's author must change after a broken result. */
  mend: string;
  /**
   * The rules that must be held first. A server that breaks a needed rule would also break this rule, so a check of this rule would tell
   * nothing new.
   */
  needs?: readonly string[];
  /** True: a missing answer breaks the rule. For any other rule a missing answer proves nothing. */
  aboutTime?: boolean;
  check(scene: Scene): Promise<CheckResult>;
}

/** Rules that share one `Scene`, in the order of their checks. */
export interface Group {
  /** `contract/theme`, the prefix of the ids of its rules. */
  id: string;
  needs?: readonly string[];
  rules: readonly Rule[];
}
