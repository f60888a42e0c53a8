import { describe, expect, it } from "vitest";
import { SETTING_NAMES } from "../../../src/accounts/settings-schema.ts";
import { sayIn } from "../../../src/web/language.ts";
import { actorPlaceWords, auditWords, settingMeant } from "../../../src/web/words/audit-words.ts";

const ru = sayIn("ru");

describe("a line of audit in words", () => {
  it.each(SETTING_NAMES)("names the setting %s as the settings page does, in both languages", (subject) => {
    expect(auditWords(ru, { act: "setting", subject }).what).toMatch(/^[А-ЯЁ][а-яё]/);
    const english = auditWords(sayIn("en"), { act: "setting", subject }).what;
    expect(english).toMatch(/^[A-Z][A-Za-z', -]+$/);
    expect(english).not.toBe(subject);
  });

  it.each([
    [{ act: "setting", subject: "taxSystem", before: "osn", after: "usn-income" }, ["Система налогообложения", "ОСН", "УСН доход"]],
    [{ act: "setting", subject: "vatPayer", after: "false" }, ["Платит НДС", undefined, "Нет"]],
    [
      { act: "setting", subject: "acquirer", before: "simulated", after: "tbank?terminalKey=1&password=***" },
      ["Банк для оплаты по QR", "Учебный (деньги не двигаются)", "Т-Банк (terminalKey=1&password=***)"],
    ],
    [
      { act: "settle", subject: "sale-1", before: "in-doubt", after: "done" },
      ["Сомнение решено человеком", "Неизвестно, пробит ли", "Готово"],
    ],
    [
      { act: "settle", subject: "p", before: "unknown", after: "paid" },
      ["Сомнение решено человеком", "Неизвестно, ждёт проверки", "Оплачен"],
    ],
    [
      { act: "settle", subject: "p", before: "refund 2: person", after: "refund 2: done" },
      ["Сомнение решено человеком", "возврат 2: ждёт решения человека", "возврат 2: выполнен"],
    ],
    [{ act: "refund", subject: "p", before: "1500.00", after: "0.00" }, ["Возврат оплаты по QR", "1\u00a0500,00\u00a0₽", "0,00\u00a0₽"]],
    [
      { act: "correct", subject: "sale-1", before: "3", after: "undo" },
      ["Чек исправлен по требованию человека", "3", "сторнирован чеком коррекции"],
    ],
    [{ act: "report", subject: "2026", after: "x-report" }, ["Отчёт по требованию человека", undefined, "X-отчёт"]],
    [{ act: "gift-card", subject: "g", after: "500.00" }, ["Подарочный сертификат выпущен", undefined, "500,00\u00a0₽"]],
    [{ act: "erase", subject: "m", after: "erased" }, ["Данные участника стёрты", undefined, "стёрты"]],
    [{ act: "agent", subject: "shop-7", after: "code" }, ["Агент", undefined, "выдан код"]],
    [{ act: "agent", subject: "shop-7", after: "copy connected" }, ["Агент", undefined, "подтверждена копия на связи"]],
    [
      { act: "agent", subject: "agent:shop-7", after: "99991429393614 9999078440676767" },
      ["Агент", undefined, "касса № 99991429393614, ФН 9999078440676767"],
    ],
    [{ act: "agent", subject: "shop-7", after: "constructor" }, ["Агент", undefined, "constructor"]],
    [
      { act: "import", subject: "members", after: "12 rows, 340 points" },
      ["Участники загружены из файла", undefined, "строк: 12, баллов: 340"],
    ],
    [
      { act: "installation", subject: "Install", before: "settings_required", after: "active" },
      ["Состояние установки", "Ждёт настройки", "Работает"],
    ],
    [{ act: "installation", subject: "Suspend", after: "constructor" }, ["Состояние установки", undefined, "constructor"]],
    [{ act: "export", subject: "members", after: "12 rows" }, ["Выгрузка в файл: участники", undefined, "строк: 12"]],
    [{ act: "export", subject: "totals", after: "12 rows, cut" }, ["Выгрузка в файл: итоги", undefined, "строк: 12, возможно, неполная"]],
    [
      { act: "export", subject: "audit", after: "2000 rows, broken off" },
      ["Выгрузка в файл: кто что менял", undefined, "строк: 2000, прервана"],
    ],
    [{ act: "toString", subject: "x", before: "constructor" }, ["toString x", "constructor", undefined]],
  ])("tells what was done and the values before and after: %j", (line, [what, before, after]) => {
    expect(auditWords(ru, line)).toEqual({ what, before, after });
  });

  it.each([
    ["taxSystem", "taxSystem"],
    ["система налогообложения", "taxSystem"],
    ["Tax system", "taxSystem"],
    ["касса", "register"],
    ["поясн", undefined],
    ["пояс", "timeZone"],
    ["anna", undefined],
  ])("is found by %s as the setting %s", (text, name) => {
    expect(settingMeant(text)).toBe(name);
  });
});

describe("the place from which an act came", () => {
  it.each([
    ["anna", "page", "на странице"],
    ["operator", "command", "командой"],
    ["server", "server", "сервер сам"],
    ["platform", "server", "вызовом платформы"],
    ["platform", "page", "на странице"],
    ["x", "toString", "toString"],
  ])("of %s at %s is: %s", (actor, place, words) => {
    expect(actorPlaceWords(ru, { actor, place })).toBe(words);
  });
});
