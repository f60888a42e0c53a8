import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/kernel/failure.ts";
import type { RegisterDocument } from "../../../src/model/document.ts";
import type { DocumentFacts } from "../../../src/model/facts.ts";
import { linesOf } from "../../../src/receipts/lines.ts";
import { receiptOf } from "../../../src/receipts/receipt.ts";
import {
  cashExample,
  closeExample,
  correctionExample,
  identity,
  line,
  openExample,
  receiptDocument,
  receiptFacts,
  returnExample,
  saleExample,
  stateExample,
  tenders,
  xExample,
} from "../../support/receipts.ts";

function printed(document: RegisterDocument, facts: DocumentFacts, columns = 48): string[] {
  return linesOf(receiptOf(document, facts), columns, (text) => text).flatMap((group) => group.lines.map(({ text }) => text));
}

describe("the printed form of a sale", () => {
  it("shows what was tendered and the change after the payments", () => {
    const { document, facts } = saleExample();
    const lines = printed(document, { ...facts, change: { receivedKopecks: 1000_00, changeKopecks: 165_43 } });
    const cash = lines.indexOf("НАЛИЧНЫМИ                                =834.57");
    expect(lines.slice(cash + 1, cash + 3)).toEqual([
      "ПОЛУЧЕНО НАЛИЧНЫМИ                      =1000.00",
      "СДАЧА                                    =165.43",
    ]);
  });

  it("shows the rounding under the total and no change when the device told none", () => {
    const document = receiptDocument({ roundingKopecks: 43 });
    const lines = printed(document, receiptFacts(document));
    const total = lines.findIndex((text) => text.startsWith("ИТОГ"));
    expect(lines[total + 1]).toBe("ОКРУГЛЕНИЕ                                 =0.43");
    expect(lines.join("\n")).not.toMatch(/СДАЧА|ПОЛУЧЕНО/);
  });

  it("lists every form of payment that was used and no other", () => {
    const document = receiptDocument({
      tenders: tenders({ cashKopecks: 1_00, nonCashKopecks: 2_00, prepaidKopecks: 3_00, creditKopecks: 4_00, otherKopecks: 99_80 }),
    });
    const lines = printed(document, receiptFacts(document));
    const from = lines.findIndex((text) => text.startsWith("НАЛИЧНЫМИ"));
    expect(lines.slice(from, from + 5)).toEqual([
      "НАЛИЧНЫМИ                                  =1.00",
      "БЕЗНАЛИЧНЫМИ                               =2.00",
      "ПРЕДВАРИТЕЛЬНАЯ ОПЛАТА (АВАНС)             =3.00",
      "ПОСЛЕДУЮЩАЯ ОПЛАТА (КРЕДИТ)                =4.00",
      "ИНАЯ ФОРМА ОПЛАТЫ                         =99.80",
    ]);
  });

  it("prints every VAT code in the words of its rate, turnover where there is no tax", () => {
    const codes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] as const;
    const lines = codes.map((vat) => line({ vat, vatKopecks: vat === 5 || vat === 6 ? 0 : vat }));
    const document = receiptDocument({ lines, vatTotals: codes.map((vat) => ({ vat, sumKopecks: 100 + vat })) });
    const text = printed(document, receiptFacts(document));
    expect(text.filter((row) => /^(НДС|БЕЗ НДС)/.test(row)).map((row) => row.replace(/ {2,}/, "|"))).toEqual([
      "НДС 20%|0.01",
      "НДС 10%|0.02",
      "НДС 20/120|0.03",
      "НДС 10/110|0.04",
      "НДС 0%",
      "БЕЗ НДС",
      "НДС 5%|0.07",
      "НДС 7%|0.08",
      "НДС 5/105|0.09",
      "НДС 7/107|0.10",
      "НДС 22%|0.11",
      "НДС 22/122|0.12",
    ]);
    expect(text).toContain("СУММА С НДС 0%                             =1.05");
    expect(text).toContain("СУММА БЕЗ НДС                              =1.06");
    expect(text).toContain("СУММА НДС 22/122                           =1.12");
  });

  it("tells a checked mark from a refused and an unchecked one", () => {
    const marked = line({ name: "Туфли", quantityMillionths: 1_000_000, mark: "0104600000000008" });
    const document = receiptDocument({ lines: new Array(7).fill(marked) });
    const lines = printed(document, receiptFacts(document, { markChecks: [15, 5, 7, 13, 3, 1, 0] }));
    expect(lines.filter((text) => text.endsWith("Туфли"))).toEqual([
      "[М+] Туфли",
      "[М-] Туфли",
      "[М-] Туфли",
      "[М-] Туфли",
      "[М] Туфли",
      "[М-] Туфли",
      "[М] Туфли",
    ]);
    expect(printed(document, receiptFacts(document))).toContain("[М] Туфли");
  });

  it("says a mark-up where the discount is negative", () => {
    const discount = { fullPriceKopecks: 50_00, percent: "-9.8", differenceKopecks: -9_80 };
    const document = receiptDocument({ lines: [line({ discount })] });
    expect(printed(document, receiptFacts(document))).toContain("Цена без наценки 50.00, наценка 9.8%       +9.80");
  });

  it("shows no discount in a return: what was paid is given back", () => {
    const { document, facts } = saleExample();
    const back = { ...facts, receipt: { number: 16, sign: 2 as const, totalKopecks: document.totalKopecks } };
    expect(printed({ ...document, sign: 2 }, back).join("\n")).not.toMatch(/скидк/);
  });

  it("parts a discount on narrow paper at its comma", () => {
    const { document, facts } = saleExample();
    const lines = printed(document, facts, 32);
    const price = lines.indexOf("Цена без скидки 149.90");
    expect(lines[price + 1]).toBe("скидка 10%                -44.97");
  });

  it("prints a gift without a price and a weight with all its decimals", () => {
    const gift = line({ name: "Подарок", quantityMillionths: 1_000_000, priceKopecks: 0, sumKopecks: 0, vatKopecks: 0 });
    const weighed = line({
      name: "Орех",
      quantityMillionths: 1_234_567,
      unit: { code: 11, label: "кг" },
      priceKopecks: 10_00,
      sumKopecks: 12_35,
    });
    const document = receiptDocument({ lines: [gift, weighed] });
    const lines = printed(document, receiptFacts(document));
    expect(lines).toContain("1 шт. x 0.00                               =0.00");
    expect(lines).toContain("1.234567 кг x 10.00                       =12.35");
  });

  it("names a pack under its position, the quantity in the position's own unit", () => {
    const document = receiptDocument({ lines: [line({ pack: { name: "Коробка", quantityMillionths: 6_000_000 } })] });
    const lines = printed(document, receiptFacts(document));
    expect(lines[lines.indexOf("ТОВАР, ПОЛНЫЙ РАСЧЕТ") + 1]).toBe("Упаковка: Коробка (6 шт.)");
  });

  it("prints subjects of marked goods as the register's format has them", () => {
    const document = receiptDocument({ lines: [line({ subject: 33, mark: "A" }), line({ subject: 31, mark: "B" })] });
    const under = (ffd: "1.05" | "1.2") => printed(document, receiptFacts(document, { identity: identity({ ffd }) }));
    expect(under("1.2")).toEqual(expect.arrayContaining(["ТМ, ПОЛНЫЙ РАСЧЕТ", "АТМ, ПОЛНЫЙ РАСЧЕТ"]));
    expect(under("1.05")).toEqual(expect.arrayContaining(["ТОВАР, ПОЛНЫЙ РАСЧЕТ", "ПОДАКЦИЗНЫЙ ТОВАР, ПОЛНЫЙ РАСЧЕТ"]));
  });

  it("names the sender where a contact was given or the point of sale sets one, and not otherwise", () => {
    const plain = receiptDocument();
    expect(printed(plain, receiptFacts(plain)).join("\n")).not.toContain("Отправитель");
    const set = receiptDocument({ senderEmail: "shop@shop.example" });
    expect(printed(set, receiptFacts(set))).toContain("Отправитель                    shop@shop.example");
  });

  it("prints the sign of the sale that a return undoes", () => {
    const { document, facts } = returnExample();
    expect(printed({ ...document, originalSign: "1204745171" }, facts)).toContain("Доп. реквизит чека                    1204745171");
  });

  it("puts a long tax system and a long contact on lines of their own", () => {
    const document = receiptDocument({ taxSystem: "usn-income-expense", buyerContact: "very.long.address@subdomain.example.com" });
    const lines = printed(document, receiptFacts(document), 32);
    const inn = lines.indexOf("ИНН 9600123459");
    expect(lines[inn + 1]).toBe("           СНО: УСН доход-расход");
    const contact = lines.indexOf("Эл. адр. покупателя");
    expect(lines.slice(contact + 1, contact + 3)).toEqual(["very.long.address@subdomain.exam", "                         ple.com"]);
    for (const text of lines) expect(text.length).toBeLessThanOrEqual(32);
  });

  it("takes the cashier, address and place of the facts and the document before those of the register", () => {
    const document = { ...receiptDocument(), address: "Склад", place: "Касса 2" };
    const { cashierName: _, ...facts } = receiptFacts(document);
    const lines = printed({ ...document, cashierName: "Петров П." }, facts).map((text) => text.trim());
    expect(lines).toContain("Склад");
    expect(lines).toContain("Касса 2");
    expect(lines.some((text) => text.startsWith("Кассир Петров П."))).toBe(true);
  });
});

