import { describe, expect, it } from "vitest";
import type { RegisterDocument } from "../../../src/model/document.ts";
import type { DocumentFacts } from "../../../src/model/facts.ts";
import { linesOf } from "../../../src/receipts/lines.ts";
import { receiptOf } from "../../../src/receipts/receipt.ts";
import { stateExample, xExample } from "../../support/receipts.ts";

function printed(document: RegisterDocument, facts: DocumentFacts): string[] {
  return linesOf(receiptOf(document, facts), 48, (text) => text).flatMap((group) => group.lines.map(({ text }) => text));
}

// Fiscal-receipts has no example of these reports, only the titles (1.1), the labels of 1.6 and the form of 9.3.
describe("the printed form of a report in between", () => {
  const TEST = "ТЕСТОВЫЙ ФН. НЕ ЯВЛЯЕТСЯ КАССОВЫМ ЧЕКОМ";

  it("is, for an X report, a slip without number and sign that says what the shift has counted", () => {
    const { document, facts } = xExample();
    expect(printed(document, facts).map((row) => row.trim())).toEqual([
      TEST,
      'ООО "ОБРАЗЕЦ-РИТЕЙЛ"',
      "000000, г. Образцов, ул. Примерная, д. 1",
      'Магазин "Образец № 1"',
      "ОТЧЕТ БЕЗ ГАШЕНИЯ",
      "(нефискальный документ)",
      "Смена № 28                      13.11.2026 18:00",
      "Кассир Иванова М.П.",
      RULE,
      "ЧЕКОВ ЗА СМЕНУ                                 2",
      "ПРИХОД                                   ЧЕКОВ 2",
      "СУММА                                 =2054.57",
      "НАЛИЧНЫМИ                              =834.57",
      "БЕЗНАЛИЧНЫМИ                          =1220.00",
      RULE,
      "ДЕНЕЖНЫЙ ЯЩИК",
      "ВНЕСЕНО                                 =2000.00",
      "ВЫПЛАЧЕНО                                  =0.00",
      "НАЛИЧНЫХ В КАССЕ                        =2834.57",
      RULE,
      "НЕПЕРЕДАННЫХ ФД                                3",
      RULE,
      "ИНН                                   9600123459",
      "ЗН ККТ                            99990000000017",
      "РН ККТ                          0000000042042817",
      "ФН                              9999078900001234",
    ]);
  });

  it("says of an X report with the shift closed that it is, and counts nothing", () => {
    const { document, facts } = xExample({ shiftOpen: false, receipts: 0, signs: [] });
    const text = printed(document, facts).join("\n");
    expect(text).toContain("СМЕНА ЗАКРЫТА");
    expect(text).not.toMatch(/ЧЕКОВ|ПРИХОД/);
  });

  it("is, for a state report, a fiscal document that says what the operator has not got and what the drive has counted", () => {
    const { document, facts } = stateExample();
    const lines = printed(document, facts).map((row) => row.trim());
    expect(lines.slice(4, 13)).toEqual([
      "ОТЧЕТ О ТЕКУЩЕМ СОСТОЯНИИ РАСЧЕТОВ",
      "Смена № 28                      13.11.2026 18:05",
      "Кассир Иванова М.П.",
      RULE,
      "НЕПЕРЕДАННЫХ ФД                                3",
      "ФД НЕ ПЕРЕДАНЫ С                      13.11.2026",
      "ПЕРВЫЙ НЕПЕРЕДАННЫЙ ФД                     № 330",
      RULE,
      "СЧЕТЧИКИ ИТОГОВ ФН",
    ]);
    expect(lines.slice(-5)).toEqual([
      "ИНН                                   9600123459",
      "ЗН ККТ                            99990000000017",
      "РН ККТ                          0000000042042817",
      "ФН                              9999078900001234",
      "ФД № 333                           ФП 1450982233",
    ]);
  });

  it("leaves out of a state report what there is not", () => {
    const { document, facts } = stateExample();
    const lines = printed(document, { ...facts, stateReport: { unsent: 0 } }).map((row) => row.trim());
    expect(lines.slice(7, 11)).toEqual([
      RULE,
      "НЕПЕРЕДАННЫХ ФД                                0",
      RULE,
      "ИНН                                   9600123459",
    ]);
  });
});

const RULE = "-".repeat(48);
