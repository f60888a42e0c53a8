import { KEY_DAYS, QUEUE_LIMIT_DAYS, type Reserves } from "../../model/concerns.ts";
import type { Say } from "../language.ts";
import { countedDays, countedDocuments } from "../words/counted.ts";

/**
 * Returns names and words for a register's reserves: the days that the drive's keys last, the number of documents that still fit into the
 * drive's memory, and the queue to the operator of fiscal data. An unknown reserve is left out.
 */
export function reserveFacts(say: Say, { keyDays, documentsLeft, unsent, queueDays }: Reserves): [name: string, words: string][] {
  const facts: [string, string][] = [];
  if (keyDays !== undefined) facts.push([say("Ключи накопителя", "Keys of the drive"), keyWords(say, Math.floor(keyDays))]);
  if (documentsLeft !== undefined)
    facts.push([say("Память накопителя", "Memory of the drive"), `${say("места на", "room for")} ${countedDocuments(say, documentsLeft)}`]);
  if (unsent !== undefined) facts.push([say("Очередь в ОФД", "Queue to the operator"), queueWords(say, unsent, queueDays)]);
  return facts;
}

function keyWords(say: Say, days: number): string {
  if (days < 0) return say("закончились: документы не пробиваются", "ended: no documents are made");
  const order = days < KEY_DAYS[0] ? say("; закажите замену", "; order another drive") : "";
  return `${say(`ещё ${countedDays(say, days)}`, `${countedDays(say, days)} left`)}${order}`;
}

function queueWords(say: Say, unsent: number, queueDays: number | undefined): string {
  if (unsent === 0) return say("пуста", "empty");
  const count = countedDocuments(say, unsent);
  if (queueDays === undefined) return count;
  const [waited, left] = [Math.floor(queueDays), Math.max(0, Math.ceil(QUEUE_LIMIT_DAYS - queueDays))];
  if (left === 0) return say(`${count}; чеки не пробиваются, пока очередь не уйдёт`, `${count}; no receipts until the queue is empty`);
  if (waited === 0) return say(`${count}, ждут меньше дня`, `${count}, waiting for less than a day`);
  return say(
    `${count}, первый ждёт ${countedDays(say, waited)}; чеки остановятся через ${countedDays(say, left)}`,
    `${count}, the first for ${countedDays(say, waited)}; receipts stop in ${countedDays(say, left)}`,
  );
}
