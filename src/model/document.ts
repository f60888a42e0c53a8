import type { MarkPolicy } from "./marks/mark-check.ts";
import type { UnreadProblem } from "./marks/marks.ts";
import type { TaxSystem, VatCode } from "./tax.ts";

/**
 * A document that a register is asked to make. Everything is computed, except numbers, fiscal signs and times, which the device gives. The
 * journal stores the document before the first byte is sent. A new kind of document goes into this union, not into the register interface.
 */
export type RegisterDocument = ShiftDocument | TradeDocument | CashDocument | StateReportDocument | XReportDocument;

/** Documents that the drive stores, with a number and a fiscal sign. */
export type FiscalDocument = ShiftDocument | TradeDocument | StateReportDocument;

/** Documents that settle something with a buyer. A correction is a receipt with a basis (fiscal-receipts 1.3, 1.7). */
export type TradeDocument = ReceiptDocument | CorrectionDocument;

interface DocumentHead {
  /** This server's id of the document, at most 16 characters. Sent if the device has a field for it (tags 1192, 1084). */
  reference: string;
  /** Tag 1021, `Иванова М.П.`. Absent: the cashier who opened the shift. */
  cashierName?: string;
  /** Tags 1009 and 1187 of the point of sale. Absent: the values from the register's registration. */
  address?: string;
  place?: string;
}

export interface ShiftDocument extends DocumentHead {
  kind: "open-shift" | "close-shift";
}

/** Report on the current state of the settlements, document code 21 (fiscal-receipts 1.1). Requested only by a person. */
export interface StateReportDocument extends DocumentHead {
  kind: "state-report";
}

/** The counters of the current shift, printed without a reset. Not a fiscal document (fiscal-receipts 1.1). */
export interface XReportDocument extends DocumentHead {
  kind: "x-report";
}

export interface CashDocument extends DocumentHead {
  kind: "cash-in" | "cash-out";
  sumKopecks: number;
}

export function isTrade(document: RegisterDocument): document is TradeDocument {
  return document.kind === "receipt" || document.kind === "correction";
}

export function isCash(document: RegisterDocument): document is CashDocument {
  return document.kind === "cash-in" || document.kind === "cash-out";
}

/** Tag 1054: 1 sale, 2 sale return, 3 purchase, 4 purchase return. */
export type SettlementSign = 1 | 2 | 3 | 4;

export const SETTLEMENT_SIGNS: Record<SettlementSign, string> = {
  1: "ПРИХОД",
  2: "ВОЗВРАТ ПРИХОДА",
  3: "РАСХОД",
  4: "ВОЗВРАТ РАСХОДА",
};

export interface ReceiptDocument extends Settlement {
  kind: "receipt";
}

/** Correction receipt, document code 31 (fiscal-receipts 1.7). Requested only by a person. */
export interface CorrectionDocument extends Settlement {
  kind: "correction";
  /** Tags 1173 and 1174. */
  basis: CorrectionBasis;
}

/** Why a settlement is corrected: without an order, or by an order of the tax office. */
export type CorrectionBasis = BasisHead & ({ kind: "own" } | OrderBasis);

interface BasisHead {
  /** Tag 1178: day of the corrected settlement, `2026-11-12`. */
  settledOn: string;
  /** Tag 1177: what is corrected, in words. Only in format 1.05. */
  description?: string;
}

interface OrderBasis {
  kind: "order";
  /** Tag 1179: number of the order. */
  orderNumber: string;
}

interface Settlement extends DocumentHead {
  sign: SettlementSign;
  /** Tag 1055. */
  taxSystem: TaxSystem;
  lines: ReceiptLine[];
  /** Tag 1020: the settled sum. It is the sum of the lines minus the rounding. */
  totalKopecks: number;
  /** Sum of the lines minus total, 0 to 99: `ОКРУГЛЕНИЕ`. */
  roundingKopecks: number;
  tenders: Tenders;
  /** Totals by rate, in the order of `VAT_CODES`: the tax, or the turnover for codes 5 and 6. */
  vatTotals: VatTotal[];
  /** Tag 1008: `+70000000000` or an e-mail address. */
  buyerContact?: string;
  /** Tag 1117. */
  senderEmail?: string;
  /** The result of a mark's check that the point of sale requires to sell the goods. Absent: no result is required. */
  markPolicy?: MarkPolicy;
  /** Tag 1192: fiscal sign of the returned sale or the corrected receipt, if known. */
  originalSign?: string;
}

export interface ReceiptLine {
  /** Tag 1030. */
  name: string;
  /** Tag 1023. */
  quantityMillionths: number;
  /** `code`: tag 2108. `label`: the printed short name, which is tag 1197 in formats before 1.2. */
  unit: { code: number; label: string };
  /** Tag 1079: unit price after discount, VAT included. */
  priceKopecks: number;
  /** Tag 1043. Within one kopeck of price × quantity, unless the register accepts any sum. */
  sumKopecks: number;
  /** Tag 1199. */
  vat: VatCode;
  /** Tag 1200. */
  vatKopecks: number;
  /** Tag 1212. */
  subject: number;
  /** Tag 1214. */
  method: number;
  /**
   * Marking code as received; `readMark` reads its contents. A line has at most one mark: for one piece with quantity 1, or for the whole
   * quantity of goods sold by measure (`isMeasured`).
   */
  mark?: string;
  /** Why the mark could not be read. Only in a return or a correction, or at a point of sale that accepts unreadable marks. */
  unreadMark?: UnreadProblem;
  /** Tag 1260: permit to sell the marked goods (fiscal-receipts 4.8), if one was requested. */
  permit?: IndustryRequisite;
  /** Printed as free text: the kind of packing and the quantity in a pack. */
  pack?: { name: string; quantityMillionths: number };
  /**
   * Printed as free text, because no tag holds a discount (fiscal-receipts 0.1, fact 2). The difference is full price × quantity minus
   * the sum: positive for a discount, negative for a mark-up.
   */
  discount?: { fullPriceKopecks: number; percent: string; differenceKopecks: number };
}

/** Tags 1262 to 1265: authority, date (`21.11.2023`) and number of the rule, and the value required by the rule. */
export interface IndustryRequisite {
  authority: string;
  ruleDate: string;
  ruleNumber: string;
  value: string;
}

/** Tags 1031, 1081, 1215, 1216, 1217. Their sum is the total. */
export interface Tenders {
  cashKopecks: number;
  nonCashKopecks: number;
  prepaidKopecks: number;
  creditKopecks: number;
  otherKopecks: number;
}

export interface VatTotal {
  vat: VatCode;
  sumKopecks: number;
}
