import { createHash } from "node:crypto";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { present } from "../../kernel/present.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { Submission } from "../../operations/submission.ts";
import type { Operations } from "../../operations/submit.ts";
import { type NotMade, notMadeOf, submitUntilEnded } from "../submit-until-ended.ts";
import type { StandingCorrection } from "./correction-standing.ts";
import type { PlannedCorrection } from "./correction-steps.ts";

/** The result of one correction. */
type StepEnded =
  /**
   * The correction is in the drive. An earlier registered correction is reported too, so that its receipt can be
   * fetched.
   */
  | { kind: "registered"; step: CorrectionStep; entry: Entry }
  | { kind: "not-registered"; step: CorrectionStep; because: NotMade; entry?: Entry };

/**
 * Registers corrections one after the other in the register's lane, and yields each result. Stops after the first correction
 * that is not registered. Safe to repeat: a registered correction is not registered again.
 */
export async function* registerCorrections(
  services: { journal: Journal; operations: Pick<Operations, "submit"> },
  corrections: readonly StandingCorrection[],
): AsyncGenerator<StepEnded, void, undefined> {
  for (const correction of corrections) {
    const ended = await stepEnded(services, correction);
    yield ended;
    if (ended.kind === "not-registered") return;
  }
}

async function stepEnded(
  { journal, operations }: { journal: Journal; operations: Pick<Operations, "submit"> },
  correction: StandingCorrection,
): Promise<StepEnded> {
  const { step } = correction.operation;
  if (correction.standing === "done" && correction.entry !== undefined) return { kind: "registered", step, entry: correction.entry };
  const submitted = await submitUntilEnded(operations, submissionOf(correction));
  const entry = await journal.find(correction.key);
  if (submitted.kind === "done" && entry !== undefined) return { kind: "registered", step, entry };
  return { kind: "not-registered", step, because: notMadeOf(submitted), ...present({ entry }) };
}

export function submissionOf({ key, operation }: PlannedCorrection): Submission {
  const { of, step, settlement } = operation;
  const contentHash = createHash("sha256").update(JSON.stringify({ of, step, settlement })).digest("hex");
  const { appId, accountId } = key;
  // The bytes of the answer are not used: the receipt is drawn from the journal's entry.
  return { appId, accountId, operation, contentHash, twinHash: contentHash, answer: () => Buffer.from(key.documentId) };
}
