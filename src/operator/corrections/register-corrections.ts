import { createHash } from "node:crypto";
import type { Act, Actor, NoteAct } from "../../accounts/audit.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { present } from "../../kernel/present.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { Submission } from "../../operations/submission.ts";
import type { Operations } from "../../operations/submit.ts";
import { type NotMade, notMadeOf, submitUntilEnded } from "../submit-until-ended.ts";
import type { StandingCorrection } from "./correction-standing.ts";
import type { PlannedCorrection } from "./correction-steps.ts";

type StepEnded =
  /** The correction is in the drive. Corrections from earlier runs are included, so that their receipts can be fetched. */
  | { kind: "registered"; step: CorrectionStep; entry: Entry }
  | { kind: "not-registered"; step: CorrectionStep; because: NotMade; entry?: Entry };

interface CorrectionServices {
  journal: Journal;
  operations: Pick<Operations, "submit">;
  noteAct: NoteAct;
}

/**
 * Registers corrections in order in the register's lane, and yields each result. Stops after the first correction that is not registered.
 * Safe to repeat: registered corrections are skipped. Writes an audit line before each correction that it submits.
 */
export async function* registerCorrections(
  services: CorrectionServices,
  corrected: Entry,
  corrections: readonly StandingCorrection[],
  actor: Actor,
): AsyncGenerator<StepEnded, void, undefined> {
  for (const correction of corrections) {
    const ended = await stepEnded(services, corrected, correction, actor);
    yield ended;
    if (ended.kind === "not-registered") return;
  }
}

async function stepEnded(
  { journal, operations, noteAct }: CorrectionServices,
  corrected: Entry,
  correction: StandingCorrection,
  actor: Actor,
): Promise<StepEnded> {
  const { step } = correction.operation;
  if (correction.standing === "done" && correction.entry !== undefined) return { kind: "registered", step, entry: correction.entry };
  await noteAct({ key: correction.key, actor }, actOf(corrected, correction));
  const submitted = await submitUntilEnded(operations, submissionOf(correction));
  const entry = await journal.find(correction.key);
  if (submitted.kind === "done" && entry !== undefined) return { kind: "registered", step, entry };
  return { kind: "not-registered", step, because: notMadeOf(submitted), ...present({ entry }) };
}

/** Returns the audit line. `before`: the wrong document's number, absent when nothing was registered. */
function actOf({ key, facts }: Entry, { operation: { storeId, step, settlement } }: StandingCorrection): Act {
  const wrong = facts?.kind === "fiscal" ? String(facts.documentNumber) : undefined;
  const { basis } = settlement;
  const reason = basis.kind === "own" ? undefined : basis.orderNumber;
  return { storeId, act: "correct", subject: key.documentId, after: step, ...present({ before: wrong, reason }) };
}

/** Returns the submission that registers a planned correction. */
export function submissionOf({ key, operation }: PlannedCorrection): Submission {
  const { of, step, settlement } = operation;
  const contentHash = createHash("sha256").update(JSON.stringify({ of, step, settlement })).digest("hex");
  const { appId, accountId } = key;
  // Nobody reads `answer`: the receipt of a correction is drawn from the journal's entry.
  return { appId, accountId, operation, contentHash, twinHash: contentHash, answer: () => Buffer.from(key.documentId) };
}
