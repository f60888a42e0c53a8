import type { CashierAdvice } from "../../../operator/explaining/cashier-advice.ts";

/** Returns the words that the operator may tell the cashier. */
export function cashierWords(advice: CashierAdvice): string {
  switch (advice.code) {
    case "is-correction":
      return "Это чек коррекции, его оформляет администратор. На кассе ничего делать не нужно.";
    case "is-report":
      return "Это отчёт, его делает администратор. На кассе ничего делать не нужно.";
    case "waits-its-turn":
      return "Документ ждёт очереди к кассе. Не пробивайте его заново: он будет пробит сам.";
    case "is-being-made":
      return "Документ сейчас пробивается. Не пробивайте его заново, подождите и повторите эту же операцию.";
    case "is-in-doubt":
      return "Неизвестно, пробит ли документ. Не пробивайте его заново, пока администратор не проверит по кассе.";
    case "repeat":
      return "Документ не пробит. Повторите эту же операцию.";
    case "wait-for-operator":
      return "Документ не пробит. Не повторяйте его, пока администратор не разберётся с кассой.";
    case "corrected":
      return `Документ оформлен чеком коррекции, ФД № ${advice.number}. Не пробивайте его заново.`;
    case "being-corrected":
      return "Документ оформляется чеком коррекции. Не пробивайте его заново, подождите администратора.";
    case "slip-made":
      return "Операция с наличными выполнена. Повторите её же: второй раз она выполнена не будет, придёт готовый ответ.";
    case "undone":
      return `Документ был пробит, ФД № ${advice.number}, и ${howUndone(advice)}. Не повторяйте его.`;
    case "made":
      return `Документ пробит, ФД № ${advice.number}. Повторите эту же операцию: второй раз он пробит не будет, придёт готовый ответ.`;
  }
}

function howUndone({ undoing, right }: Extract<CashierAdvice, { code: "undone" }>): string {
  return right === undefined ? `отменён чеком коррекции, ФД № ${undoing}` : `исправлен чеками коррекции, ФД № ${undoing} и ${right}`;
}
