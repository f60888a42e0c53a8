import type { Finding } from "../exchanges/finding.ts";
import type { Scene } from "../play/scene.ts";

/**
 * Where a rule comes from. `seed`: the platform's contract documents; `public`: its other public
 * documentation; `decided`: all of these are silent, and what is expected is what a careful server does.
 */
export const SOURCES = ["seed", "public", "decided"] as const;
export type Source = (typeof SOURCES)[number];

/** One thing that a server has to do, and how to find out from outside whether it does. */
export interface Rule {
  /** `contract/theme/name`: what `--only` takes. */
  id: string;
  /** What a server does that keeps the rule. */
  title: string;
  source: Source;
  /** Where it is written, for those who have the references. */
  clause: string;
  /** The expectation in full, for those who have not. */
  expected: string;
  /** What the server's author has to change when it is broken. */
  mend: string;
  /** Rules that say nothing new about a server which breaks one of these. */
  needs?: readonly string[];
  /** Silence breaks it; for every other rule silence says nothing. */
  aboutTime?: boolean;
  check(scene: Scene): Promise<Finding>;
}

/** Rules that are checked on one fresh account, in this order. */
export interface Group {
  /** `contract/theme`, with which the ids of its rules begin. */
  id: string;
  needs?: readonly string[];
  rules: readonly Rule[];
}