describe("the printed form of a correction", () => {
  it("has its own title, type, basis and the sign of the receipt that was wrong", () => {
    const { document, facts } = correctionExample();
    const lines = printed(document, facts);
    expect(lines).toContain("КАССОВЫЙ ЧЕК КОРРЕКЦИИ           ВОЗВРАТ ПРИХОДА");
    const type = lines.indexOf("ТИП КОРРЕКЦИИ                     ПО ПРЕДПИСАНИЮ");
    expect(lines.slice(type - 1, type + 4)).toEqual([
      "-".repeat(48),
      "ТИП КОРРЕКЦИИ                     ПО ПРЕДПИСАНИЮ",
      "ДАТА РАСЧЕТА                          10.11.2026",
      "№ ПРЕДПИСАНИЯ                      2.16-42/10385",
      "-".repeat(48),
    ]);
    expect(lines).toContain("Доп. реквизит чека                    1204745171");
    expect(receiptOf(document, facts).qr).toBe("t=20261112T1842&s=834.57&fn=9999078900001234&i=319&fp=2187340955&n=2");
  });

  it("on one's own account names no order", () => {
    const { document, facts } = correctionExample({ kind: "own", settledOn: "2026-11-10" });
    const lines = printed(document, facts, 32);
    expect(lines).toContain("ТИП КОРРЕКЦИИ     САМОСТОЯТЕЛЬНО");
    expect(lines.join("\n")).not.toContain("ПРЕДПИСАНИЯ");
  });

  it("may hold a sum without positions, as before format 1.1", () => {
    const { document, facts } = correctionExample();
    const lines = printed({ ...document, lines: [] }, { ...facts, identity: identity({ ffd: "1.05" }) });
    expect(lines).toContain("ИТОГ                                     =834.57");
  });

  it("shows no positions under format 1.05, where the drive holds none", () => {
    const { document, facts } = correctionExample();
    const lines = printed(document, { ...facts, identity: identity({ ffd: "1.05" }) });
    expect(lines.join("\n")).not.toContain("Дарницкий");
    expect(lines).toContain("ИТОГ                                     =834.57");
    expect(printed(document, facts).join("\n")).toContain("Дарницкий");
  });

  it("is never drawn from the facts of a receipt", () => {
    const { document } = correctionExample();
    const { facts } = saleExample();
    expect(() => receiptOf(document, { ...facts, receipt: { number: 1, sign: 2, totalKopecks: document.totalKopecks } })).toThrow(Failure);
  });
});

