import { present } from "../../kernel/present.ts";

/** Sentences stored before migration 7, read by that migration only. This file must never change: databases contain its results. */

type Stored = Record<string, unknown>;

interface OldMove {
  to: string;
  by: string;
  note: string;
}

/** Returns the meaning of a doubt's sentence, or the words of an unknown sentence. */
export function doubtFrom(sentence: string): Stored {
  return firstOf(DOUBTS, sentence) ?? { code: "words-only", words: sentence };
}

/** Returns the reasons in the note of a move. */
export function reasonsFrom({ to, by, note }: OldMove): Stored[] {
  if (to === "in-doubt") return by === "person" ? [takenBackFrom(note)] : [{ code: "doubt", doubt: doubtFrom(note) }];
  if (by === "person") return wordFrom(note);
  return to === "refused" ? [refusalFrom(note)] : [firstOf(ENDS, note) ?? { code: "words-only", words: note }];
}

type Meaning = readonly [sentence: RegExp, details: (...parts: string[]) => Stored];

function firstOf(meanings: readonly Meaning[], sentence: string): Stored | undefined {
  for (const [pattern, details] of meanings) {
    const found = pattern.exec(sentence);
    if (found !== null) return details(...found.slice(1));
  }
  return undefined;
}

/** Document numbers have at most ten digits, and sums in kopecks at most thirteen. */
const DOUBTS: readonly Meaning[] = [
  [/^В кассе другой фискальный накопитель: был (\d{1,20}), сейчас (\d{1,20})$/, (before, now) => ({ code: "drive-changed", before, now })],
  [
    /^Номер последнего документа уменьшился: был (\d{1,10}), сейчас (\d{1,10})$/,
    (before, now) => ({ code: "drive-went-back", before: Number(before), now: Number(now) }),
  ],
  [/^Касса не отдала документы, напечатанные после начала операции$/, () => ({ code: "documents-unread" })],
  [/^Касса не подтвердила, что после ФД № (\d{1,10}) ничего не пробито$/, (last) => ({ code: "drive-end-unproved", last: Number(last) })],
  [
    /^После начала операции в накопителе появилось документов: (\d{1,10}); ни один не опознан как единственный$/,
    (count) => ({ code: "documents-ambiguous", count: Number(count) }),
  ],
  [/^ФД № (\d{1,10}) пробит не этой операцией$/, numbered("document-of-others")],
  [/^Последний документ кассы \(ФД № (\d{1,10})\) другого вида$/, numbered("kind-differs")],
  [/^У чека ФД № (\d{1,10}) другой признак расчёта$/, numbered("sign-differs")],
  [/^У чека ФД № (\d{1,10}) другая сумма$/, numbered("sum-differs")],
  [/^Эта операция уже пробита с другой суммой: ФД № (\d{1,10})$/, numbered("registered-with-other-sum")],
  [
    /^ФД № (\d{1,10}) пробит в другое время: (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/,
    (number, time) => ({ code: "time-differs", number: Number(number), time }),
  ],
  [/^После начала операции в накопителе появились документы: остаток в ящике ничего не доказывает$/, () => ({ code: "drawer-unclear" })],
  [
    /^Остаток в денежном ящике изменился на (-?\d{1,13}) коп\. вместо (-?\d{1,13}) коп\.$/,
    (moved, expected) => ({ code: "drawer-differs", movedKopecks: Number(moved), expectedKopecks: Number(expected) }),
  ],
  [/^Касса не ответила вовремя$/, () => ({ code: "answer-late" })],
  [/^Сбой драйвера кассы во время регистрации$/, () => ({ code: "driver-failed" })],
];

const ENDS: readonly Meaning[] = [
  [/^adopted the shift that document (\d{1,10}) had opened at the device$/, numbered("shift-adopted")],
  [/^an earlier attempt, settled as not registered, stands in the drive$/, () => ({ code: "attempt-found" })],
  [
    /^the drive had it and the journal did not, as after an older copy of the database was restored$/,
    () => ({ code: "restored-from-drive" }),
  ],
];

function numbered(code: string): (number?: string) => Stored {
  return (number) => ({ code, number: Number(number) });
}

function takenBackFrom(note: string): Stored {
  const was = firstOf(TAKEN_BACK, note);
  return was === undefined ? { code: "words-only", words: note } : { code: "taken-back", was };
}

const TAKEN_BACK: readonly Meaning[] = [
  [
    /^taken back: ФД (\d{1,10}) ФП (\d{1,10}), shift (\d{1,10}), (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/,
    (number, fiscalSign, shift, time) => ({ kind: "done", shiftNumber: Number(shift), time, documentNumber: Number(number), fiscalSign }),
  ],
  [
    /^taken back: shift (\d{1,10}), (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)$/,
    (shift, time) => ({ kind: "done", shiftNumber: Number(shift), time }),
  ],
  [/^taken back: ([a-z-]{1,40})$/, (refusal) => ({ kind: "refused", ...(refusal === "refused" ? {} : { refusal }) })],
];

const CONFIRMED = "confirmed by the register";
const UNCONFIRMED = "not confirmed by the register";
const OTHER_SUM = /^registered with another sum than was sent: (\d{1,11})\.(\d\d)$/;

/** The note may begin with whether the register confirmed the person's statement. The person's own words may follow. */
function wordFrom(note: string): Stored[] {
  const [code, said] = note.startsWith(CONFIRMED)
    ? ["confirmed", note.slice(CONFIRMED.length)]
    : note.startsWith(UNCONFIRMED)
      ? ["unconfirmed", note.slice(UNCONFIRMED.length)]
      : [undefined, note];
  const words = said.startsWith("; ") ? said.slice(2) : said;
  const sum = OTHER_SUM.exec(words);
  return [
    ...(code === undefined ? [] : [{ code }]),
    ...(words === "" ? [] : sum === null ? [{ code: "said", words }] : [{ code: "other-sum", totalKopecks: Number(`${sum[1]}${sum[2]}`) }]),
  ];
}

/**
 * The note has one of the forms `code`, `code; parameter`, `code; DEVICE-CODE words` or `code; parameter; DEVICE-CODE words`. A parameter
 * has no blanks, and the device's words follow a blank.
 */
function refusalFrom(note: string): Stored {
  if (note === "the register made no document after the checkpoint") return { code: "nothing-made" };
  const [code = "", ...rest] = note.split("; ");
  if (!/^[a-z]+(-[a-z]+){1,5}$/.test(code)) return { code: "words-only", words: note };
  const [first] = rest;
  const parameter = first === undefined || first.includes(" ") ? undefined : first;
  const device = (parameter === undefined ? rest : rest.slice(1)).join("; ");
  const blank = device.indexOf(" ");
  return {
    code: "refused",
    refusal: {
      code,
      ...present({ parameter }),
      ...(device === "" ? {} : { device: { code: device.slice(0, blank), words: device.slice(blank + 1) } }),
    },
  };
}
