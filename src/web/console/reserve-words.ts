import { KEY_DAYS, QUEUE_LIMIT_DAYS, type Reserves } from "../../model/foresight.ts";
import { grouped } from "../amounts.ts";
import type { Say } from "../language.ts";

/** What a register has left, in days and documents, as it will be when nobody does anything. */
export function reserveFacts(say: Say, { keyDays, documentsLeft, unsent, queueDays }: Reserves): [name: string, words: string][] {
  const facts: [string, string][] = [];
  if (keyDays !== undefined) facts.push([say("Ключи накопителя", "Keys of the drive"), keyWords(say, Math.floor(keyDays))]);
  if (documentsLeft !== undefined)
    facts.push([
      say("Память накопителя", "Memory of the drive"),
      say(`места на ${grouped(documentsLeft)} ${documentsRu(documentsLeft)}`, `room for ${grouped(documentsLeft)} documents`),
    ]);
  if (unsent !== undefined) facts.push([say("Очередь в ОФД", "Queue to the operator"), queueWords(say, unsent, queueDays)]);
  return facts;
}

function keyWords(say: Say, days: number): string {
  if (days < 0) return say("закончились: документы не пробиваются", "ended: no documents are made");
  const order = days < KEY_DAYS[0] ? say("; закажите замену", "; order another drive") : "";
  return say(`ещё ${grouped(days)} ${daysRu(days)}${order}`, `${grouped(days)} days left${order}`);
}

function queueWords(say: Say, unsent: number, queueDays: number | undefined): string {
  if (unsent === 0) return say("пуста", "empty");
  const count = say(`${grouped(unsent)} ${documentsRu(unsent)}`, `${grouped(unsent)} documents`);
  if (queueDays === undefined) return count;
  const [waited, left] = [Math.floor(queueDays), Math.max(0, Math.ceil(QUEUE_LIMIT_DAYS - queueDays))];
  if (left === 0) return say(`${count}; чеки не пробиваются, пока очередь не уйдёт`, `${count}; no receipts until the queue is empty`);
  if (waited === 0) return say(`${count}, ждут меньше дня`, `${count}, waiting for less than a day`);
  return say(
    `${count}, первый ждёт ${waited} ${daysRu(waited)}; чеки остановятся через ${left} ${daysRu(left)}`,
    `${count}, the first for ${waited} days; receipts stop in ${left} days`,
  );
}

function daysRu(count: number): string {
  return formRu(count, ["день", "дня", "дней"]);
}

function documentsRu(count: number): string {
  return formRu(count, ["документ", "документа", "документов"]);
}

function formRu(count: number, [one, few, many]: readonly [string, string, string]): string {
  const [tens, units] = [count % 100, count % 10];
  if (tens >= 11 && tens <= 14) return many;
  if (units === 1) return one;
  return units >= 2 && units <= 4 ? few : many;
}
