import type { MemberStory } from "../../operator/loyalty/member-story.ts";
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

/** The actors that are no person. A person is shown by login or name. */
const ACTORS: Readonly<Record<string, Words>> = {
  till: ["касса", "the till"],
  upkeep: ["сервер сам", "the server itself"],
};

/** Returns the words for the author of a ledger entry. */
export function entryActorWords(say: Say, actor: string): string {
  const words = Object.hasOwn(ACTORS, actor) ? ACTORS[actor] : undefined;
  return words === undefined ? actor : say(...words);
}

/** Returns the words below a history that shows only its newest entries. */
export function newestOnlyWords(say: Say, most: number): string {
  return say(`Показаны последние ${most}.`, `The newest ${most} are shown.`);
}

const LOTS: Readonly<Record<string, Words>> = {
  earned: ["За покупку", "Earned"],
  restored: ["Возвращены из-за возврата", "Given back after a return"],
  granted: ["Начислены вручную", "Granted"],
  migrated: ["Перенесены", "Imported"],
};

/** Returns the words for the origin of a lot's points. */
export function lotWords(say: Say, kind: string): string {
  const words = LOTS[kind];
  return words === undefined ? kind : say(...words);
}

/** Returns the words for a grant to a member who has just been erased. */
export function erasedMeanwhileWords(say: Say): string {
  return say("Участника тем временем стёрли: баллы не записаны.", "The member was erased meanwhile: no points were booked.");
}

/** Whether the newest entry equals the wanted grant. If it does, the same form was probably sent twice. */
export function isRepeated(
  { entries }: { entries: readonly { entry: Pick<MemberStory["entries"][number]["entry"], "kind" | "points" | "reason" | "actor"> }[] },
  wanted: { points: number; reason: string; actor: string },
): boolean {
  const newest = entries.at(-1)?.entry;
  if (newest === undefined || newest.kind !== (wanted.points > 0 ? "GRANT" : "ADJUST_DOWN")) return false;
  return Math.abs(newest.points) === Math.abs(wanted.points) && newest.reason === wanted.reason && newest.actor === wanted.actor;
}
