import type { Refusal } from "./refusal.ts";

/** Why the documents of a drive are unknown, although its register answers. */
export type DriveProblem =
  /** The register does not return the document `number`. */
  | "document-not-given"
  /** The register does not return a report that may be the shift's closing. */
  | "closing-not-given"
  /** More documents are unknown than one turn reads. `left`: their number. */
  | "documents-to-read";

/** `reason`: the driver's words. */
export function unreachable(reason: string): Refusal {
  return { code: "register-unreachable", details: { reason } };
}

/** `otherDevice`: the answering register is not the permitted device. Only a person can permit another device. */
export function notUsable({ reason, otherDevice }: { reason: string; otherDevice?: true }): Refusal {
  return otherDevice ? { code: "device-refused", device: { code: "other-device", words: reason } } : unreachable(reason);
}

export function driveUnread(problem: DriveProblem, details: Record<string, string> = {}): Refusal {
  return { code: "register-unreachable", details: { problem, ...details } };
}
