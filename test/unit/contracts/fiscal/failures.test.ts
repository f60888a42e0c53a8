import { describe, expect, it } from "vitest";
import * as failures from "../../../../src/contracts/fiscal/failures.ts";
import { UNSTATED } from "../../../../src/model/doubt.ts";
import type { Refusal, RefusalCode } from "../../../../src/model/refusal.ts";

const { bodyOf, errorOf, inDoubt } = failures;

/** Interface 6, Error codes. */
const EXPECTED: Record<RefusalCode, [number, number]> = {
  "field-invalid": [412, 999],
  "payments-differ": [412, 50001],
  "money-scale-differs": [412, 50001],
  "payments-mixed": [412, 50001],
  "vat-rate": [412, 51020],
  "vat-seller": [412, 51020],
  "mark-unreadable": [412, 51030],
  "mark-denied": [412, 51031],
  "mark-repeated": [412, 51031],
  "marks-exceed-quantity": [412, 50001],
  "marks-need-pieces": [412, 50001],
  "marks-of-measure": [412, 50001],
  "already-corrected": [412, 50001],
  "registered-in-other-drive": [503, 50030],
  "not-correctable": [412, 50001],
  "register-missing": [412, 50001],
  "shift-closed": [412, 51001],
  "shift-expired": [412, 51002],
  "shift-already-open": [412, 51003],
  "shift-conflict": [412, 50010],
  "shift-foreign": [412, 50010],
  "cash-short": [412, 51011],
  "device-refused": [424, 50020],
  "no-paper": [424, 50020],
  "clock-wrong": [424, 50020],
  "operator-queue-blocked": [424, 51040],
  "drive-exhausted": [424, 51041],
  "drive-not-ready": [424, 50020],
  "document-too-large": [424, 50020],
  "register-went-back": [503, 50030],
  "drive-kind-mixed": [424, 50020],
  "register-unreachable": [503, 50030],
  "lane-stopped": [503, 50030],
  "lane-full": [503, 50030],
  "refused-too-often": [503, 50030],
  "other-id-type": [409, 50002],
  "not-registered": [424, 50020],
};

const words = (refusal: Refusal) => errorOf(refusal).message;

