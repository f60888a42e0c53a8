import type { Doubt } from "./doubt.ts";
import type { Refusal } from "./refusal.ts";
import type { Excess } from "./returned.ts";
import type { UnreadMark } from "./unread-marks.ts";

/** Why an entry of the journal moved, as data. A move may have several reasons. */
export type Reason =
  | { code: "doubt"; doubt: Doubt }
  | { code: "refused"; refusal: Pick<Refusal, "code" | "parameter" | "device"> }
  // Why an operation has ended without a direct answer of the register.
  /** The register made no document after the checkpoint. */
  | { code: "nothing-made" }
  /** The shift that the document `number` had opened at the device became the platform's shift. */
  | { code: "shift-adopted"; number: number }
  /** The drive already had the report of the shift, document `number`, so nothing was sent. */
  | { code: "report-found"; number: number }
  /** The drive has the document of an attempt that a person had settled as not registered. */
  | { code: "attempt-found" }
  /** The drive had the document and the journal did not, for example after an older copy of the database was restored. */
  | { code: "restored-from-drive" }
  // Facts that people should know about a registered document.
  | { code: "marks-unread"; marks: Pick<UnreadMark, "line" | "problem">[] }
  /** `sale`: entry of the sale. `unsure`: entries of returns that may not have been registered. */
  | { code: "returned-more"; sale: number; excesses: Excess[]; unsure: number[] }
  // A person's statement.
  | { code: "confirmed" }
  /** The register did not say whether the statement is true. */
  | { code: "unconfirmed" }
  | { code: "said"; words: string }
  | { code: "other-sum"; totalKopecks: number }
  /** The earlier outcome. It is kept only here once a new statement has replaced it. */
  | { code: "taken-back"; was: TakenBack }
  /** Stored by an earlier version that kept words without a code. */
  | { code: "words-only"; words: string };

export type TakenBack =
  | { kind: "refused"; refusal?: Refusal["code"] }
  | { kind: "done"; shiftNumber: number; time: string; documentNumber?: number; fiscalSign?: string };
