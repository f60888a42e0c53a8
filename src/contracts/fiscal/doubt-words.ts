import { formatKopecks } from "../../kernel/money.ts";
import type { Doubt } from "../../model/doubt.ts";

/** The reason, in Russian, why the outcome of an operation is unknown. May be empty: not every doubt states a reason. */
export function doubtWords(doubt: Doubt): string {
  return (WORDS[doubt.code] as (doubt: Doubt) => string)(doubt);
}

const WORDS: { [Code in Doubt["code"]]: (doubt: Extract<Doubt, { code: Code }>) => string } = {
  "drive-changed": ({ before, now }) => `В кассе другой фискальный накопитель: был ${before}, сейчас ${now}`,
  "drive-went-back": ({ before, now }) => `Номер последнего документа уменьшился: был ${before}, сейчас ${now}`,
  "documents-unread": () => "Касса не отдала документы, напечатанные после начала операции",
  "drive-end-unproved": ({ last }) => `Касса не подтвердила, что после ФД № ${last} ничего не пробито`,
  "documents-ambiguous": ({ count }) =>
    `После начала операции в накопителе появилось документов: ${count}; ни один не опознан как единственный`,
  "document-of-others": ({ number }) => `ФД № ${number} пробит не этой операцией`,
  "kind-differs": ({ number }) => `Последний документ кассы (ФД № ${number}) другого вида`,
  "sign-differs": ({ number }) => `У чека ФД № ${number} другой признак расчёта`,
  "sum-differs": ({ number }) => `У чека ФД № ${number} другая сумма`,
  "time-differs": ({ number, time }) => `ФД № ${number} пробит в другое время: ${time}`,
  "registered-with-other-sum": ({ number }) => `Эта операция уже пробита с другой суммой: ФД № ${number}`,
  "drawer-unclear": () => "После начала операции в накопителе появились документы: остаток в ящике ничего не доказывает",
  "drawer-differs": ({ movedKopecks, expectedKopecks }) =>
    `Остаток в денежном ящике изменился на ${movedKopecks} коп. вместо ${expectedKopecks} коп.`,
  "no-answer": ({ reason }) => reason,
  "answer-late": () => "Касса не ответила вовремя",
  "driver-failed": () => "Сбой драйвера кассы во время регистрации",
  "refusal-doubtful": ({ words, seen }) => `Касса отказала (${words})${AFTER_REFUSAL[seen ?? "nothing"]}`,
  "number-unexpected": ({ number, last }) => `Касса назвала ФД № ${number}, хотя последним был № ${last}`,
  "change-differs": ({ number, changeKopecks, expectedKopecks }) =>
    `Касса пробила ФД № ${number} со сдачей ${formatKopecks(changeKopecks)} вместо ${formatKopecks(expectedKopecks)}: у неё другой итог`,
  "facts-missing": ({ number, because }) => `Чек пробит (ФД № ${number}), но ${WITHOUT_FACTS[because]}`,
  "report-missing": ({ because }) => `Касса выполнила отчёт, но ${WITHOUT_REPORT[because]}`,
  "report-unread": ({ number, reason }) => `Касса выполнила отчёт (ФД № ${number}), но не отдала его: ${reason}`,
  "not-committed": () => "Серверу не удалось узнать или записать результат",
  "words-only": ({ words }) => words,
};

const AFTER_REFUSAL = { "document-made": ", но в накопителе появился документ", silent: " и больше не отвечает", nothing: "" };
const WITHOUT_FACTS = { "other-drive": "теперь отвечает касса с другим накопителем", unread: "касса не назвала его реквизитов" };
const WITHOUT_REPORT = { "number-unknown": "не назвала его номера", "not-in-drive": "в накопителе его нет" };
