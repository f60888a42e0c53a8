import { grouped } from "../amounts.ts";
import type { Say } from "../language.ts";

/** Returns a number with its noun, such as `249 982 документа`. */
export function countedDocuments(say: Say, count: number): string {
  return counted(say, count, ["документ", "документа", "документов"], ["document", "documents"]);
}

export function countedDays(say: Say, count: number): string {
  return counted(say, count, ["день", "дня", "дней"], ["day", "days"]);
}

type Forms = readonly [one: string, few: string, many: string];

function counted(say: Say, count: number, ru: Forms, [one, many]: readonly [one: string, many: string]): string {
  return say(`${grouped(count)} ${formRu(count, ru)}`, `${grouped(count)} ${count === 1 ? one : many}`);
}

function formRu(count: number, [one, few, many]: Forms): string {
  const [tens, units] = [count % 100, count % 10];
  if (tens >= 11 && tens <= 14) return many;
  if (units === 1) return one;
  return units >= 2 && units <= 4 ? few : many;
}
