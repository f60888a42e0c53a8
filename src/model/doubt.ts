/**
 * Why an operation is in doubt, as data: it is unknown whether it was registered, or its facts are unknown. Programs decide by the code and
 * its details, never by words. Contracts, web and cli make the words for people.
 */
export type Doubt =
  // Found by comparing the drive with its state before the operation. `drive-changed` has the serial numbers of two drives. `count` is the
  // number of documents. All other numbers in this group are document numbers (tag 1040).
  | { code: "drive-changed"; before: string; now: string }
  | { code: "drive-went-back"; before: number; now: number }
  /** The register did not return one or more documents that were made after the checkpoint. */
  | { code: "documents-unread" }
  /** The register did not show that the drive ends after document `last`. */
  | { code: "drive-end-unproved"; last: number }
  /** None of the documents made after the checkpoint can be identified as the sent document. */
  | { code: "documents-ambiguous"; count: number }
  // Only one document made after the checkpoint may be the sent document, but it differs: another id, kind, settlement sign, sum or time.
  | { code: "document-of-others"; number: number }
  | { code: "kind-differs"; number: number }
  | { code: "sign-differs"; number: number }
  | { code: "sum-differs"; number: number }
  | { code: "time-differs"; number: number; time: string }
  /** Document `number` has the id of this operation but another sum. Another attempt would make a second document. */
  | { code: "registered-with-other-sum"; number: number }
  // Cash in and out: no drive stores these documents. Only the sum in the drawer can show whether the document was made.
  | { code: "drawer-unclear" }
  | { code: "drawer-differs"; movedKopecks: number; expectedKopecks: number }
  // Found while the document was sent, or when the register was asked about it.
  /** `reason`: the driver's description of the failed connection. */
  | { code: "no-answer"; reason: string }
  | { code: "answer-late" }
  | { code: "driver-failed" }
  /**
   * The device refused the document, but may have made it. `words`: the device's own words. `seen`: what the register showed afterwards;
   * `silent`: it gave no further certain answer. Absent: the register was not asked.
   */
  | { code: "refusal-doubtful"; words: string; seen?: "document-made" | "silent" }
  /** The number in the answer does not follow the drive's number `last`. */
  | { code: "number-unexpected"; number: number; last: number }
  | { code: "change-differs"; number: number; changeKopecks: number; expectedKopecks: number }
  /** The document was made, but its facts cannot be read. */
  | { code: "facts-missing"; number: number; because: "other-drive" | "unread" }
  // The report was made, but it is not known which document it is, or the document cannot be read.
  | { code: "report-missing"; because: "number-unknown" | "not-in-drive" }
  | { code: "report-unread"; number: number; reason: string }
  /** The outcome could not be stored, or a failure of the server kept it from finding the outcome. */
  | { code: "not-committed" }
  /** Stored by an earlier version with words only, or not stored (`UNSTATED`). It proves nothing. */
  | { code: "words-only"; words: string };

/**
 * Whether the register has shown that document `number` differs from the sent document. A person may then declare it to be the sent
 * document only if the register confirms that.
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

/** Whether two doubts are the same. The words of driver and device are not compared, because they vary. */
export function sameDoubt(one: Doubt | undefined, other: Doubt): boolean {
  const dataOf = (doubt: Doubt) => JSON.stringify({ ...doubt, reason: undefined, words: undefined });
  return one !== undefined && dataOf(one) === dataOf(other);
}
