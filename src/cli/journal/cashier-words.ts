import type { Entry } from "../../journal/entry.ts";

/** What the operator may tell the cashier who asks, word for word. */
export function cashierWords({ state, facts }: Entry): string {
  switch (state) {
    case "queued":
      return "Документ ждёт очереди к кассе. Не пробивайте его заново: он будет пробит сам.";
    case "sending":
      return "Документ сейчас пробивается. Не пробивайте его заново, подождите и повторите эту же операцию.";
    case "in-doubt":
      return "Неизвестно, пробит ли документ. Не пробивайте его заново, пока администратор не проверит по кассе.";
    case "refused":
      return "Документ не пробит. Повторите эту же операцию.";
    case "done":
      return facts?.kind === "fiscal"
        ? `Документ пробит, ФД № ${facts.documentNumber}. Повторите эту же операцию: второй раз он пробит не будет, придёт готовый ответ.`
        : "Операция с наличными выполнена. Повторите её же: второй раз она выполнена не будет, придёт готовый ответ.";
  }
}
