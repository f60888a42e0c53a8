import type { Entry } from "../../journal/entry.ts";
import { type CorrectionStory, standingStep } from "./correction-story.ts";
import { waitsForOperator } from "./refusal-advice.ts";

/** What the operator may tell the cashier who asks, word for word. */
export function cashierWords(entry: Entry, story: CorrectionStory): string {
  if (entry.operation.kind === "correction") return "Это чек коррекции, его оформляет администратор. На кассе ничего делать не нужно.";
  if (isReport(entry)) return "Это отчёт, его делает администратор. На кассе ничего делать не нужно.";
  switch (entry.state) {
    case "queued":
      return "Документ ждёт очереди к кассе. Не пробивайте его заново: он будет пробит сам.";
    case "sending":
      return "Документ сейчас пробивается. Не пробивайте его заново, подождите и повторите эту же операцию.";
    case "in-doubt":
      return "Неизвестно, пробит ли документ. Не пробивайте его заново, пока администратор не проверит по кассе.";
    case "refused":
      return refusedWords(entry, standingStep(entry, story, "missed"));
    case "done":
      return doneWords(entry, standingStep(entry, story, "undo"), standingStep(entry, story, "redo"));
  }
}

function refusedWords(entry: Entry, missed: Entry | undefined): string {
  if (missed === undefined) {
    return waitsForOperator(entry)
      ? "Документ не пробит. Не повторяйте его, пока администратор не разберётся с кассой."
      : "Документ не пробит. Повторите эту же операцию.";
  }
  return missed.facts?.kind === "fiscal"
    ? `Документ оформлен чеком коррекции, ФД № ${missed.facts.documentNumber}. Не пробивайте его заново.`
    : "Документ оформляется чеком коррекции. Не пробивайте его заново, подождите администратора.";
}

function doneWords({ facts }: Entry, undo: Entry | undefined, redo: Entry | undefined): string {
  if (facts?.kind !== "fiscal")
    return "Операция с наличными выполнена. Повторите её же: второй раз она выполнена не будет, придёт готовый ответ.";
  if (undo?.facts?.kind === "fiscal") {
    const { documentNumber } = undo.facts;
    const how =
      redo?.facts?.kind === "fiscal"
        ? `исправлен чеками коррекции, ФД № ${documentNumber} и ${redo.facts.documentNumber}`
        : `отменён чеком коррекции, ФД № ${documentNumber}`;
    return `Документ был пробит, ФД № ${facts.documentNumber}, и ${how}. Не повторяйте его.`;
  }
  return `Документ пробит, ФД № ${facts.documentNumber}. Повторите эту же операцию: второй раз он пробит не будет, придёт готовый ответ.`;
}

/** Asked for by a person at the server, never by a till. */
function isReport({ operation: { kind } }: Entry): boolean {
  return kind === "x-report" || kind === "state-report";
}
