import type { Entry } from "../../journal/entry.ts";
import type { RefusalCode } from "../../model/refusal.ts";
import { type CorrectionStory, standingStep } from "./correction-story.ts";

/** The advice for a cashier. Numbers are document numbers in the drive. */
export type CashierAdvice =
  /** The server's operator makes corrections. The cashier does nothing. */
  | { code: "is-correction" }
  | { code: "is-report" }
  | { code: "waits-its-turn" }
  | { code: "is-being-made" }
  | { code: "is-in-doubt" }
  /** Nothing was registered. The cashier repeats the operation. */
  | { code: "repeat" }
  /** The operation was refused. Repeats are refused until the operator has acted. */
  | { code: "wait-for-operator" }
  | { code: "corrected"; number: number }
  | { code: "being-corrected" }
  | { code: "slip-made" }
  /** `right`: number of the correction with the right data, if any. */
  | { code: "undone"; number: number; undoing: number; right?: number }
  | { code: "made"; number: number };

/** Returns the advice for the cashier of the entry's point of sale. */
export function cashierAdvice(entry: Entry, story: CorrectionStory): CashierAdvice {
  const { kind } = entry.operation;
  if (kind === "correction") return { code: "is-correction" };
  if (kind === "x-report" || kind === "state-report") return { code: "is-report" };
  switch (entry.state) {
    case "queued":
      return { code: "waits-its-turn" };
    case "sending":
      return { code: "is-being-made" };
    case "in-doubt":
      return { code: "is-in-doubt" };
    case "refused":
      return whenRefused(entry, standingStep(entry, story, "missed"));
    case "done":
      return whenDone(entry, standingStep(entry, story, "undo"), standingStep(entry, story, "redo"));
  }
}

function whenRefused({ refusal }: Entry, missed: Entry | undefined): CashierAdvice {
  if (missed !== undefined) {
    const { facts } = missed;
    return facts?.kind === "fiscal" ? { code: "corrected", number: facts.documentNumber } : { code: "being-corrected" };
  }
  return { code: refusal !== undefined && OPERATORS.includes(refusal.code) ? "wait-for-operator" : "repeat" };
}

/** Refusals that only the operator can end. */
const OPERATORS: readonly RefusalCode[] = [
  "register-went-back",
  "registered-in-other-drive",
  "drive-kind-mixed",
  "register-missing",
  "lane-stopped",
  "drive-exhausted",
  "operator-queue-blocked",
  "clock-wrong",
];

function whenDone({ facts }: Entry, undo: Entry | undefined, redo: Entry | undefined): CashierAdvice {
  if (facts?.kind !== "fiscal") return { code: "slip-made" };
  const number = facts.documentNumber;
  if (undo?.facts?.kind !== "fiscal") return { code: "made", number };
  const right = redo?.facts?.kind === "fiscal" ? { right: redo.facts.documentNumber } : {};
  return { code: "undone", number, undoing: undo.facts.documentNumber, ...right };
}
