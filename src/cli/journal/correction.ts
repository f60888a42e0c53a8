import type { Entry, Move } from "../../journal/entry.ts";
import { formatKopecks } from "../../kernel/money.ts";
import { OPPOSITE_SIGN } from "../../model/correction.ts";
import { isCash, isTrade, SETTLEMENT_SIGNS, type TradeDocument } from "../../model/document.ts";
import { tendersOf } from "./words/sums.ts";

const BY_WHOM = "Due as soon as it is known, in an open shift, from whoever answers for the register";

/** Money changed hands and the drive has no document: what is due then, and from whom. */
export function dueWhenMissing({ id, document, operation, state }: Entry): string[] {
  if (isCash(document)) {
    return ["Money that was put in or taken out all the same: repeat the slip. It is no fiscal document, so no correction is due."];
  }
  if (!isTrade(document)) return ["No correction is due for a report: repeat it."];
  if (operation.kind === "correction") {
    const once = state === "refused" ? "The" : "Once this is settled as refused, the";
    return [`${once} correction is still due: say journal correct ${operation.of.document.id} again.`];
  }
  const { sign, totalKopecks, tenders, originalSign } = document;
  const original = originalSign === undefined ? "" : `, tag 1192 = ${originalSign}`;
  return [
    `If the money changed hands and the document cannot be repeated: a correction receipt, ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[sign]},`,
    `  САМОСТОЯТЕЛЬНО (ПО ПРЕДПИСАНИЮ, with its number, when the tax office ordered it), date of the settlement ${dayOf(operation.moment)},`,
    `  ${formatKopecks(totalKopecks)} (${tendersOf(tenders)}), the positions and VAT rates of that date${original}.`,
    `  ${BY_WHOM}${state === "refused" ? "" : ", once this is settled as refused"}: journal correct ${id}`,
  ];
}

/** The drive has the settlement twice: what is due for the one too many, and from whom. */
export function dueWhenDoubled({ id, document, operation, state }: Entry): string[] {
  if (isCash(document)) return ["A slip that was made twice is undone by the opposite slip: no correction is due."];
  if (!isTrade(document)) return [];
  return [
    `For each receipt too many: a correction receipt of the opposite sign, ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[OPPOSITE_SIGN[document.sign]]}, САМОСТОЯТЕЛЬНО,`,
    `  date of the settlement ${dayOf(operation.moment)}, ${sumsOf(document)}, tag 1192 = the ФП of the receipt that is too many.`,
    `  ${BY_WHOM}${state === "done" ? "" : ", once this is settled as done"}: journal correct ${id} --sign ФП --number ФД`,
  ];
}

/** The drive has the settlement, and with other figures: what is due, and from whom. */
export function dueWhenWrong({ document }: Entry): string[] {
  if (!isTrade(document)) return [];
  return [
    `For the wrong one: a correction receipt, ЧЕК КОРРЕКЦИИ, ${SETTLEMENT_SIGNS[OPPOSITE_SIGN[document.sign]]}, САМОСТОЯТЕЛЬНО, with its figures, tag 1192 = its ФП.`,
    `  A second correction of ${SETTLEMENT_SIGNS[document.sign]} makes the right one, with`,
    `  ${sumsOf(document)}: a repeat of the document gets the wrong one's numbers. Both keep the VAT rates of the original date.`,
    `  ${BY_WHOM}, in the register's own menu: its figures are not in this journal.`,
  ];
}

/**
 * What a person's word left behind: whoever settled may find out later that the paper says otherwise, and
 * then a correction is due. Empty where no person had a hand in it.
 */
export function afterPerson(entry: Entry, moves: readonly Move[]): string[] {
  const words = moves.filter(({ by }) => by === "person");
  const last = words.at(-1);
  if (last === undefined) return [];
  const sentAttempt = moves.findLast(({ to }) => to === "sending")?.attempt ?? entry.attempt;
  const refusedBefore = words.some(({ to, attempt }) => to === "refused" && attempt < sentAttempt);
  if (entry.state === "refused" && last.attempt === entry.attempt) return dueWhenMissing(entry);
  if (entry.state !== "done") return [];
  const doubled = dueWhenDoubled(entry);
  if (doubled.length === 0) return [];
  const when = refusedBefore
    ? "An earlier attempt was settled as not registered. If it turns out to stand in the drive after all, this was registered twice."
    : "Should another equal document of the same time be found, this was registered twice.";
  return [when, ...doubled];
}

function sumsOf({ totalKopecks, tenders }: TradeDocument): string {
  return `${formatKopecks(totalKopecks)} (${tendersOf(tenders)})`;
}

/** `2026-11-12 18:42:10` → `12.11.2026`, as a register's menu asks for it (tag 1178). */
function dayOf(moment: string): string {
  const [year = "", month = "", day = ""] = moment.slice(0, 10).split("-");
  return `${day}.${month}.${year}`;
}
