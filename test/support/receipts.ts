import type {
  CashDocument,
  CorrectionDocument,
  ReceiptDocument,
  ReceiptLine,
  RegisterDocument,
  ShiftDocument,
  StateReportDocument,
  XReportDocument,
} from "../../src/model/document.ts";
import type {
  CashFacts,
  Counters,
  DocumentFacts,
  FiscalFacts,
  InterimFacts,
  RegisterIdentity,
  ShiftReport,
  StateReport,
  XReport,
} from "../../src/model/facts.ts";

/** The shop of fiscal-receipts 9.1 and 9.3. */
export function identity(changes: Partial<RegisterIdentity> = {}): RegisterIdentity {
  return {
    driveNumber: "9999078900001234",
    registrationNumber: "0000000042042817",
    serialNumber: "99990000000017",
    inn: "9600123459",
    sellerName: 'ООО "ОБРАЗЕЦ-РИТЕЙЛ"',
    address: "000000, г. Образцов, ул. Примерная, д. 1",
    place: 'Магазин "Образец № 1"',
    firmware: "EMU 1.0",
    ffd: "1.2",
    taxSystems: ["osn"],
    senderEmail: "check@ofd.example",
    fnsSite: "www.nalog.gov.ru",
    ...changes,
  };
}

export function line(changes: Partial<ReceiptLine> = {}): ReceiptLine {
  return {
    name: 'Хлеб "Дарницкий" 400 г',
    quantityMillionths: 2_000_000,
    unit: { code: 0, label: "шт." },
    priceKopecks: 54_90,
    sumKopecks: 109_80,
    vat: 2,
    vatKopecks: 9_98,
    subject: 1,
    method: 4,
    ...changes,
  };
}

export function tenders(changes: Partial<ReceiptDocument["tenders"]> = {}): ReceiptDocument["tenders"] {
  return { cashKopecks: 0, nonCashKopecks: 0, prepaidKopecks: 0, creditKopecks: 0, otherKopecks: 0, ...changes };
}

/** A receipt paid in cash. Its sums are computed from its lines. */
export function receiptDocument(changes: Partial<ReceiptDocument> = {}): ReceiptDocument {
  const lines = changes.lines ?? [line()];
  const totalKopecks = lines.reduce((sum, { sumKopecks }) => sum + sumKopecks, 0) - (changes.roundingKopecks ?? 0);
  return {
    kind: "receipt",
    reference: "a1",
    cashierName: "Иванова М.П.",
    sign: 1,
    taxSystem: "osn",
    lines,
    totalKopecks,
    roundingKopecks: 0,
    tenders: tenders({ cashKopecks: totalKopecks }),
    vatTotals: [{ vat: 2, sumKopecks: lines.reduce((sum, { vatKopecks }) => sum + vatKopecks, 0) }],
    ...changes,
  };
}

/** Facts that agree with the document. */
export function receiptFacts(document: ReceiptDocument, changes: Partial<FiscalFacts> = {}): FiscalFacts {
  return {
    kind: "fiscal",
    document: "receipt",
    identity: identity(),
    documentNumber: 318,
    fiscalSign: "1204745171",
    time: "2026-11-12 18:42:11",
    shiftNumber: 27,
    cashierName: "Иванова М.П.",
    receipt: { number: 15, sign: document.sign, totalKopecks: document.totalKopecks },
    ...changes,
  };
}

/** The sale of fiscal-receipts 9.1. */
export function saleExample(): { document: ReceiptDocument; facts: FiscalFacts } {
  const document = receiptDocument({
    lines: [
      line(),
      line({
        name: 'Сыр "Российский" весовой',
        quantityMillionths: 356_000,
        unit: { code: 11, label: "кг" },
        priceKopecks: 899_00,
        sumKopecks: 320_04,
        vatKopecks: 29_09,
      }),
      line({
        name: 'Средство для мытья посуды "Образец", лимон, 1 л',
        quantityMillionths: 3_000_000,
        priceKopecks: 134_91,
        sumKopecks: 404_73,
        vat: 11,
        vatKopecks: 72_98,
        discount: { fullPriceKopecks: 149_90, percent: "10", differenceKopecks: 44_97 },
      }),
    ],
    vatTotals: [
      { vat: 2, sumKopecks: 39_07 },
      { vat: 11, sumKopecks: 72_98 },
    ],
    buyerContact: "+70000000000",
  });
  return { document, facts: receiptFacts(document) };
}

