import type { CashDocument, ReceiptDocument, ReceiptLine, RegisterDocument, ShiftDocument, Tenders } from "../../src/model/document.ts";

export function shiftDocument(kind: ShiftDocument["kind"], more: Partial<ShiftDocument> = {}): ShiftDocument {
  return { kind, reference: "ref-shift", cashierName: "Иванова М.П.", ...more };
}

export function cashDocument(kind: CashDocument["kind"], sumKopecks: number, more: Partial<CashDocument> = {}): CashDocument {
  return { kind, reference: "ref-cash", cashierName: "Иванова М.П.", sumKopecks, ...more };
}

export function reportDocument<K extends "x-report" | "state-report">(kind: K, more: { cashierName?: string } = {}) {
  return { kind, reference: "ref-report", cashierName: "Иванова М.П.", ...more };
}

/** A line of goods for 100.00 at 22 %. */
export function receiptLine(more: Partial<ReceiptLine> = {}): ReceiptLine {
  return {
    name: "Товар",
    quantityMillionths: 1_000_000,
    unit: { code: 0, label: "шт." },
    priceKopecks: 10_000,
    sumKopecks: 10_000,
    vat: 11,
    vatKopecks: 1_803,
    subject: 1,
    method: 4,
    ...more,
  };
}

export function tendersOf(more: Partial<Tenders>): Tenders {
  return { cashKopecks: 0, nonCashKopecks: 0, prepaidKopecks: 0, creditKopecks: 0, otherKopecks: 0, ...more };
}

/** A sale of one piece for 100.00, paid in cash. */
export function receiptDocument(more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  return {
    kind: "receipt",
    sign: 1,
    reference: "ref-sale",
    cashierName: "Иванова М.П.",
    taxSystem: "osn",
    lines: [receiptLine()],
    totalKopecks: 10_000,
    roundingKopecks: 0,
    tenders: tendersOf({ cashKopecks: 10_000 }),
    vatTotals: [{ vat: 11, sumKopecks: 1_803 }],
    ...more,
  };
}

/** The sale of fiscal-receipts 9.1: 834.57 in cash, two rates. */
export function sampleSale(more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  const kilogram = { code: 11, label: "кг" };
  const bread = { name: 'Хлеб "Дарницкий" 400 г', quantityMillionths: 2_000_000, priceKopecks: 5_490, sumKopecks: 10_980, vatKopecks: 998 };
  const cheese = {
    name: 'Сыр "Российский" весовой',
    quantityMillionths: 356_000,
    priceKopecks: 89_900,
    sumKopecks: 32_004,
    vatKopecks: 2_909,
  };
  const soap = { name: 'Средство для мытья посуды "Образец", лимон, 1 л', quantityMillionths: 3_000_000, priceKopecks: 13_491 };
  return receiptDocument({
    lines: [
      receiptLine({ ...bread, vat: 2 }),
      receiptLine({ ...cheese, unit: kilogram, vat: 2 }),
      receiptLine({ ...soap, sumKopecks: 40_473, vat: 11, vatKopecks: 7_298 }),
    ],
    totalKopecks: 83_457,
    tenders: tendersOf({ cashKopecks: 83_457 }),
    vatTotals: [
      { vat: 2, sumKopecks: 3_907 },
      { vat: 11, sumKopecks: 7_298 },
    ],
    ...more,
  });
}

const MARK = "01046006531059902152CUnq\u001d93Gk30";

/** A shift with documents of every kind except corrections. */
export function wholeDay(): RegisterDocument[] {
  return [
    shiftDocument("open-shift"),
    cashDocument("cash-in", 200_000),
    sampleSale(),
    sampleSale({ tenders: tendersOf({ cashKopecks: 100_000 }) }),
    sampleSale({
      tenders: tendersOf({ cashKopecks: 40_000, nonCashKopecks: 43_457 }),
      buyerContact: "+79001234567",
      senderEmail: "kassa@example.org",
    }),
    receiptDocument({ tenders: tendersOf({ prepaidKopecks: 4_000, creditKopecks: 3_000, otherKopecks: 3_000 }) }),
    sampleSale({ totalKopecks: 83_400, roundingKopecks: 57, tenders: tendersOf({ cashKopecks: 83_400 }) }),
    receiptDocument({ sign: 2, tenders: tendersOf({ cashKopecks: 10_000 }), originalSign: "1204745171" }),
    receiptDocument({
      sign: 2,
      lines: [receiptLine({ vat: 1, vatKopecks: 1_667 })],
      vatTotals: [{ vat: 1, sumKopecks: 1_667 }],
      tenders: tendersOf({ nonCashKopecks: 10_000 }),
    }),
    receiptDocument({ sign: 3, tenders: tendersOf({ nonCashKopecks: 10_000 }) }),
    receiptDocument({ sign: 4, tenders: tendersOf({ nonCashKopecks: 10_000 }) }),
    receiptDocument({
      taxSystem: "usn-income",
      lines: [receiptLine({ vat: 7, vatKopecks: 476, name: "Наценка «Образец» — 5 ₽" })],
      vatTotals: [{ vat: 7, sumKopecks: 476 }],
    }),
    receiptDocument({ lines: [receiptLine({ mark: MARK, subject: 33 })] }),
    receiptDocument({ address: "г. Образцов, ул. Новая, д. 2", place: "Ларёк" }),
    cashDocument("cash-out", 50_000),
    reportDocument("x-report"),
    reportDocument("state-report"),
    shiftDocument("close-shift"),
  ];
}
