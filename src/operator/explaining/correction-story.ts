import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { present } from "../../kernel/present.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { CorrectionOperation } from "../../model/operation.ts";
import { correctionsOf, isCorrectable } from "../../operations/corrections.ts";

/** The corrections of an entry, oldest first. `corrected`: the entry that this entry corrects, if it is a correction. */
export interface CorrectionStory {
  corrections: Correction[];
  corrected?: Entry;
}

export type Correction = Entry & { operation: CorrectionOperation };

/** The possible repair of a receipt that turns out to be wrong. A correction with an unknown outcome counts as registered. */
export type Repairable =
  /** No correction yet. Undo the receipt, then register right data if needed. */
  | { kind: "uncorrected" }
  | { kind: "undone" }
  /** Right data are registered. If they are wrong too, correct their own entry. */
  | { kind: "put-right" }
  /** The receipt was registered again, as a missed receipt. */
  | { kind: "doubled"; missed: Correction };

/** Reads the corrections of an entry from the journal, and the entry that it corrects. */
export async function storyOf(journal: Journal, entry: Entry): Promise<CorrectionStory> {
  const { key, operation } = entry;
  const corrections = (await correctionsOf(journal, key)).filter(isCorrection);
  if (operation.kind !== "correction") return { corrections };
  const { of } = operation;
  const corrected = await journal.find({ ...key, operation: of.operation, documentId: of.document.id });
  return { corrections, ...present({ corrected }) };
}

/**
 * Returns the correction with this step that is or may be registered. An `undo` or `redo` belongs to the journal's receipt, not to a
 * copy.
 */
export function standingStep({ facts }: Entry, { corrections }: CorrectionStory, step: CorrectionStep): Correction | undefined {
  const sign = facts?.kind === "fiscal" ? facts.fiscalSign : undefined;
  return corrections.find(
    ({ state, operation }) =>
      state !== "refused" && operation.step === step && (step === "missed" || operation.settlement.originalSign === sign),
  );
}

/** Returns the possible repair. Undefined when the entry has no registered receipt or correction. */
export function repairableOf(entry: Entry, story: CorrectionStory): Repairable | undefined {
  const { key, state, facts } = entry;
  if (state !== "done" || facts?.kind !== "fiscal" || !isCorrectable(key.operation)) return undefined;
  const missed = standingStep(entry, story, "missed");
  if (missed !== undefined) return { kind: "doubled", missed };
  if (standingStep(entry, story, "undo") === undefined) return { kind: "uncorrected" };
  return { kind: standingStep(entry, story, "redo") === undefined ? "undone" : "put-right" };
}

export function isCorrection(entry: Entry): entry is Correction {
  return entry.operation.kind === "correction";
}
