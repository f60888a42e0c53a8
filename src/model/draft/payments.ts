import type { Tenders } from "../document.ts";
import type { Payments, TradeOperation } from "../operation.ts";

type Paid = { kind: "paid"; tenders: Tenders; totalKopecks: number } | { kind: "mixed"; rule: MixRule };

/**
 * Combinations of payments that are refused: combinations that the platform does not allow (platform-contracts 4.5), and a prepayment or
 * advance in a return.
 */
export type MixRule = "qr-with-cash-or-card" | "qr-prepayment-with-others" | "prepayment-with-advance" | "prepayment-in-return";

/**
 * Computes tags 1031, 1081 and 1215. Cards and QR are non-cash; prepayments and advances are prepaid. Change is absent: only the device
 * learns the cash received.
 */
export function tendersOf(kind: TradeOperation["kind"], payments: Payments): Paid {
  const rule = brokenRule(kind, payments);
  if (rule !== undefined) return { kind: "mixed", rule };
  const tenders: Tenders = {
    cashKopecks: payments.cashKopecks,
    nonCashKopecks: payments.cardKopecks + payments.qrKopecks,
    prepaidKopecks: prepaymentOf(payments) + payments.advanceKopecks,
    creditKopecks: 0,
    otherKopecks: 0,
  };
  return { kind: "paid", tenders, totalKopecks: tenders.cashKopecks + tenders.nonCashKopecks + tenders.prepaidKopecks };
}

function brokenRule(kind: TradeOperation["kind"], payments: Payments): MixRule | undefined {
  const moneyNow = payments.cashKopecks + payments.cardKopecks;
  const moneyBefore = payments.prepaymentCashKopecks + payments.prepaymentCardKopecks;
  if (payments.qrKopecks > 0 && moneyNow > 0) return "qr-with-cash-or-card";
  if (payments.prepaymentQrKopecks > 0 && moneyNow + moneyBefore > 0) return "qr-prepayment-with-others";
  if (payments.advanceKopecks > 0 && prepaymentOf(payments) > 0) return "prepayment-with-advance";
  // The public contract has prepayments and advances only in a sale. A return with one is refused: if the prepayment or advance were
  // ignored, the lines and payments of the return would differ.
  if (kind === "sales-return" && payments.advanceKopecks + prepaymentOf(payments) > 0) return "prepayment-in-return";
  return undefined;
}

function prepaymentOf({ prepaymentCashKopecks, prepaymentCardKopecks, prepaymentQrKopecks }: Payments): number {
  return prepaymentCashKopecks + prepaymentCardKopecks + prepaymentQrKopecks;
}

/** Returns the whole sum that a buyer paid or got back. */
export function paidKopecks({ payments }: TradeOperation): number {
  return Object.values(payments).reduce((sum: number, kopecks: number) => sum + kopecks, 0);
}