describe("the printed form of reports and slips", () => {
  it("warns of the drive and the operator on both reports", () => {
    const warnings = { keysExpireSoon: true, keysExpireNow: true, memoryFull: true, operatorTimeout: true, operatorMessage: 2 | 64 };
    for (const { document, facts } of [openExample({ warnings }), { ...closeExample(), facts: { ...closeExample().facts, warnings } }]) {
      const text = printed(document, facts).map((row) => row.trim());
      expect(text).toEqual(
        expect.arrayContaining([
          "ИСЧЕРПАНИЕ РЕСУРСА ФН",
          "НЕОБХОДИМА СРОЧНАЯ ЗАМЕНА ФН",
          "ПАМЯТЬ ФН ПЕРЕПОЛНЕНА",
          "ПРЕВЫШЕНО ВРЕМЯ ОЖИДАНИЯ ОТВЕТА ОФД",
          "СООБЩЕНИЕ ОФД: ОШИБКА ФОРМАТА ДОКУМЕНТА",
          "СООБЩЕНИЕ ОФД: ОФД ПРЕКРАЩАЕТ РАБОТУ",
        ]),
      );
    }
  });

  it("says since when documents wait for the operator", () => {
    const { document, facts } = closeExample({ unsent: 3, unsentSince: "2026-11-10 08:15:00" });
    expect(printed(document, facts)).toContain("ФД НЕ ПЕРЕДАНЫ С                10.11.2026 08:15");
  });

  it("tells of marking notices and of corrections per sign where the register does", () => {
    const corrected = {
      signs: [],
      corrections: 2,
      correctionSums: [
        { sign: 1 as const, totalKopecks: 100_00 },
        { sign: 2 as const, totalKopecks: 90_00 },
      ],
    };
    const { document, facts } = closeExample({ unsentNotices: 4, wrongMarks: true, wrongRequests: true, shiftTotals: corrected });
    const lines = printed(document, facts);
    expect(lines).toEqual(
      expect.arrayContaining([
        "НЕПЕРЕДАНО УВЕДОМЛЕНИЙ                         4",
        "БЫЛИ НЕКОРРЕКТНЫЕ КОДЫ МАРКИРОВКИ",
        "БЫЛИ НЕКОРРЕКТНЫЕ ЗАПРОСЫ О КМ",
      ]),
    );
    const count = lines.indexOf("ЧЕКОВ КОРРЕКЦИИ                                2");
    expect(lines.slice(count + 1, count + 3)).toEqual([
      "  ПРИХОД                                 =100.00",
      "  ВОЗВРАТ ПРИХОДА                         =90.00",
    ]);
  });

  it("prints a shift without receipts", () => {
    const none = { signs: [], corrections: 0 };
    const { document, facts } = closeExample({ receipts: 0, documents: 2, shiftTotals: none, driveTotals: none });
    expect(printed(document, facts)).toContain("ЧЕКОВ ЗА СМЕНУ                                 0");
  });

  it("carries a QR code on receipts only", () => {
    const { document, facts } = saleExample();
    expect(receiptOf(document, facts).qr).toBe("t=20261112T1842&s=834.57&fn=9999078900001234&i=318&fp=1204745171&n=1");
    for (const other of [openExample(), closeExample(), cashExample("cash-in"), cashExample("cash-out"), xExample(), stateExample()]) {
      expect(receiptOf(other.document, other.facts).qr).toBeUndefined();
    }
  });
});

