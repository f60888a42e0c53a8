import type { Say } from "../language.ts";

type Words = readonly [ru: string, en: string];

const KINDS: Readonly<Record<string, Words>> = {
  EARN: ["Начислено за покупку", "Earned"],
  SPEND: ["Списано в оплату", "Spent"],
  EARN_REVERSAL: ["Снято из-за возврата", "Taken back after a return"],
  SPEND_REVERSAL: ["Возвращено из-за возврата", "Given back after a return"],
  EXPIRE: ["Сгорело", "Expired"],
  GRANT: ["Начислено вручную", "Granted"],
  ADJUST_DOWN: ["Снято вручную", "Deducted"],
  MIGRATE: ["Перенесено", "Imported"],
  DEBT_REPAY: ["Погашен долг", "Debt repaid"],
  MERGE_OUT: ["Передано при объединении", "Moved by a merge"],
  MERGE_IN: ["Получено при объединении", "Received by a merge"],
};

/** Returns the words for a kind of ledger entry. */
export function entryWords(say: Say, kind: string): string {
  const words = KINDS[kind];
  return words === undefined ? kind : say(...words);
}

const LOTS: Readonly<Record<string, Words>> = {
  earned: ["За покупку", "Earned"],
  restored: ["Возвращены из-за возврата", "Given back after a return"],
  granted: ["Начислены вручную", "Granted"],
  migrated: ["Перенесены", "Imported"],
};

/** Where points of a lot come from. */
export function lotWords(say: Say, kind: string): string {
  const words = LOTS[kind];
  return words === undefined ? kind : say(...words);
}
