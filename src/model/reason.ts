import type { Doubt } from "./doubt.ts";
import type { Refusal } from "./refusal.ts";
import type { Excess } from "./returned.ts";
import type { UnreadMark } from "./unread-marks.ts";

/** Why an entry of the journal moved, as data; a move may have several reasons. */
export type Reason =
  | { code: "doubt"; doubt: Doubt }
  | { code: "refused"; refusal: Pick<Refusal, "code" | "parameter" | "device"> }
  // What confirms an end that the register did not answer itself.
  /** The register made no document after the checkpoint. */
  | { code: "nothing-made" }
  /** The shift that the document of this number had opened at the device became the platform's. */
  | { code: "shift-adopted"; number: number }
  /** The drive had this report of the shift already, so that nothing was sent. */
  | { code: "report-found"; number: number }
  /** An attempt that a person had settled as not registered stands in the drive. */
  | { code: "attempt-found" }
  /** The drive had it and the journal did not, as after an older copy of the database was restored. */
  | { code: "restored-from-drive" }
  // What people have to know of a registered document.
  | { code: "marks-unread"; marks: Pick<UnreadMark, "line" | "problem">[] }
  /** `sale`: entry of the sale; `unsure`: entries of returns of which nobody knows yet whether they were registered. */
  | { code: "returned-more"; sale: number; excesses: Excess[]; unsure: number[] }
  // A person's word.
  | { code: "confirmed" }
  /** The register did not say whether it is true. */
  | { code: "unconfirmed" }
  | { code: "said"; words: string }
  | { code: "other-sum"; totalKopecks: number }
  /** What was said before: it stands nowhere else once another word has replaced it. */
  | { code: "taken-back"; was: TakenBack }
  /** Stored by a program that kept words and no code. */
  | { code: "words-only"; words: string };

export type TakenBack =
  | { kind: "refused"; refusal?: Refusal["code"] }
  | { kind: "done"; shiftNumber: number; time: string; documentNumber?: number; fiscalSign?: string };
