import { describe, expect, it } from "vitest";
import { pageOfForm } from "../../../../src/web/console/answers.ts";
import { resumePage } from "../../../../src/web/console/door/kept-form.ts";
import { CONSOLE_ENDPOINTS } from "../../../../src/web/console/endpoints.ts";
import { sayIn } from "../../../../src/web/language.ts";

const SESSION = { login: "anna", expiresAtMs: 2, csrf: "csrf" };

function shown(path: string, fields: Record<string, string>): { rows: string[]; page: string | undefined } {
  const form = { kind: "kept" as const, path, fields: new Map(Object.entries(fields)) };
  const text = String(resumePage(sayIn("ru"), form, SESSION).content);
  const rows = Array.from(text.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g), ([, name, value]) => `${name}: ${value}`);
  return { rows, page: /<a [^>]*href="([^"]*)"/.exec(text)?.[1] };
}

describe("a form that came through the login", () => {
  it.each([
    [
      "/console/operations/3/settle",
      { done: "1", number: "5", sign: "77", time: "29.11.26 14:05", shift: "2", why: "the tape", again: "1", unconfirmed: "1" },
      [
        "Что сделать: Заменить решение человека",
        "Операция: 3",
        "Решение: Документ пробит",
        "Отмечено: Касса не отвечает: верить мне одному",
        "Номер ФД: 5",
        "ФП: 77",
        "Время на чеке: 29.11.26 14:05",
        "Смена: 2",
        "Откуда это известно: the tape",
      ],
    ],
    [
      "/console/operations/3/settle",
      { refused: "1", why: "the tape" },
      ["Что сделать: Решить, пробит ли документ", "Операция: 3", "Решение: Документа нет", "Откуда это известно: the tape"],
    ],
    [
      "/console/payments/p-1/settle",
      { shown: "payment", decision: "not-paid", reason: "the bank" },
      ["Что сделать: Решить, пришли ли деньги", "Оплата: p-1", "Решение: Денег нет и не будет", "Причина: the bank"],
    ],
    [
      "/console/payments/p-1/settle",
      { shown: "2", decision: "paid", reason: "the bank" },
      ["Что сделать: Решить судьбу возврата 2", "Оплата: p-1", "Решение: Деньги остались у магазина", "Причина: the bank"],
    ],
    [
      "/console/payments/p-1/settle",
      { shown: "payment", reason: "the bank" },
      ["Что сделать: Решить, пришли ли деньги", "Оплата: p-1", "Решение: не выбрано", "Причина: the bank"],
    ],
    [
      "/console/payments/p-1/refund",
      { seen: "0", amount: "", reason: "returned" },
      ["Что сделать: Вернуть деньги покупателю", "Оплата: p-1", "Сумма: вся оставшаяся", "Причина: returned"],
    ],
    [
      "/console/payments/p-1/refund",
      { seen: "0", amount: "5", reason: "returned" },
      ["Что сделать: Вернуть деньги покупателю", "Оплата: p-1", "Сумма: 5", "Причина: returned"],
    ],
    [
      "/console/members/m-1/grant",
      { seen: "0", points: "-5", reason: "mistake" },
      ["Что сделать: Начислить или снять баллы", "Участник: m-1", "Баллы: -5", "Причина: mistake"],
    ],
    [
      "/console/members/m-1/erase",
      { sure: "1", reason: "asked" },
      ["Что сделать: Стереть данные участника", "Участник: m-1", "Отмечено: Стереть без возврата", "Причина: asked"],
    ],
    [
      "/console/agents",
      { name: "shop7", account: "app/account", replace: "1" },
      ["Что сделать: Завести агента", "Агент: shop7", "Аккаунт: app/account", "Отмечено: Заменить прежнего агента с этим названием"],
    ],
    [
      "/console/agents/shop7/accept",
      { register: "main" },
      ["Что сделать: Подтвердить замену кассы или копию агента", "Агент: shop7", "Касса: main"],
    ],
    ["/console/agents/shop7/revoke", { sure: "1" }, ["Что сделать: Отозвать агента", "Агент: shop7", "Отмечено: Отозвать без возврата"]],
    [
      "/console/registers/leave-out",
      { drive: "9999078900000001", number: "17", reason: "paper jam" },
      ["Что сделать: Пропустить документ", "Накопитель: 9999078900000001", "Номер ФД: 17", "Причина: paper jam"],
    ],
    ["/console/elsewhere", { reason: "typed" }, ["Адрес: /console/elsewhere", "Причина: typed"]],
  ])("to %s with %j shows all that it would do", (path, fields, rows) => {
    expect(shown(path, fields).rows).toEqual(rows);
  });

  const acts = CONSOLE_ENDPOINTS.filter(({ id, method }) => method === "POST" && id !== "login" && id !== "logout");
  it.each(acts.map(({ path }) => path))("to %s says what it does, and its page can be opened without sending it", (path) => {
    const { rows, page } = shown(`/console${path.replace(/:\w+/, "x-1")}`, {});
    expect(rows[0]).toMatch(/^Что сделать: /);
    const pages = CONSOLE_ENDPOINTS.filter(({ method }) => method === "GET").map((endpoint) => `/console${endpoint.path}`);
    expect(pages).toContain(page?.replace("/x-1", path.match(/\/:\w+/)?.[0] ?? ""));
  });

  it("belongs to the first page when its address belongs to no page", () => {
    expect(["/console/agents?x=/y", "/console/elsewhere/1/act", "/console"].map(pageOfForm)).toEqual([
      "/console/agents",
      "/console/",
      "/console/",
    ]);
  });
});
