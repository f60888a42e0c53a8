import type { Refusal } from "./refusal.ts";

/** Why a document cannot be corrected as it was meant, beside the code `not-correctable`. */
export type Uncorrectable =
  /** A correction that was not registered is made by saying its command again. */
  | "is-correction"
  /** It is registered, or nobody knows. */
  | "not-refused"
  /** The same document is registered under the other id type. */
  | "twin-registered"
  | "corrected-already"
  | "not-registered"
  /** What was wrong has to be undone before what is right is settled. */
  | "wrong-not-undone"
  | "undoing-undone"
  /** It counts as refused, and the drive has it: `number`. */
  | "stands-in-drive"
  /** Under its `number` the drive has another `sign` than `entry` says. */
  | "sign-differs"
  /** On `settledOn`, tag 1178, nothing can have been settled: `day` says why, and it is `today` at the register. */
  | "day-impossible";

export function uncorrectable(problem: Uncorrectable, details: Record<string, string> = {}): Refusal {
  return { code: "not-correctable", details: { problem, ...details } };
}
