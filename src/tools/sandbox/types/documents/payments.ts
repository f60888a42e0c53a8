import { refused } from "../../call/refusal.ts";
import { numberIn } from "../../values/number.ts";
import type { Stored, Value, Values } from "../../values/stored.ts";
import type { Writing } from "../entity-type.ts";

/** Ways of paying that QR excludes (rule 4 of 12.2). */
const CASH_AND_CARD = ["cashSum", "noCashSum", "prepaymentCashSum", "prepaymentNoCashSum", "advancePaymentSum"] as const;
const QR = ["qrSum", "prepaymentQrSum"] as const;
const PREPAYMENTS = ["prepaymentCashSum", "prepaymentNoCashSum", "prepaymentQrSum"] as const;

/** The seven sums of a sale, always present (rule 8). */
export const PAYMENT_FIELDS = [...CASH_AND_CARD, ...QR] as const;

type Payments = Record<(typeof PAYMENT_FIELDS)[number], number>;

/**
 * What was paid how, after rules 3–8 of 12.2: what the body leaves open takes the rest of the total, also when only the lines
 * change. Throws a `Refusal`: 3002 negative, 18005–18007 ways that exclude each other, 18000 sums that do not add up.
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
 * Rules 6 and 7: the rest goes to cash, or to the card when cash is stated; with QR, stored or sent, to its other half. A
 * total that shrank below what was paid takes from the first of the two what it has, and the remainder from the second.
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
