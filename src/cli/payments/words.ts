import { formatKopecks } from "../../kernel/money.ts";
import type { PaymentReason } from "../../model/payment.ts";
import type { ReconcileResult } from "../../operator/payments/reconcile.ts";
import type { RefundObstacle } from "../../operator/payments/refund-payment.ts";
import type { SettleObstacle } from "../../operator/payments/settle-payment.ts";

/** `insufficient-funds (5060: Недостаточно средств)`: the code of this program, then the bank's code and words, if any. */
export function reasonText({ code, bankCode, words }: PaymentReason): string {
  const said = [bankCode, words].filter((text) => text !== undefined);
  return said.length === 0 ? code : `${code} (${said.join(": ")})`;
}

/** Returns why the refund was not ordered, and what to do if there is something to do. */
export function refundObstacleText(obstacle: RefundObstacle): string {
  switch (obstacle.code) {
    case "not-paid":
      return `the payment is ${obstacle.state}: there is no money that could go back`;
    case "nothing-left":
      return "everything has gone back or is on its way; a refund in state person is ended by `payments settle`";
    case "refunded-meanwhile":
      return "another refund was ordered meanwhile: look at the payment again";
    case "above-remainder":
      return `only ${formatKopecks(obstacle.leftKopecks)} is left`;
    case "below-least":
      return `the acquirer returns ${formatKopecks(obstacle.leastKopecks)} at least`;
    case "whole-only":
      return `the acquirer returns the whole payment only: ${formatKopecks(obstacle.leftKopecks)}`;
    case "till-not-told":
      return "the till does not know yet that it was paid: return all of it, which ends the payment for the till, or wait until the till has asked";
    case "no-bank-id":
      return "the bank's id of the payment is not known: return the money at the bank";
    case "acquirer-unusable":
      return `the acquirer cannot be used: ${obstacle.problem}`;
  }
}

/** Returns why a person cannot settle the payment, and what to do. */
export function settleObstacleText(obstacle: SettleObstacle): string {
  switch (obstacle.code) {
    case "nothing-open":
      return `the payment is ${obstacle.state}, and no refund of it waits for a person`;
    case "settled-meanwhile":
      return "it was settled meanwhile: look at the payment again";
    case "no-bank-id":
      return "the till has cancelled it, so that the money would go back, and the bank's id is not known: return the money at the bank, then settle it as not-paid";
  }
}

/** Returns how the payment at the bank compares with the stored payment. */
export function reconcileText(result: ReconcileResult): string {
  switch (result.kind) {
    case "agrees":
      return "agrees";
    case "changed":
      return `was ${result.from}, is ${result.to}`;
    case "differs":
      return differenceText(result.difference);
    case "unreachable":
      return UNREACHABLE[result.why];
  }
}

function differenceText(difference: Extract<ReconcileResult, { kind: "differs" }>["difference"]): string {
  switch (difference.code) {
    case "amount":
      return `the bank has ${formatKopecks(difference.bank)}, the server has ${formatKopecks(difference.ours)}`;
    case "refunded":
      return `the bank has returned ${formatKopecks(difference.bank)}, the server says ${formatKopecks(difference.ours)}`;
    case "status":
      return `the bank says ${difference.bank}, the server says ${difference.ours}`;
    case "not-understood":
      return "what the bank says is not understood, or names another payment or amount: `payments settle`";
    case "not-returned":
      return `${formatKopecks(difference.kopecks)} should have gone back, and the refund waits for a person: \`payments show\`, then \`payments settle\``;
    case "late-money":
      return `${formatKopecks(difference.kopecks)} came after the end and waits for a person: \`payments refund\``;
  }
}

const UNREACHABLE = {
  "no-answer": "the bank gave no answer that tells",
  held: "a server works on it and was not done in time",
  "no-setting": "the acquirer's setting cannot be used any more",
  "not-known-there": "the bank does not know the payment, or does not let it be read",
  "cannot-be-found": "the bank's id is not known, and this bank finds no payment without it",
} as const;
