import type { Refusal } from "./refusal.ts";

/** Why what stands in a drive cannot be told, though its register answers. */
export type DriveProblem =
  /** It does not give the document `number`. */
  | "document-not-given"
  /** It does not give a report among which the closing of the shift may be. */
  | "closing-not-given"
  /** More documents are unknown than one turn reads: `left` of them. */
  | "documents-to-read";

/** `reason`: in the words of the driver. */
export function unreachable(reason: string): Refusal {
  return { code: "register-unreachable", details: { reason } };
}

export function driveUnread(problem: DriveProblem, details: Record<string, string> = {}): Refusal {
  return { code: "register-unreachable", details: { problem, ...details } };
}
