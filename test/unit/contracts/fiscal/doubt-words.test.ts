import { describe, expect, it } from "vitest";
import { doubtWords } from "../../../../src/contracts/fiscal/doubt-words.ts";
import type { Doubt } from "../../../../src/model/doubt.ts";

/** Doubts about the register's answer or its silence. Doubts about its drive are in test/unit/store/old-sentences.test.ts. */
const ANSWERS: readonly [doubt: Doubt, words: string][] = [
  [{ code: "no-answer", reason: "Нет связи с кассой: COM3" }, "Нет связи с кассой: COM3"],
  [{ code: "refusal-doubtful", words: "Ошибка ФН" }, "Касса отказала (Ошибка ФН)"],
  [{ code: "refusal-doubtful", words: "Ошибка ФН", seen: "silent" }, "Касса отказала (Ошибка ФН) и больше не отвечает"],
  [
    { code: "refusal-doubtful", words: "Ошибка ФН", seen: "document-made" },
    "Касса отказала (Ошибка ФН), но в накопителе появился документ",
  ],
  [{ code: "number-unexpected", number: 9, last: 12 }, "Касса назвала ФД № 9, хотя последним был № 12"],
  [
    { code: "change-differs", number: 3, changeKopecks: 17_523, expectedKopecks: 6_543 },
    "Касса пробила ФД № 3 со сдачей 175.23 вместо 65.43: у неё другой итог",
  ],
  [{ code: "facts-missing", number: 3, because: "other-drive" }, "Чек пробит (ФД № 3), но теперь отвечает касса с другим накопителем"],
  [{ code: "facts-missing", number: 3, because: "unread" }, "Чек пробит (ФД № 3), но касса не назвала его реквизитов"],
  [{ code: "report-missing", because: "number-unknown" }, "Касса выполнила отчёт, но не назвала его номера"],
  [{ code: "report-missing", because: "not-in-drive" }, "Касса выполнила отчёт, но в накопителе его нет"],
  [{ code: "report-unread", number: 3, reason: "нет связи" }, "Касса выполнила отчёт (ФД № 3), но не отдала его: нет связи"],
  [{ code: "not-committed" }, "Серверу не удалось узнать или записать результат"],
  [{ code: "words-only", words: "касса не ответила" }, "касса не ответила"],
];

describe("the words of a doubt", () => {
  it.each(ANSWERS)("are told to the cashier: %j", (doubt, words) => {
    expect(doubtWords(doubt)).toBe(words);
  });
});
