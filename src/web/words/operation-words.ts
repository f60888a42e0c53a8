import type { Entry } from "../../journal/entry.ts";
import type { EntryState } from "../../journal/states.ts";
import type { RegisterDocument } from "../../model/document.ts";
import type { Say } from "../language.ts";

export const STATE_COLOURS: Record<EntryState, string> = { queued: "", sending: "", done: "green", refused: "red", "in-doubt": "amber" };

export function stateWords(say: Say, state: EntryState): string {
  switch (state) {
    case "queued":
      return say("Ждёт кассу", "Waits");
    case "sending":
      return say("Печатается", "Under way");
    case "done":
      return say("Готово", "Done");
    case "refused":
      return say("Отказ", "Refused");
    case "in-doubt":
      return say("Неизвестно, пробит ли", "Unknown");
  }
}

export function operationWords(say: Say, operation: Entry["key"]["operation"]): string {
  const known: Record<Entry["key"]["operation"], string> = {
    "open-shift": say("Открытие смены", "Opening of the shift"),
    "close-shift": say("Закрытие смены", "Closing of the shift"),
    "auto-open-shift": say("Открытие смены", "Opening of the shift"),
    "auto-close-shift": say("Закрытие смены", "Closing of the shift"),
    sale: say("Продажа", "Sale"),
    "sales-return": say("Возврат", "Return"),
    "cash-in": say("Внесение", "Cash in"),
    "cash-out": say("Выплата", "Cash out"),
    correction: say("Чек коррекции", "Correction"),
    "x-report": say("X-отчёт", "X report"),
    "state-report": say("Отчёт о состоянии расчётов", "State of the settlements"),
  };
  return known[operation];
}

/**
 * Returns the platform's number of the document; for an automatic opening or closing, the number of the device's shift. Empty for X reports
 * and state reports.
 */
export function nameOf({ operation }: Entry): string {
  return operation.kind === "x-report" || operation.kind === "state-report" ? "" : operation.name;
}

/** Returns the sum of a document in kopecks. Undefined: the document has no sum, such as a report. */
export function sumOf(document: RegisterDocument): number | undefined {
  if ("totalKopecks" in document) return document.totalKopecks;
  return "sumKopecks" in document ? document.sumKopecks : undefined;
}
