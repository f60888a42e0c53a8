import type { PaymentStory } from "../../operator/payments/payment-story.ts";
import type { Payment, Refund } from "../../payments/payment.ts";
import { reasonText } from "./words.ts";

/** Returns the content of `payments show --json`. Its form is fixed (payments surface 8). Amounts are in kopecks, moments in ISO 8601. */
export function storyJson({ payment, refunds, moves, saleDocumentId }: PaymentStory) {
  return {
    ...paymentJson(payment),
    refunds: refunds.map(refundJson),
    ...(payment.late === undefined ? {} : { lateMoney: { amount: payment.late.amountKopecks, state: payment.late.state } }),
    ...(saleDocumentId === undefined ? {} : { sale: saleDocumentId }),
    moves: moves.map(({ atMs, from, to, why }) => ({ at: isoOf(atMs), from: from ?? null, to, why })),
  };
}

/** Returns a row of `payments list --json`. */
export function rowJson(payment: Payment) {
  return { ...paymentJson(payment), at: isoOf(payment.createdAtMs) };
}

/** Returns a refund as `payments show --json` lists it. */
export function refundJson({ number, amountKopecks, state }: Refund) {
  return { number, amount: amountKopecks, state };
}

function paymentJson({ id, operationId, accountId, storeId, acquirer, bankId, amountKopecks, state, told, reason }: Payment) {
  return {
    id,
    operationId,
    accountId,
    retailStoreId: storeId,
    acquirer,
    bankId: bankId ?? null,
    amount: amountKopecks,
    state,
    told: told ?? null,
    ...(reason === undefined ? {} : { reason: reasonText(reason) }),
  };
}

function isoOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
