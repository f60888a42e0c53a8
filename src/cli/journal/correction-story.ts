import type { Entry } from "../../journal/entry.ts";
import type { Journal } from "../../journal/journal.ts";
import type { CorrectionStep } from "../../model/correction.ts";
import type { CorrectionOperation } from "../../model/operation.ts";
import { correctionsOf, isCorrectable } from "../../operations/corrections.ts";
import { basisText } from "./words/correction-lines.ts";
import { sumOf } from "./words/sums.ts";

/** What corrects an entry, the oldest first, and what it corrects itself. */
export interface CorrectionStory {
  corrections: Correction[];
  corrected?: Entry;
}

/** An entry that corrects another one. */
export type Correction = Entry & { operation: CorrectionOperation };

export async function storyOf(journal: Journal, entry: Entry): Promise<CorrectionStory> {
  const { key, operation } = entry;
  const corrections = (await correctionsOf(journal, key)).filter(isCorrection);
  if (operation.kind !== "correction") return { corrections };
  const { of } = operation;
  const corrected = await journal.find({ ...key, operation: of.operation, documentId: of.document.id });
  return { corrections, ...(corrected === undefined ? {} : { corrected }) };
}

/** Of the receipt that the journal has of the entry, not of a copy: what has this step, as far as it was or may have been registered. */
export function standingStep({ facts }: Entry, { corrections }: CorrectionStory, step: CorrectionStep): Correction | undefined {
  const sign = facts?.kind === "fiscal" ? facts.fiscalSign : undefined;
  return corrections.find(
    ({ state, operation }) =>
      state !== "refused" && operation.step === step && (step === "missed" || operation.settlement.originalSign === sign),
  );
}

/** What was corrected by it, and what has corrected it since. */
export function storyLines(entry: Entry, { corrections, corrected }: CorrectionStory): string[] {
  return [
    ...(isCorrection(entry) ? [correctedLine(entry, corrected)] : []),
    ...(corrections.length === 0 ? [] : ["Corrections of it:"]),
    ...corrections.map((one) => `  entry ${one.id} ${DOES[one.operation.step]} ${receiptOf(entry, one)}: ${one.state}${madeAs(one)}`),
  ];
}

/** How a receipt that turns out to be wrong is repaired; nothing where nothing was settled with a buyer. */
export function repairLines(entry: Entry, story: CorrectionStory): string[] {
  const { id, key, state, facts } = entry;
  if (state !== "done" || facts?.kind !== "fiscal" || !isCorrectable(key.operation)) return [];
  const missed = standingStep(entry, story, "missed");
  if (missed !== undefined) {
    return [
      `It was registered a second time, as one that was missed: journal correct ${missed.id} undoes that, unless something has already.`,
    ];
  }
  const undo = standingStep(entry, story, "undo");
  if (undo === undefined) {
    return [
      `Should what was registered be wrong: journal correct ${id} undoes it by a correction receipt. For a second one with the right data,`,
      `  journal show ${id} --json > right.json, put it right, and journal correct ${id} --right right.json`,
    ];
  }
  if (standingStep(entry, story, "redo") !== undefined)
    return [`Should the right data be wrong as well: correct their entry, not this one.`];
  return [`It is undone, and no right data are registered in its place. Where there are any: journal correct ${id} --right FILE`];
}

function isCorrection(entry: Entry): entry is Correction {
  return entry.operation.kind === "correction";
}

const DOES: Record<CorrectionStep, string> = {
  undo: "undoes",
  redo: "settles the right data in place of",
  missed: "registers what was never registered:",
};

function receiptOf(entry: Entry, { operation }: Correction): string {
  const { originalSign } = operation.settlement;
  if (operation.step === "missed" || originalSign === undefined) return sumOf(entry);
  const own = entry.facts?.kind === "fiscal" && entry.facts.fiscalSign === originalSign;
  return own ? "it" : `a copy of it, ФП ${originalSign}`;
}

function correctedLine({ operation }: Correction, corrected: Entry | undefined): string {
  const { of, step, settlement } = operation;
  const { basis, originalSign } = settlement;
  const what =
    corrected === undefined
      ? `${of.operation} ${of.document.id}`
      : `entry ${corrected.id}, ${corrected.key.operation} ${corrected.operation.name} of ${sumOf(corrected)}`;
  const receipt = step === "missed" || originalSign === undefined ? "" : ` (ФП ${originalSign})`;
  return `It is a correction: it ${DOES[step]} ${what}${receipt}. ${basisText(basis)}.`;
}

function madeAs({ facts }: Entry): string {
  return facts?.kind === "fiscal" ? `, ФД ${facts.documentNumber} ФП ${facts.fiscalSign}, ${facts.time}` : "";
}
