import type { SettlementSign, Tenders, VatTotal } from "../../model/document.ts";
import type { Counters, SignTotals } from "../../model/facts.ts";

/** What a registered receipt adds to the totals. Cash excludes the change (fiscal-receipts 6.6). */
export interface ReceiptSums {
  /** True for a correction, which is counted separately. Absent: a receipt. */
  correction?: boolean;
  sign: SettlementSign;
  totalKopecks: number;
  tenders: Tenders;
  vatTotals: VatTotal[];
}

export const NO_COUNTERS: Counters = { signs: [], corrections: 0 };

/** Adds a receipt or correction to the totals. Signs and rates are sorted by their codes. */
export function countReceipt(counters: Counters, receipt: ReceiptSums): Counters {
  if (receipt.correction === true) return countCorrection(counters, receipt);
  const before = counters.signs.find((totals) => totals.sign === receipt.sign) ?? noTotals(receipt.sign);
  const after: SignTotals = {
    sign: receipt.sign,
    count: before.count + 1,
    totalKopecks: before.totalKopecks + receipt.totalKopecks,
    tenders: addTenders(before.tenders, receipt.tenders),
    vatTotals: addVat(before.vatTotals, receipt.vatTotals),
  };
  const others = counters.signs.filter((totals) => totals.sign !== receipt.sign);
  return { ...counters, signs: [...others, after].sort((a, b) => a.sign - b.sign) };
}

/** Adds a correction to the totals: only the count, and a sum for each sign (fiscal-receipts 1.6, tag 1133). */
function countCorrection(counters: Counters, { sign, totalKopecks }: ReceiptSums): Counters {
  const before = counters.correctionSums ?? [];
  const sum = (before.find((one) => one.sign === sign)?.totalKopecks ?? 0) + totalKopecks;
  const correctionSums = [...before.filter((one) => one.sign !== sign), { sign, totalKopecks: sum }].sort((a, b) => a.sign - b.sign);
  return { ...counters, corrections: counters.corrections + 1, correctionSums };
}

/** Returns the number of receipts and corrections of all signs: tag 1134, and for the totals of a shift also tag 1118. */
export function receiptCount(counters: Counters): number {
  return counters.signs.reduce((count, totals) => count + totals.count, counters.corrections);
}

/**
 * Returns how a receipt changes the drawer's cash. A sale or the return of a purchase adds cash. A purchase or the return of a sale removes
 * cash.
 */
export function drawerChangeKopecks(receipt: ReceiptSums): number {
  return receipt.sign === 1 || receipt.sign === 4 ? receipt.tenders.cashKopecks : -receipt.tenders.cashKopecks;
}

/** Whether all totals, also those of VAT rates and of corrections, are still safe integers. */
export function isExact(counters: Counters): boolean {
  const signs = counters.signs.flatMap(({ totalKopecks, vatTotals }) => [totalKopecks, ...vatTotals.map((total) => total.sumKopecks)]);
  const corrections = (counters.correctionSums ?? []).map(({ totalKopecks }) => totalKopecks);
  return [...signs, ...corrections].every(Number.isSafeInteger);
}

function noTotals(sign: SettlementSign): SignTotals {
  const tenders = { cashKopecks: 0, nonCashKopecks: 0, prepaidKopecks: 0, creditKopecks: 0, otherKopecks: 0 };
  return { sign, count: 0, totalKopecks: 0, tenders, vatTotals: [] };
}

function addTenders(a: Tenders, b: Tenders): Tenders {
  return {
    cashKopecks: a.cashKopecks + b.cashKopecks,
    nonCashKopecks: a.nonCashKopecks + b.nonCashKopecks,
    prepaidKopecks: a.prepaidKopecks + b.prepaidKopecks,
    creditKopecks: a.creditKopecks + b.creditKopecks,
    otherKopecks: a.otherKopecks + b.otherKopecks,
  };
}

function addVat(before: VatTotal[], more: VatTotal[]): VatTotal[] {
  const sums = new Map(before.map(({ vat, sumKopecks }) => [vat, sumKopecks]));
  for (const { vat, sumKopecks } of more) sums.set(vat, (sums.get(vat) ?? 0) + sumKopecks);
  return [...sums].map(([vat, sumKopecks]) => ({ vat, sumKopecks })).sort((a, b) => a.vat - b.vat);
}
