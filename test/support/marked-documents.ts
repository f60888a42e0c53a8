import type { CorrectionDocument, ReceiptDocument } from "../../src/model/document.ts";
import { receiptDocument, receiptLine, tendersOf } from "./register-documents.ts";

const GS = "\u001d";

/** A code with key and signature (fiscal-receipts 4.7, shape B). Its product number decides the result of its check. */
export function markCode(serial: string, gtin = "04600000000008"): string {
  return `01${gtin}21${serial}${GS}91EE10${GS}92${"x".repeat(44)}`;
}

/** A receipt paid by card, with one piece for 100.00 for each mark and one piece without a mark. */
export function markedDocument(marks: readonly string[], more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  const lines = [...marks.map((mark) => receiptLine({ mark, subject: 33 })), receiptLine()];
  const totalKopecks = 10_000 * lines.length;
  const vatTotals = [{ vat: 11 as const, sumKopecks: 1_803 * lines.length }];
  return receiptDocument({ lines, totalKopecks, tenders: tendersOf({ nonCashKopecks: totalKopecks }), vatTotals, ...more });
}

/** Litres of one keg at 100.00 a litre, paid by card. Each quantity is a line of its own. */
export function tappedDocument(mark: string, litres: readonly number[], more: Partial<ReceiptDocument> = {}): ReceiptDocument {
  const lines = litres.map((quantity) => {
    const sumKopecks = Math.round(quantity * 10_000);
    const quantityMillionths = Math.round(quantity * 1_000_000);
    const unit = { code: 41, label: "л" };
    return receiptLine({ name: "Молоко", mark, subject: 33, quantityMillionths, unit, sumKopecks, vat: 6, vatKopecks: 0 });
  });
  const totalKopecks = lines.reduce((sum, line) => sum + line.sumKopecks, 0);
  const vatTotals = [{ vat: 6 as const, sumKopecks: totalKopecks }];
  return receiptDocument({ lines, totalKopecks, tenders: tendersOf({ nonCashKopecks: totalKopecks }), vatTotals, ...more });
}

/** A correction on the seller's own initiative that repeats a sale of one piece for 100.00. */
export function correctionDocument(more: Partial<CorrectionDocument> = {}): CorrectionDocument {
  return {
    ...receiptDocument({ reference: "ref-correction", originalSign: "1204745171" }),
    kind: "correction",
    basis: { kind: "own", settledOn: "2026-11-10" },
    ...more,
  };
}
