import type { Payment, Refund } from "../../payments/payment.ts";
import { isUnderWay } from "../../payments/payment.ts";

/** The bank's state of a payment, as read. */
interface BankBook {
  status: string;
  amountKopecks: number;
  /** Absent: the bank does not report it. */
  refundedKopecks?: number;
}

/** The difference between the bank's and this server's state of a payment. Sums are in kopecks. */
export type BookDifference =
  | { code: "amount"; ours: number; bank: number }
  | { code: "refunded"; ours: number; bank: number }
  /** The bank's status does not fit the stored refunds. */
  | { code: "status"; ours: string; bank: string };

/** Compares the bank's state of a paid payment with the stored state. Undefined: the states agree. */
export function compareBooks(payment: Payment, refunds: readonly Refund[], bank: BankBook): BookDifference | undefined {
  if (bank.amountKopecks !== payment.amountKopecks) return { code: "amount", ours: payment.amountKopecks, bank: bank.amountKopecks };
  const { least, most } = refundedBounds(refunds);
  const { refundedKopecks } = bank;
  if (refundedKopecks !== undefined && (refundedKopecks < least || refundedKopecks > most))
    return { code: "refunded", ours: least, bank: refundedKopecks };
  const fits = statusesFor(payment.amountKopecks, least, most);
  return fits.includes(bank.status) ? undefined : { code: "status", ours: payment.state, bank: bank.status };
}

/** Returns the least and the largest possible refunded sum. A refund that is under way or waits for a person may have happened. */
function refundedBounds(refunds: readonly Refund[]): { least: number; most: number } {
  const sumOf = (some: readonly Refund[]) => some.reduce((sum, { amountKopecks }) => sum + amountKopecks, 0);
  const least = sumOf(refunds.filter(({ state }) => state === "done"));
  return { least, most: least + sumOf(refunds.filter((refund) => isUnderWay(refund) || refund.state === "person")) };
}

function statusesFor(amountKopecks: number, least: number, most: number): string[] {
  return [
    ...(least === 0 ? ["paid"] : []),
    ...(most > 0 && least < amountKopecks ? ["partly refunded"] : []),
    ...(most >= amountKopecks ? ["refunded"] : []),
    ...(most > least ? ["refunding"] : []),
  ];
}
