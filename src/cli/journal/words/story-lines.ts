import type { Entry } from "../../../journal/entry.ts";
import type { CorrectionStep } from "../../../model/correction.ts";
import { type Correction, type CorrectionStory, isCorrection, type Repairable } from "../../../operator/explaining/correction-story.ts";
import { sumOf } from "./amounts.ts";
import { basisText } from "./correction-lines.ts";

/** Returns lines about the entry that `entry` corrects, and about the corrections of `entry`. */
export function storyLines(entry: Entry, { corrections, corrected }: CorrectionStory): string[] {
  return [
    ...(isCorrection(entry) ? [correctedLine(entry, corrected)] : []),
    ...(corrections.length === 0 ? [] : ["Corrections of it:"]),
    ...corrections.map((one) => `  entry ${one.id} ${DOES[one.operation.step]} ${receiptOf(entry, one)}: ${one.state}${madeAs(one)}`),
  ];
}

/** Returns lines about the repair of a receipt that turns out to be wrong. */
export function repairableLines({ id }: Entry, repairable: Repairable | undefined): string[] {
  switch (repairable?.kind) {
    case undefined:
      return [];
    case "doubled":
      return [
        `It was registered a second time, as one that was missed: journal correct ${repairable.missed.id} undoes that, unless something has already.`,
      ];
    case "uncorrected":
      return [
        `Should what was registered be wrong: journal correct ${id} undoes it by a correction receipt. For a second one with the right data,`,
        `  journal show ${id} --json > right.json, put it right, and journal correct ${id} --right right.json`,
      ];
    case "put-right":
      return ["Should the right data be wrong as well: correct their entry, not this one."];
    case "undone":
      return [`It is undone, and no right data are registered in its place. Where there are any: journal correct ${id} --right FILE`];
  }
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