describe("document and facts", () => {
  const faultOf = (document: RegisterDocument, facts: DocumentFacts) => {
    try {
      receiptOf(document, facts);
      return undefined;
    } catch (error) {
      return error instanceof Failure ? { code: error.code, kind: error.kind } : error;
    }
  };

  it("whose totals differ are never drawn", () => {
    const { document, facts } = saleExample();
    const receipt = { number: 15, sign: 1 as const, totalKopecks: 834_56 };
    expect(faultOf(document, { ...facts, receipt })).toEqual({ code: "receipt-sums-differ", kind: "fault" });
    const slip = cashExample("cash-in", { sumKopecks: 1 });
    expect(faultOf(slip.document, slip.facts)).toEqual({ code: "receipt-sums-differ", kind: "fault" });
  });

  it("whose own sums do not add up are never drawn", () => {
    const short = receiptDocument({ tenders: tenders({ cashKopecks: 1 }) });
    expect(faultOf(short, receiptFacts(short))).toEqual({ code: "receipt-sums-differ", kind: "fault" });
    const rounded = { ...receiptDocument(), roundingKopecks: 1 };
    expect(faultOf(rounded, receiptFacts(rounded))).toEqual({ code: "receipt-sums-differ", kind: "fault" });
  });

  it("of different kinds or signs are never drawn", () => {
    const { document, facts } = saleExample();
    const mismatch = { code: "receipt-facts-mismatch", kind: "fault" };
    expect(faultOf(document, { ...facts, receipt: { number: 1, sign: 2, totalKopecks: 834_57 } })).toEqual(mismatch);
    expect(faultOf(document, openExample().facts)).toEqual(mismatch);
    expect(faultOf(openExample().document, closeExample().facts)).toEqual(mismatch);
    expect(faultOf(cashExample("cash-in").document, cashExample("cash-out").facts)).toEqual(mismatch);
    expect(faultOf(xExample().document, stateExample().facts)).toEqual(mismatch);
    expect(faultOf(stateExample().document, closeExample().facts)).toEqual(mismatch);
    expect(faultOf(stateExample().document, { ...closeExample().facts, document: "state-report" })).toEqual(mismatch);
  });
});

describe("a copy", () => {
  it("says КОПИЯ after the test line, and a real drive's copy says it first", () => {
    const { document, facts } = saleExample();
    const first = (drive: string) =>
      linesOf(receiptOf(document, { ...facts, identity: identity({ driveNumber: drive }) }, { copy: true }), 32, (text) => text)
        .flatMap((group) => group.lines.map(({ text }) => text.trim()))
        .slice(0, 3);
    expect(first("9999078900001234")).toEqual(["ТЕСТОВЫЙ ФН. НЕ ЯВЛЯЕТСЯ", "КАССОВЫМ ЧЕКОМ", "КОПИЯ"]);
    expect(first("1234567890123456")[0]).toBe("КОПИЯ");
  });
});
