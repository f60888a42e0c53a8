import type { Refusal } from "./refusal.ts";

/** Why a document cannot be corrected as requested: details of the code `not-correctable`. */
export type Uncorrectable =
  /** The document is a correction that was not registered. Repeat the correction's command to register it. */
  | "is-correction"
  /** The document is registered, or its outcome is unknown. */
  | "not-refused"
  /** The same document is or may be registered under another id type. */
  | "twin-registered"
  | "corrected-already"
  | "not-registered"
  /** The wrong receipt must be undone before the right receipt is made. */
  | "wrong-not-undone"
  | "undoing-undone"
  /** The entry counts as refused, but the drive has the document under `number`. */
  | "stands-in-drive"
  /** The drive's document `number` has the fiscal sign `sign`, which differs from the sign of the entry `entry`. */
  | "sign-differs"
  /** Nothing can have been settled on `settledOn`, tag 1178. `day`: the reason. `today`: the day at the register. */
  | "day-impossible";

export function uncorrectable(problem: Uncorrectable, details: Record<string, string> = {}): Refusal {
  return { code: "not-correctable", details: { problem, ...details } };
}
