import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import type { Stored, Value, Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** Payments that exclude QR (json-api 12.2, rule 4). */
const CASH_AND_CARD = ["cashSum", "noCashSum", "prepaymentCashSum", "prepaymentNoCashSum", "advancePaymentSum"] as const;
const QR = ["qrSum", "prepaymentQrSum"] as const;
const PREPAYMENTS = ["prepaymentCashSum", "prepaymentNoCashSum", "prepaymentQrSum"] as const;

/** The seven sums of a sale. All are always present (json-api 12.2, rule 8). */
export const PAYMENT_FIELDS = [...CASH_AND_CARD, ...QR] as const;

type Payments = Record<(typeof PAYMENT_FIELDS)[number], number>;

/**
 * Returns the payment sums (json-api 12.2, rules 3–8). The unpaid amount goes to sums that the body lacks (see `fillRest`), even if only
 * the lines change. Throws 3002 for a negative sum, 18005–18007 for payments that exclude each other, 18000 if the sums do not give the
 * total.
 */
export function settlePayments(draft: Values, sum: number, before: Stored | undefined, { given }: Writing): Payments {
  const paid = paymentsIn(draft);
  const untouched = before !== undefined && sum === before.values.sum && !PAYMENT_FIELDS.some((name) => given.has(name));
  if (untouched) return paid;
  fillRest(paid, sum, (name) => given.has(name) && draft[name] !== undefined);
  refuseExcluded(paid);
  if (PAYMENT_FIELDS.some((name) => paid[name] < 0) || total(paid) !== sum) throw refused(18000);
  return paid;
}

function paymentsIn(draft: Values): Payments {
  const sums = PAYMENT_FIELDS.map((name): [string, number] => {
    const value: Value | undefined = draft[name];
    if (numberIn(value) < 0) throw refused(3002, name);
    return [name, numberIn(value)];
  });
  return Object.fromEntries(sums) as Payments;
}

function refuseExcluded(paid: Payments): void {
  const others = CASH_AND_CARD.some((name) => paid[name] !== 0);
  if (paid.qrSum !== 0 && others) throw refused(18005);
  if (paid.prepaymentQrSum !== 0 && others) throw refused(18006);
  if (paid.advancePaymentSum !== 0 && PREPAYMENTS.some((name) => paid[name] !== 0)) throw refused(18007);
}

/**
 * Fills the missing sums (json-api 12.2, rules 6 and 7). A sale with a QR sum, stored or sent, uses the pair `qrSum`, `prepaymentQrSum`;
 * any other sale uses cash and card. The remaining amount goes to the first sum of the pair, or to the second sum if the body has the first
 * sum. If the total became smaller, the first sum is reduced, but not below zero, then the second sum.
 */
function fillRest(paid: Payments, sum: number, isSent: (name: keyof Payments) => boolean): void {
  const pair = QR.some((name) => paid[name] !== 0) ? QR : CASH_ORDER;
  for (const name of pair) {
    const others = total(paid) - paid[name];
    if (!isSent(name)) paid[name] = Math.max(0, sum - others);
  }
}

const CASH_ORDER = ["cashSum", "noCashSum"] as const;

function total(paid: Payments): number {
  return PAYMENT_FIELDS.reduce((sum, name) => sum + paid[name], 0);
}