/** The return of fiscal-receipts 9.2. */
export function returnExample(): { document: ReceiptDocument; facts: FiscalFacts } {
  const boots = {
    name: "Ботинки мужские, арт. 1234, р. 42",
    quantityMillionths: 1_000_000,
    priceKopecks: 2541_50,
    sumKopecks: 2541_50,
    vat: 7,
    vatKopecks: 121_02,
    subject: 33,
  } as const;
  const document = receiptDocument({
    sign: 2,
    taxSystem: "usn-income",
    lines: [
      line({ ...boots, mark: "010460000000000821abcdefghijklm\u001d91EE10" }),
      line({ ...boots, mark: "010460000000000821nopqrstuvwxyz\u001d91EE10" }),
      line({ name: "Крем для обуви", quantityMillionths: 1_000_000, priceKopecks: 349_00, sumKopecks: 349_00, vat: 7, vatKopecks: 16_62 }),
    ],
    tenders: tenders({ nonCashKopecks: 5432_00 }),
    vatTotals: [{ vat: 7, sumKopecks: 258_66 }],
  });
  const facts = receiptFacts(document, {
    identity: identity({
      driveNumber: "9999078900005678",
      registrationNumber: "0000000057057761",
      serialNumber: "99990000000025",
      inn: "960012345605",
      sellerName: "ИП ОБРАЗЦОВ ПЕТР ИВАНОВИЧ",
      address: "000000, г. Образцов, пр. Тестовый, д. 7",
      place: 'Павильон "Обувь"',
    }),
    documentNumber: 1207,
    fiscalSign: "2710897188",
    time: "2026-11-12 19:15:02",
    shiftNumber: 112,
    cashierName: "Образцов П.И.",
    receipt: { number: 4, sign: 2, totalKopecks: 5432_00 },
    markChecks: [15, 15, null],
  });
  return { document, facts };
}

/** A correction of the sale of fiscal-receipts 9.1 by an order of the tax office (fiscal-receipts 1.7). */
export function correctionExample(basis: CorrectionDocument["basis"] = ORDER): { document: CorrectionDocument; facts: FiscalFacts } {
  const sale = saleExample();
  const document: CorrectionDocument = { ...sale.document, kind: "correction", basis, sign: 2, originalSign: sale.facts.fiscalSign };
  const receipt = { number: 16, sign: 2 as const, totalKopecks: document.totalKopecks };
  return { document, facts: { ...sale.facts, document: "correction", documentNumber: 319, fiscalSign: "2187340955", receipt } };
}

const ORDER = { kind: "order", settledOn: "2026-11-10", orderNumber: "2.16-42/10385" } as const;

const SHIFT_28 = { identity: identity(), shiftNumber: 28, cashierName: "Иванова М.П." };

export function shiftDocument(kind: ShiftDocument["kind"]): ShiftDocument {
  return { kind, reference: "s28" };
}

/** The open report of fiscal-receipts 9.3. */
export function openExample(changes: Partial<FiscalFacts> = {}): { document: ShiftDocument; facts: FiscalFacts } {
  const facts: FiscalFacts = {
    kind: "fiscal",
    document: "open-shift",
    ...SHIFT_28,
    documentNumber: 330,
    fiscalSign: "1893405517",
    time: "2026-11-13 09:00:00",
    ...changes,
  };
  return { document: shiftDocument("open-shift"), facts };
}

/** The cash slip of fiscal-receipts 9.3, in either direction. */
export function cashExample(kind: CashDocument["kind"], changes: Partial<CashFacts> = {}): { document: CashDocument; facts: CashFacts } {
  const inwards = kind === "cash-in";
  const sumKopecks = inwards ? 2000_00 : 500_00;
  const facts: CashFacts = {
    kind: "cash",
    document: kind,
    ...SHIFT_28,
    time: inwards ? "2026-11-13 09:02:00" : "2026-11-13 20:50:00",
    sumKopecks,
    drawerKopecks: inwards ? 2000_00 : 2224_77,
    ...changes,
  };
  return { document: { kind, reference: kind, sumKopecks }, facts };
}

