import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import { present } from "../../kernel/present.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { CorrectionOperation } from "../../model/operation.ts";
import { correctionsOf, isCorrectable } from "../../operations/corrections.ts";

/** What corrects an entry, the oldest first, and what it corrects itself. */
export interface CorrectionStory {
  corrections: Correction[];
  corrected?: Entry;
}

/** An entry that corrects another one. */
export type Correction = Entry & { operation: CorrectionOperation };

/** What can still be done about a receipt that turns out to be wrong. */
export type Repairable =
  /** Nothing has corrected it: it is undone, and right data may follow. */
  | { kind: "uncorrected" }
  /** It is undone; right data may follow. */
  | { kind: "undone" }
  /** Right data are registered in its place: should these be wrong, their own entry is corrected. */
  | { kind: "put-right" }
  /** It was registered a second time, as one that was missed. */
  | { kind: "doubled"; missed: Correction };

export async function storyOf(journal: Journal, entry: Entry): Promise<CorrectionStory> {
  const { key, operation } = entry;
  const corrections = (await correctionsOf(journal, key)).filter(isCorrection);
  if (operation.kind !== "correction") return { corrections };
  const { of } = operation;
  const corrected = await journal.find({ ...key, operation: of.operation, documentId: of.document.id });
  return { corrections, ...present({ corrected }) };
}

/** Of the receipt that the journal has of the entry, not of a copy: what has this step, as far as it was or may have been registered. */
export function standingStep({ facts }: Entry, { corrections }: CorrectionStory, step: CorrectionStep): Correction | undefined {
  const sign = facts?.kind === "fiscal" ? facts.fiscalSign : undefined;
  return corrections.find(
    ({ state, operation }) =>
      state !== "refused" && operation.step === step && (step === "missed" || operation.settlement.originalSign === sign),
  );
}

/** Undefined where nothing was settled with a buyer. */
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
