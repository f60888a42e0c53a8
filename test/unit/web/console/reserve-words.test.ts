import { describe, expect, it } from "vitest";
import { reserveFacts } from "../../../../src/web/console/reserve-words.ts";
import { sayIn } from "../../../../src/web/language.ts";

describe("what a register has left", () => {
  it.each([
    [{ keyDays: 20.9 }, "Ключи накопителя: ещё 20 дней; закажите замену"],
    [{ keyDays: 401 }, "Ключи накопителя: ещё 401 день"],
    [{ keyDays: -1 }, "Ключи накопителя: закончились: документы не пробиваются"],
    [{ documentsLeft: 12_342 }, "Память накопителя: места на 12\u00a0342 документа"],
    [{ unsent: 0, queueDays: 0 }, "Очередь в ОФД: пуста"],
    [{ unsent: 5, queueDays: 0.5 }, "Очередь в ОФД: 5 документов, ждут меньше дня"],
    [{ unsent: 143, queueDays: 12.2 }, "Очередь в ОФД: 143 документа, первый ждёт 12 дней; чеки остановятся через 18 дней"],
    [{ unsent: 11, queueDays: 30 }, "Очередь в ОФД: 11 документов; чеки не пробиваются, пока очередь не уйдёт"],
    [{}, ""],
  ])("of %j is told as %s", (reserves, words) => {
    const told = reserveFacts(sayIn("ru"), reserves).map(([name, text]) => `${name}: ${text}`);
    expect(told.join("; ")).toBe(words);
  });
});
