import type { Entry } from "../../../journal/entry.ts";
import { formatKopecks } from "../../../kernel/money.ts";
import { SETTLEMENT_SIGNS } from "../../../model/document.ts";
import type { AfterPerson, DueCorrection, DueWhenDoubled, DueWhenMissing, DueWhenWrong } from "../../../operator/due.ts";
import { dayText, tendersOf } from "./amounts.ts";

const BY_WHOM = "Due as soon as it is known, in an open shift, from whoever answers for the register";

/** Returns what to do if money changed hands and the drive has no document. */
export function missingLines({ id, state }: Entry, due: DueWhenMissing): string[] {
  switch (due.kind) {
    case "slip-again":
      return ["Money that was put in or taken out all the same: repeat the slip. It is no fiscal document, so no correction is due."];
    case "report-again":
      return ["No correction is due for a report: repeat it."];
    case "correct-again": {
      const once = state === "refused" ? "The" : "Once this is settled as refused, the";
      return [`${once} correction is still due: say journal correct ${due.of} again.`];
    }
    case "correction": {
      const { sign, settledOn, originalSign } = due.correction;
      const original = originalSign === undefined ? "" : `, tag 1192 = ${originalSign}`;
      return [
        `If the money changed hands and the document cannot be repeated: a correction receipt, ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[sign]},`,
        `  САМОСТОЯТЕЛЬНО (ПО ПРЕДПИСАНИЮ, with its number, when the tax office ordered it), date of the settlement ${dayText(settledOn)},`,
        `  ${sumsOf(due.correction)}, the positions and VAT rates of that date${original}.`,
        `  ${BY_WHOM}${state === "refused" ? "" : ", once this is settled as refused"}: journal correct ${id}`,
      ];
    }
  }
}

/** Returns what to do about a document that was made too often. Empty for a report. */
export function doubledLines({ id, state }: Entry, due: DueWhenDoubled | undefined): string[] {
  if (due === undefined) return [];
  if (due.kind === "opposite-slip") return ["A slip that was made twice is undone by the opposite slip: no correction is due."];
  const { sign, settledOn } = due.correction;
  return [
    `For each receipt too many: a correction receipt of the opposite sign, ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[sign]}, САМОСТОЯТЕЛЬНО,`,
    `  date of the settlement ${dayText(settledOn)}, ${sumsOf(due.correction)}, tag 1192 = the ФП of the receipt that is too many.`,
    `  ${BY_WHOM}${state === "done" ? "" : ", once this is settled as done"}: journal correct ${id} --sign ФП --number ФД`,
  ];
}

/** Returns the necessary corrections if the register has other figures than were sent. Empty for a slip or report. */
export function wrongLines(due: DueWhenWrong | undefined): string[] {
  if (due === undefined) return [];
  const { undo, redo } = due;
  return [
    `For the wrong one: a correction receipt, ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[undo]}, САМОСТОЯТЕЛЬНО, with its figures, tag 1192 = its ФП.`,
    `  A second correction of ${SETTLEMENT_SIGNS[redo.sign]} makes the right one, with`,
    `  ${sumsOf(redo)}: a repeat of the document gets the wrong one's numbers. Both keep the VAT rates of the original date.`,
    `  ${BY_WHOM}, in the register's own menu: its figures are not in this journal.`,
  ];
}

/** Returns what is necessary if it turns out that a person has settled the entry wrongly. */
export function afterPersonLines(entry: Entry, after: AfterPerson | undefined): string[] {
  if (after === undefined) return [];
  if (after.kind === "missing") return missingLines(entry, after.due);
  const when = after.earlierAttempt
    ? "An earlier attempt was settled as not registered. If it turns out to stand in the drive after all, this was registered twice."
    : "Should another equal document of the same time be found, this was registered twice.";
  return [when, ...doubledLines(entry, after.due)];
}

function sumsOf({ totalKopecks, tenders }: DueCorrection): string {
  return `${formatKopecks(totalKopecks)} (${tendersOf(tenders)})`;
}
