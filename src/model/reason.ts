import type { Doubt } from "./doubt.ts";
import type { Refusal } from "./refusal.ts";
import type { Excess } from "./returned.ts";
import type { UnreadMark } from "./unread-marks.ts";

/** Why an entry of the journal changed its state, as data. A change may have several reasons. */
export type Reason =
  | { code: "doubt"; doubt: Doubt }
  | { code: "refused"; refusal: Pick<Refusal, "code" | "parameter" | "device"> }
  // Why an operation ended without a direct answer of the register.
  /** The register made no document after the checkpoint. */
  | { code: "nothing-made" }
  /** The server adopted the shift that document `number` had opened at the device. */
  | { code: "shift-adopted"; number: number }
  /** The drive already had the report of the shift, document `number`, so nothing was sent. */
  | { code: "report-found"; number: number }
  /** The drive has the document of an attempt that a person had settled as not registered. */
  | { code: "attempt-found" }
  /** The drive had the document but the journal did not, for example after restoring an older copy of the database. */
  | { code: "restored-from-drive" }
  // Facts about a registered document for people.
  | { code: "marks-unread"; marks: Pick<UnreadMark, "line" | "problem">[] }
  /** A return refunds more than its sale leaves. `sale`: entry of the sale. `unsure`: entries of returns with an unknown outcome. */
  | { code: "returned-more"; sale: number; excesses: Excess[]; unsure: number[] }
  // What the register says about a person's statement, and the statement itself.
  | { code: "confirmed" }
  /** The register neither proved nor disproved the person's statement. */
  | { code: "unconfirmed" }
  | { code: "said"; words: string }
  /** The drive's document with the operation's id has this other total. Stored only if the person gave no words. */
  | { code: "other-sum"; totalKopecks: number }
  /** A new statement replaced the earlier outcome `was`. Only this reason stores that outcome. */
  | { code: "taken-back"; was: TakenBack }
  /** Stored by an earlier version with words only. */
  | { code: "words-only"; words: string };

export type TakenBack =
  | { kind: "refused"; refusal?: Refusal["code"] }
  | { kind: "done"; shiftNumber: number; time: string; documentNumber?: number; fiscalSign?: string };