/** The close report of fiscal-receipts 9.3. */
export function closeExample(changes: Partial<ShiftReport> = {}): { document: ShiftDocument; facts: FiscalFacts } {
  const shiftTotals: Counters = {
    signs: [
      {
        sign: 1,
        count: 2,
        totalKopecks: 2054_57,
        tenders: tenders({ cashKopecks: 834_57, nonCashKopecks: 1220_00 }),
        vatTotals: [
          { vat: 2, sumKopecks: 39_07 },
          { vat: 11, sumKopecks: 292_98 },
        ],
      },
      { sign: 2, count: 1, totalKopecks: 109_80, tenders: tenders({ cashKopecks: 109_80 }), vatTotals: [{ vat: 2, sumKopecks: 9_98 }] },
    ],
    corrections: 0,
  };
  const facts: FiscalFacts = {
    kind: "fiscal",
    document: "close-shift",
    ...SHIFT_28,
    documentNumber: 334,
    fiscalSign: "3027716645",
    time: "2026-11-13 21:05:00",
    shiftReport: {
      receipts: 3,
      documents: 5,
      unsent: 0,
      keyDays: 1042,
      shiftTotals,
      driveTotals: driveTotals(shiftTotals),
      drawer: { inKopecks: 2000_00, outKopecks: 500_00, balanceKopecks: 2224_77 },
      ...changes,
    },
  };
  return { document: shiftDocument("close-shift"), facts };
}

/** An X report on the shift of fiscal-receipts 9.3 at six in the evening, before its return. X reports reset no counters. */
export function xExample(changes: Partial<XReport> = {}): { document: XReportDocument; facts: InterimFacts } {
  const { signs } = closeExample().facts.shiftReport?.shiftTotals ?? { signs: [] };
  const facts: InterimFacts = {
    kind: "interim",
    document: "x-report",
    ...SHIFT_28,
    time: "2026-11-13 18:00:00",
    xReport: {
      shiftOpen: true,
      receipts: 2,
      signs: signs.slice(0, 1).map(({ vatTotals: _, ...totals }) => totals),
      drawer: { inKopecks: 2000_00, outKopecks: 0, balanceKopecks: 2834_57 },
      unsent: 3,
      ...changes,
    },
  };
  return { document: { kind: "x-report", reference: "x28" }, facts };
}

/** A report on the state of settlements on the same evening. No document since the opening is confirmed by the data operator. */
export function stateExample(changes: Partial<StateReport> = {}): { document: StateReportDocument; facts: FiscalFacts } {
  const facts: FiscalFacts = {
    kind: "fiscal",
    document: "state-report",
    ...SHIFT_28,
    documentNumber: 333,
    fiscalSign: "1450982233",
    time: "2026-11-13 18:05:00",
    stateReport: {
      unsent: 3,
      unsentSince: "2026-11-13 00:00:00",
      firstUnsent: 330,
      driveTotals: driveTotals({ signs: closeExample().facts.shiftReport?.shiftTotals.signs ?? [], corrections: 0 }),
      ...changes,
    },
  };
  return { document: { kind: "state-report", reference: "state28" }, facts };
}

/** The totals of a drive with 27 earlier shifts and two corrections. */
function driveTotals(shift: Counters): Counters {
  const signs = shift.signs.map((totals) => ({ ...totals, count: totals.count + 300, totalKopecks: totals.totalKopecks + 250_000_00 }));
  return {
    signs: signs.map((totals) => ({
      ...totals,
      tenders: tenders({
        cashKopecks: totals.tenders.cashKopecks + 150_000_00,
        nonCashKopecks: totals.tenders.nonCashKopecks + 100_000_00,
      }),
    })),
    corrections: 2,
  };
}

/** A document of each kind. */
export function everyExample(): Record<string, { document: RegisterDocument; facts: DocumentFacts; copy?: boolean }> {
  return {
    sale: saleExample(),
    "sale-copy": { ...saleExample(), copy: true },
    return: returnExample(),
    correction: correctionExample(),
    "open-shift": openExample(),
    "cash-in": cashExample("cash-in"),
    "cash-out": cashExample("cash-out"),
    "close-shift": closeExample(),
    "x-report": xExample(),
    "state-report": stateExample(),
  };
}
