import { present } from "../kernel/present.ts";
import type { CorrectionBasis, CorrectionDocument, ReceiptLine, SettlementSign, TradeDocument } from "./document.ts";
import type { Ffd } from "./facts.ts";
import { vatTotalsOf, vatWithin } from "./vat.ts";

/** The settlement sign that undoes a settlement sign (fiscal-receipts 1.7). */
export const OPPOSITE_SIGN: Record<SettlementSign, SettlementSign> = { 1: 2, 2: 1, 3: 4, 4: 3 };

/**
 * Whether the document is a correction without positions. Format 1.05 does not require positions (fiscal-receipts 1.7), and the register's
 * command for such a correction has no field for positions (shtrih-protocol 5.7, FF4A).
 */
export function isSumsOnly({ kind }: Pick<TradeDocument, "kind">, ffd: Ffd): boolean {
  return kind === "correction" && ffd === "1.05";
}

/** Format 1.05 can correct sales and purchases, but no returns (shtrih-protocol 5.7, FF4A). */
export function mayCorrect(sign: SettlementSign, ffd: Ffd): boolean {
  return ffd !== "1.05" || sign === 1 || sign === 3;
}

/**
 * The purpose of a correction. `undo` repeats a wrong receipt with the opposite sign. `redo` then registers the right data. `missed`
 * registers a settlement that was made but never registered (fiscal-receipts 1.7).
 */
export type CorrectionStep = "undo" | "redo" | "missed";

/** A correction without its kind, its reference, its cashier, and the point of sale's address, place and mark policy. */
export type CorrectedSettlement = Omit<CorrectionDocument, "kind" | "reference" | "cashierName" | "address" | "place" | "markPolicy">;

/**
 * Returns the settlement that undoes the wrong receipt: the same data with the opposite sign. If the opposite sign is a return, the lines
 * lose their permits. `originalSign`: tag 1077 of the wrong receipt.
 */
export function undone(wrong: TradeDocument, basis: CorrectionBasis, originalSign: string): CorrectedSettlement {
  const settlement = settlementOf(wrong, basis, originalSign);
  const sign = OPPOSITE_SIGN[wrong.sign];
  return { ...settlement, sign, lines: sign === 2 || sign === 4 ? wrong.lines.map(withoutPermit) : wrong.lines };
}

/** Returns a correction's settlement that repeats the right document: the same sign and the same data. */
export function settledAgain(right: TradeDocument, basis: CorrectionBasis, originalSign: string | undefined): CorrectedSettlement {
  return settlementOf(right, basis, originalSign);
}

/** Returns the document with all taxes computed again from the sums. A person may have changed a rate or a sum without changing the tax. */
export function withTaxes<D extends TradeDocument>(document: D): D {
  const lines = document.lines.map((line) => ({ ...line, vatKopecks: vatWithin(line.sumKopecks, line.vat) }));
  return { ...document, lines, vatTotals: vatTotalsOf(lines) };
}

function settlementOf(document: TradeDocument, basis: CorrectionBasis, originalSign: string | undefined): CorrectedSettlement {
  const { sign, taxSystem, lines, totalKopecks, roundingKopecks, tenders, vatTotals, buyerContact, senderEmail } = document;
  return {
    sign,
    taxSystem,
    lines,
    totalKopecks,
    roundingKopecks,
    tenders,
    vatTotals,
    basis,
    ...present({ buyerContact, senderEmail, originalSign }),
  };
}

/** A permit allows a sale, so a returned line has no permit (fiscal-receipts 4.8). */
function withoutPermit({ permit: _, ...line }: ReceiptLine): ReceiptLine {
  return line;
}
