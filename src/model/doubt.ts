/**
 * Why nobody knows whether an operation was registered, as data: decisions are made by the code and its details. The words
 * are made where people read them (contracts, cli); no program compares those.
 */
export type Doubt =
  // What the drive shows beside what it showed before the operation. Numbers are of documents, tag 1040.
  | { code: "drive-changed"; before: string; now: string }
  | { code: "drive-went-back"; before: number; now: number }
  /** The register does not give the documents that were made since. */
  | { code: "documents-unread" }
  /** The register does not say that nothing follows the document of this number. */
  | { code: "drive-end-unproved"; last: number }
  | { code: "documents-ambiguous"; count: number }
  // One document was made since, and it is not what was sent.
  | { code: "document-of-others"; number: number }
  | { code: "kind-differs"; number: number }
  | { code: "sign-differs"; number: number }
  | { code: "sum-differs"; number: number }
  | { code: "time-differs"; number: number; time: string }
  /** It carries the id of this operation: another attempt would be a second document. */
  | { code: "registered-with-other-sum"; number: number }
  // Cash is in no drive: the drawer tells.
  | { code: "drawer-unclear" }
  | { code: "drawer-differs"; movedKopecks: number; expectedKopecks: number }
  // What the register answered to the document itself, or did not.
  /** `reason`: in the words of the driver, as of everything that cannot be reached. */
  | { code: "no-answer"; reason: string }
  | { code: "answer-late" }
  | { code: "driver-failed" }
  /** `words`: the device's own. `seen`: what the register showed after its refusal. */
  | { code: "refusal-doubtful"; words: string; seen?: "document-made" | "silent" }
  | { code: "number-unexpected"; number: number; last: number }
  | { code: "change-differs"; number: number; changeKopecks: number; expectedKopecks: number }
  /** It was made, and its facts cannot be read. */
  | { code: "facts-missing"; number: number; because: "other-drive" | "unread" }
  | { code: "report-missing"; because: "number-unknown" | "not-in-drive" }
  | { code: "report-unread"; number: number; reason: string }
  /** What became of it is known and could not be written down. */
  | { code: "not-committed" }
  /** Stored by a program that kept words and no code; nothing can be concluded from them. */
  | { code: "words-only"; words: string };

/** Whether the register has said already that this document of the drive is not what was sent: a person's word is held against that. */
export function speaksAgainst(doubt: Doubt | undefined, number: number): boolean {
  switch (doubt?.code) {
    case "document-of-others":
    case "kind-differs":
    case "sign-differs":
    case "sum-differs":
    case "registered-with-other-sum":
      return doubt.number === number;
    default:
      return false;
  }
}

/** Whether the register has said already that something was registered under the operation's own id. */
export function saysRegistered(doubt: Doubt | undefined): boolean {
  return doubt?.code === "sign-differs" || doubt?.code === "sum-differs" || doubt?.code === "registered-with-other-sum";
}

/** For an entry whose row says nothing of its doubt. */
export const UNSTATED: Doubt = { code: "words-only", words: "" };

/** The words of a driver or a device do not count: they may be others each time, and nothing follows from them. */
export function sameDoubt(one: Doubt | undefined, other: Doubt): boolean {
  const dataOf = (doubt: Doubt) => JSON.stringify({ ...doubt, reason: undefined, words: undefined });
  return one !== undefined && dataOf(one) === dataOf(other);
}
