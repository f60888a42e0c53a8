import type { Doubt } from "../../src/model/doubt.ts";
import type { Reason } from "../../src/model/reason.ts";
import { REFUSAL_CODES, type Refusal } from "../../src/model/refusal.ts";

/** An example of each code. The type makes the compiler report a new code that has no example here. */
const DOUBTS: { [Code in Doubt["code"]]: Extract<Doubt, { code: Code }> } = {
  "drive-changed": { code: "drive-changed", before: "9999078900001234", now: "9999078900005678" },
  "drive-went-back": { code: "drive-went-back", before: 42, now: 41 },
  "documents-unread": { code: "documents-unread" },
  "drive-end-unproved": { code: "drive-end-unproved", last: 42 },
  "documents-ambiguous": { code: "documents-ambiguous", count: 2 },
  "document-of-others": { code: "document-of-others", number: 42 },
  "kind-differs": { code: "kind-differs", number: 42 },
  "sign-differs": { code: "sign-differs", number: 42 },
  "sum-differs": { code: "sum-differs", number: 42 },
  "time-differs": { code: "time-differs", number: 42, time: "2026-03-02 10:15:00" },
  "registered-with-other-sum": { code: "registered-with-other-sum", number: 42 },
  "drawer-unclear": { code: "drawer-unclear" },
  "drawer-differs": { code: "drawer-differs", movedKopecks: -150_000, expectedKopecks: 150_000 },
  "no-answer": { code: "no-answer", reason: "COM3" },
  "answer-late": { code: "answer-late" },
  "driver-failed": { code: "driver-failed" },
  "refusal-doubtful": { code: "refusal-doubtful", words: "Ошибка ФН", seen: "silent" },
  "number-unexpected": { code: "number-unexpected", number: 9, last: 12 },
  "change-differs": { code: "change-differs", number: 3, changeKopecks: 17_523, expectedKopecks: 6_543 },
  "facts-missing": { code: "facts-missing", number: 3, because: "other-drive" },
  "report-missing": { code: "report-missing", because: "not-in-drive" },
  "report-unread": { code: "report-unread", number: 3, reason: "COM3" },
  "not-committed": { code: "not-committed" },
  "words-only": { code: "words-only", words: "касса не ответила" },
};

const REASONS: { [Code in Reason["code"]]: Extract<Reason, { code: Code }> } = {
  doubt: { code: "doubt", doubt: DOUBTS["sum-differs"] },
  refused: { code: "refused", refusal: { code: "vat-rate", parameter: "positions[2].vat", device: { code: "0x33", words: "Ставка" } } },
  "nothing-made": { code: "nothing-made" },
  "shift-adopted": { code: "shift-adopted", number: 30 },
  "report-found": { code: "report-found", number: 30 },
  "attempt-found": { code: "attempt-found" },
  "restored-from-drive": { code: "restored-from-drive" },
  "marks-unread": { code: "marks-unread", marks: [{ line: 0, problem: "check-digit" }] },
  "returned-more": {
    code: "returned-more",
    sale: 1,
    excesses: [
      { kind: "nothing-sold" },
      { kind: "goods", position: 1, name: "Хлеб" },
      { kind: "quantity", position: 1, name: "Хлеб", sold: 1_000_000, returned: 2_000_000 },
      { kind: "sum", position: 1, name: "Хлеб", sold: -1, returned: 5_990 },
      { kind: "total", sold: 5_990, returned: 11_980 },
    ],
    unsure: [3],
  },
  confirmed: { code: "confirmed" },
  unconfirmed: { code: "unconfirmed" },
  said: { code: "said", words: "смотрел в ОФД" },
  "other-sum": { code: "other-sum", totalKopecks: 39_003 },
  "taken-back": {
    code: "taken-back",
    was: { kind: "done", shiftNumber: 7, time: "2026-03-02 10:15:00", documentNumber: 42, fiscalSign: "2134567890" },
  },
  "words-only": { code: "words-only", words: "settled by hand" },
};

export const EVERY_DOUBT: readonly Doubt[] = Object.values(DOUBTS);

export const EVERY_REASON: readonly Reason[] = [
  ...Object.values(REASONS),
  ...EVERY_DOUBT.map((doubt): Reason => ({ code: "doubt", doubt })),
  { code: "taken-back", was: { kind: "refused", refusal: "not-registered" } },
  { code: "taken-back", was: { kind: "done", shiftNumber: 7, time: "" } },
];

export const EVERY_REFUSAL: readonly Refusal[] = REFUSAL_CODES.map((code) => ({
  code,
  parameter: "payments",
  details: { document: "00017" },
  doubt: DOUBTS["answer-late"],
  device: { code: "0x33", words: "Ставка" },
}));
