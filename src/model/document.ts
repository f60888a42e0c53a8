import type { MarkPolicy } from "./marks/mark-check.ts";
import type { UnreadProblem } from "./marks/marks.ts";
import type { TaxSystem, VatCode } from "./tax.ts";

/**
 * A document as a register is asked to make it: everything computed, nothing left to the device but
 * numbers, signs and times. It is frozen in the journal before the first byte is sent.
 * New kinds of document widen this union, not the register interface.
 */
export type RegisterDocument = ShiftDocument | TradeDocument | CashDocument | StateReportDocument | XReportDocument;

/** What the drive keeps, under a number and with a sign. */
export type FiscalDocument = ShiftDocument | TradeDocument | StateReportDocument;

/** What is settled with a buyer: both hold the same requisites (fiscal-receipts 1.3, 1.7). */
export type TradeDocument = ReceiptDocument | CorrectionDocument;

interface DocumentHead {
  /** Our id of the document, sent along where the device has room for it (tags 1192, 1084), at most 16 characters. */
  reference: string;
  /** Tag 1021, `Иванова М.П.`; absent: the cashier who opened the shift. */
  cashierName?: string;
  /** Tags 1009 and 1187 of the point of sale; absent: what the register was registered with. */
  address?: string;
  place?: string;
}

export interface ShiftDocument extends DocumentHead {
  kind: "open-shift" | "close-shift";
}

/** Report on the current state of the settlements, document code 21 (fiscal-receipts 1.1). No contract call makes one, a person does. */
export interface StateReportDocument extends DocumentHead {
  kind: "state-report";
}

/** Counters of the shift that goes on, printed without resetting them: no fiscal document (fiscal-receipts 1.1). */
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

/** Correction receipt, document code 31 (fiscal-receipts 1.7). No contract call makes one, a person does. */
export interface CorrectionDocument extends Settlement {
  kind: "correction";
  /** Tags 1173 and 1174. */
  basis: CorrectionBasis;
}

/** Why a settlement is corrected: on one's own account, or by an order of the tax office. */
export type CorrectionBasis = BasisHead & ({ kind: "own" } | OrderBasis);

interface BasisHead {
  /** Tag 1178: day of the settlement that is corrected, `2026-11-12`. */
  settledOn: string;
  /** Tag 1177: what the correction is about; format 1.05 alone has it. */
  description?: string;
}

interface OrderBasis {
  kind: "order";
  /** Tag 1179: number of the order, at most 32 characters. */
  orderNumber: string;
}

interface Settlement extends DocumentHead {
  sign: SettlementSign;
  /** Tag 1055. */
  taxSystem: TaxSystem;
  lines: ReceiptLine[];
  /** Tag 1020: what was settled; below the sum of lines by the rounding only. */
  totalKopecks: number;
  /** Sum of lines minus total: `ОКРУГЛЕНИЕ`, 0 to 99. */
  roundingKopecks: number;
  tenders: Tenders;
  /** Totals per rate in the order of `VAT_CODES`: tax, or turnover for codes 5 and 6. */
  vatTotals: VatTotal[];
  /** Tag 1008: `+70000000000` or an e-mail address. */
  buyerContact?: string;
  /** Tag 1117. */
  senderEmail?: string;
  /** Where there are marks: with which results of their check the point of sale sells; absent: with all. */
  markPolicy?: MarkPolicy;
  /** Tag 1192: fiscal sign of the sale that is returned, or of the receipt that is corrected, where it is known. */
  originalSign?: string;
}

export interface ReceiptLine {
  /** Tag 1030. */
  name: string;
  /** Tag 1023. */
  quantityMillionths: number;
  /** Tag 2108 and the short name that is printed. */
  unit: { code: number; label: string };
  /** Tag 1079: unit price after discount, VAT included. */
  priceKopecks: number;
  /** Tag 1043. Within one kopeck of price × quantity. */
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
   * Marking code as received; one mark is one line: of a piece with quantity 1, of goods sold by measure with the whole of
   * it (`isMeasured`). What is in it: `readMark`.
   */
  mark?: string;
  /** Why the mark could not be read: the point of sale sells it all the same, and returns are never held up. */
  unreadMark?: UnreadProblem;
  /** Tag 1260: permit to sell the mark (fiscal-receipts 4.8), where somebody has asked for it. */
  permit?: IndustryRequisite;
  /** Free text: how the goods are packed, and how much of them a pack holds. */
  pack?: { name: string; quantityMillionths: number };
  /**
   * Free text only: there is no discount tag (fiscal-receipts 0.1, fact 2). The difference is full price ×
   * quantity less the sum: above zero for a discount, below for a mark-up.
   */
  discount?: { fullPriceKopecks: number; percent: string; differenceKopecks: number };
}

/** Tags 1262 to 1265: authority, date `21.11.2023` and number of the rule, and what the rule wants. */
export interface IndustryRequisite {
  authority: string;
  ruleDate: string;
  ruleNumber: string;
  value: string;
}

/** Tags 1031, 1081, 1215, 1216, 1217: they add up to the total. */
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