describe("a refusal as the till is told of it", () => {
  for (const [code, [status, number]] of Object.entries(EXPECTED)) {
    it(`${code} is ${status} and ${number}, an English title, and Russian words without a gap`, () => {
      const error = errorOf({ code: code as RefusalCode });
      expect([error.status, error.code]).toEqual([status, number]);
      expect(error.title).toMatch(/^[A-Z][\x20-\x7e]+$/);
      expect(error.message).toMatch(/^[А-Я]/);
      expect(error.message).toMatch(/[.]$/);
      expect(error.message).not.toMatch(/undefined|null|\.\.|\(\)/);
    });
  }

  it("begins with the words that the references give", () => {
    expect(words({ code: "shift-closed" })).toMatch(/^Смена не открыта\. Откройте смену и повторите операцию/);
    expect(words({ code: "shift-expired" })).toMatch(/^Смена длится более 24 часов\. Закройте смену и откройте новую/);
    expect(words({ code: "shift-already-open" })).toMatch(/^На кассе уже открыта/);
    expect(words({ code: "shift-foreign" })).toMatch(
      /^На кассе открыта чужая смена: .* Ничего не пробито\. Подождите, пока чужую смену закроют там, где открыли/,
    );
    expect(words({ code: "cash-short" })).toMatch(/^Недостаточно наличных в кассе/);
    expect(words({ code: "vat-rate", details: { rate: "18" } })).toMatch(/^Ставка НДС 18% недопустима/);
    expect(words({ code: "mark-unreadable" })).toBe("Код маркировки не распознан. Отсканируйте код ещё раз.");
    expect(words({ code: "mark-unreadable", details: { problem: "shape", name: "Сыр" } })).toBe(
      "Код маркировки товара «Сыр» не распознан. Отсканируйте код ещё раз; если не поможет, отложите товар и позовите администратора.",
    );
    expect(words({ code: "marks-of-measure", details: { marks: "2", quantity: "0.5" } })).toBe(
      "Товар на вес или на розлив продаётся с одним кодом маркировки на строку чека, а кодов 2. Разделите товар на строки, в каждой оставьте один код.",
    );
    expect(words({ code: "mark-denied" })).toMatch(/^Продажа запрещена: /);
    expect(words({ code: "operator-queue-blocked" })).toMatch(/^Есть чеки, не переданные в ОФД более 30 дней\. Проверьте интернет/);
    expect(words({ code: "drive-exhausted" })).toMatch(/^Требуется замена фискального накопителя/);
    expect(words({ code: "payments-differ", details: { paid: "100.10", due: "100.00" } })).toMatch(
      /^Сумма оплат 100\.10 не совпадает с суммой чека 100\.00/,
    );
  });

  it("gives the device's own words and code", () => {
    const device = { code: "4Eh", words: "Смена превысила 24 часа." };
    expect(words({ code: "device-refused", device })).toBe(
      "Касса отказала: Смена превысила 24 часа, код 4Eh. Ничего не пробито. Устраните причину и повторите операцию.",
    );
  });

  it("says why a lane stands and for which document", () => {
    expect(words({ code: "lane-stopped", details: { document: "00031", reason: "Нет связи" } })).toContain(
      "неизвестно, пробит ли документ 00031 (Нет связи)",
    );
  });

  it("names the field, what is wrong with it and what to do about a wrong layout", () => {
    const refusal: Refusal = { code: "field-invalid", parameter: "positions[2].price", details: { problem: "kopeck-fraction" } };
    expect(words(refusal)).toMatch(/^Поле «positions\[2\]\.price» заполнено неверно: в нём доли копейки\. /);
    expect(bodyOf(errorOf(refusal))).toMatchObject({ errors: [{ code: 999, parameter: "positions[2].price" }] });
    expect(words({ code: "mark-unreadable", details: { problem: "keyboard-layout" } })).toContain("английскую раскладку");
    expect(words({ code: "mark-unreadable", details: { problem: "aggregate" } })).toContain("код на самом товаре");
    expect(words({ code: "mark-unreadable", details: { problem: "weight-label" } })).toContain("этикетка весов");
    expect(words({ code: "mark-unreadable", details: { problem: "check-digit" } })).toContain("в номере товара ошибка");
    expect(words({ code: "payments-mixed", details: { rule: "qr-with-cash-or-card" } })).toContain("по QR-коду");
  });
});

describe("answers that are no refusals", () => {
  it("have the statuses and numbers of the interface", () => {
    const numbers = Object.entries(failures).flatMap(([name, value]) =>
      typeof value === "object" && "status" in value ? [[name, value.status, value.code]] : [],
    );
    expect(Object.fromEntries(numbers.map(([name, ...rest]) => [name, rest]))).toEqual({
      NOT_CONNECTED: [412, 12017],
      NOT_PROVED: [412, 12017],
      KEY_UNUSABLE: [412, 12017],
      BROKEN_BODY: [400, 50400],
      NO_SUCH_PATH: [404, 50404],
      WRONG_METHOD: [405, 50405],
      TOO_LARGE: [413, 50413],
      CROWDED: [503, 50030],
      WRONG_TYPE: [415, 50415],
      FAULT: [500, 50500],
      DATABASE_AWAY: [500, 50500],
      NOTHING_WRITTEN: [503, 50030],
      CONTENT_DIFFERS: [409, 50002],
      RUNNING: [409, 50003],
    });
  });

  it("in doubt forbid to ring it up again and say whom to call", () => {
    const { status, code, message } = inDoubt(UNSTATED);
    expect([status, code]).toEqual([409, 50004]);
    expect(message).toMatch(/^Неизвестно, пробит ли чек\. Не пробивайте заново.*позовите администратора/);
  });
});
