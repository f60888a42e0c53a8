import { describe, expect, it } from "vitest";
import { reasonWords } from "../../../src/cli/journal/words/reason-words.ts";
import { doubtWords } from "../../../src/contracts/fiscal/doubt-words.ts";
import type { Doubt } from "../../../src/model/doubt.ts";
import type { Reason } from "../../../src/model/reason.ts";
import { doubtFrom, reasonsFrom } from "../../../src/store/migrations/old-sentences.ts";

/** Doubts as programs before version 7 wrote them, with their meaning. */
const DOUBTS: readonly [sentence: string, doubt: Doubt][] = [
  [
    "В кассе другой фискальный накопитель: был 9999078900001234, сейчас 9999078900005678",
    { code: "drive-changed", before: "9999078900001234", now: "9999078900005678" },
  ],
  ["Номер последнего документа уменьшился: был 12, сейчас 9", { code: "drive-went-back", before: 12, now: 9 }],
  ["Касса не отдала документы, напечатанные после начала операции", { code: "documents-unread" }],
  ["Касса не подтвердила, что после ФД № 41 ничего не пробито", { code: "drive-end-unproved", last: 41 }],
  [
    "После начала операции в накопителе появилось документов: 2; ни один не опознан как единственный",
    { code: "documents-ambiguous", count: 2 },
  ],
  ["ФД № 42 пробит не этой операцией", { code: "document-of-others", number: 42 }],
  ["Последний документ кассы (ФД № 42) другого вида", { code: "kind-differs", number: 42 }],
  ["У чека ФД № 42 другой признак расчёта", { code: "sign-differs", number: 42 }],
  ["У чека ФД № 42 другая сумма", { code: "sum-differs", number: 42 }],
  ["ФД № 42 пробит в другое время: 2026-03-02 10:15:00", { code: "time-differs", number: 42, time: "2026-03-02 10:15:00" }],
  ["Эта операция уже пробита с другой суммой: ФД № 42", { code: "registered-with-other-sum", number: 42 }],
  ["После начала операции в накопителе появились документы: остаток в ящике ничего не доказывает", { code: "drawer-unclear" }],
  [
    "Остаток в денежном ящике изменился на -500 коп. вместо 50000 коп.",
    { code: "drawer-differs", movedKopecks: -500, expectedKopecks: 50_000 },
  ],
  ["Касса не ответила вовремя", { code: "answer-late" }],
  ["Сбой драйвера кассы во время регистрации", { code: "driver-failed" }],
];

/** Notes of moves, with their meaning. */
const NOTES: readonly [to: string, by: string, note: string, reasons: Reason[]][] = [
  ["in-doubt", "register", "У чека ФД № 42 другая сумма", [{ code: "doubt", doubt: { code: "sum-differs", number: 42 } }]],
  ["refused", "look-up", "the register made no document after the checkpoint", [{ code: "nothing-made" }]],
  ["refused", "register", "lane-full", [{ code: "refused", refusal: { code: "lane-full" } }]],
  [
    "refused",
    "register",
    "field-invalid; positions[2].vat",
    [{ code: "refused", refusal: { code: "field-invalid", parameter: "positions[2].vat" } }],
  ],
  [
    "refused",
    "register",
    "no-paper; 6B Нет чековой ленты; замените её",
    [{ code: "refused", refusal: { code: "no-paper", device: { code: "6B", words: "Нет чековой ленты; замените её" } } }],
  ],
  [
    "refused",
    "register",
    "mark-denied; positions[0]; 8A отказ",
    [{ code: "refused", refusal: { code: "mark-denied", parameter: "positions[0]", device: { code: "8A", words: "отказ" } } }],
  ],
  ["done", "look-up", "adopted the shift that document 7 had opened at the device", [{ code: "shift-adopted", number: 7 }]],
  ["done", "look-up", "an earlier attempt, settled as not registered, stands in the drive", [{ code: "attempt-found" }]],
  [
    "done",
    "look-up",
    "the drive had it and the journal did not, as after an older copy of the database was restored",
    [{ code: "restored-from-drive" }],
  ],
  ["done", "person", "confirmed by the register", [{ code: "confirmed" }]],
  [
    "refused",
    "person",
    "not confirmed by the register; looked; twice",
    [{ code: "unconfirmed" }, { code: "said", words: "looked; twice" }],
  ],
  [
    "done",
    "person",
    "confirmed by the register; registered with another sum than was sent: 109.80",
    [{ code: "confirmed" }, { code: "other-sum", totalKopecks: 10_980 }],
  ],
  ["done", "person", "the paper was found", [{ code: "said", words: "the paper was found" }]],
  [
    "in-doubt",
    "person",
    "taken back: ФД 44 ФП 0000000044, shift 7, 2026-03-02 10:15:00",
    [
      {
        code: "taken-back",
        was: { kind: "done", shiftNumber: 7, time: "2026-03-02 10:15:00", documentNumber: 44, fiscalSign: "0000000044" },
      },
    ],
  ],
  [
    "in-doubt",
    "person",
    "taken back: shift 7, 2026-03-02 10:15:00",
    [{ code: "taken-back", was: { kind: "done", shiftNumber: 7, time: "2026-03-02 10:15:00" } }],
  ],
  ["in-doubt", "person", "taken back: not-registered", [{ code: "taken-back", was: { kind: "refused", refusal: "not-registered" } }]],
];

describe("what programs kept as sentences", () => {
  it.each(DOUBTS)("of a doubt is read: %s", (sentence, doubt) => {
    expect(doubtFrom(sentence)).toEqual(doubt);
    expect(doubtWords(doubt)).toBe(sentence);
  });

  it.each(NOTES)("of a move to %s by %s is read: %s", (to, by, note, reasons) => {
    expect(reasonsFrom({ to, by, note })).toEqual(reasons);
    expect(reasonWords(reasons)).toBe(note);
  });

  it.each([
    ["in-doubt", "register", "COM3: the line is gone", "COM3: the line is gone (in words of an earlier version)"],
    ["in-doubt", "person", "taken back: who knows", "taken back: who knows (in words of an earlier version)"],
    ["done", "register", "gives back more than was sold", "gives back more than was sold (in words of an earlier version)"],
    ["refused", "register", "No such word", "No such word (in words of an earlier version)"],
  ])("is kept where it is none of them, and is marked as such: a move to %s by %s", (to, by, note, shown) => {
    expect(reasonWords(reasonsFrom({ to, by, note }) as Reason[])).toBe(shown);
  });

  it("ends in linear time on texts that nearly fit", () => {
    for (const part of ["taken back: ", "ФД № 1", "not-registered; ", "a-"]) {
      const note = part.repeat(20_000);
      const reasons = ["in-doubt", "done", "refused"].map((to) => reasonsFrom({ to, by: "register", note }));
      expect(reasons).toHaveLength(3);
    }
  });
});
