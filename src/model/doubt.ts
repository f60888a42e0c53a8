/**
 * Why it is unknown whether an operation was registered, as data. Programs decide by the code and its details, never by words. Contracts
 * and cli make the words for people.
 */
export type Doubt =
  // Found by comparing the drive with its state before the operation. `drive-changed` has numbers of drives, and `count` is a number of
  // documents. The other numbers of this group are document numbers, tag 1040.
  | { code: "drive-changed"; before: string; now: string }
  | { code: "drive-went-back"; before: number; now: number }
  /** At least one document made after the checkpoint could not be read. */
  | { code: "documents-unread" }
  /** The register has not proved that nothing was made after document `last`. */
  | { code: "drive-end-unproved"; last: number }
  | { code: "documents-ambiguous"; count: number }
  // One document made after the checkpoint could be the sent document, but it differs from it.
  | { code: "document-of-others"; number: number }
  | { code: "kind-differs"; number: number }
  | { code: "sign-differs"; number: number }
  | { code: "sum-differs"; number: number }
  | { code: "time-differs"; number: number; time: string }
  /** The document has the id of this operation, so another attempt would make a second document. */
  | { code: "registered-with-other-sum"; number: number }
  // Cash in and out: no drive stores these documents. Only the sum in the drawer can show whether the document was made.
  | { code: "drawer-unclear" }
  | { code: "drawer-differs"; movedKopecks: number; expectedKopecks: number }
  // Found in the register's answer to the document, or shown by a missing answer.
  /** `reason`: why no answer came, in words of the driver or of the agent. */
  | { code: "no-answer"; reason: string }
  | { code: "answer-late" }
  | { code: "driver-failed" }
  /**
   * `words`: the device's error in words. `seen`: what the register showed after its refusal. `silent`: it is unknown whether a document
   * was made.
   */
  | { code: "refusal-doubtful"; words: string; seen?: "document-made" | "silent" }
  | { code: "number-unexpected"; number: number; last: number }
  | { code: "change-differs"; number: number; changeKopecks: number; expectedKopecks: number }
  /** The document was made, but its facts cannot be read. */
  | { code: "facts-missing"; number: number; because: "other-drive" | "unread" }
  | { code: "report-missing"; because: "number-unknown" | "not-in-drive" }
  | { code: "report-unread"; number: number; reason: string }
  /** The document may have been sent, but its outcome could not be stored in the journal or in the agent's record. */
  | { code: "not-committed" }
  /** Stored by an earlier version with words only, or `UNSTATED`. It proves nothing. */
  | { code: "words-only"; words: string };

/**
 * Whether the register has shown that document `number` differs from the sent document in its id, kind, sign or sum. A person must then not
 * declare that document `number` is the sent document. A different time does not count.
 */
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

/** Whether the register has shown that a document with the operation's own id is registered. */
export function saysRegistered(doubt: Doubt | undefined): boolean {
  return doubt?.code === "sign-differs" || doubt?.code === "sum-differs" || doubt?.code === "registered-with-other-sum";
}

/** The doubt of an entry without a stored doubt. */
export const UNSTATED: Doubt = { code: "words-only", words: "" };

/** Compares two doubts without the words of driver and device, which vary. */
export function sameDoubt(one: Doubt | undefined, other: Doubt): boolean {
  const dataOf = (doubt: Doubt) => JSON.stringify({ ...doubt, reason: undefined, words: undefined });
  return one !== undefined && dataOf(one) === dataOf(other);
}
